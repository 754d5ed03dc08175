"""Stiff drives against stops and friction: what is implicit in a step withstands impulses too."""

import pytest

import treadle as td


def servo(stiffness: float, **options) -> td.Model:
    """A position servo on a hinge of 1 kg m2 without weight."""
    spec = td.ModelSpec("servo", gravity=(0, 0, 0))
    spec.add_body("rod", 1.0, inertia=(1, 1, 1))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 0, 1), **options)
    spec.add_actuator("servo", "position", "hinge", stiffness=stiffness, damping=2.0 * stiffness**0.5)
    return spec.compile()


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6])
def test_a_servo_overcomes_friction_at_its_strength_whatever_its_stiffness(stiffness):
    """Commanded 11 N m away against 10 N m of friction it moves by 1 N m, and by nothing against 12."""
    sim = td.Simulation(servo(stiffness, friction=10.0), dt=1e-3)
    sim.actuator("servo").command = 11.0 / stiffness
    sim.run(3.0)
    assert sim.q[0] * stiffness == pytest.approx(1.0, rel=1e-6)
    stuck = td.Simulation(servo(stiffness, friction=12.0), dt=1e-3)
    stuck.actuator("servo").command = 11.0 / stiffness
    stuck.run(3.0)
    assert abs(stuck.q[0]) < 1e-15


def test_a_neighbour_held_by_a_stiff_servo_stays_when_a_joint_meets_its_stop():
    """The impulse of the stop on the outer joint must not move the inner one as if nothing held it."""
    spec = td.ModelSpec("arm", gravity=(0, 0, 0))
    spec.add_body("upper", 1.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    spec.add_body("lower", 1.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 0, 1))
    stop = {"lower": -1.0, "upper": 0.02}
    spec.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 0, 1), position=(1, 0, 0), **stop)
    spec.add_actuator("hold", "position", "shoulder", stiffness=1e9, damping=1e6)
    sim = td.Simulation(spec.compile(), dt=1e-3, v=[0.0, 5.0])
    sim.run(0.02)
    assert 0.0199 < sim.q[1] < 0.02 + 1e-9
    assert abs(sim.q[0]) < 1e-5 and abs(sim.v[0]) < 1e-2
