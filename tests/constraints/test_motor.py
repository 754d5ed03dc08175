"""Rigid motors, and machines that ask for what cannot be: bounded forces or clear errors, never a NaN."""

import numpy as np
import pytest

import treadle as td


def lever(**options) -> td.ModelSpec:
    """A rod with 1 kg at 1 m that turns about y; gravity pulls with 9.81 cos(q) N m."""
    spec = td.ModelSpec("lever")
    spec.add_body("rod", 1.0, center=(1, 0, 0), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0), **options)
    return spec


def driven(kind: str, effort: float | None = None, **options) -> td.Simulation:
    spec = lever(**options)
    spec.add_actuator("drive", kind, "hinge", effort=effort)
    return td.Simulation(spec.compile(), dt=1e-2)


def test_a_rigid_velocity_motor_holds_its_speed_exactly():
    sim = driven("rigid_velocity")
    sim.actuator("drive").command = 0.5
    sim.run(2.0)
    assert sim.v[0] == pytest.approx(0.5, abs=1e-12)
    assert sim.q[0] == pytest.approx(1.0, abs=1e-9)
    # a command can be changed while it runs
    sim.actuator("drive").command = 0.0
    sim.run(60.0)
    assert sim.q[0] == pytest.approx(1.0, abs=1e-9)


def test_a_rigid_position_motor_is_where_it_is_told():
    sim = driven("rigid_position", speed=2.0)
    for target in (0.5, -0.7):
        sim.actuator("drive").command = target
        sim.step(10)
        assert abs(sim.v[0]) == pytest.approx(2.0)
        sim.run(2.0)
        assert sim.q[0] == pytest.approx(target, abs=1e-12)
        assert sim.v[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("effort", [15.0, 50.0, 1e3])
def test_a_rigid_position_motor_brakes_in_time(effort):
    """Without a largest speed it goes as fast as it can still stop, and hardly passes its target."""
    sim = driven("rigid_position", effort=effort)
    sim.actuator("drive").command = -0.5
    furthest = 0.0
    for _ in range(300):
        sim.step()
        furthest = min(furthest, sim.q[0])
    assert furthest > -0.51
    assert sim.q[0] == pytest.approx(-0.5, abs=1e-9)


def test_a_weak_rigid_motor_gives_its_effort():
    """4 N m do not hold 9.81 N m: the rod falls as if a constant torque acted."""
    sim = driven("rigid_velocity", effort=4.0)
    plain = td.Simulation(lever().compile(), dt=1e-2)
    plain.tau[0] = -4.0
    for run in (sim, plain):
        run.run(0.3)
    assert sim.q[0] == pytest.approx(plain.q[0], abs=1e-12)
    # the joint's own effort counts as well
    strong, weak = _driven_with(100.0), _driven_with(4.0)
    for run in (strong, weak):
        run.run(0.3)
    assert weak.q[0] == pytest.approx(plain.q[0], abs=1e-12)
    assert strong.q[0] == pytest.approx(0.0, abs=1e-12)


def _driven_with(joint_effort: float) -> td.Simulation:
    spec = lever(effort=joint_effort)
    spec.add_actuator("drive", "rigid_velocity", "hinge", effort=100.0)
    return td.Simulation(spec.compile(), dt=1e-2)


def test_the_force_of_a_rigid_motor_is_known():
    """Held level it gives 9.81 N m, up to its effort."""
    for effort, force in ((None, -9.81), (4.0, -4.0)):
        sim = driven("rigid_velocity", effort=effort)
        sim.step()
        assert sim.actuator("drive").force == pytest.approx(force, rel=1e-3)


def test_a_motor_reaches_through_a_loop():
    """The crank of a parallelogram turns both levers at the commanded speed."""
    sim = td.Simulation(parallelogram(("left", "rigid_velocity")), dt=1e-2)
    sim.actuator("left").command = 1.0
    sim.run(1.0)
    np.testing.assert_allclose(sim.v, (1.0, 1.0), atol=1e-9)


def test_other_methods_refuse_rigid_motors():
    spec = lever()
    spec.add_actuator("drive", "rigid_velocity", "hinge")
    with pytest.raises(td.InputError, match="the rigid motor 'drive' needs 'symplectic_euler'"):
        td.Simulation(spec.compile(), integrator="rk4")


# contradictions


@pytest.mark.parametrize("kind", ["rigid_position", "rigid_velocity"])
@pytest.mark.parametrize("effort", [None, 1e4])
def test_a_rigid_motor_against_a_rigid_stop(kind, effort):
    """The first of two things that cannot both be wins; the numbers stay finite and the joint still moves."""
    sim = driven(kind, effort=effort, lower=-0.5, upper=0.5)
    sim.actuator("drive").command = 1.0
    worst = 0.0
    for _ in range(300):
        sim.step()
        worst = max(worst, float(np.abs([*sim.q, *sim.v]).max()))
    assert np.isfinite(worst)
    if effort is not None:
        # a motor with a limited effort gives way
        assert sim.q[0] == pytest.approx(0.5, abs=1e-9)
    sim.actuator("drive").command = -0.2
    sim.run(5.0)
    assert sim.q[0] < 0.0


def test_a_rope_pulled_taut_by_a_position_motor():
    """The rope holds, the motor lags behind with its whole effort, and comes back when it is told to."""
    for kind, options in (("rigid_position", {}), ("position", {"stiffness": 2e3, "damping": 100.0})):
        spec = lever()
        spec.add_joint("rope", "rope", None, "rod", position=(1, 0, 0), child_position=(1, 0, 0), length=0.4)
        spec.add_actuator("drive", kind, "hinge", effort=500.0, **options)
        sim = td.Simulation(spec.compile(), dt=1e-2)
        sim.actuator("drive").command = 2.0
        sim.run(3.0)
        # a chord of 0.4 m on a circle of 1 m
        assert sim.q[0] == pytest.approx(2.0 * np.arcsin(0.2), abs=1e-6)
        sim.actuator("drive").command = 0.1
        sim.run(2.0)
        # a servo gives way to gravity by 9.81 / 2000
        assert sim.q[0] == pytest.approx(0.1, abs=5e-3)


@pytest.mark.parametrize("efforts", [(None, None), (50.0, 100.0)])
def test_two_rigid_motors_that_disagree(efforts):
    """Both drive the one freedom of a parallelogram, one forward, one back: the stronger has its way."""
    model = parallelogram(("left", "rigid_velocity"), ("right", "rigid_velocity"), efforts=efforts)
    sim = td.Simulation(model, dt=1e-2)
    sim.actuator("left").command, sim.actuator("right").command = 1.0, -1.0
    sim.run(1.0)
    assert np.isfinite(sim.q).all()
    assert np.abs(sim.v).max() < 1.0 + 1e-9
    if efforts[0] is not None:
        np.testing.assert_allclose(sim.v, (-1.0, -1.0), atol=1e-9)


def test_a_loop_longer_than_its_links_is_named():
    spec = td.ModelSpec("torn", gravity=(0, 0, 0))
    for name, place in (("left", 0.0), ("right", 5.0)):
        spec.add_body(name, 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(name, "revolute", None, name, position=(place, 0, 0), axis=(0, 1, 0))
    ends = {"position": (0, 0, 1), "child_position": (0, 0, 1)}
    spec.add_joint("rod", "distance", "left", "right", length=1.0, **ends)
    # from 5 m to 1 m the two levers can come to 3 m
    with pytest.raises(td.ModelError, match=r"loop 'rod' stays open by 4"):
        td.Simulation(spec.compile())


def parallelogram(*motors: tuple[str, str], efforts=(None, None)) -> td.Model:
    spec = td.ModelSpec("parallelogram", gravity=(0, 0, 0))
    for name, place in (("left", 0.0), ("right", 1.0)):
        spec.add_body(name, 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(name, "revolute", None, name, position=(place, 0, 0), axis=(0, 1, 0))
    ends = {"position": (0, 0, 1), "child_position": (0, 0, 1)}
    spec.add_joint("rod", "distance", "left", "right", length=1.0, **ends)
    for (name, kind), effort in zip(motors, efforts, strict=False):
        spec.add_actuator(name, kind, name, effort=effort)
    return spec.compile()
