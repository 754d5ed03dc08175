"""Freedoms that are locked and freed while the machine runs."""

import numpy as np
import pytest

import treadle as td
from treadle.dynamics import compiled

START = {"shoulder": 0.3, "elbow": 0.5, "wrist": -0.4}


def arm(elbow: float | None = None) -> td.Model:
    """Three links; with an elbow that turns, or is welded at an angle."""
    spec = td.ModelSpec("arm")
    for name, mass in (("upper", 2.0), ("lower", 1.5), ("hand", 0.7)):
        spec.add_body(name, mass, center=(0.05, 0, -0.25), inertia=(0.04, 0.05, 0.02))
    axis, below = {"axis": (0, 1, 0)}, {"position": (0, 0, -0.5)}
    spec.add_joint("shoulder", "revolute", None, "upper", **axis)
    if elbow is None:
        spec.add_joint("elbow", "revolute", "upper", "lower", **axis, **below)
    else:
        spec.add_joint("elbow", "fixed", "upper", "lower", **below, rotation=td.rpy(0, elbow, 0))
    spec.add_joint("wrist", "revolute", "lower", "hand", axis=(1, 0, 0), damping=0.02, **below)
    names = START if elbow is None else [name for name in START if name != "elbow"]
    spec.add_keyframe("initial", {name: START[name] for name in names})
    return spec.compile()


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint", "generalized_alpha"])
def test_a_locked_joint_stays_and_the_rest_moves_as_if_it_were_welded(integrator):
    sim = td.Simulation(arm(), integrator=integrator)
    sim.step(200)
    elbow = sim.joint("elbow")
    elbow.lock()
    assert elbow.locked
    held = elbow.position
    welded = td.Simulation(arm(held), integrator=integrator)
    for name in ("shoulder", "wrist"):
        welded.joint(name).position = sim.joint(name).position
        welded.joint(name).velocity = sim.joint(name).velocity
    sim.step(500)
    welded.step(500)
    assert abs(elbow.position - held) < 1e-12
    for name in ("shoulder", "wrist"):
        assert sim.joint(name).position == pytest.approx(welded.joint(name).position, abs=1e-9)
    # the lock carries the moment that the weld would
    assert abs(elbow.reaction.torque[1]) > 0.1
    elbow.free()
    assert not elbow.locked
    sim.step(100)
    assert abs(elbow.position - held) > 1e-3


def test_a_moving_joint_stops_as_by_a_blow():
    """The blow is inside the elbow: behind it the angular momentum about the elbow's axis changes, but not
    that of the whole arm about the shoulder's."""
    sim = td.Simulation(arm())
    sim.step(300)
    before = td.momentum(sim.model, sim.q, sim.v)
    speed, M = sim.v.copy(), compiled.mass_matrix(sim.model, sim.q)
    sim.joint("elbow").lock()
    after = td.momentum(sim.model, sim.q, sim.v)
    assert speed[1] != 0.0
    assert sim.joint("elbow").velocity == 0.0
    assert before[1] == pytest.approx(after[1], rel=1e-12)
    jump = M @ (sim.v - speed)
    np.testing.assert_allclose(jump[[0, 2]], 0.0, atol=1e-12)


def test_single_freedoms():
    spec = td.ModelSpec("hook")
    spec.add_body("ball", 1.0, center=(0.1, 0.2, -0.3), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("neck", "ball", None, "ball")
    sim = td.Simulation(spec.compile())
    neck = sim.joint("neck")
    neck.lock(0)
    neck.lock(2)
    assert not neck.locked
    sim.step(500)
    assert abs(neck.velocity[[0, 2]]).max() < 1e-15
    assert abs(neck.velocity[1]) > 0.01
    with pytest.raises(td.InputError, match=r"joint 'neck' has no degree of freedom 3; it has 0 \(rate_x\)"):
        neck.lock(3)


def test_in_a_closed_machine():
    """A slider-crank whose crank is locked stands still, and its loop stays closed."""
    sim = td.Simulation(td.scene("slider-crank"))
    sim.step(50)
    crank = next(joint.name for joint in sim.model.joints)
    sim.joint(crank).lock()
    here = sim.q.copy()
    assert abs(sim.v).max() < 1e-12
    sim.step(200)
    np.testing.assert_allclose(sim.q, here, atol=1e-12)


def test_locks_are_part_of_the_state():
    sim = td.Simulation(arm())
    sim.step(50)
    with td.History(sim) as history:
        sim.step(50)
        sim.joint("elbow").lock()
        locked = sim.save()
        sim.step(50)
        later = sim.save()
        history.rewind(0.07)
        assert not sim.joint("elbow").locked
    sim.restore(locked)
    assert sim.joint("elbow").locked
    sim.step(50)
    assert sim.save() == later
    # without any lock the steps are those of a machine that never had one
    sim.reset()
    assert not sim.joint("elbow").locked
    fresh = td.Simulation(arm())
    sim.step(100)
    fresh.step(100)
    assert sim.q.tolist() == fresh.q.tolist()


def test_events_of_a_machine_with_a_lock():
    crossing = td.Event(lambda q, v, t: q["shoulder"], name="crossing")
    sim = td.Simulation(arm(), integrator="dopri5", dt=1e-2, events=[crossing])
    sim.joint("elbow").lock()
    sim.run(1.0)
    welded = td.Simulation(arm(START["elbow"]), integrator="dopri5", dt=1e-2, events=[crossing])
    welded.run(1.0)
    assert sim.events.times("crossing") == pytest.approx(welded.events.times("crossing"), abs=1e-6)
    assert sim.events.times("crossing")
