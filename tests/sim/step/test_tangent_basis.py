"""Friction that differs by direction: the ellipse of the most dissipation."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.sim.step.tangent_basis import across

G, ALONG, ACROSS = 9.81, 0.6, 0.2


def skate(direction=(1.0, 0.0, 0.0), gravity=(0.0, 0.0, -G), across=ACROSS, own=False):
    spec = td.ModelSpec("skate", gravity=gravity)
    grained = {"friction": ALONG, "friction_across": across, "friction_direction": direction}
    # beside a coefficient of 1 the geometric mean is the root of the other
    squared = {name: x * x if isinstance(x, float) else x for name, x in grained.items()}
    spec.add_material("grained", **(grained if own else squared))
    spec.add_material("plain", friction=1.0)
    spec.add_shape("ground", None, "plane", role="collision", material="plain")
    spec.add_body("sled", mass=2.0, inertia=td.box_inertia(2.0, 0.4, 0.4, 0.1))
    spec.add_joint("flight", "free", None, "sled", position=(0.0, 0.0, 0.05))
    surface = None if own else "grained"
    spec.add_shape("runner", "sled", "box", (0.4, 0.4, 0.1), role="collision", material=surface)
    if own:
        spec.add_contact("sled", None, material="grained")
    return spec.compile()


def drag(model, angle, turn=0.0, speed=3.0, dt=1e-4):
    """Horizontal acceleration (m/s2) of a sled, turned about the vertical, that slides at an angle."""
    sim = td.Simulation(model, dt=dt)
    sim.joint("flight").position = [math.cos(turn / 2), 0, 0, math.sin(turn / 2), 0, 0, 0]
    slides = speed * np.array([math.cos(angle), math.sin(angle)])
    sim.v[3:5] = slides
    sim.step()
    return (sim.v[3:5] - slides) / dt


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("angle", [0.0, 0.5, math.pi / 2, 2.0])
def test_sliding_friction_dissipates_the_most(angle, own):
    """Of all forces in the ellipse (x / a)^2 + (y / b)^2 <= 1 it is the one most against the slip."""
    a, b = ALONG * G, ACROSS * G
    x, y = math.cos(angle), math.sin(angle)
    expected = -np.array([a * a * x, b * b * y]) / math.hypot(a * x, b * y)
    assert drag(skate(own=own), angle) == pytest.approx(expected, rel=2e-3, abs=1e-6)


def test_direction_turns_with_the_shape():
    assert drag(skate(), 0.0, turn=math.pi / 2) == pytest.approx([-ACROSS * G, 0.0], abs=1e-6)
    oblique = skate(direction=(0.0, 2.0, 0.5))
    assert drag(oblique, 0.0) == pytest.approx([-ACROSS * G, 0.0], abs=1e-6)
    assert drag(oblique, math.pi / 2) == pytest.approx([0.0, -ALONG * G], abs=1e-6)


def test_it_sticks_along_and_slides_across():
    pull = 0.4 * G
    for axis, moves in ((0, False), (1, True)):
        gravity = [0.0, 0.0, -G]
        gravity[axis] = pull
        sim = td.Simulation(skate(gravity=tuple(gravity)), dt=5e-3)
        sim.run(1.0)
        if moves:
            assert sim.v[3 + axis] == pytest.approx((0.4 - ACROSS) * G, rel=1e-6)
        else:
            assert abs(sim.v[3 + axis]) < 1e-10


def test_blades_without_friction_along():
    model = skate(direction=(0.0, 1.0, 0.0), across=0.0)
    # impulses are found to 1e-11 m/s, in steps of milliseconds
    assert drag(model, 0.0) == pytest.approx([0.0, 0.0], abs=1e-8)
    assert drag(model, math.pi / 2) == pytest.approx([0.0, -ALONG * G], abs=1e-6)


def test_equal_coefficients_are_plain_friction():
    assert drag(skate(across=ALONG), 0.7) == pytest.approx(drag(skate(across=None), 0.7), abs=1e-9)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"friction": 0.5, "friction_across": -0.1}, "friction_across"),
        ({"friction_across": 0.1}, "no friction"),
        ({"friction": 0.5, "friction_across": 0.1, "friction_direction": (0, 0, 0)}, "no length"),
        ({"friction": 0.5, "friction_direction": (1, 0)}, "friction_direction"),
    ],
)
def test_mistakes_are_told(fields, message):
    spec = td.ModelSpec("wrong")
    spec.add_material("grained", **fields)
    with pytest.raises(td.ModelError, match=message):
        spec.compile()


def test_friction_keeps_its_direction_where_normals_differ_by_rounding():
    """Forces that were kept for the next step belong to the directions across a normal."""
    rng = np.random.default_rng(5)
    axes = np.vstack([np.eye(3), -np.eye(3), rng.standard_normal((200, 3))])
    for n in axes / np.linalg.norm(axes, axis=1)[:, None]:
        t = np.array(across.function(tuple(n)))
        assert t @ n == pytest.approx(0.0, abs=1e-15)
        assert np.linalg.norm(t) == pytest.approx(1.0, abs=1e-15)
        for _ in range(4):
            turned = n + 1e-12 * rng.standard_normal(3)
            near = np.array(across.function(tuple(turned / np.linalg.norm(turned))))
            assert near == pytest.approx(t, abs=1e-11)
