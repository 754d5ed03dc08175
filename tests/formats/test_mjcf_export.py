import numpy as np
import pytest

import treadle as td
from treadle.bench.machines import MACHINES
from treadle.errors import ModelError
from treadle.forces.passive import passive_force
from treadle.formats.mjcf_export import mjcf_order, to_mjcf
from treadle.model import ModelSpec

mujoco = pytest.importorskip("mujoco")

INERTIA = ((0.2, 0.01, 0.02), (0.01, 0.3, 0.03), (0.02, 0.03, 0.25))


def every_joint() -> td.Model:
    """A tree with two branches and one joint of every type that MJCF can say."""
    spec = ModelSpec('the "<odd>" & the even', gravity=(0.3, -0.5, -9.0))
    kinds = ("free", "revolute", "ball", "universal", "planar", "cylindrical", "prismatic", "free")
    axes = {
        "revolute": {"axis": (1, 2, 3), "stiffness": 3.0, "reference": 0.4, "damping": 0.2, "armature": 0.1},
        "universal": {"axis": (1, 0, 1), "second_axis": (0, 1, 0.5), "damping": (0.1, 0.2)},
        "planar": {"axis": (0.2, 0.3, 1), "stiffness": (1.0, 2.0, 3.0), "armature": (0.1, 0.2, 0.3)},
        "cylindrical": {"axis": (0, 1, 1), "damping": (0.3, 0.4), "reference": (0.1, 0.2), "stiffness": 5.0},
        "prismatic": {"axis": (-1, 0, 0), "armature": 0.5},
        "ball": {"damping": 0.3, "armature": 0.05},
    }
    for index, kind in enumerate(kinds):
        spec.add_body(f"body{index}", mass=1.0 + index, center=(0.1, -0.2, 0.05 * index), inertia=INERTIA)
        # two branches from body 1, and the last free joint inside the tree
        parent = None if index == 0 else f"body{1 if index == 4 else index - 1}"
        options = {"position": (0.1, 0.2, 0.3), "rotation": turned(index)} if index else {}
        spec.add_joint(f"joint{index}", kind, parent, f"body{index}", **options, **axes.get(kind, {}))
    return spec.compile()


def turned(index: int) -> tuple[float, ...]:
    values = np.random.default_rng(index).standard_normal(4)
    return tuple((values / np.linalg.norm(values)).tolist())


def machine(name: str) -> td.Model:
    if name == "arm":
        return td.scene("arm", payload=2.0)
    if name == "chain":
        return td.scene("chain", links=20, damping=0.01)
    return every_joint() if name == "every joint" else MACHINES[name].model()


@pytest.mark.parametrize(
    "name", ["ur5", "panda", "anymal", "talos", "talos_fixed", "g1", "chain", "arm", "every joint"]
)
def test_mujoco_computes_the_same(name):
    model = machine(name)
    peer = mujoco.MjModel.from_xml_string(to_mjcf(model))
    data = mujoco.MjData(peer)
    order_q, order_v = mjcf_order(model)
    assert sorted(order_q) == list(range(model.nq))
    assert sorted(order_v) == list(range(model.nv))

    random = np.random.default_rng(0)
    for _ in range(3):
        q = np.concatenate([joint.type.sample(random) for joint in model.joints])
        v, tau = random.standard_normal((2, model.nv))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[order_q], v[order_v], tau[order_v]
        mujoco.mj_forward(peer, data)

        M = np.full((model.nv, model.nv), np.inf)
        mujoco.mj_fullM(peer, data, M)
        close(M, td.mass_matrix(model, q)[np.ix_(order_v, order_v)])
        close(data.qfrc_bias, td.inverse_dynamics(model, q, v, np.zeros(model.nv))[order_v])
        passive = np.array(passive_force(model, q.tolist(), v.tolist()))
        close(data.qfrc_passive, passive[order_v])
        close(data.qacc, td.forward_dynamics(model, q, v, tau + passive)[order_v])


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=1e-9 * max(np.abs(expected).max(), 1e-3))


def test_names_survive():
    peer = mujoco.MjModel.from_xml_string(to_mjcf(every_joint()))
    assert peer.body("body7").id == 8
    assert peer.joint("joint3_second").type == mujoco.mjtJoint.mjJNT_HINGE
    assert peer.joint("joint0").type == mujoco.mjtJoint.mjJNT_FREE
    # a free joint inside the tree is what MuJoCo does not have
    assert peer.joint("joint7_turn").type == mujoco.mjtJoint.mjJNT_BALL


def test_no_limits_and_no_shapes():
    peer = mujoco.MjModel.from_xml_string(to_mjcf(td.scene("arm")))
    assert not peer.jnt_limited.any()
    assert peer.ngeom == 0


def test_long_chain_is_written_without_recursion():
    text = to_mjcf(td.scene("chain", links=1200))
    assert text.count("<body ") == text.count("</body>") == 1200


def test_helical_joint_is_refused():
    spec = ModelSpec("screw")
    spec.add_body("nut", mass=1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("thread", "helical", None, "nut", pitch=0.01)
    with pytest.raises(ModelError, match=r"joint 'thread': MJCF has no helical joint"):
        to_mjcf(spec.compile())


def test_uneven_damping_of_a_ball_joint_is_refused():
    spec = ModelSpec("ball")
    spec.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("socket", "ball", None, "body", damping=(1.0, 2.0, 3.0))
    with pytest.raises(ModelError, match=r"joint 'socket'.* one damping"):
        to_mjcf(spec.compile())
