"""Nothing tunnels: times of impact against closed forms, at steps far longer than a shape."""

import numpy as np
import pytest

import treadle as td
from tests.collision.scenes import at, free_bodies
from treadle.collision.collider import Collider
from treadle.collision.height_field import HeightField

STEPS = pytest.mark.parametrize("dt", [0.016, 0.128])


def moving(*rows):
    """Velocities of free bodies, each (angular, linear)."""
    return np.concatenate([np.concatenate([w, v]) for w, v in rows])


STILL = ((0, 0, 0), (0, 0, 0))


@STEPS
def test_a_bullet_meets_a_thin_plate(dt):
    model = free_bodies(("sphere", (0.005,)), ("box", (1, 1, 0.001)), ground=False)
    q, v = at((0.2, 0.1, 5.0), (0, 0, 0)), moving(((0, 0, 0), (0, 0, -900.0)), STILL)
    t = td.time_of_impact(model, q, v, "b0", "b1", dt)
    assert t == pytest.approx((5.0 - 0.0005 - 0.005) / 900.0, abs=2e-9)
    past = td.time_of_impact(model, at((0.6, 0.1, 5.0), (0, 0, 0)), v, "b0", "b1", dt)
    assert past is None


@STEPS
def test_a_spinning_rod_meets_a_post(dt):
    """A rod of length 2 turns at 200 rad/s about its middle: its axis sweeps to the post at 60 degrees."""
    model = free_bodies(("capsule", (0.01, 2.0)), ("sphere", (0.02,)), ground=False)
    lying = (np.sqrt(0.5), 0, np.sqrt(0.5), 0, 0, 0, 0)
    post = 0.9 * np.array([np.cos(np.pi / 3), np.sin(np.pi / 3), 0])
    v = moving(((0, 0, 0), (0, 0, 0)), STILL)
    # 200 rad/s about the world's z, which is -x of the rod's own axes
    v[:3] = (-200.0, 0, 0)
    t = td.time_of_impact(model, at(lying, post), v, "b0", "b1", dt)
    assert t == pytest.approx((np.pi / 3 - np.arcsin(0.03 / 0.9)) / 200.0, abs=1e-7)


@STEPS
def test_a_fast_wheel_meets_the_edge_of_the_ground(dt):
    """A wheel flies at 200 m/s into a ridge, half a metre high and one cell wide."""
    heights = np.zeros((9, 41))
    heights[:, 30] = 0.5
    field = HeightField("ground", heights, (20, 4))
    collider = Collider(free_bodies(("cylinder", (0.3, 0.2)), ground=False), fields=[field])
    upright = (np.sqrt(0.5), np.sqrt(0.5), 0, 0, 3.0, 0.07, 0.65)
    v = moving(((0, 0, 0), (200.0, 0, 0)))
    v[:3] = (0, 0, -600.0)
    t = td.time_of_impact(collider, at(upright), v, "b0", "ground", dt)
    # the ridge's flank rises from x = 4.5 at 45 degrees: the wheel's middle is 0.3 from it at the impact
    middle = 4.5 + 0.65 - 0.3 * np.sqrt(2)
    assert t == pytest.approx((middle - 3.0) / 200.0, abs=1e-7)


def test_a_plane_and_what_moves_away():
    model = free_bodies(("box", (0.2, 0.2, 0.2)))
    q = at((0, 0, 1.1))
    assert td.time_of_impact(
        model, q, moving(((0, 0, 0), (3, 0, -10))), "b0", "ground", 1.0
    ) == pytest.approx(0.1, abs=1e-6)
    assert td.time_of_impact(model, q, moving(((0, 0, 0), (3, 0, 10))), "b0", "ground", 1.0) is None
    assert td.time_of_impact(model, at((0, 0, 0.1)), moving(STILL), "b0", "ground", 1.0) == 0.0


def test_random_tumbling_shapes_are_apart_until_they_meet():
    rng = np.random.default_rng(5)
    kinds = [
        ("box", (0.3, 0.5, 0.1)),
        ("cylinder", (0.2, 0.6)),
        ("ellipsoid", (0.1, 0.2, 0.4)),
        ("capsule", (0.1, 0.5)),
    ]
    met = 0
    for k in range(24):
        model = _PAIRS.setdefault(
            (k % 4, k // 4 % 4), free_bodies(kinds[k % 4], kinds[k // 4 % 4], ground=False)
        )
        collider = Collider(model)
        places = [(*_unit(rng.normal(size=4)), *rng.normal(size=3) * 2.0) for _ in range(2)]
        v = moving(*[(rng.normal(size=3) * 5.0, -np.array(place[4:]) * 4.0) for place in places])
        t = td.time_of_impact(collider, at(*places), v, "b0", "b1", 0.5)
        met += t is not None
        last = 0.5 if t is None else t
        for u in np.linspace(0, last, 12)[:-1]:
            assert td.distance(collider, _moved(places, v, u), "b0", "b1").distance > 0.0
        if t is not None:
            there = td.distance(collider, _moved(places, v, t), "b0", "b1").distance
            assert there == pytest.approx(0.0, abs=2e-6)
    assert met > 6


_PAIRS = {}


def _unit(x):
    return x / np.linalg.norm(x)


def _moved(places, v, t):
    """Where free bodies are after t: angular velocity in the body's axes, linear in the world's."""
    rows = []
    for place, w, u in zip(places, v.reshape(-1, 6)[:, :3], v.reshape(-1, 6)[:, 3:]):
        angle = np.linalg.norm(w) * t
        turn = np.array([np.cos(angle / 2), *np.sin(angle / 2) * _unit(w)])
        a, b = np.array(place[:4]), turn
        product = [a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))]
        rows.append((*product, *(np.array(place[4:]) + t * u)))
    return at(*rows)
