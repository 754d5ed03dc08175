"""Springs, dampers, friction and stops of joints that close loops: as if the joint were one of the tree."""

import numpy as np
import pytest

import treadle as td
from treadle.model.describe import describe

HINGE = {"axis": (0, 1, 0)}


def four_bar(closing: str = "pin", gravity=(0, 0, -9.81), **options) -> td.Model:
    """A linkage that is closed at its pin, or at the ground: the same machine with other joints in its tree.

    The options are those of the pin. The state of the two is compared by the crank.
    """
    spec = td.ModelSpec("four-bar", gravity=gravity)
    for name, length in (("crank", 0.5), ("coupler", 1.0), ("rocker", 1.0)):
        spec.add_body(name, 1.0, center=(0, 0, length / 2), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("motor", "revolute", None, "crank", **HINGE)
    spec.add_joint("knee", "revolute", "crank", "coupler", position=(0, 0, 0.5), **HINGE)
    ground = lambda: spec.add_joint("ground", "revolute", None, "rocker", position=(1, 0, 0), **HINGE)  # noqa: E731
    ends = {"position": (0, 0, 1), "child_position": (0, 0, 1)}
    pin = lambda: spec.add_joint("pin", "revolute", "coupler", "rocker", **ends, **HINGE, **options)  # noqa: E731
    for add in (ground, pin) if closing == "pin" else (pin, ground):
        add()
    return spec.compile()


def crank(model, dt, seconds, integrator="symplectic_euler", tau=0.0) -> np.ndarray:
    """Angle and speed of the crank after some time, from the same position of the linkage."""
    start = four_bar("pin")
    q = td.assemble(start, [0.3, 1.0, -0.2]).q
    third = q[2] if model.loops[0].name == "pin" else q[2] - q[1] - q[0]
    sim = td.Simulation(model, dt=dt, integrator=integrator, q=[q[0], q[1], third])
    sim.tau[0] = tau
    sim.run(seconds)
    return np.array([sim.q[0], sim.v[0]])


@pytest.mark.parametrize(
    ("integrator", "dt", "tolerance"), [("rk4", 1e-3, 1e-9), ("symplectic_euler", 1e-4, 1e-2)]
)
@pytest.mark.parametrize("options", [{"damping": 2.0}, {"damping": 0.5, "stiffness": 30.0, "reference": 0.4}])
def test_springs_and_dampers_act_wherever_the_loop_is_cut(options, integrator, dt, tolerance):
    first = crank(four_bar("pin", **options), dt, 0.5, integrator)
    second = crank(four_bar("ground", **options), dt, 0.5, integrator)
    np.testing.assert_allclose(first, second, atol=tolerance)
    assert np.abs(first - crank(four_bar("pin"), dt, 0.5, integrator)).max() > 0.05


@pytest.mark.parametrize("options", [{"damping": 1e6}, {"stiffness": 1e9, "reference": -1.4}])
def test_no_spring_is_too_stiff(options):
    """The loop's only freedom is held by the pin, at a step that is far too long for the spring."""
    model = four_bar("pin", **options)
    sim = td.Simulation(model, dt=1e-2, q=[0.3, 1.0, -0.2])
    sim.run(5.0)
    assert np.isfinite(sim.q).all()
    assert np.abs(sim.v).max() < 1e-3


def test_friction_of_a_loop_joint_holds_and_slides():
    """It holds the linkage against a torque, and brakes where the torque is larger, as in the tree."""
    strong = four_bar("pin", gravity=(0, 0, 0), friction=50.0)
    before, after = crank(strong, 1e-3, 0.0), crank(strong, 1e-3, 5.0, tau=5.0)
    np.testing.assert_allclose(after, before, atol=1e-12)
    for integrator in ("symplectic_euler", "rk4"):
        slid = [
            crank(four_bar(where, gravity=(0, 0, 0), friction=1.0), 5e-4, 0.4, integrator, tau=5.0)
            for where in ("pin", "ground")
        ]
        np.testing.assert_allclose(slid[0], slid[1], atol=5e-3)
        assert abs(slid[0][0] - before[0]) > 0.05


def test_stops_of_a_loop_joint_stop():
    """The pin turns no further than its stop, and the crank stops with it."""
    q = td.assemble(four_bar(), [0.3, 1.0, -0.2]).q
    angle = q[2] - q[1] - q[0]
    limited = [four_bar(where, lower=angle - 0.2, upper=angle + 0.2) for where in ("pin", "ground")]
    ends = [crank(model, 1e-3, 3.0) for model in limited]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
    assert np.abs(ends[0] - crank(four_bar(), 1e-3, 3.0)).max() > 0.05
    assert abs(ends[0][1]) < 1e-6


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_a_ball_joint_in_a_loop_is_damped(integrator):
    """Its damping brakes every turn: as much as that of a revolute joint, where the loop is planar."""
    balls = four_bar("pin", damping=2.0)
    spec = describe(balls)
    spec.joints[-1].type, spec.joints[-1].axis = "ball", None
    first = crank(balls, 1e-3, 0.5, integrator)
    second = crank(spec.compile(), 1e-3, 0.5, integrator)
    np.testing.assert_allclose(first, second, atol=1e-9)


def test_energy_lost_in_a_loop_is_accounted():
    sim = td.Simulation(four_bar("pin", damping=1.0, stiffness=20.0), dt=1e-4, q=[0.3, 1.0, -0.2])
    sim.run(1.0)
    assert sim.quality()["work"] > 0.5
    # first order in the step, of some 10 J that go through the spring
    assert abs(sim.quality()["energy drift"]) < 0.05


def test_limits_more_than_a_turn_apart_are_refused():
    with pytest.raises(td.ModelError, match="its angle is known within one turn"):
        four_bar("pin", lower=-4.0, upper=4.0)
    four_bar("ground", lower=-4.0, upper=4.0)
