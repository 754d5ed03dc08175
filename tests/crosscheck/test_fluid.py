"""MuJoCo's fluid forces, imported: accelerations of random bodies in a medium."""

import mujoco
import numpy as np
import pytest

import treadle as td

GEOMS = {"ellipsoid": 3, "box": 3, "sphere": 1, "capsule": 2, "cylinder": 2}


def medium(rng: np.random.Generator, kinds: tuple[str, ...] = tuple(GEOMS)) -> str:
    """Three bodies on ball joints, of which some have a shape for fluid forces."""
    bodies, closing = "", ""
    for _ in range(3):
        kind = str(rng.choice(kinds))
        size = " ".join(f"{x:.4f}" for x in rng.uniform(0.03, 0.12, GEOMS[kind]))
        euler = " ".join(f"{x:.3f}" for x in rng.uniform(-90, 90, 3))
        shape = 'fluidshape="ellipsoid"' if rng.random() < 0.6 else ""
        geom = f'<geom type="{kind}" size="{size}" euler="{euler}" mass="0.7" pos="0.05 0.02 -0.1" {shape}/>'
        bodies += f'<body pos="0 0 -0.2"><joint type="ball"/>{geom}'
        closing += "</body>"
    wind = " ".join(f"{x:.3f}" for x in rng.uniform(-1, 1, 3))
    option = (
        f'<option density="{rng.uniform(1, 1000):.2f}" viscosity="{rng.uniform(0, 0.3):.3f}" wind="{wind}"/>'
    )
    default = '<default><geom contype="0" conaffinity="0"/></default>'
    return f"<mujoco>{option}{default}<worldbody>{bodies}{closing}</worldbody></mujoco>"


@pytest.mark.parametrize("seed", range(8))
def test_accelerations_in_a_medium(seed, tmp_path):
    rng = np.random.default_rng(seed)
    text = medium(rng)
    path = tmp_path / "medium.xml"
    path.write_text(text)
    ours = td.load(path)
    assert any(element.type == "mujoco_fluid" for element in ours.elements)
    there = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(there)
    q = rng.normal(size=(3, 4))
    data.qpos[:] = (q / np.linalg.norm(q, axis=1, keepdims=True)).reshape(-1)
    data.qvel[:] = rng.uniform(-3, 3, there.nv)
    mujoco.mj_forward(there, data)
    sim = td.Simulation(ours, q=data.qpos.tolist(), v=data.qvel.tolist())
    found = td.linearize(sim).rate[ours.nv :]
    np.testing.assert_allclose(found, data.qacc, rtol=1e-9, atol=1e-9 * np.abs(data.qacc).max())


@pytest.mark.parametrize("seed", range(4))
def test_a_medium_survives_the_file(seed, tmp_path):
    rng = np.random.default_rng(seed)
    path = tmp_path / "medium.xml"
    path.write_text(medium(rng, ("box", "ellipsoid")))
    model = td.load(path)
    td.save(model, tmp_path / "again.xml")
    q, v = rng.normal(size=(3, 4)), rng.uniform(-3, 3, 9).tolist()
    q = (q / np.linalg.norm(q, axis=1, keepdims=True)).reshape(-1).tolist()
    rates = [
        td.linearize(td.Simulation(machine, q=q, v=v)).rate
        for machine in (model, td.load(tmp_path / "again.xml"))
    ]
    np.testing.assert_allclose(rates[1], rates[0], rtol=1e-9, atol=1e-9 * np.abs(rates[0]).max())
