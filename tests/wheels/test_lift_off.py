"""Wheels that leave the ground and land, from a standstill to a stop and back: finite and repeatable."""

import numpy as np
import pytest

import treadle as td
from tests.wheels.carts import RADIUS, cart

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
CREST = td.Ramp(center=(4.0, 0.0), width=4.0, angle=0.35, height_on_top=0.6, flat=0.2)
FIRM = {"stiffness": 2e4, "damping": 2e3}


@pytest.mark.parametrize(
    "model, parameters",
    [
        ("linear", FIRM),
        ("viscous", FIRM),
        ("pacejka", FIRM),
        ("bekker", {}),
        ("ishigami", {}),
    ],
)
def test_over_a_crest_and_back(model, parameters):
    machine = cart(model=model, parameters=parameters, track=0.7)
    sim = td.Simulation(machine, dt=0.01, terrain=CREST)

    def drive() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which wheels touch on the way over the crest, to a stop and back, the end, and after a blow."""
        sim.reset()
        touching = []
        for speed, seconds in ((0.0, 1.0), (4.0, 2.5), (0.0, 1.5), (-1.0, 1.0), (0.0, 1.5)):
            for name in WHEELS:
                sim.actuator(name).command = speed / RADIUS
            for _ in range(round(seconds / 0.05)):
                sim.run(0.05)
                touching.append([sim.wheel(name).touching for name in WHEELS])
        end = np.concatenate([sim.q, sim.v])
        sim.v[:3] = (12.0, 0.0, 0.0)
        sim.v[5] += 3.0
        sim.run(0.25)
        return np.array(touching), end, np.concatenate([sim.q, sim.v])

    touching, end, tipped = drive()
    assert touching[19].all()
    # on the way over it wheels lift off, and all of them are down again at the end, where it stands
    assert not touching[20:70].all()
    assert touching[-1].all()
    assert np.abs(end[machine.nq :]).max() < 1e-4
    # the blow has turned it past its side
    assert sim.body("body").pose[2, 2] < 0.0 and np.isfinite(tipped).all()
    again, same, fallen = drive()
    assert np.array_equal(touching, again)
    assert np.array_equal(end, same) and np.array_equal(tipped, fallen)
