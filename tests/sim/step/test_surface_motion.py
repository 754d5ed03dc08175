"""Surfaces that move: belts, discs and turntables against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import treadle as td

G = 9.81


def _on_belt(load: str, mu: float, *, stiffness=None, **surface) -> td.ModelSpec:
    spec = td.ModelSpec("belt")
    spec.add_material("rubber", friction=mu, restitution=0.0, stiffness=stiffness)
    spec.add_shape(
        "belt", None, "box", (40.0, 40.0, 0.2), role="collision", material="rubber",
        position=(0.0, 0.0, -0.1), **surface,
    )  # fmt: skip
    size = (0.2, 0.2, 0.1) if load == "box" else (0.1,)
    spec.add_body("load", 2.0, type=load, size=size)
    spec.add_joint("load", "free", None, "load")
    spec.add_shape("load", "load", load, size, role="collision", material="rubber")
    return spec


def _start(spec: td.ModelSpec, height: float, dt: float, x: float = 0.0, **options) -> td.Simulation:
    sim = td.Simulation(spec.compile(), dt=dt, contact=True, **options)
    sim.q[4:7] = x, 0.0, height
    return sim


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
@pytest.mark.parametrize("mu", [0.2, 0.7])
def test_a_box_is_carried_along(dt, mu):
    sim = _start(_on_belt("box", mu, surface_velocity=(1.0, 0.0, 0.0)), 0.05, dt)
    speeds = []
    for _ in range(round(0.8 / dt)):
        sim.step()
        speeds.append(sim.body("load").velocity[3])
    expected = np.minimum(mu * G * dt * np.arange(1, len(speeds) + 1), 1.0)
    np.testing.assert_allclose(speeds, expected, atol=1e-9)
    # what friction puts in is accounted for
    measures = {measure.name: measure for measure in sim.quality().measures}
    assert abs(measures["energy drift"].value) < 1e-9


def test_a_ball_rolls_with_two_sevenths_of_the_speed():
    sim = _start(_on_belt("sphere", 0.3, surface_velocity=(0.0, 1.4, 0.0)), 0.1, 1e-3)
    sim.step(1500)
    velocity = sim.body("load").velocity
    assert velocity[4] == pytest.approx(0.4, abs=1e-9)
    # the lowest point moves with the belt
    assert velocity[4] + 0.1 * velocity[0] == pytest.approx(1.4, abs=1e-8)


@pytest.mark.parametrize("stiffness", [None, 1e6])
def test_a_turntable_carries_what_sticks(stiffness):
    """A box that starts with the surface stays on its circle, for w^2 r < mu g."""
    w, r = 2.0, 0.5
    spec = _on_belt("box", 0.8, stiffness=stiffness, surface_rotation=(0.0, 0.0, w))
    sim = _start(spec, 0.05, 2e-3, x=r)
    # its own rotation, and the velocity of its place
    sim.v[:3] = 0.0, 0.0, w
    sim.v[3:6] = 0.0, w * r, 0.0
    sim.step(500)
    x, y, _ = sim.body("load").position
    assert np.hypot(x, y) == pytest.approx(r, abs=2e-4)
    assert np.arctan2(y, x) == pytest.approx(w * 1.0 - 2 * np.pi * round(w / (2 * np.pi)), abs=2e-3)


def test_an_impact_feels_the_surface():
    """A box that lands gets at most mu times its normal momentum."""
    spec = _on_belt("box", 0.25, surface_velocity=(5.0, 0.0, 0.0))
    sim = _start(spec, 0.05 + 0.2, 1e-3)
    fall = np.sqrt(2 * G * 0.2)
    while sim.body("load").velocity[5] < 0.0 or sim.time == 0.0:
        sim.step()
        if abs(sim.body("load").velocity[3]) > 0.0:
            break
    assert sim.body("load").velocity[3] == pytest.approx(0.25 * fall, rel=5e-3)


def test_worlds_move_alike():
    model = _on_belt("box", 0.4, surface_velocity=(1.0, 0.0, 0.0)).compile()
    worlds = td.Batch(model, 3, dt=2e-3, contact=True)
    sim = td.Simulation(model, dt=2e-3, contact=True)
    worlds.q[:, 6] = sim.q[6] = 0.05
    worlds.step(100)
    sim.step(100)
    assert (worlds.q == sim.q).all()


def test_an_edit_changes_the_speed():
    sim = _start(_on_belt("box", 0.5, surface_velocity=(0.5, 0.0, 0.0)), 0.05, 2e-3)
    sim.step(200)
    with sim.edit() as spec:
        next(shape for shape in spec.shapes if shape.name == "belt").surface_velocity = (-0.5, 0.0, 0.0)
    sim.step(300)
    assert sim.body("load").velocity[3] == pytest.approx(-0.5, abs=1e-9)
