"""Contact steps with code for forces on bodies, and without it, which is made until there are any."""

import numpy as np
import pytest

import treadle as td

DT, STEPS = 4e-3, 80


def biped(integrator="symplectic_euler"):
    """A body on two legs with limits and springs, above the ground."""
    spec = td.ModelSpec("biped")
    spec.add_material("rubber", friction=0.7, restitution=0.2)
    spec.add_shape("ground", None, "plane", role="collision", material="rubber")
    spec.add_body("trunk", 3.0, center=(0.02, 0.01, 0.0), inertia=(0.02, 0.03, 0.04))
    spec.add_joint("base", "free", None, "trunk", position=(0, 0, 0.75))
    spec.add_shape("chest", "trunk", "box", (0.3, 0.2, 0.1), role="collision", material="rubber")
    for side, y in (("left", 0.15), ("right", -0.15)):
        for name, parent, place in (("thigh", "trunk", (0, y, 0)), ("shin", f"{side} thigh", (0, 0, -0.3))):
            spec.add_body(f"{side} {name}", 0.8, center=(0, 0, -0.15), inertia=(0.006, 0.006, 0.001))
            spec.add_joint(
                f"{side} {name}", "revolute", parent, f"{side} {name}", axis=(0, 1, 0), position=place,
                damping=0.3, stiffness=5.0, lower=-1.0, upper=1.0,
            )  # fmt: skip
        spec.add_shape(
            f"{side} foot", f"{side} shin", "sphere", (0.05,), role="collision", position=(0, 0, -0.3),
            material="rubber",
        )  # fmt: skip
    return td.Simulation(spec.compile(), DT, integrator)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_what_was_pushed_once_has_the_bits_of_what_never_was(integrator):
    plain, loaded = biped(integrator), biped(integrator)
    loaded.apply_force("trunk", force=(0, 0, 1.0))
    loaded.step()
    loaded.clear_forces()
    loaded.restore(plain.save())
    for sim in (plain, loaded):
        sim.v[:] = np.linspace(-0.5, 0.5, sim.model.nv)
        touched = False
        for _ in range(STEPS):
            sim.step()
            touched |= bool(sim.contacts())
        assert touched
    np.testing.assert_array_equal(plain.q, loaded.q)
    np.testing.assert_array_equal(plain.v, loaded.v)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "dopri5"])
def test_small_rebounds_come_to_an_end(integrator):
    """Feet that all but rest do not leave the ground again and again."""
    sim, before = biped(integrator), 0.0
    sim.v[:] = np.linspace(-0.5, 0.5, sim.model.nv)
    for _ in range(200):
        sim.step()
        substeps, before = sim.contact_step.scratch.effort[0] - before, sim.contact_step.scratch.effort[0]
        assert substeps < 60


def test_a_force_that_begins_later_acts_in_all_worlds():
    sim = biped()
    worlds = td.Batch(sim.model, 3, dt=DT, threads=1)
    for engine in (sim, worlds):
        engine.step(STEPS)
        engine.apply_force("trunk", force=(8.0, 1.0, 12.0), point=(0.1, 0, 0))
        engine.step(STEPS)
    for k in range(3):
        np.testing.assert_array_equal(worlds.q[k], sim.q)
    still = biped()
    still.step(2 * STEPS)
    assert np.abs(still.q - sim.q).max() > 1e-3
