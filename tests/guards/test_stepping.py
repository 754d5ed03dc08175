"""Stepping compiles once, and keeps no memory."""

import gc
import tracemalloc
from weakref import WeakValueDictionary

import numpy as np
import pytest

import treadle as td
from treadle.native import compiler, program


@pytest.fixture
def compilations(monkeypatch, tmp_path) -> list[str]:
    """What was traced, generated or loaded, from an empty cache and in a process that has no code yet."""
    events: list[str] = []
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    monkeypatch.setattr(program, "_loaded", WeakValueDictionary())

    def count(owner, name):
        original = getattr(owner, name)

        def counted(*arguments, **options):
            events.append(name)
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, counted)

    count(program.Program, "trace")
    count(compiler, "object_code")
    count(compiler, "load_object")
    return events


ONCE = ["trace", "object_code", "load_object"]


def test_a_simulation_compiles_once(compilations):
    sim = td.Simulation(td.scene("pendulum"))
    for k in range(1, 21):
        sim.q, sim.v, sim.tau = [0.1 * k, 0.2], [0.3, 0.1 * k], [0.01 * k, 0.0]
        sim.step()
        sim.dt = 1e-3 * (k + 1)
        sim.joint("elbow").torque = 0.1 * k
        sim.restore(sim.save())
    assert compilations == ONCE
    # the first load takes another program, and only the first
    for k in range(20):
        sim.apply_force("tip", (1.0 + k, 0.0, 0.0))
        sim.step()
        sim.clear_forces()
        sim.step()
    assert compilations == 2 * ONCE


def test_another_simulation_of_the_same_machine_has_the_same_code(compilations):
    first, second = (td.Simulation(td.scene("pendulum")) for _ in range(2))
    first.step()
    second.step()
    assert compilations == ONCE


def test_another_process_with_the_same_machine_loads_its_code(compilations, monkeypatch):
    first = td.Simulation(td.scene("pendulum"))
    first.step()
    monkeypatch.setattr(program, "_loaded", WeakValueDictionary())
    td.Simulation(td.scene("pendulum")).step()
    assert compilations == [*ONCE, "load_object"]


def test_code_that_nobody_uses_is_not_kept(compilations):
    sim = td.Simulation(td.scene("pendulum"))
    sim.step()
    assert len(program._loaded) == 1
    del sim
    gc.collect()
    assert len(program._loaded) == 0


def test_a_batch_compiles_once(compilations):
    batch = td.Batch(td.scene("pendulum"), 10, parameters=["upper.mass"])
    for k in range(20):
        batch.parameter("upper.mass")[:] = 1.0 + k
        batch.tau = np.full((10, 2), 0.1 * k)
        batch.dt = 1e-3 * (k + 1)
        batch.step(2)
    assert compilations == ONCE


# what is kept for later, whatever the number of calls; an array kept by each of them is ten times as much
ALLOWED = 20_000


def growth(work, count: int = 2000) -> int:
    """Bytes that Python and numpy hold more after many calls than after some."""
    for _ in range(count):
        work()
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(10):
            work()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_the_guard_sees_growth():
    kept: list = []
    assert growth(lambda: kept.append(np.zeros(2))) > 2 * ALLOWED


def test_steps_keep_no_memory():
    sim = td.Simulation(td.scene("arm"))
    assert growth(lambda: sim.step(2)) < ALLOWED


def test_handles_forces_and_states_keep_no_memory():
    sim = td.Simulation(td.scene("pendulum"))

    def work():
        sim.joint("elbow").torque = 0.1
        sim.apply_force("tip", (0.1, 0.0, 0.0))
        sim.step()
        sim.clear_forces()
        sim.restore(sim.save())
        sim.body("tip").velocity  # noqa: B018

    assert growth(work) < ALLOWED


@pytest.mark.parametrize("threads", [1, 2])
def test_batch_steps_keep_no_memory(threads):
    batch = td.Batch(td.scene("pendulum"), 64, threads=threads)
    assert growth(batch.step) < ALLOWED


def test_compiled_functions_keep_no_memory():
    model = td.scene("arm")
    q, v, tau = np.zeros(6), np.ones(6), np.ones(6)

    def work():
        td.forward_dynamics(model, q, v, tau)
        td.frame_jacobian(model, q, "tool")
        td.forward_dynamics(model, q, v, tau, {"tool": np.ones(6)})

    assert growth(work) < ALLOWED
