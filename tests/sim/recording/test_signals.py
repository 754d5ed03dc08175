"""What the recorded numbers are, by what else computes them; and how they are named."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from treadle.sim.recording.signals import SIGNAL_KINDS, Signal, available
from treadle.sim.recording.signals.sampler import Sampler
from treadle.sim.recording.signals.select import select
from treadle.spatial import Quaternion

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture(scope="module", params=[1, 2, 3])
def sim(request) -> td.Simulation:
    """A random machine in motion, under joint forces and loads, with springs and dampers."""
    rng = np.random.default_rng(request.param)
    spec = random_spec(rng, 7)
    spec.add_frame("probe", "b6", position=(0.1, 0.2, 0.3), rotation=(1, 2, 3, 4))
    model = spec.compile()
    sim = td.Simulation(model)
    sim.q, sim.v, sim.tau = random_state(model, rng)
    sim.apply_force("probe", (1.0, -2.0, 3.0), (0.5, 0.0, 0.1))
    sim.step(3)
    return sim


@pytest.fixture
def values(sim):
    """All signals by name."""
    signals, _ = select(sim.model, ["*"])
    sampler = Sampler(sim, signals)
    row = np.full(sampler.width, np.inf)
    sampler.sample(row)
    found, start = {}, 1
    for layout in sampler.layouts:
        found[layout.name] = row[start : start + len(layout.columns)]
        start += len(layout.columns)
    assert start == len(row)
    return found


def test_joints(sim, values):
    for joint in sim.model.joints:
        handle = sim.joint(joint.name)
        np.testing.assert_array_equal(values[f"joint.{joint.name}.position"], handle.position)
        np.testing.assert_array_equal(values[f"joint.{joint.name}.velocity"], handle.velocity)
        np.testing.assert_array_equal(values[f"joint.{joint.name}.torque"], handle.torque)


def test_accelerations_are_the_rates_of_velocities(sim, values):
    ahead = td.Simulation(sim.model, integrator="rk4")
    ahead.restore(sim.save())
    ahead.dt = 1e-6
    ahead.step()
    rate = (ahead.v - sim.v) / 1e-6
    for joint in sim.model.joints:
        given = values[f"joint.{joint.name}.acceleration"]
        np.testing.assert_allclose(given, rate[joint.v], rtol=1e-3, atol=1e-2)


def test_bodies(sim, values):
    for frame in sim.model.frames:
        handle = sim.body(frame.name)
        x, y, z, *quaternion = values[f"body.{frame.name}.pose"]
        np.testing.assert_allclose([x, y, z], handle.position, **CLOSE)
        assert quaternion[0] >= 0.0
        rotation = np.array(Quaternion(*quaternion).matrix().to_rows())
        np.testing.assert_allclose(rotation, handle.pose[:3, :3], **CLOSE)
        np.testing.assert_allclose(values[f"body.{frame.name}.velocity"], handle.velocity, **CLOSE)


def test_the_whole_machine(sim, values):
    model, q, v = sim.model, sim.q, sim.v
    kinetic, potential = td.kinetic_energy(model, q, v), td.potential_energy(model, q)
    np.testing.assert_allclose(values["energy.kinetic"], kinetic, **CLOSE)
    np.testing.assert_allclose(values["energy.potential"], potential, **CLOSE)
    np.testing.assert_allclose(values["energy.total"], sim.quality()["energy"], **CLOSE)
    np.testing.assert_allclose(
        values["energy.total"] - values["energy.spring"], kinetic + potential, rtol=1e-9, atol=1e-8
    )
    momentum = td.momentum(model, q, v)
    np.testing.assert_allclose(values["momentum.angular"], momentum[:3], **CLOSE)
    np.testing.assert_allclose(values["momentum.linear"], momentum[3:], **CLOSE)
    np.testing.assert_allclose(values["center_of_mass.position"], td.center_of_mass(model, q), **CLOSE)
    np.testing.assert_allclose(values["center_of_mass.velocity"], momentum[3:] / model.mass, **CLOSE)


def test_the_joints_to_the_world_carry_the_machine(sim, values):
    """Newton for all bodies together: root reactions + load + weight = m dv/dt of the centre of mass."""
    model = sim.model
    roots = [body.joint.name for body in model.bodies if body.parent < 0]
    carried = sum(values[f"joint.{name}.reaction_force"] for name in roots)
    ahead, behind = (td.Simulation(model, integrator="rk4") for _ in range(2))
    rates = []
    for other, dt in ((ahead, 1e-6), (behind, 2e-6)):
        other.restore(sim.save())
        other.dt = dt
        other.step()
        change = td.momentum(model, other.q, other.v) - td.momentum(model, sim.q, sim.v)
        rates.append(change[3:] / dt)
    # extrapolated to a step of zero
    rate = 2.0 * rates[0] - rates[1]
    weight = model.mass * np.array(model.gravity)
    np.testing.assert_allclose(carried + np.array([1.0, -2.0, 3.0]) + weight, rate, rtol=1e-3, atol=1e-3)


def test_all_half_turns_have_a_quaternion():
    """Where one of w, x, y, z vanishes another one is divided by."""
    spec = td.ModelSpec("ball")
    spec.add_body("ball", 1.0, inertia=(1, 1, 1))
    spec.add_joint("joint", "ball", None, "ball")
    sim = td.Simulation(spec.compile())
    signals, _ = select(sim.model, ["body.ball.pose"])
    sampler = Sampler(sim, signals)
    row = np.empty(sampler.width)
    for quaternion in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (-1, 2, -3, 4), (0, 1, 1, 0)):
        sim.q = quaternion
        sampler.sample(row)
        given, expected = row[4:], sim.q * (-1.0 if sim.q[0] < 0.0 else 1.0)
        assert min(np.abs(given - expected).max(), np.abs(given + expected).max()) < 1e-15


def test_force_laws_are_in_the_acceleration():
    model = td.scene("pendulum")
    laws = [lambda q, v, t: {"shoulder": 7.0 * t}]
    signals, _ = select(model, ["joint.shoulder.acceleration"])
    given = []
    for sim in (td.Simulation(model, laws=laws), td.Simulation(model)):
        sim.run(0.5)
        sampler = Sampler(sim, signals)
        row = np.empty(sampler.width)
        sampler.sample(row)
        given.append((row[1], td.forward_dynamics(model, sim.q, sim.v, [7.0 * 0.5 * bool(sim.laws), 0.0])[0]))
    for found, expected in given:
        assert found == pytest.approx(expected, rel=1e-9)
    assert given[0][0] != given[1][0]


def sampled(sim: td.Simulation, name: str) -> float:
    sampler = Sampler(sim, select(sim.model, [name])[0])
    row = np.empty(sampler.width)
    sampler.sample(row)
    return row[1]


def test_controllers_are_in_the_torque():
    """A pure one with what it says now, one that keeps a state with what it said last."""
    model = td.scene("pendulum")
    asked = []

    def counting(q, v, t):
        asked.append(t)
        return {"shoulder": float(len(asked))}

    for controller in (lambda q, v, t: {"shoulder": -5.0 * q["shoulder"]}, counting):
        sim = td.Simulation(model, controllers=[controller])
        # it was tried out, to see whether it is pure
        asked.clear()
        sim.joint("shoulder").position = 1.0
        sim.tau = (0.25, 0.0)
        sim.step(7)
        command = 7.0 if asked else -5.0 * sim.q[0]
        assert sampled(sim, "joint.shoulder.torque") == 0.25 + command
        expected = td.forward_dynamics(model, sim.q, sim.v, sim.tau + np.array([command, 0.0]))
        assert sampled(sim, "joint.shoulder.acceleration") == pytest.approx(expected[0], rel=1e-9)
    assert len(asked) == 7


# names


def names(model, *wanted):
    signals, own = select(model, wanted)
    return [signal.layout.name for signal in signals] + [signal.name for signal in own]


def test_patterns():
    model = td.scene("pendulum")
    assert names(model, "joint.*.position") == ["joint.shoulder.position", "joint.elbow.position"]
    assert names(model, "energy.total", "energy.*", "energy.total")[0] == "energy.total"
    assert len(names(model, "energy.total", "energy.*")) == 4
    assert set(names(model, "*")) == set(available(model))


def test_a_name_alone_is_a_list_of_one():
    assert select(td.scene("pendulum"), "energy.total")[0][0].layout.name == "energy.total"  # type: ignore[arg-type]


def test_names_with_brackets_and_dots():
    spec = td.ModelSpec("odd")
    spec.add_body("a[1].b", 1.0, inertia=(1, 1, 1))
    spec.add_joint("x.y [z]", "revolute", None, "a[1].b")
    model = spec.compile()
    assert names(model, "joint.x.y [z].position", "body.a[[]1].b.pose", "body.*.velocity") == [
        "joint.x.y [z].position",
        "body.a[1].b.pose",
        "body.a[1].b.velocity",
    ]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            "joint.sholder.position",
            "'pendulum' has no signal 'joint.sholder.position'; did you mean 'joint.shou",
        ),
        ("joint.*.positoin", r"did you mean 'joint.\*.position'"),
        ("torque", "has no signal 'torque'"),
        (3, "a signal is a name or {name: function}, not 3"),
        ({"a": 3}, "signal 'a' needs a function of the simulation, not 3"),
        ({" ": abs}, "a signal of your own needs a name"),
        ({"time": abs}, "two signals are called 'time'"),
        ({"a": abs, "a [m]": abs}, "two signals are called 'a'"),
    ],
)
def test_what_is_no_signal(wanted, message):
    with pytest.raises(td.InputError, match=message):
        select(td.scene("pendulum"), [wanted])


def test_own_names_carry_units():
    _, own = select(
        td.scene("pendulum"), [{"reach [m]": abs, "load [N m/rad]": abs, "count": abs, "x[0]": abs}]
    )
    assert [(signal.name, signal.unit) for signal in own] == [
        ("reach", "m"),
        ("load", "N m/rad"),
        ("count", ""),
        ("x", "0"),
    ]


def test_a_new_kind_is_a_function(monkeypatch):
    """Even one whose name an earlier kind had: code from elsewhere is told apart by what it computes."""
    sim = td.Simulation(td.scene("pendulum"))
    sim.joint("shoulder").position = 0.5
    for factor in (2.0, 3.0):

        def scaled(name, model, number, factor=factor):
            return Signal.of(name, ("angle",), "rad", lambda at: [factor * at.q[number]])

        monkeypatch.setitem(SIGNAL_KINDS, "joint.*.scaled", scaled)
        sampler = Sampler(sim, select(sim.model, ["joint.shoulder.scaled"])[0])
        row = np.empty(sampler.width)
        sampler.sample(row)
        assert row[1] == factor * 0.5
