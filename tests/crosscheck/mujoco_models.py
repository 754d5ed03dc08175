"""The MJCF files of gymnasium and dm_control, in both libraries."""

from functools import cache
from importlib.metadata import files
from pathlib import Path

import mujoco
import numpy as np

from treadle import Model
from treadle.formats import mjcf
from treadle.formats.folder import Folder

__all__ = ["FILES", "OFF", "REFUSED", "model", "order", "peer", "places"]

#: Files that MuJoCo itself does not load, and why.
REFUSED = {
    "dm_control/mjcf/schema.xml": "not MJCF: a schema of dm_control",
    "dm_control/mjcf/test_assets/attribute_test_schema.xml": "not MJCF: a schema of dm_control",
    "dm_control/mjcf/test_assets/included_with_invalid_filenames.xml": "a mesh is missing, on purpose",
    "dm_control/mjcf/test_assets/model_with_invalid_filenames.xml": "an include is missing, on purpose",
    "dm_control/mjcf/test_assets/test_model.xml": "a moving body has no inertia",
    "dm_control/mujoco/testing/assets/model_with_assets.xml": "its files exist only in the memory of a test",
    "dm_control/locomotion/walkers/assets/build_fruitfly/assets/drosophila.xml": (
        "names its meshes as seen from the folder above"
    ),
    "dm_control/locomotion/walkers/assets/build_fruitfly/floor.xml": "its meshes are in another folder",
    "dm_control/locomotion/walkers/assets/build_fruitfly/fruitfly.xml": "its meshes are in another folder",
    "dm_control/locomotion/walkers/assets/dog_v2/scene.xml": "defines the material 'grid' twice",
}
#: Files whose meshes lie outside their own folder.
_OUTSIDE = ["dm_control/locomotion/walkers/assets/dog_v2/dog.xml"]
#: What is switched off in MuJoCo.
OFF = (
    "CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "SPRING", "DAMPER", "ACTUATION", "SENSOR",
)  # fmt: skip


def _files() -> dict[str, Path]:
    paths = [file for package in ("gymnasium", "dm-control") for file in files(package) or ()]
    return {str(file): Path(str(file.locate())) for file in sorted(paths) if file.suffix == ".xml"}


FILES = _files()


@cache
def model(name: str) -> Model:
    """The file as Treadle loads it, without loops."""
    path = FILES[name]
    folder = Folder(path.parent, allow_outside=name in _OUTSIDE)
    spec = mjcf.read(path.read_bytes(), path.stem, folder=folder)
    return spec.compile(strict=False).without_loops()


@cache
def peer(name: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The file as MuJoCo loads it, without anything but inertia, gravity and applied forces."""
    before = mujoco.get_mju_user_warning()
    # it would write a file of warnings
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        there = mujoco.MjModel.from_xml_path(str(FILES[name]))
    finally:
        mujoco.set_mju_user_warning(before)
    gravity = there.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    there.opt.disableflags = gravity + sum(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}") for flag in OFF)
    # what are force elements here is not part of the dynamics that are compared
    there.tendon_armature[:] = 0.0
    there.opt.density = there.opt.viscosity = 0.0
    there.body_gravcomp[:] = 0.0
    return there, mujoco.MjData(there)


#: Our coordinates of a joint in MuJoCo's order, by its type: free, ball, slide, hinge.
_PARTS = [((4, 5, 6, 0, 1, 2, 3), (3, 4, 5, 0, 1, 2)), (range(4), range(3)), ((0,), (0,)), ((0,), (0,))]


def order(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Where MuJoCo's coordinates lie in ours, by the names of joints: qpos = q[first], qvel = v[second]."""
    return places(peer(name)[0], model(name))


def places(there: mujoco.MjModel, ours: Model) -> tuple[np.ndarray, np.ndarray]:
    """The same of two models."""
    q, v = np.full(there.nq, -1), np.full(there.nv, -1)
    for index in range(there.njnt):
        joint = ours.joint(there.joint(index).name or f"joint{index}")
        first, second = _PARTS[there.jnt_type[index]]
        for k, part in enumerate(first):
            q[there.jnt_qposadr[index] + k] = joint.q.start + part
        for k, part in enumerate(second):
            v[there.jnt_dofadr[index] + k] = joint.v.start + part
    assert sorted(q) == list(range(ours.nq))
    assert sorted(v) == list(range(ours.nv))
    return q, v
