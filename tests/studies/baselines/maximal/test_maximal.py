"""Both methods in maximal coordinates converge to the motion in generalized coordinates."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.scenes import SCENES
from treadle.studies.baselines import Effort, Simmc, Xpbd

#: Iterated to convergence, so that what is left is the error of the time step.
CONVERGED = {
    "simmc": lambda *arguments: Simmc(*arguments, iterations=5000, tolerance=1e-10),
    "xpbd": lambda *arguments: Xpbd(*arguments, substeps=1, iterations=5000, tolerance=1e-11),
}
METHODS = pytest.mark.parametrize("method", CONVERGED.values(), ids=CONVERGED)

JOINTS = {
    "revolute": {"axis": (1, 2, 3)},
    "prismatic": {"axis": (1, 1, 0.5)},
    "cylindrical": {"axis": (1, 0, 1)},
    "universal": {"axis": (1, 0, 0), "second_axis": (0, 1, 0)},
    "planar": {"axis": (0, 1, 1)},
    "ball": {},
    "free": {},
}


def two_bodies(kind, **options):
    """Two bodies of no symmetry, one after the other on joints of the same type."""
    spec = td.ModelSpec(kind)
    for name, parent, position in (("first", None, (0.1, 0.2, 0.3)), ("second", "first", (0.2, -0.4, 0.1))):
        spec.add_body(name, 2.0, center=(0.1, 0.2, -0.3), inertia=(0.3, 0.4, 0.5, 0.02, 0.01, 0.03))
        spec.add_joint(
            f"to_{name}", kind, parent, name, position=position, rotation=td.rpy(0.3, -0.5, 0.1),
            **JOINTS[kind], **options,
        )  # fmt: skip
    return spec.compile()


def disturbed(model):
    """A state that is not special in any way."""
    random = np.random.default_rng(1)
    steps = 0.3 * random.standard_normal(model.nv)
    q = [
        x
        for joint in model.joints
        for x in joint.type.integrate(joint.type.neutral(), steps[joint.v].tolist())
    ]
    return q, random.standard_normal(model.nv)


@METHODS
@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_converges_to_the_right_motion(method, kind):
    springs = {} if kind in ("ball", "free") else {"stiffness": 30.0, "reference": 0.1}
    model = two_bodies(kind, damping=0.4, **springs)
    q, v = disturbed(model)
    exact = td.Simulation(model, 1e-3, "rk4", q, v)
    exact.run(0.5)
    errors = []
    for dt in (4e-3, 2e-3):
        sim = method(model, dt, q, v)
        sim.step(round(0.5 / dt))
        errors.append(np.abs(sim.pose("second") - exact.body("second").pose).max())
    # both methods are of order one
    assert errors[0] < 0.02
    assert 1.7 < errors[0] / errors[1] < 2.3


@METHODS
def test_double_pendulum(method):
    model = td.scene("pendulum")
    start = ([1.2, -0.7], [0.3, 0.2])
    exact = td.Simulation(model, 1e-4, "rk4", *start)
    exact.run(1.0)
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        sim = method(model, dt, *start)
        sim.step(round(1.0 / dt))
        errors.append(np.linalg.norm(sim.pose("tip")[:3, 3] - exact.body("tip").pose[:3, 3]))
    assert errors[2] < 0.03
    np.testing.assert_allclose(np.divide(errors[:2], errors[1:]), 2.0, rtol=0.1)


@METHODS
def test_state_is_that_of_the_tree(method):
    model = two_bodies("universal")
    q, v = disturbed(model)
    sim = method(model, 1e-3, q, v)
    assert max(sim.gaps()) < 1e-14
    np.testing.assert_allclose(sim.pose("second"), td.frame_pose(model, q, "second"), atol=1e-14)
    np.testing.assert_allclose([sim.position("to_second", k) for k in range(2)], q[2:], atol=1e-14)
    assert sim.energy() == pytest.approx(td.kinetic_energy(model, q, v) + td.potential_energy(model, q))


def four_bar():
    """Two cranks of 1 m and a coupler of 2 m that a loop joint connects: a parallelogram."""
    spec = td.ModelSpec("four-bar")
    rod = {"mass": 1.0, "inertia": (0.09, 0.09, 0.01)}
    spec.add_body("left", center=(0, 0, 0.5), **rod)
    spec.add_body("right", center=(0, 0, 0.5), **rod)
    spec.add_body("coupler", 1.0, center=(1, 0, 0), inertia=(0.01, 0.3, 0.3))
    spec.add_joint("motor", "revolute", None, "left", axis=(0, 1, 0))
    spec.add_joint("pivot", "revolute", None, "right", position=(2, 0, 0), axis=(0, 1, 0))
    spec.add_joint("elbow", "revolute", "left", "coupler", position=(0, 0, 1), axis=(0, 1, 0))
    spec.add_joint(
        "closing",
        "revolute",
        "right",
        "coupler",
        position=(0, 0, 1),
        child_position=(2, 0, 0),
        axis=(0, 1, 0),
    )
    return spec.compile()


@METHODS
def test_loops_are_closed(method):
    sim = method(four_bar(), 1e-3)
    sim.drive("motor", rate=0.8)
    sim.step(500)
    assert max(sim.gaps()) < 1e-5
    assert sim.position("motor") == pytest.approx(0.4, abs=2e-3)
    # a parallelogram: the right crank does what the left one does, and the coupler does not turn
    assert sim.position("pivot") == pytest.approx(sim.position("motor"), abs=1e-5)
    assert sim.position("elbow") == pytest.approx(-sim.position("motor"), abs=1e-5)


@METHODS
def test_a_gear_adds_the_inertia_of_its_wheel(method):
    """A rod that turns a wheel three times as fast swings as if the rod had nine times its inertia more."""
    rod = {"mass": 2.0, "center": (0.4, 0, 0), "inertia": (0.01, 0.09, 0.09)}
    hinge = {"axis": (0, 1, 0)}
    spec = td.ModelSpec("geared")
    spec.add_body("rod", **rod)
    spec.add_body("wheel", 1.0, inertia=(0.02, 0.03, 0.02))
    spec.add_joint("swing", "revolute", None, "rod", **hinge)
    spec.add_joint("spin", "revolute", None, "wheel", position=(0, 1, 0), **hinge)
    spec.add_coupling("gear", "spin", "swing", (0.0, -3.0))
    single = td.ModelSpec("single")
    single.add_body("rod", **rod)
    single.add_joint("swing", "revolute", None, "rod", armature=9 * 0.03, **hinge)
    exact = td.Simulation(single.compile(), 1e-3, "rk4")
    exact.run(0.5)
    errors = []
    for dt in (2e-3, 1e-3):
        sim = method(spec.compile(), dt)
        sim.step(round(0.5 / dt))
        errors.append(abs(sim.position("swing") - exact.joint("swing").position))
        gear = -3.0 * sim.position("swing") - sim.position("spin")
        assert abs(math.remainder(gear, 2 * math.pi)) < 1e-4
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)


@METHODS
def test_couplings_of_neighbours_keep_the_energy(method):
    """The elbow follows a polynomial of the shoulder: the two joints share a body."""
    spec = SCENES["pendulum"]()
    spec.add_coupling("knee", "elbow", "shoulder", (0.1, 0.5, 0.2))
    losses = []
    for dt in (2e-3, 1e-3):
        sim = method(spec.compile(), dt, [1.0, 0.8])
        before = sim.energy()
        sim.step(round(0.6 / dt))
        losses.append(abs(sim.energy() - before))
        x = sim.position("shoulder")
        assert sim.position("elbow") == pytest.approx(0.1 + 0.5 * x + 0.2 * x * x, abs=1e-4)
    assert losses[1] < 0.1
    assert losses[0] / losses[1] == pytest.approx(2.0, rel=0.2)


@METHODS
def test_coupling_without_a_source_holds(method):
    spec = SCENES["pendulum"]()
    spec.add_coupling("weld", "elbow", None, (0.3,))
    sim = method(spec.compile(), 1e-3, [0.5, 0.3])
    sim.step(300)
    assert sim.position("elbow") == pytest.approx(0.3, abs=1e-5)


@METHODS
def test_motor_follows_a_moving_position(method):
    model = td.scene("pendulum")
    sim = method(model, 1e-3, [0.2, 0.1])
    sim.hold("shoulder", 0.2, rate=0.5)
    sim.hold("elbow", 0.1)
    sim.step(1000)
    assert sim.position("shoulder") == pytest.approx(0.7, abs=1e-5)
    assert sim.position("elbow") == pytest.approx(0.1, abs=1e-5)


@METHODS
def test_dry_friction_holds_up_to_its_limit(method):
    # a rod of 1 kg and 1 m, horizontal: gravity turns it with 4.905 N m
    for friction, held in ((4.95, True), (4.80, False)):
        spec = td.ModelSpec("rod")
        spec.add_body("rod", 1.0, center=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09))
        spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0), friction=friction)
        sim = method(spec.compile(), 1e-3)
        sim.step(500)
        assert (abs(sim.position("hinge")) < 1e-7) == held


def test_motor_of_limited_torque_is_overcome():
    spec = td.ModelSpec("rod")
    spec.add_body("rod", 1.0, center=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0))
    for effort, held in ((5.0, True), (4.8, False)):
        sim = Simmc(spec.compile(), 1e-3)
        sim.drive("hinge", rate=0.0, effort=effort)
        sim.step(100)
        assert (abs(sim.position("hinge")) < 1e-9) == held


def test_effort_counts_iterations_and_residuals():
    model = td.scene("chain", links=5)
    start = [math.pi / 2, 0.0, 0.0, 0.0, 0.0]
    few, many = (Simmc(model, 1e-2, start, iterations=n, tolerance=1e-6) for n in (3, 5000))
    assert few.step(20).mean == few.effort.most == 3
    assert few.effort.residual > 1e-6
    effort = many.step(20)
    assert effort.residual <= 1e-6
    assert 3 < effort.mean <= effort.most < 5000
    many.step(5)
    assert many.effort.steps == 25
    assert Effort(1, 10, 10, 0.5) + Effort(1, 2, 2, 0.7) == Effort(2, 12, 10, 0.7)


def test_more_iterations_keep_the_joints_closer():
    model = td.scene("chain", links=5)
    gaps = []
    for iterations in (2, 10, 50):
        sim = Simmc(model, 1e-3, [1.5, 0.0, 0.0, 0.0, 0.0], iterations=iterations)
        sim.step(200)
        gaps.append(sim.gaps()[0])
    assert gaps[0] > gaps[1] > gaps[2]


def test_what_cannot_be_done_is_said():
    helical = td.ModelSpec("screw")
    helical.add_body("nut", 1.0, inertia=(0.1, 0.1, 0.1))
    helical.add_joint("thread", "helical", None, "nut", pitch=0.1)
    with pytest.raises(td.ModelError, match="do not support helical joints"):
        Simmc(helical.compile())
    with pytest.raises(td.ModelError, match="rotor inertia"):
        Xpbd(td.scene("arm"))
    with pytest.raises(td.ModelError, match="inertia about all axes"):
        point = td.ModelSpec("point")
        point.add_body("bob", 1.0, center=(0, 0, -1))
        point.add_joint("hinge", "revolute", None, "bob", axis=(0, 1, 0))
        Simmc(point.compile())
    sim = Simmc(td.scene("pendulum"))
    with pytest.raises(td.InputError, match="did you mean 'elbow'"):
        sim.hold("elbo", 0.0)
    with pytest.raises(td.InputError, match="iterations must be at least 1"):
        Simmc(td.scene("pendulum"), iterations=0)
    with pytest.raises(td.InputError, match="dt must be"):
        Xpbd(td.scene("pendulum"), dt=0.0)
