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
