"""Andrews' squeezer against its published solution."""

import numpy as np
import pytest

import treadle as td
from tests.oracles.squeezer import REFERENCE, START, energy, spring_and_drive, squeezer


def test_the_published_start_is_closed():
    assembly = td.assemble(squeezer())
    for name, joint in zip(START, [squeezer().joint(name) for name in START], strict=True):
        assert assembly.q[joint.q.start] == pytest.approx(START[name], abs=1e-14)
    assert assembly.mobility == 1


@pytest.mark.parametrize(
    ("integrator", "dt", "options"), [("rk4", 1e-6, {}), ("dopri853", 1e-4, {"tolerance": 1e-10})]
)
def test_the_angles_at_the_end(integrator, dt, options):
    model = squeezer()
    sim = td.Simulation(model, dt=dt, integrator=integrator, laws=[spring_and_drive], **options)
    before = energy(model, sim)
    sim.run(0.03)
    found = np.array([sim.joint(name).position for name in REFERENCE])
    np.testing.assert_allclose(found, list(REFERENCE.values()), atol=1e-8)
    assert sim.quality()["loop residual"] < 1e-12
    assert energy(model, sim) == pytest.approx(before, abs=1e-9)


#: Forces (x, y) of the loops on the bodies K3, K4 and K6: the reference's multipliers, of the same sign.
FIRST_FORCES = (98.5668703962410896, -6.12268834425566265, 0.0, 0.0, 0.0, 0.0)
LAST_FORCES = (
    199.1753333731910, -29.75531228015052, 23.06654119098399,
    31.45271365475927, 22.64249232082739, 11.61740700019673,
)  # fmt: skip


def test_the_multipliers_at_the_start_and_at_the_end():
    """To all digits at the start; at 0.03 s to the six or seven that the reference has of accelerations."""
    sim = td.Simulation(squeezer(), dt=1e-4, integrator="dopri853", laws=[spring_and_drive], tolerance=1e-12)
    np.testing.assert_allclose(_forces(sim), FIRST_FORCES, rtol=1e-12, atol=1e-11)
    sim.run(0.03)
    np.testing.assert_allclose(_forces(sim), LAST_FORCES, rtol=2e-6)


def _forces(sim: td.Simulation) -> np.ndarray:
    return np.concatenate([sim.loop(name).reaction.force[[0, 2]] for name in ("E_K3", "E_K4", "E_K6")])


def test_the_scene_with_its_spring_of_light_bodies():
    sim = td.Simulation(td.scene("squeezer"), dt=2e-6)
    sim.run(0.03)
    found = np.array([sim.joint(name).position for name in REFERENCE])
    np.testing.assert_allclose(found, list(REFERENCE.values()), atol=1e-8)
    assert sim.quality()["loop residual"] < 1e-12
