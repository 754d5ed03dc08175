"""Where wheels touch: closed forms on planes, dense search on rough ground, treads, steps."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.model import Settings, Wheel
from treadle.spatial import Mat3, Transform, Vec3
from treadle.wheels.geometry import touches

RADIUS, WIDTH = 0.3, 0.1


def wheel(**options) -> Wheel:
    fields = {"width": WIDTH, "model": "linear", "parameters": Settings()} | options
    return Wheel("w", "axle", 0, 0, (0.0, 1.0, 0.0), RADIUS, **fields)


def pose(roll=0.0, pitch=0.0, yaw=0.0, position=(0.0, 0.0, 0.25)) -> Transform:
    return Transform(Mat3.of(td.rpy(roll, pitch, yaw)), Vec3(*position))


@pytest.mark.parametrize("points", [3, 9, 19])
def test_on_a_plane_the_deepest_point_is_exact(points):
    rng = np.random.default_rng(points)
    for _ in range(50):
        rise = tuple(rng.uniform(-0.5, 0.5, 2).tolist())
        X = pose(*rng.uniform(-0.6, 0.6, 3).tolist(), position=(0.0, 0.0, 0.2))
        (touch,) = touches(wheel(points=points), X, td.Plane(rise=rise))
        n = np.array([-rise[0], -rise[1], 1.0]) / math.hypot(1.0, *rise)
        axle = np.array(list(touch.axle))
        down = -(n - (n @ axle) * axle)
        place = np.array([0.0, 0.0, 0.2]) + RADIUS * down / np.linalg.norm(down)
        # the sine reaches one interval beyond the outermost points
        np.testing.assert_allclose(list(touch.point), place, atol=1e-12)
        assert touch.depth == pytest.approx(-n @ place, abs=1e-12)


def test_directions_of_slip():
    (touch,) = touches(wheel(), pose(roll=0.3, yaw=0.8), td.Plane(rise=(0.1, 0.2)))
    x, y, n = (np.array(list(v)) for v in (touch.x, touch.y, touch.normal))
    np.testing.assert_allclose(np.array([x, y, n]) @ np.array([x, y, n]).T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(np.cross(x, y), n, atol=1e-14)
    # rolling stays in the wheel's plane, and goes forward
    assert x @ np.array(list(touch.axle)) == pytest.approx(0.0, abs=1e-15)
    assert x @ [math.cos(0.8), math.sin(0.8), 0.0] > 0.9


def test_on_rough_ground_it_is_as_deep_as_a_dense_search_finds():
    ground = td.random_grid((8.0, 8.0), spacing=0.1, roughness=0.1, correlation=0.8, seed=2)
    rng = np.random.default_rng(3)
    angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 4001)
    for _ in range(100):
        x, y = rng.uniform(-3.0, 3.0, 2).tolist()
        X = pose(*rng.uniform(-0.3, 0.3, 2).tolist(), position=(x, y, ground.height(x, y) + 0.28))
        (touch,) = touches(wheel(), X, ground)
        axle = np.array(list(touch.axle))
        up = np.array([0.0, 0.0, 1.0]) - axle[2] * axle
        up /= np.linalg.norm(up)
        rim = np.outer(np.sin(angles), np.cross(axle, up)) - np.outer(np.cos(angles), up)
        rim = RADIUS * rim + np.array([x, y, ground.height(x, y) + 0.28])
        deepest = (ground.height(rim[:, 0], rim[:, 1]) - rim[:, 2]).max()
        found = ground.height(touch.point.x, touch.point.y) - touch.point.z
        assert deepest - found < 2e-3 * RADIUS


def test_treads():
    level, tilt = td.Plane(), 0.2
    circle, cylinder, torus = (
        touches(wheel(tread=tread), pose(roll=tilt, position=(0, 0, 0.29)), level)[0]
        for tread in ("circle", "cylinder", "torus")
    )
    assert circle.depth == pytest.approx(RADIUS * math.cos(tilt) - 0.29)
    assert cylinder.depth == pytest.approx(RADIUS * math.cos(tilt) + 0.5 * WIDTH * math.sin(tilt) - 0.29)
    round_part = 0.5 * WIDTH
    assert torus.depth == pytest.approx((RADIUS - round_part) * math.cos(tilt) + round_part - 0.29)
    # all of these points are as deep as stated
    for touch in (circle, cylinder, torus):
        assert touch.depth == pytest.approx(-touch.point.z)


def test_two_contacts_before_a_step_and_one_on_the_flat():
    # a wall of 45 degrees begins at x = 0.2
    wall = td.Ramp(2.0, math.pi / 4, 4.0, center=(2.2, 0.0))
    both = touches(wheel(contacts=2, points=19), pose(position=(0.09, 0.0, 0.29)), wall)
    assert [touch.depth > 0.0 for touch in both] == [True, True]
    slopes = sorted(touch.normal.x for touch in both)
    np.testing.assert_allclose(slopes, [-math.sqrt(0.5), 0.0], atol=1e-12)
    flat = touches(wheel(contacts=2, points=19), pose(position=(-3.0, 0.0, 0.29)), wall)
    assert [touch.depth > 0.0 for touch in flat] == [True, False]


@pytest.mark.parametrize("roll", [0.5 * math.pi, math.pi, 1.5])
def test_a_wheel_on_its_side_is_finite(roll):
    for touch in touches(wheel(), pose(roll=roll), td.Plane()):
        assert np.isfinite([touch.depth, *touch.point, *touch.x, *touch.y]).all()
