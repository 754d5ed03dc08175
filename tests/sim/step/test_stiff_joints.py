"""Joint springs and position servos that are stiff for the step, with compliant contact on top."""

import numpy as np
import pytest

import treadle as td

MASS, ARM, DAMPING, CONTACT, FEED = 8.66, 1.13e6, 6250.0, 2.7e4, 0.02


def arm(dt: float, servo: bool, slope: float = 0.3) -> td.Simulation:
    """A ball that a spring, or a servo, presses on an inclined plane while it is fed along."""
    spec = td.ModelSpec("pad", gravity=(0.0, 0.0, 0.0), settings={"dt": dt})
    spec.add_material("pad", stiffness=CONTACT, restitution=1.0, friction=0.0)
    spec.add_material("hard", friction=0.0)
    spec.add_body("feed", 1e6, inertia=(1e3, 1e3, 1e3))
    spec.add_joint("feed", "prismatic", None, "feed", axis=(1.0, 0.0, 0.0))
    spec.add_body("tool", MASS, inertia=(0.1, 0.1, 0.1))
    stiff = {"stiffness": ARM, "damping": DAMPING}
    spec.add_joint("arm", "prismatic", "feed", "tool", axis=(0.0, 0.0, 1.0), **({} if servo else stiff))
    if servo:
        spec.add_actuator("arm", "position", "arm", **stiff)
    spec.add_shape("ball", "tool", "sphere", (0.06,), role="collision", material="pad")
    spec.add_shape(
        "plane", None, "plane", role="collision", material="hard", position=(0.0, 0.0, -0.0596),
        rotation=td.model.rpy(0.0, -slope, 0.0),
    )  # fmt: skip
    return td.Simulation(spec.compile(), v=[FEED, 0.0], integrator="implicit_midpoint")


def forces(sim: td.Simulation, seconds: float) -> np.ndarray:
    """Force through the arm at the ends of the steps (steps, 2): time, N."""
    rows = []
    for _ in range(round(seconds / sim.dt)):
        sim.step()
        rows.append((sim.time, ARM * sim.q[1] + DAMPING * sim.v[1]))
    return np.array(rows)


@pytest.fixture(scope="module")
def fine():
    """By the kind of arm, in small steps."""
    return {servo: forces(arm(2e-4, servo), 2.0) for servo in (False, True)}


@pytest.mark.parametrize("dt", [5e-3, 1e-2, 2e-2, 4e-2])
def test_a_stiff_spring_is_stable_and_right_at_any_step(fine, dt):
    """The phase of the spring per step is 1.8 to 14; a step that takes it as it was diverges from 2 on."""
    found = forces(arm(dt, servo=False), 2.0)
    wanted = np.interp(found[:, 0], *fine[False].T)
    late = found[:, 0] > 1.8
    assert np.abs(found[late, 1] / wanted[late] - 1.0).max() < 2e-3
    assert wanted[-1] > 2.0 * wanted[len(wanted) // 4] > 0.0


@pytest.mark.parametrize("dt", [5e-3, 1e-2, 2e-2])
def test_a_servo_acts_on_the_position_at_the_end_of_the_step(fine, dt):
    """Its force is then that of the mean contact force of the step, half a step late, and no later."""
    found = forces(arm(dt, servo=True), 2.0)
    late = found[:, 0] > 1.5
    rate = np.polyfit(*fine[True][fine[True][:, 0] > 1.5].T, 1)[0]
    lag = (np.interp(found[:, 0], *fine[True].T) - found[:, 1])[late] / rate
    # that of small steps is 0.1 ms
    assert lag + 1e-4 == pytest.approx(0.5 * dt, rel=0.05)
