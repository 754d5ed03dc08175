"""Since when a run is undisturbed."""

import numpy as np
import pytest

import treadle as td


def pendulum(**options) -> td.Simulation:
    return td.Simulation(td.scene("pendulum"), q=[1.5, 0.5], **options)


def test_steps_add_up():
    sim = pendulum()
    for _ in range(5):
        sim.step(20)
    journal = sim.run_log
    assert journal.steps == 100
    assert journal.start == sim.reference
    assert journal.repeatable
    assert journal.goes_on()


@pytest.mark.parametrize("change", ["q", "v", "reset", "restore", "integrator"])
def test_setting_the_state_starts_a_new_run(change):
    sim = pendulum()
    sim.tau[0] = 1.0
    sim.step(50)
    saved = sim.save()
    sim.step(50)
    match change:
        case "q":
            sim.q[0] += 0.1
        case "v":
            sim.v[1] = 0.0
        case "reset":
            sim.reset()
        case "restore":
            sim.restore(saved)
        case "integrator":
            sim.integrator = "rk4"
    start = sim.save()
    assert not sim.run_log.goes_on()
    sim.step(10)
    assert sim.run_log.steps == 10
    assert sim.run_log.start == start
    assert abs(sim.run_log.work) < 1.0


def test_forces_may_change_but_then_the_run_cannot_be_repeated():
    for change in ("tau", "dt", "force"):
        sim = pendulum()
        sim.step(10)
        match change:
            case "tau":
                sim.tau[0] = 1.0
            case "dt":
                sim.dt = 5e-4
            case "force":
                sim.apply_force("tip", (1.0, 0.0, 0.0))
        sim.step(10)
        assert not sim.run_log.repeatable
        assert sim.run_log.steps == 20


def test_controllers_in_python_do_not_disturb():
    total = np.zeros(1)

    def integral(q, v, t):
        total[0] += float(q["shoulder"]) * 1e-3
        return {"shoulder": -total[0]}

    sim = pendulum(controllers=[integral])
    sim.step(30)
    assert sim.run_log.steps == 30
    assert sim.run_log.work != 0.0
