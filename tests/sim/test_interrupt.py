"""Ctrl-C ends a long run soon, and the state is that of the last step."""

import signal
import threading

import numpy as np
import pytest

import treadle as td


def interrupted(sim: td.Simulation, call) -> None:
    """Send SIGINT while a call is under way, from a thread, as a terminal does.

    It is sent again after some seconds: Python drops an interrupt that it handles in a callback of the
    garbage collector, which test runners have.
    """
    started, ended = threading.Event(), threading.Event()

    def press() -> None:
        started.wait()
        signal.raise_signal(signal.SIGINT)
        while not ended.wait(5.0):
            signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    # whatever a library has made of it
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread.start()
    sim.observers.append(_Starter(started))
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGINT, handler)
    sim.observers.clear()


class _Starter:
    """Lets the thread press Ctrl-C after the first piece of steps."""

    def __init__(self, started: threading.Event) -> None:
        self._started = started

    def due(self) -> int:
        return 1 << 40

    def advanced(self, taken: int) -> None:
        self._started.set()


@pytest.mark.parametrize("scene", ["chain", "box-stack"])
def test_a_run_without_end_is_interrupted(scene):
    sim = td.Simulation(td.scene(scene), dt=1e-3)
    # minutes of steps
    interrupted(sim, lambda: sim.step(10**7))
    steps = round(sim.time / sim.dt)
    assert 0 < steps < 10**7
    again = td.Simulation(td.scene(scene), dt=1e-3)
    again.step(steps)
    np.testing.assert_array_equal(sim.q, again.q)
    np.testing.assert_array_equal(sim.v, again.v)
    assert sim.time == again.time
