"""Stiff force elements between branches, beside contact: what couples them is in the factor of the rows."""

import numpy as np
import pytest

import treadle as td


def bodies_on_the_ground(seed: int, stiffness: float) -> td.Model:
    """Balls with arms on the ground, tied to each other by springs between random places."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec(f"tied {seed}")
    spec.add_material("rubber", friction=0.7)
    spec.add_shape("ground", None, "plane", role="collision", material="rubber")
    for k in range(3):
        spec.add_body(f"b{k}", rng.uniform(0.5, 3.0), inertia=(0.02, 0.03, 0.04))
        spec.add_joint(f"j{k}", "free", None, f"b{k}", position=(k, 0.3 * k, 0.1))
        spec.add_shape(f"box{k}", f"b{k}", "box", (0.3, 0.3, 0.2), role="collision", material="rubber")
        spec.add_body(f"arm{k}", rng.uniform(0.1, 0.5), center=(0, 0, 0.2), inertia=(0.01, 0.01, 0.01))
        spec.add_joint(f"turn{k}", "revolute", f"b{k}", f"arm{k}", axis=tuple(rng.standard_normal(3)))
    for k, (one, other) in enumerate((("arm0", "b1"), ("b0", "arm2"), ("arm1", "arm2"))):
        ends = tuple(rng.uniform(-0.1, 0.1, 3)), tuple(rng.uniform(-0.1, 0.1, 3))
        spec.add_spring(f"tie{k}", one, other, *ends, stiffness=stiffness, damping=0.01 * stiffness)
    return spec.compile()


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("seed", range(4))
def test_contact_impulses_are_the_change_of_momentum(seed, stiffness):
    """Rows that miss what couples branches would push their bodies otherwise than the forces say."""
    model = bodies_on_the_ground(seed, stiffness)
    sim = td.Simulation(model, dt=1e-2, v=np.random.default_rng(seed).uniform(-0.1, 0.1, model.nv))
    mass = sum(body.inertia.mass for body in model.bodies)
    touched, largest = 0, 0.0
    for _ in range(100):
        before = td.momentum(model, sim.q, sim.v)[3:]
        sim.step()
        pushed = -1e-2 * sim.contact_on(None).force
        touched += len(sim.contacts()) > 0
        gained = td.momentum(model, sim.q, sim.v)[3:] - before
        largest = max(largest, np.abs(gained - pushed - [0, 0, -9.81 * mass * 1e-2]).max())
    assert touched > 50
    # the momentum of turning arms is that of the midpoint rule
    assert largest < 1e-4 * 9.81 * mass * 1e-2


def sliders() -> td.ModelSpec:
    """One above the other, and the ground."""
    spec = td.ModelSpec("sliders")
    spec.add_shape("ground", None, "plane", role="collision")
    for name, z in (("low", 0.12), ("high", 1.0)):
        spec.add_body(name, 2.0, inertia=(1, 1, 1))
        spec.add_joint(name, "prismatic", None, name, axis=(0, 0, 1), position=(0, 0, z))
        spec.add_shape(f"{name} ball", name, "sphere", (0.1,), role="collision")
    return spec


def spring_law(stiffness: float):
    @td.force_element("low", "high", stiff=True)
    def law(low, high, t):
        r = high.position - low.position
        l = td.sqrt(r.dot(r))
        n = r * (1.0 / l)
        pull = n * (stiffness * (l - 0.88 + 1e-3 * n.dot(high.velocity - low.velocity)))
        return {"low": pull, "high": -pull}

    return law


@pytest.mark.parametrize("phase", [3.0, 300.0])
@pytest.mark.parametrize("by_law", [False, True])
def test_one_slider_carries_the_other(phase, by_law):
    """By a spring of that phase (rad) per step, an element or a user's law that is declared stiff."""
    spec, stiffness = sliders(), (phase / 1e-2) ** 2
    if not by_law:
        spec.add_spring("spring", "low", "high", stiffness=stiffness, damping=1e-3 * stiffness)
    sim = td.Simulation(spec.compile(), dt=1e-2, laws=[spring_law(stiffness)] if by_law else [])
    sim.run(3.0)
    assert -sim.contact_on(None).force[2] == pytest.approx(4.0 * 9.81, rel=1e-9)
    assert sim.body("low").position[2] == pytest.approx(0.1, abs=1e-9)
    assert sim.body("high").position[2] == pytest.approx(0.98 - 2.0 * 9.81 / stiffness, abs=1e-9)
