"""Steps of a run in which nobody acts or looks: one call of machine code, and all that other steps do."""

import numpy as np
import pytest

import treadle as td
from treadle.sim import stepper
from treadle.sim.step import continued
from treadle.sim.stepper import Stepper


def boxes(**options) -> td.Simulation:
    return td.Simulation(td.scene("box-stack"), dt=2e-3, **options)


def pendulum(**options) -> td.Simulation:
    return td.Simulation(td.scene("pendulum"), q=[1.5, 0.5], **options)


def driven(**options) -> td.Simulation:
    """A free body that a motor's arm stands on, and a joint that turns in space."""
    spec = td.ModelSpec("driven")
    spec.add_shape("ground", None, "plane", role="collision")
    spec.add_body("ball", 1.0, type="sphere", size=(0.1,))
    spec.add_joint("ball", "free", None, "ball", position=(0.0, 0.0, 0.1))
    spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision")
    spec.add_body("arm", 0.5, inertia=(0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0))
    spec.add_joint("turn", "revolute", "ball", "arm", axis=(0.0, 1.0, 0.0))
    spec.add_actuator("motor", "motor", "turn")
    return td.Simulation(spec.compile(), dt=1e-3, **options)


def read(sim: td.Simulation) -> dict:
    """All that a run leaves."""
    log = sim.run_log
    return {
        "state": sim.save(), "time": sim.time, "measured": sim.measured_time, "steps": log.steps,
        "repeatable": log.repeatable, "start": log.start, "samples": log.samples, "work": log.work,
        "goes on": log.goes_on(), "effort": sim.effort,
        "quality": [(m.name, m.value) for m in sim.quality().measures if m.name != "real-time factor"],
    }  # fmt: skip


def same(one: dict, other: dict) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert value == other[name], name


class Onlooker:
    """Somebody who wants to see every step."""

    def __init__(self) -> None:
        self.seen = 0

    def due(self) -> int:
        return 1

    def advanced(self, count: int) -> None:
        self.seen += count

    def rebuilt(self) -> None:
        pass


@pytest.fixture
def step_by_step(monkeypatch):
    """Lets all that is looked at before a step be looked at, of simulations that did not step yet."""

    def apply() -> None:
        monkeypatch.setattr(Stepper, "_may_continue", lambda stepper: False)

    return apply


@pytest.mark.parametrize("make", [boxes, pendulum, driven])
def test_all_is_as_in_other_steps(make, step_by_step):
    """One by one, and with forces, commands and steps that change on the way."""
    plain, looked_at, other = make(), make(), make()
    looked_at.observers.append(Onlooker())
    for sim in (plain, looked_at, other):
        if sim is other:
            step_by_step()
        for k in range(300):
            if k == 100:
                sim.tau[0] = 0.1
            if k == 150:
                sim.dt = 1.5e-3
            if k >= 200:
                sim.tau[-1] = 1e-3 * k
            sim.step()
    assert plain.stepper.direct is not None and other.stepper.direct is None
    assert looked_at.observers[0].seen == plain.run_log.steps == 300
    looked_at.observers.clear()
    same(read(plain), read(other))
    same(read(plain), read(looked_at))


@pytest.mark.parametrize("make", [boxes, pendulum, driven])
def test_however_they_are_counted(make):
    one, many = make(), make()
    one.step(200)
    for count in (1, 1, 3, 60, 1, 34, 100):
        many.step(count)
    assert one.save() == many.save()
    assert one.run_log.steps == many.run_log.steps
    assert [sample.q for sample in one.run_log.samples] == [sample.q for sample in many.run_log.samples]


@pytest.mark.parametrize("make", [boxes, pendulum])
def test_one_call_a_step(make, monkeypatch):
    monkeypatch.setattr(stepper, "_MANY", 0)
    sim = make()
    calls = []
    call = continued.attend.pointer

    def counted(address):
        calls.append(address)
        return call(address)

    monkeypatch.setitem(vars(continued.attend), "pointer", counted)
    sim.step(10)
    calls.clear()
    for _ in range(10):
        sim.step()
    assert len(calls) == 10
    sim.tau[:] = 0.0
    sim.step(5)
    assert len(calls) == 11
    # other steps are taken in one call as soon as they are chosen, and after trials
    sim.apply_force(sim.model.bodies[0].name, (0.1, 0.0, 0.0))
    sim.step()
    calls.clear()
    sim.step()
    assert len(calls) == 1
    sim.quality()
    sim.step()
    calls.clear()
    sim.step()
    assert len(calls) == 1


@pytest.mark.parametrize("make", [boxes, pendulum])
@pytest.mark.parametrize("change", ["q", "v", "restore", "reset"])
def test_a_state_that_is_set_begins_a_run(make, change):
    sim = make()
    sim.step(30)
    saved = sim.save()
    sim.step()
    sim.step()
    match change:
        case "q":
            sim.q[0] += 1e-3
        case "v":
            sim.v[-1] += 1e-3
        case "restore":
            sim.restore(saved)
        case "reset":
            sim.reset()
    start = sim.save()
    sim.step()
    sim.step()
    assert sim.run_log.steps == 2
    assert sim.run_log.start == start


def test_loads_take_their_own_step(step_by_step):
    sims = boxes(), boxes()
    for sim in sims:
        if sim is sims[1]:
            step_by_step()
        for _ in range(10):
            sim.step()
        sim.apply_force(sim.model.bodies[0].name, (0.5, 0.0, 0.0))
        for _ in range(10):
            sim.step()
        sim.clear_forces()
        for _ in range(10):
            sim.step()
    np.testing.assert_array_equal(sims[0].q, sims[1].q)
    np.testing.assert_array_equal(sims[0].v, sims[1].v)


def test_what_acts_between_steps_goes_on_acting():
    """Controllers that are called back, events, sampled sensors, and inputs that change."""
    calls = []

    def called(q, v, t):
        calls.append(t)
        return {}

    sim = pendulum(controllers=[called])
    for _ in range(5):
        sim.step()
    assert len(calls) == 5 and sim.stepper.direct is None
    event = td.Event(lambda q, v, t: t - 0.0155, name="later")
    sim = pendulum(events=[event])
    for _ in range(20):
        sim.step()
    assert [round(x, 9) for x in sim.events.times("later")] == [0.0155]
    assert sim.stepper.direct is None


def test_edits_and_trials_leave_no_old_arrays_behind(step_by_step):
    sim, other = boxes(), boxes()
    q = sim.q
    for each in (sim, other):
        if each is other:
            step_by_step()
        each.step(5)
        each.step()
        each.quality()
        with each.edit() as spec:
            spec.gravity = (0.0, 0.0, -1.62)
        for _ in range(5):
            each.step()
    np.testing.assert_array_equal(sim.q, other.q)
    np.testing.assert_array_equal(q, sim.q)
    assert sim.time == other.time


def test_a_step_that_diverges_is_told():
    sim = pendulum()
    sim.step(3)
    sim.step()
    sim.tau[0] = 1e300
    with pytest.raises(td.SimulationDiverged):
        for _ in range(10):
            sim.step()
    assert np.isfinite(sim.q).all()
