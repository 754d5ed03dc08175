"""Prescribed motions of joints."""

import numpy as np
import pytest

import treadle as td
from treadle.integrators import INTEGRATORS


def test_a_straight_line_for_a_minute_at_ten_milliseconds():
    sim = td.Simulation(td.scene("peaucellier"), dt=1e-2, motions={"motor": lambda t: 0.8 * td.sin(2.0 * t)})
    line = sim.body("pen").position[0]
    heights, across, lag = [], 0.0, 0.0
    for _ in range(6000):
        sim.step()
        x, _, z = sim.body("pen").position
        heights.append(z)
        across = max(across, abs(x - line))
        lag = max(lag, abs(sim.joint("motor").position - 0.8 * np.sin(2.0 * sim.time)))
    assert across < 1e-9
    assert sim.quality()["loop residual"] < 1e-9
    # it does draw, and follows its motor
    assert np.ptp(heights) > 0.5
    assert lag < 1e-3


def test_a_motion_is_held_with_no_more_than_the_effort():
    spec = td.ModelSpec("lift")
    spec.add_body("load", 10.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "load", axis=(0, 0, 1), effort=50.0)
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3, motions={"rail": lambda t: 0.0 * t})
    sim.run(1.0)
    # 98.1 N are asked for: it falls with what is left
    assert sim.v[0] == pytest.approx(-4.81, rel=1e-2)
    strong = spec
    strong.joints[0].effort = 200.0
    sim = td.Simulation(strong.compile(), dt=1e-3, motions={"rail": lambda t: 0.1 * t})
    sim.run(1.0)
    assert sim.q[0] == pytest.approx(0.1, abs=1e-9)


def shaken(effort: float | None = None) -> td.Model:
    """A rod that hangs from a cart on a rail."""
    spec = td.ModelSpec("shaken")
    spec.add_body("cart", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0), effort=effort)
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pin", "revolute", "cart", "rod", axis=(0, 1, 0), damping=0.05)
    return spec.compile()


def shake(t):
    return 0.3 * td.sin(3.0 * t)


@pytest.fixture(scope="module")
def swung() -> float:
    """The angle of a pendulum whose support has the acceleration of the motion, as a force on it, after 1
    s.
    """
    spec = td.ModelSpec("single")
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0), damping=0.05)

    def inertial(q, v, t):
        # -m a x at the centre of mass, whose arm is half a metre
        return {"pin": -0.5 * td.cos(q["pin"]) * (2.7 * td.sin(3.0 * t))}

    sim = td.Simulation(spec.compile(), 1e-2, "dopri853", q=[0.5], laws=[inertial], tolerance=1e-12)
    sim.run(1.0)
    return sim.q[0]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_holds_motions_at_its_own_order(integrator, swung):
    method, errors = INTEGRATORS[integrator], []
    tight = {"tolerance": 1e-10} if method.adaptive else {}
    for dt in (0.02, 0.01):
        sim = td.Simulation(shaken(), dt, integrator, q=[0.0, 0.5], v=None, motions={"rail": shake}, **tight)
        sim.run(1.0)
        assert sim.joint("rail").position == pytest.approx(shake(1.0), abs=1e-12)
        if not method.arrests:
            assert sim.joint("rail").velocity == pytest.approx(0.9 * np.cos(3.0), abs=1e-12)
        errors.append(abs(sim.joint("pin").position - swung))
    assert errors[1] < 1.25 * max(errors[0] / 2.0**method.order, 1e-9)
    # what the motion does is in the energy balance
    drift = abs(sim.quality()["energy drift"])
    assert drift < {1: 0.4, 2: 2e-3, 4: 1e-6}.get(method.order, 1e-8)


def test_a_support_that_moves_in_space():
    """A pendulum on a platform that moves and turns: as one whose support is a chain of moved joints."""

    def spec_of(kind: str) -> td.ModelSpec:
        spec = td.ModelSpec(kind)
        if kind == "free":
            spec.add_body("platform", 1.0, inertia=(1, 1, 1))
            spec.add_joint("support", "free", None, "platform")
        else:
            for name, parent in (("x", None), ("z", "x")):
                spec.add_body(name, 1.0, inertia=(1, 1, 1))
                spec.add_joint(name, "prismatic", parent, name, axis=(1, 0, 0) if name == "x" else (0, 0, 1))
            spec.add_body("platform", 1.0, inertia=(1, 1, 1))
            spec.add_joint("turn", "revolute", "z", "platform", axis=(0, 0, 1))
        spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        spec.add_joint("pin", "universal", "platform", "rod", position=(0.4, 0, 0))
        return spec

    def pose(t):
        turn = 0.5 * td.sin(2.0 * t)
        return (td.cos(0.5 * turn), 0.0, 0.0, td.sin(0.5 * turn), 0.3 * td.sin(t), 0.0, 0.2 * t * t)

    chain = {
        "x": lambda t: 0.3 * td.sin(t),
        "z": lambda t: 0.2 * t * t,
        "turn": lambda t: 0.5 * td.sin(2.0 * t),
    }
    for integrator, atol in (("rk4", 1e-7), ("symplectic_euler", 2e-2)):
        ends = []
        for kind, motions in (("free", {"support": pose}), ("chain", chain)):
            sim = td.Simulation(spec_of(kind).compile(), 5e-3, integrator, motions=motions)
            sim.joint("pin").position = (0.4, 0.2)
            sim.run(1.0)
            ends.append(sim.body("rod").pose.copy())
        np.testing.assert_allclose(ends[0], ends[1], atol=atol)
    # a place alone leaves the axes as they are
    still = td.Simulation(
        spec_of("free").compile(), 5e-3, "rk4", motions={"support": lambda t: (t, 0.0, 0.0)}
    )
    still.run(1.0)
    np.testing.assert_allclose(still.joint("support").position, (1, 0, 0, 0, 1, 0, 0), atol=1e-12)
    assert still.quality().rating == "good"


def test_motions_go_with_loops_under_every_kind_of_method():
    reference = None
    for integrator in (
        "dopri853",
        "rk4",
        "implicit_midpoint",
        "variational",
        "index2_euler",
        "symplectic_euler",
    ):
        motions = {"motor": lambda t: 0.3 + 0.4 * td.sin(2.0 * t)}
        sim = td.Simulation(td.scene("peaucellier"), 5e-3, integrator, motions=motions)
        line = sim.body("pen").position[0]
        assert sim.joint("motor").position == pytest.approx(0.3, abs=1e-12)
        sim.run(1.0)
        assert abs(sim.body("pen").position[0] - line) < 1e-9
        reference = sim.q.copy() if reference is None else reference
        # one degree of freedom, and that is prescribed
        # which impulses reach within what the loops' projection takes back
        np.testing.assert_allclose(sim.q, reference, atol=1e-6 if integrator == "symplectic_euler" else 1e-9)
        assert sim.quality()["loop residual"] < 1e-9


def test_the_force_of_a_motion_is_what_the_joint_needs():
    """cart and rod: F = M x'' + m l (a'' cos - a'^2 sin), read after a step, by the method's own order."""
    sim = td.Simulation(shaken(), 1e-3, "rk4", q=[0.0, 0.5], motions={"rail": shake})
    sim.run(0.7)
    rate, angle = sim.joint("pin").velocity, sim.joint("pin").position
    turn = sim.joint("pin").acceleration
    assert sim.joint("rail").acceleration == pytest.approx(-2.7 * np.sin(2.1), rel=1e-12)
    needed = 3.0 * sim.joint("rail").acceleration - 0.5 * (turn * np.cos(angle) - rate**2 * np.sin(angle))
    assert sim.joint("rail").reaction.force[0] == pytest.approx(needed, rel=1e-9)


def test_wrong_motions():
    model = td.scene("pendulum")
    with pytest.raises(td.InputError, match=r"no joint named 'sholder'"):
        td.Simulation(model, motions={"sholder": lambda t: t})
    with pytest.raises(td.InputError, match="limited by the joint's effort in 'symplectic_euler' only"):
        td.Simulation(shaken(effort=10.0), integrator="rk4", motions={"rail": lambda t: t})
    with pytest.raises(td.InputError, match="the motion of 'shoulder' must be a function of the time"):
        td.Simulation(model, motions={"shoulder": lambda t: None})
    with pytest.raises(td.InputError, match="has no finite position"):
        td.Simulation(model, motions={"shoulder": td.sqrt})
    spec = td.ModelSpec("stone")
    spec.add_body("stone", 1.0, inertia=(1, 1, 1))
    spec.add_joint("air", "free", None, "stone")
    with pytest.raises(td.InputError, match="it gives 1 numbers, and its free joint has 7 numbers"):
        td.Simulation(spec.compile(), motions={"air": lambda t: t})


def turntable(**actuator):
    spec = td.ModelSpec("turntable")
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -1))
    spec.add_body("disk", 1.0, type="cylinder", size=(0.3, 0.05))
    spec.add_joint("turn", "revolute", None, "disk", axis=(0, 0, 1))
    spec.add_shape("disk_skin", "disk", "cylinder", (0.3, 0.05), role="collision")
    spec.add_body("box", 0.1, type="box", size=(0.05, 0.05, 0.05))
    spec.add_joint("float", "free", None, "box", position=(0.1, 0, 0.05))
    spec.add_shape("box_skin", "box", "box", (0.05, 0.05, 0.05), role="collision")
    if actuator:
        spec.add_actuator("servo", joint="turn", **actuator)
    return spec.compile()


def test_beside_contact_a_motion_has_its_rate_too():
    """Also from a standing start, to the third order in the position and the second in the velocity."""
    lags, slips = [], []
    for dt in (0.01, 0.005):
        sim = td.Simulation(turntable(), dt=dt, motions={"turn": lambda t: 0.5 * td.sin(2.0 * t)})
        sim.run(2 * dt)
        lag = slip = 0.0
        while sim.time < 0.5:
            sim.step()
            lag = max(lag, abs(sim.joint("turn").position - 0.5 * np.sin(2.0 * sim.time)))
            slip = max(slip, abs(sim.joint("turn").velocity - np.cos(2.0 * sim.time)))
        lags.append(lag)
        slips.append(slip)
    assert lags[0] < 2e-7
    assert slips[0] < 4e-5
    assert lags[0] / lags[1] == pytest.approx(8.0, rel=0.05)
    assert slips[0] / slips[1] == pytest.approx(4.0, rel=0.05)


def lift(mass: float = 1.0, motor: bool = False) -> td.Model:
    """A ball half a metre over a table that goes up and down."""
    spec = td.ModelSpec("lift")
    spec.add_material("rubber", friction=0.3, restitution=0.5)
    spec.add_body("table", mass, inertia=(1, 1, 1))
    spec.add_joint("lift", "prismatic", None, "table", axis=(0, 0, 1))
    top = {"role": "collision", "material": "rubber"}
    spec.add_shape("top", "table", "box", (1, 1, 0.2), position=(0, 0, -0.1), **top)
    spec.add_body("ball", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("flight", "free", None, "ball", position=(0, 0, 0.6))
    spec.add_shape("skin", "ball", "sphere", (0.1,), **top)
    if motor:
        spec.add_actuator("drive", "rigid_velocity", "lift")
    return spec.compile()


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
@pytest.mark.parametrize("mass", [0.01, 100.0])
@pytest.mark.parametrize("motor", [False, True])
def test_what_is_moved_withstands_impacts(motor, mass, dt):
    """A table that goes up at u gives a ball that falls on it at v the velocity u + e (u - v)."""
    motions = {} if motor else {"lift": lambda t: 1.0 * t}
    sim = td.Simulation(lift(mass, motor), dt, motions=motions)
    if motor:
        sim.actuator("drive").command = sim.v[0] = 1.0
    sim.run(0.4)
    meets = (np.sqrt(1.0 + 2.0 * 9.81 * 0.5) - 1.0) / 9.81
    after, since = 1.0 + 0.5 * (1.0 + 9.81 * meets), sim.time - meets
    expected = meets + 0.1 + after * since - 0.5 * 9.81 * since**2
    assert sim.body("ball").position[2] == pytest.approx(expected, abs=1e-12)
    assert sim.joint("lift").velocity == pytest.approx(1.0, abs=1e-9)
    assert abs(sim.quality()["energy drift"]) < 1e-9 * max(mass, 1.0)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_holds_motions_where_shapes_touch(integrator):
    """A ball bounces on a table that shakes, until it rests on it; runs come out the same again."""
    method = INTEGRATORS[integrator]
    reference = None
    for name, dt in (("symplectic_euler", 2e-4), (integrator, 2e-3)):
        sim = td.Simulation(lift(), dt, name, motions={"lift": lambda t: 0.05 * td.sin(5.0 * t)})
        start, lag = sim.save(), 0.0
        while sim.time < 0.6:
            sim.step()
            lag = max(lag, abs(sim.joint("lift").position - 0.05 * np.sin(5.0 * sim.time)))
        assert lag < 1e-6
        place = sim.body("ball").position
        reference = place if reference is None else reference
    np.testing.assert_allclose(place, reference, atol=2e-2 if method.order == 1 else 1e-4)
    assert sim.contact_on("ball") is not None
    q = sim.q.copy()
    sim.restore(start)
    sim.step(300)
    assert np.array_equal(sim.q, q)


def test_beside_contact_a_rigid_servo_stands_still_where_it_was_sent():
    sim = td.Simulation(turntable(type="rigid_position", effort=100.0), dt=0.01)
    sim.actuator("servo").command = 0.5
    sim.run(0.5)
    assert sim.joint("turn").position == pytest.approx(0.5, abs=1e-12)
    assert abs(sim.joint("turn").velocity) < 1e-9
