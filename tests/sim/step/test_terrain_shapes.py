"""Shapes on terrain: what they touch is the ground that wheels would run on."""

import math

import numpy as np
import pytest

import treadle as td

G, R, ANGLE = 9.81, 0.1, 0.2
RISE = math.tan(ANGLE)
PLANE = td.Plane(level=0.3, rise=(0.8 * RISE, 0.6 * RISE), friction=0.8)
AXIS = np.arange(-6.0, 6.1, 0.5)
GRID = td.Grid.at(AXIS + 0.25, AXIS - 0.5, np.zeros((25, 25)))
GRID = td.Grid.at(GRID.x, GRID.y, PLANE.height(GRID.x[:, None], GRID.y[None, :]), friction=0.8)
NORMAL = np.array([-PLANE.rise[0], -PLANE.rise[1], 1.0]) * math.cos(ANGLE)


def ball(**surface: float) -> td.Model:
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, -G))
    spec.add_material("rubber", friction=0.8, **surface)
    spec.add_body("ball", mass=1.0, inertia=[0.4 * R**2] * 3)
    spec.add_joint("flight", "free", None, "ball")
    spec.add_shape("skin", "ball", "sphere", (R,), role="collision", material="rubber")
    return spec.compile()


def start(point: tuple[float, float]) -> list[float]:
    """A ball that touches the slope at a point."""
    return [1.0, 0.0, 0.0, 0.0, *(np.array([*point, PLANE.height(*point)]) + R * NORMAL)]


@pytest.mark.parametrize("terrain", [PLANE, GRID], ids=["plane", "grid"])
def test_a_ball_rolls_down_with_five_sevenths_of_the_slope(terrain):
    sim = td.Simulation(ball(), dt=0.01, q=start((0.1, 0.2)), terrain=terrain)
    assert sim.contact
    before = sim.body("ball").pose[:3, 3].copy()
    sim.run(1.0)
    way = sim.body("ball").pose[:3, 3] - before
    downhill = np.array([-0.8, -0.6, 0.0]) * math.cos(ANGLE) - np.array([0.0, 0.0, math.sin(ANGLE)])
    assert way @ downhill == pytest.approx(0.5 * 5 / 7 * G * math.sin(ANGLE), rel=1e-3)
    assert np.linalg.norm(way - (way @ downhill) * downhill) < 1e-6
    (point,) = [p for p in sim.contacts() if p.force @ p.force > 1e-6]
    # normal and force are those on the ground, the second of the two
    assert point.shapes == ("skin", "terrain") and point.bodies == ("ball", None)
    assert point.normal == pytest.approx(-NORMAL, abs=1e-9)
    # the ground carries the weight across the slope, and its friction turns the ball
    assert -(point.force @ NORMAL) == pytest.approx(G * math.cos(ANGLE), rel=1e-6)
    assert point.force @ downhill == pytest.approx(2 / 7 * G * math.sin(ANGLE), rel=1e-3)


def test_friction_is_that_of_the_terrain():
    """On ice a ball slides without turning."""
    ice = td.Plane(rise=PLANE.rise, level=PLANE.level, friction=0.0)
    sim = td.Simulation(ball(), dt=0.01, q=start((0.0, 0.0)), terrain=ice)
    sim.run(0.5)
    assert np.linalg.norm(sim.v[3:]) == pytest.approx(0.5 * G * math.sin(ANGLE), rel=1e-6)
    assert np.linalg.norm(sim.v[:3]) < 1e-9


def test_a_material_named_terrain_is_its_surface():
    """The smaller restitution of both counts: a quarter of the height."""
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, -G))
    spec.add_material("terrain", restitution=0.5)
    spec.add_material("rubber", restitution=0.9)
    spec.add_body("ball", mass=1.0, inertia=[0.4 * R**2] * 3)
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, R))
    spec.add_shape("skin", "ball", "sphere", (R,), role="collision", material="rubber")
    sim = td.Simulation(spec.compile(), dt=0.01, v=[0.0, 0.0, 0.0, 0.0, 0.0, -2.0], terrain=td.Plane())
    sim.step()
    assert 1.0 - 0.01 * G <= sim.v[5] <= 1.0


def test_a_ball_dropped_into_a_hollow_comes_to_rest_at_its_bottom():
    x = np.arange(-2.0, 2.1, 0.25)
    hollow = td.Grid.at(x, x, 0.3 * (x[:, None] ** 2 + x[None, :] ** 2), friction=0.8)
    sim = td.Simulation(ball(rolling_friction=5e-3), dt=0.01, terrain=hollow)
    sim.joint("flight").position = [1.0, 0.0, 0.0, 0.0, 0.2, 0.1, 0.6]
    sim.run(12.0)
    assert np.linalg.norm(sim.v) < 1e-3
    assert sim.body("ball").pose[2, 3] == pytest.approx(R, abs=0.02)


def test_terrain_that_shapes_cannot_touch():
    ramp = td.Ramp(height_on_top=0.3, angle=0.3, width=2.0)
    sim = td.Simulation(ball(), terrain=ramp)
    with pytest.raises(td.InputError, match=r"td\.Plane or a td\.Grid, not a Ramp"):
        sim.step()
    td.Simulation(ball(), terrain=ramp, contact=False).step()
