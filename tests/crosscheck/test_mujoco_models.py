"""Every MJCF file of gymnasium and dm_control: it loads, and its smooth dynamics are MuJoCo's."""

import mujoco
import numpy as np
import pytest

from tests.crosscheck.mujoco_models import FILES, REFUSED, model, order, peer
from tests.machines import random_state
from tests.numeric import relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.kinematics import frame_placements, world_transforms
from treadle.dynamics.rnea import rnea
from treadle.errors import ModelError
from treadle.model.values import rotation_matrix

NAMES = [name for name in FILES if name not in REFUSED]
#: Files in which nothing moves: parts that others include, and scenery.
RIGID = [
    "dm_control/composer/arena.xml",
    "dm_control/entities/props/duplo/duplo2x4.xml",
    "dm_control/locomotion/walkers/assets/build_fruitfly/assets/drosophila_defaults.xml",
    "dm_control/locomotion/walkers/assets/dog_v2/dog_base.xml",
    "dm_control/mjcf/test_assets/arena.xml",
    "dm_control/mjcf/test_assets/included.xml",
    "dm_control/mjcf/test_assets/lego_brick.xml",
    "dm_control/mjcf/test_assets/model_with_assetdir.xml",
    "dm_control/mjcf/test_assets/model_with_assets.xml",
    "dm_control/mjcf/test_assets/model_with_include.xml",
    "dm_control/mjcf/test_assets/model_with_nameless_assets.xml",
    "dm_control/mjcf/test_assets/model_with_separators.xml",
    "dm_control/mujoco/testing/assets/sphere.xml",
    "dm_control/suite/common/materials.xml",
    "dm_control/suite/common/skybox.xml",
    "dm_control/suite/common/visual.xml",
    "dm_control/suite/lqr.xml",
    "dm_control/third_party/kinova/common.xml",
]
STATES = 3
TOLERANCE = 1e-9


def test_every_file_is_here():
    assert (len(FILES), len(REFUSED), len(RIGID)) == (79, 10, 18)
    assert set(REFUSED) | set(RIGID) <= set(FILES)


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_mujoco_refuses_is_refused(name):
    with pytest.raises(ValueError, match="Error"):
        peer(name)
    with pytest.raises(ModelError) as caught:
        model(name)
    assert caught.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_same_machine(name):
    ours, (there, data) = model(name), peer(name)
    assert (ours.nv == 0) == (name in RIGID)
    first, second = order(name)
    rng = np.random.default_rng(list(name.encode()))
    for _ in range(STATES):
        q, v, tau = (np.array(x) for x in random_state(ours, rng))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[first], v[second], tau[second]
        mujoco.mj_forward(there, data)
        check_places(name, q)
        check_dynamics(name, q, v, tau, second)


def check_places(name: str, q: np.ndarray) -> None:
    """That bodies, sites and geoms are where MuJoCo has them."""
    ours, (there, data) = model(name), peer(name)
    frames = [pose.to_matrix() for pose in frame_placements(ours, q.tolist())]
    links = {link.name: pose for link, pose in zip(ours.links, frames)}
    for index in range(1, there.nbody):
        pose = links[there.body(index).name or f"body{index}"]
        assert error_of(pose, data.xpos[index], data.xmat[index]) < TOLERANCE
    # after the sites come the frames of fluid forces
    for index, pose in enumerate(frames[len(links) : len(links) + there.nsite]):
        assert error_of(pose, data.site_xpos[index], data.site_xmat[index]) < TOLERANCE

    bodies = world_transforms(ours, q.tolist())
    for shape in ours.shapes:
        pose = (shape.placement if shape.body < 0 else bodies[shape.body] @ shape.placement).to_matrix()
        geom = shape.name.removesuffix("/visual")
        number = geom.removeprefix("geom")
        index = int(number) if number.isdigit() else there.geom(geom).id
        if shape.type == "mesh":
            # MuJoCo moves the points of a mesh so that its axes are the principal ones
            mesh, moved = there.geom_dataid[index], np.eye(4)
            moved[:3, :3], moved[:3, 3] = rotation_matrix(there.mesh_quat[mesh]), there.mesh_pos[mesh]
            pose = pose @ moved
        if shape.type == "plane" and not shape.name.endswith("/visual"):
            # the margin of a geom is part of its shape
            pose[:3, 3] -= there.geom_margin[index] * pose[:3, 2]
        # a geom that is nearly at the place of its body is there in MuJoCo
        assert error_of(pose, data.geom_xpos[index], data.geom_xmat[index]) < 1e-5


def error_of(pose: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> float:
    return max(
        relative_error(pose[:3, 3], position, 1e-2), relative_error(pose[:3, :3], rotation.reshape(3, 3))
    )


def check_dynamics(name: str, q: np.ndarray, v: np.ndarray, tau: np.ndarray, second: np.ndarray) -> None:
    ours, (there, data) = model(name), peer(name)
    assert not data.qfrc_passive.any()
    M = np.full((there.nv, there.nv), np.inf)
    mujoco.mj_fullM(there, data, M)
    # in these units every freedom has inertia 1, so that all of them count alike
    unit = np.sqrt(np.diag(M))
    units = np.outer(unit, unit)

    actual = np.array(crba(ours, q.tolist())).reshape(M.shape)[np.ix_(second, second)]
    assert relative_error(actual / units, M / units) < TOLERANCE
    bias = np.array(rnea(ours, q.tolist(), v.tolist(), [0.0] * ours.nv))[second]
    assert relative_error(bias / unit, data.qfrc_bias / unit) < TOLERANCE
    acceleration = np.array(aba(ours, q.tolist(), v.tolist(), tau.tolist()))[second]
    assert relative_error(acceleration * unit, data.qacc * unit) < TOLERANCE
