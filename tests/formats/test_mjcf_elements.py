"""Springs as MuJoCo's tendons: written, read back, and moving as MuJoCo moves them."""

import numpy as np
import pytest

import treadle as td
from treadle.formats.mjcf import read
from treadle.formats.mjcf_write import mjcf_text

mujoco = pytest.importorskip("mujoco")


def machine(seed: int) -> td.ModelSpec:
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("sprung")
    for k in range(3):
        spec.add_body(f"b{k}", 1.0 + k, center=rng.uniform(-0.1, 0.1, 3), inertia=(0.1, 0.12, 0.15))
        parent = f"b{k - 1}" if k else None
        spec.add_joint(
            f"j{k}", "revolute", parent, f"b{k}", axis=(0, 1, 0), position=rng.uniform(-0.5, 0.5, 3)
        )
    for k, ends in enumerate(((None, "b2"), ("b0", "b2"), (None, "b1"))):
        points = rng.uniform(-1.0, 1.0, (2, 3)).tolist()
        options = {"stiffness": rng.uniform(5, 50), "damping": rng.uniform(0.1, 1), "length": 0.7}
        spec.add_spring(f"s{k}", *ends, *points, pretension=float(k), **options)
    return spec


@pytest.mark.parametrize("seed", range(4))
def test_springs_move_a_machine_as_in_mujoco(seed):
    model = machine(seed).compile()
    text, findings = mjcf_text(model)
    assert not any("force elements" in str(finding) for finding in findings)
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(seed)
    data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    mujoco.mj_forward(peer, data)
    found = td.linearize(td.Simulation(model, q=data.qpos, v=data.qvel)).rate[3:]
    np.testing.assert_allclose(found, data.qacc, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_springs_survive_the_file(seed):
    model = machine(seed).compile()
    back = read(mjcf_text(model)[0].encode(), "file")
    assert not any("tendon" in line for line in back.report)
    again = back.compile()
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    rates = [td.linearize(td.Simulation(one, q=q, v=v)).rate for one in (model, again)]
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-9, atol=1e-9)


def one_way(seed: int) -> td.ModelSpec:
    """Springs that act one way, and links whose weight is carried in part."""
    spec = machine(seed)
    for element, acts in zip(spec.elements, ("tension", "compression", "tension"), strict=True):
        element.parameters |= {"acts": acts, "damping": 0.0, "length": 1.2}
    for k, share in ((0, 1.0), (2, 0.4)):
        center = spec.bodies[k].center
        field = (0.0, 0.0, 9.81 * share)
        spec.add_element(f"carried{k}", "gravity", (f"b{k}",), (center,), uniform=field)
    return spec


@pytest.mark.parametrize("seed", range(6))
def test_springs_that_act_one_way_and_carried_weights_are_those_of_mujoco(seed):
    model = one_way(seed).compile()
    text, findings = mjcf_text(model)
    assert not any("force elements" in str(finding) for finding in findings)
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    again = read(text.encode(), "file").compile()
    rng = np.random.default_rng(seed)
    for _ in range(5):
        data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
        mujoco.mj_forward(peer, data)
        for one in (model, again):
            found = td.linearize(td.Simulation(one, q=data.qpos, v=data.qvel)).rate[3:]
            np.testing.assert_allclose(found, data.qacc, rtol=1e-9, atol=1e-9)


def test_what_mjcf_cannot_say_is_reported():
    spec = machine(0)
    # a tendon's damper acts always
    spec.elements[0].parameters["acts"] = "tension"
    spec.add_element("bearing", "bushing", (None, "b0"), stiffness=(1,) * 6)
    spec.add_element("field", "gravity", ("b1",), ((1, 1, 1),), uniform=(0, 0, 1))
    _, findings = mjcf_text(spec.compile())
    (found,) = [str(f) for f in findings if "force elements that are not written" in str(f)]
    assert all(name in found for name in ("s0", "bearing", "field"))


LIFTED = """<mujoco><option gravity="1 0 -9"/><worldbody>
<body name="a" gravcomp="1"><joint axis="0 1 0"/><geom pos="0.3 0 0.1" size="0.1"/>
<body name="b" pos="0.5 0 0" gravcomp="0.4"><joint axis="1 1 0"/><geom pos="0.2 0.1 0" size="0.1"/>
<body name="c" pos="0.5 0 0"><joint axis="0 1 0"/><geom pos="0.2 0 0.1" size="0.1"/></body></body></body>
</worldbody></mujoco>"""


def test_weights_are_compensated_as_in_mujoco():
    spec = read(LIFTED.encode(), "file")
    assert [element.name for element in spec.elements] == ["a/gravcomp", "b/gravcomp"]
    peer = mujoco.MjModel.from_xml_string(LIFTED)
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(0)
    for _ in range(3):
        data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
        mujoco.mj_forward(peer, data)
        sim = td.Simulation(spec.compile(), q=data.qpos, v=data.qvel, contact=False)
        np.testing.assert_allclose(td.linearize(sim).rate[3:], data.qacc, rtol=1e-9, atol=1e-9)
