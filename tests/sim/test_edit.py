"""Machines that are changed while they run."""

import numpy as np
import pytest

import treadle as td
from treadle.dynamics import compiled


def arm() -> td.ModelSpec:
    """Two links, a motor and a spring."""
    spec = td.ModelSpec("arm")
    for name, mass in (("upper", 2.0), ("lower", 1.5)):
        spec.add_body(name, mass, center=(0.05, 0, -0.25), inertia=(0.04, 0.05, 0.02))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 1, 0), stiffness=3.0, damping=0.1)
    spec.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0, 0, -0.5))
    spec.add_actuator("drive", "motor", "elbow", gain=2.0)
    spec.add_keyframe("initial", {"shoulder": 0.3, "elbow": 0.5})
    return spec


def four_bar() -> td.ModelSpec:
    """Crank, coupler and rocker; the loop is closed at the rocker's pin."""
    spec = td.ModelSpec("four-bar")
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8)):
        spec.add_body(name, length, center=(length / 2, 0, 0), inertia=(0.02, 0.05, 0.05))
    axis = {"axis": (0, 1, 0)}
    spec.add_joint("motor", "revolute", None, "crank", damping=0.05, **axis)
    spec.add_joint("knee", "revolute", "crank", "coupler", position=(0.4, 0, 0), **axis)
    spec.add_joint("base", "revolute", None, "rocker", position=(1.0, 0, 0), **axis)
    spec.add_joint(
        "pin", "revolute", "rocker", "coupler", position=(0.8, 0, 0), child_position=(1.0, 0, 0), **axis
    )
    spec.add_keyframe("initial", {"motor": -1.0, "knee": 0.4, "base": -1.5})
    return spec


def poses(sim: td.Simulation) -> np.ndarray:
    """Of all links, in the order of their names."""
    return np.array([sim.body(name).pose for name in sorted(link.name for link in sim.model.links)])


def speeds(sim: td.Simulation) -> np.ndarray:
    """Of all links, in the order of their names."""
    return np.array([sim.body(name).velocity for name in sorted(link.name for link in sim.model.links)])


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_numbers_change_as_in_a_fresh_simulation(integrator):
    """Bit for bit, from the state of the edit."""
    sim = td.Simulation(arm().compile(), integrator=integrator)
    elbow, drive = sim.joint("elbow"), sim.actuator("drive")
    drive.command, elbow.torque = 0.3, 0.2
    sim.apply_force("lower", force=(1.0, 0, 2.0), point=(0, 0, -0.5))
    sim.step(100)
    with sim.edit() as spec:
        spec.body("lower").mass = 4.0
        spec.joint("shoulder").damping = 1.0
        spec.joint("shoulder").stiffness = 8.0
        spec.joint("elbow").upper = 0.9
        spec.joint("elbow").friction = 0.05
        spec.actuator("drive").gain = -1.0
    changed = arm()
    changed.body("lower").mass = 4.0
    changed.joint("shoulder").damping, changed.joint("shoulder").stiffness = 1.0, 8.0
    changed.joint("elbow").upper, changed.joint("elbow").friction = 0.9, 0.05
    changed.actuator("drive").gain = -1.0
    fresh = td.Simulation(changed.compile(), integrator=integrator)
    fresh.restore(sim.save())
    assert sim.time == pytest.approx(0.1)
    assert (drive.command, elbow.torque) == (0.3, 0.2)
    sim.step(300)
    fresh.step(300)
    assert sim.save() == fresh.save()
    assert elbow.position == fresh.joint("elbow").position


def twins() -> td.ModelSpec:
    """Two four-bars on one frame, with the same numbers."""
    spec = td.ModelSpec("twins")
    axis = {"axis": (0, 1, 0)}
    for side, y in (("left", 0.3), ("right", -0.3)):
        for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8)):
            center = (length / 2, 0, 0)
            spec.add_body(f"{side} {name}", length, center=center, inertia=(0.02, 0.05, 0.05))
        crank, coupler, rocker = [f"{side} {name}" for name in ("crank", "coupler", "rocker")]
        held = {"damping": 0.05, "stiffness": 1.0, "lower": -3.0, "upper": 1.0} | axis
        spec.add_joint(f"{side} motor", "revolute", None, crank, position=(0, y, 0), **held)
        spec.add_joint(f"{side} knee", "revolute", crank, coupler, position=(0.4, 0, 0), **axis)
        spec.add_joint(f"{side} base", "revolute", None, rocker, position=(1.0, y, 0), **axis)
        ends = {"position": (0.8, 0, 0), "child_position": (1.0, 0, 0)}
        spec.add_joint(f"{side} pin", "revolute", rocker, coupler, **ends, **axis)
        spec.add_actuator(f"{side} drive", "motor", f"{side} motor", gain=1.0, effort=5.0)
    start = {"motor": -1.0, "knee": 0.4, "base": -1.5}
    spec.add_keyframe("initial", {f"{s} {name}": x for s in ("left", "right") for name, x in start.items()})
    return spec


def test_numbers_change_without_new_code(monkeypatch):
    """Even those that were equal to others; and the bits are those of a fresh simulation."""
    sim = td.Simulation(twins().compile())
    sim.step(50)

    def compiled(*arguments: object) -> bytes:
        raise AssertionError("code was compiled")

    monkeypatch.setattr("treadle.native.compiler.object_code", compiled)

    def change(spec: td.ModelSpec, number: int) -> None:
        part, name, value = (
            (spec.body("left crank"), "mass", 0.7),
            (spec.joint("left motor"), "damping", 0.2),
            (spec.joint("right motor"), "stiffness", 2.0),
            (spec.joint("left motor"), "upper", 0.9),
            (spec.actuator("right drive"), "gain", 3.0),
            (spec.actuator("left drive"), "effort", 4.0),
            (spec, "gravity", (0.0, 0.0, -1.6)),
        )[number]
        setattr(part, name, value)

    for number in range(7):
        with sim.edit() as spec:
            change(spec, number)
        sim.step(20)
    whole = twins()
    for number in range(7):
        change(whole, number)
    fresh = td.Simulation(whole.compile())
    fresh.restore(sim.save())
    sim.step(100)
    fresh.step(100)
    assert sim.save() == fresh.save()


def test_vectors_and_views_stay():
    sim = td.Simulation(arm().compile())
    q, v = sim.q, sim.v
    sim.step(10)
    with sim.edit() as spec:
        spec.body("lower").mass = 4.0
    sim.step(10)
    assert np.shares_memory(q, sim.q)
    assert np.shares_memory(v, sim.v)


def test_a_loop_is_opened_and_closed_again():
    sim = td.Simulation(four_bar().compile(), dt=1e-3)
    sim.step(200)
    here, moving = poses(sim), speeds(sim)
    with sim.edit() as spec:
        pin = spec.joint("pin")
        spec.joints.remove(pin)
    np.testing.assert_array_equal(poses(sim), here)
    np.testing.assert_array_equal(speeds(sim), moving)
    sim.step(1)
    soon = sim.save()
    sim.step(400)
    wide = pytest.raises(td.ModelError, match=r"'pin' is open by 1\.\d+ \(m or rad\), more than .* 0.001")
    with wide, sim.edit() as spec:
        spec.joints.append(pin)
    assert not sim.model.loops
    sim.step(1)
    sim.restore(soon)
    with sim.edit() as spec:
        spec.joints.append(pin)
    assert sim.loop("pin").gap < 1e-13
    np.testing.assert_allclose(poses(sim), here, atol=1e-2)
    sim.step(500)
    assert sim.loop("pin").gap < 1e-12


def test_a_loop_that_is_cut_elsewhere_keeps_the_motion():
    """The rocker hangs on the coupler then, and its base closes the loop."""
    sim = td.Simulation(four_bar().compile(), dt=1e-3, integrator="rk4")
    twin = td.Simulation(four_bar().compile(), dt=1e-3, integrator="rk4")
    for either in (sim, twin):
        either.apply_force("coupler", force=(3.0, 0, 1.0), point=(0.2, 0, 0.1))
        either.apply_force("rocker", force=(0.5, 0, 1.0), point=(0.3, 0, 0), axes="body")
        either.step(50)
    motor = sim.joint("motor")
    here, moving = poses(sim), speeds(sim)
    with sim.edit() as spec:
        base, pin = spec.joint("base"), spec.joint("pin")
        spec.joints = [joint for joint in spec.joints if joint.name not in ("base", "pin")]
        spec.add_joint(
            "pin", "revolute", "coupler", "rocker", axis=(0, 1, 0),
            position=pin.child_position, child_position=pin.position,
        )  # fmt: skip
        spec.joints.append(base)
    assert [loop.name for loop in sim.model.loops] == ["base"]
    np.testing.assert_allclose(poses(sim), here, atol=1e-12)
    np.testing.assert_allclose(speeds(sim), moving, atol=1e-12)
    sim.step(200)
    twin.step(200)
    assert motor.position == pytest.approx(twin.joint("motor").position, abs=1e-9)
    np.testing.assert_allclose(poses(sim), poses(twin), atol=1e-9)


def test_joints_in_front_change_the_numbering():
    """A new link on a new joint comes first in q; everything else goes on by name."""
    sim = td.Simulation(arm().compile())
    sim.step(50)
    before = {name: (sim.joint(name).position, sim.joint(name).velocity) for name in ("shoulder", "elbow")}
    with sim.edit() as spec:
        spec.add_body("flag", 0.1, inertia=(0.01, 0.01, 0.01))
        joint = spec.add_joint("pole", "ball", None, "flag", position=(0, 1, 0))
        spec.joints.insert(0, spec.joints.pop(spec.joints.index(joint)))
    assert sim.model.joints[0].name == "pole"
    assert sim.joint("pole").position.tolist() == [1, 0, 0, 0]
    for name, state in before.items():
        assert (sim.joint(name).position, sim.joint(name).velocity) == state
    sim.step(50)
    with sim.edit() as spec:
        spec.joints.remove(spec.joint("pole"))
        spec.bodies.remove(spec.body("flag"))
    twin = td.Simulation(arm().compile())
    twin.step(100)
    np.testing.assert_allclose(sim.q, twin.q, atol=1e-12)


def test_a_gear_changes_its_ratio():
    spec = td.ModelSpec("gear", gravity=(0, 0, 0))
    for name in ("first", "second"):
        spec.add_body(name, 1.0, inertia=(0.1, 0.1, 0.1))
        spec.add_joint(name, "revolute", None, name)
    spec.add_coupling("gear", "second", "first", (0.0, 2.0))
    sim = td.Simulation(spec.compile())
    sim.joint("first").torque = 0.1
    sim.step(1000)
    angle = sim.joint("first").position
    with sim.edit() as spec:
        # shifted where it stands
        spec.coupling("gear").coefficients = (2.0 * angle - 3.0 * angle, 3.0)
    assert sim.joint("second").position == pytest.approx(2.0 * angle, abs=1e-12)
    assert sim.joint("second").velocity == pytest.approx(3.0 * sim.joint("first").velocity, rel=1e-12)
    assert sim.coupling("gear").force == pytest.approx(0.1 * 3.0 * 0.1 / (0.1 + 9 * 0.1), rel=1e-9)


def test_an_error_leaves_everything_as_it_was():
    law = [lambda q, v, t: {"elbow": -0.1 * v["elbow"]}]
    sim = td.Simulation(arm().compile(), laws=law)
    twin = td.Simulation(arm().compile(), laws=law)
    sim.step(50)
    with pytest.raises(KeyError, match="oops"), sim.edit() as spec:
        spec.body("lower").mass = 4.0
        raise KeyError("oops")
    with pytest.raises(td.ModelError, match="mass"), sim.edit() as spec:
        spec.body("lower").mass = -4.0
    with pytest.raises(td.TreadleError, match="elbow"), sim.edit() as spec:
        spec.joint("elbow").name = "knee"
        spec.actuator("drive").joint = "knee"
    unknown = pytest.raises(td.InputError, match="'arm' has no joint named 'elbo'; did you mean 'elbow'")
    with unknown, sim.edit() as spec:
        spec.joint("elbo").damping = 1.0
    sim.step(50)
    twin.step(100)
    assert sim.save() == twin.save()


def test_rewinding_brings_the_old_machine_back():
    sim, twin = (td.Simulation(arm().compile()) for _ in range(2))
    with td.History(sim, seconds=5.0) as history:
        sim.step(300)
        with sim.edit() as spec:
            spec.body("lower").mass = 8.0
        sim.step(200)
        later = sim.save()
        history.rewind(0.1)
        assert sim.model.mass == pytest.approx(10.0)
        sim.step(100)
        assert sim.save() == later
        history.rewind(0.3)
        assert sim.model.mass == pytest.approx(3.5)
    twin.step(200)
    assert sim.q.tolist() == twin.q.tolist()
    sim.step(100)
    twin.step(100)
    assert sim.q.tolist() == twin.q.tolist()


def test_reset_goes_to_the_first_state_of_the_new_machine():
    sim = td.Simulation(arm().compile())
    sim.step(100)
    with sim.edit() as spec:
        spec.body("lower").mass = 8.0
    sim.reset()
    assert sim.time == 0.0
    assert sim.joint("elbow").position == 0.5
    assert sim.model.mass == 10.0


def test_a_recording_goes_on(tmp_path):
    sim = td.Simulation(arm().compile())
    signals = ["joint.*.position", "joint.shoulder.reaction_force"]
    with sim.record(tmp_path / "run.parquet", signals=signals, rate=1000):
        sim.step(10)
        with sim.edit() as spec:
            spec.joints.remove(spec.joint("elbow"))
            spec.bodies.remove(spec.body("lower"))
            spec.actuators.clear()
        sim.step(10)
        force = sim.joint("shoulder").reaction.force
    table = td.read_recording(tmp_path / "run.parquet")
    assert len(table["time"]) == 21
    assert np.isnan(table["joint.elbow.position"]).sum() == 10
    assert table["joint.shoulder.position"][-1] == sim.joint("shoulder").position
    np.testing.assert_array_equal(table["joint.shoulder.reaction_force"][-1], force)


def test_locks_and_pressures_are_kept_by_name():
    sim = td.Simulation(arm().compile())
    sim.step(20)
    sim.joint("elbow").lock()
    with sim.edit() as spec:
        spec.body("upper").mass = 5.0
    assert sim.joint("elbow").locked
    held = sim.joint("elbow").position
    sim.step(100)
    assert sim.joint("elbow").position == pytest.approx(held, abs=1e-12)
    assert compiled.mass_matrix(sim.model, sim.q)[1, 1] < 10.0


def test_the_action_of_an_event_must_not_edit():
    def change(sim):
        with sim.edit() as spec:
            spec.body("lower").mass = 2.0

    event = td.Event(lambda q, v, t: q["shoulder"], action=change, name="change")
    sim = td.Simulation(arm().compile(), integrator="dopri5", dt=1e-2, events=[event])
    with pytest.raises(td.InputError, match="between steps"):
        sim.run(2.0)
