"""Tactile grids: their forces add up to that of contact, and lie where the skin is compressed."""

import numpy as np
import pytest

import treadle as td

PITCH, SKIN = 0.01, 0.004


def pad(shape, size, height, place=(0.0, 0.0), tilt=0.0, **options):
    """A body above a pad on the ground that looks up: row 0 lies at -x, column 0 at +y of the world."""
    spec = td.ModelSpec("pad")
    spec.add_material("gum", stiffness=2e4, damping=200.0, friction=0.8)
    spec.add_body("table", 5.0, type="box", size=(0.2, 0.2, 0.1))
    spec.add_joint("mount", "prismatic", None, "table", axis=(0, 0, 1), stiffness=1e7, damping=1e5)
    spec.add_shape("plate", "table", "box", (0.2, 0.2, 0.1), role="collision", material="gum",
                   position=(0, 0, -0.05))  # fmt: skip
    spec.add_body("weight", 0.8, type=shape, size=size)
    spec.add_joint("free", "free", None, "weight", position=(*place, height), rotation=td.rpy(0, tilt, 0))
    spec.add_shape("skin", "weight", shape, size, role="collision", material="gum")
    # x of the sensor is up, z is -x of the world, y is y
    up = {"rotation": ((0, 0, -1), (0, 1, 0), (1, 0, 0))}
    spec.add_sensor("cells", "tactile", "table", rows=6, columns=8, pitch=PITCH, skin=SKIN, **up, **options)
    spec.add_sensor("touch", "touch", "plate")
    return spec.compile()


def middles():
    """x and y in the world of the cells (6, 8)."""
    x = PITCH * (np.arange(6) - 2.5)
    y = PITCH * (3.5 - np.arange(8))
    return np.meshgrid(x, y, indexing="ij")


@pytest.mark.parametrize("seed", range(3))
def test_a_ball_is_felt_where_it_lies(seed):
    rng = np.random.default_rng(seed)
    place = rng.uniform(-0.015, 0.015, 2)
    sim = td.Simulation(pad("sphere", (0.03,), 0.0299, place), dt=1e-3)
    sim.step(400)
    cells = sim.sensor("cells").value.reshape(6, 8)
    assert cells.sum() == pytest.approx(sim.sensor("touch").value, rel=1e-9)
    assert cells.sum() == pytest.approx(0.8 * 9.81, rel=1e-3)
    x, y = middles()
    center = sim.body("weight").position - sim.body("table").position
    away = np.hypot(x - center[0], y - center[1])
    # the gap under a ball in closed form
    gap = center[2] - np.sqrt(0.03**2 - np.minimum(away, 0.03) ** 2)
    expected = np.clip(SKIN - gap, 0.0, None)
    np.testing.assert_allclose(cells, cells.sum() * expected / expected.sum(), rtol=1e-6, atol=1e-9)


def test_a_box_presses_evenly_and_only_where_it_is():
    # covers the cells with x in (-0.01, 0.02) and all y in (-0.02, 0.02)
    sim = td.Simulation(pad("box", (0.03, 0.04, 0.02), 0.0098, (0.005, 0.0), gives="compression"), dt=1e-3)
    sim.step(300)
    compression = sim.sensor("cells").value.reshape(6, 8)
    x, y = middles()
    under = (np.abs(x - 0.005) < 0.015) & (np.abs(y) < 0.02)
    assert (compression[~under] == 0.0).all()
    depth = 0.01 - sim.body("weight").position[2] + sim.body("table").position[2]
    assert np.abs(compression[under] - (SKIN + depth)).max() < 1e-6


def test_nothing_is_felt_in_the_air():
    sim = td.Simulation(pad("sphere", (0.03,), 0.2), dt=1e-3)
    assert not sim.sensor("cells").value.any()
    with pytest.raises(td.ModelError, match="not 'nowhere'"):
        td.Simulation(pad_with("nowhere"))


def pad_with(shape):
    spec = td.ModelSpec("wrong")
    spec.add_body("table", 5.0, type="box", size=(0.2, 0.2, 0.1))
    spec.add_joint("mount", "prismatic", None, "table")
    spec.add_sensor("cells", "tactile", "table", shape=shape)
    return spec.compile()
