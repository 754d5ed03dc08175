"""Joints that a damper stops at once, beside contact: the middle of a substep is not halfway there."""

import numpy as np
import pytest

import treadle as td

SPEED, DAMPING = 4000.0, 1.0


def fan(inertia):
    """A block at rest on the floor, with a light wheel on its side that a damper stops."""
    spec = td.ModelSpec("fan")
    spec.add_material("stone", friction=0.5)
    spec.add_shape("floor", None, "plane", role="collision", material="stone")
    spec.add_body("block", 1.0, type="box", size=(0.2, 0.2, 0.2))
    spec.add_shape("block", "block", "box", (0.2, 0.2, 0.2), role="collision", material="stone")
    spec.add_joint("base", "free", None, "block")
    spec.add_body("wheel", 1e-6, inertia=(inertia, inertia, inertia))
    spec.add_joint(
        "axle", "revolute", "block", "wheel", axis=(0, 0, 1), position=(0.2, 0, 0), damping=DAMPING
    )
    start = {"base": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1)}
    spec.add_keyframe("initial", start, velocities={"axle": (SPEED,)})
    return spec.compile()


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 1e-2])
@pytest.mark.parametrize("inertia", [1e-6, 1e-8])
def test_a_damper_stops_a_light_wheel_within_a_step(inertia, dt):
    """It turns by I w / D, not by half of w dt; and gains no energy from inertial forces of that speed."""
    sim = td.Simulation(fan(inertia), dt, contact=True)
    sim.step()
    turned = abs(sim.joint("axle").position)
    assert turned == pytest.approx(inertia * SPEED / DAMPING, abs=0.21)
    assert abs(sim.joint("axle").velocity) < 0.01 * SPEED
    sim.run(seconds=0.1)
    assert np.abs(sim.v).max() < 1e-3
