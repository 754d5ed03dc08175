"""The line about compiling: what it says, once for all kernels, and when it stays away."""

import threading

import pytest

from treadle.native import progress


class Timer:
    """A timer that keeps what it was given, and runs when it is told."""

    made: list

    def __init__(self, seconds, function, arguments):
        self.seconds, self.function, self.arguments = seconds, function, arguments
        self.daemon, self.running = False, False
        Timer.made.append(self)

    def start(self):
        self.running = True

    def cancel(self):
        self.running = False

    def ring(self):
        self.function(*self.arguments)


@pytest.fixture(autouse=True)
def timers(monkeypatch):
    Timer.made = []
    monkeypatch.delenv("TREADLE_QUIET", raising=False)
    monkeypatch.setattr(threading, "Timer", Timer)
    monkeypatch.setattr(progress, "_kernels", progress._Kernels())
    return Timer.made


def test_a_line_about_a_program(timers, capsys):
    with progress.compiling("a program of 9 operations", 3.2):
        timers[0].ring()
    assert capsys.readouterr().err == (
        "treadle: compiling a program of 9 operations, about 3 s; kept for the next time\n"
    )
    assert timers[0].seconds == 1.0
    assert not timers[0].running


def test_kernels_inside_each_other_have_one_line(timers):
    for _ in range(3):
        progress.begin_kernel("treadle.contact.soft.f", 7.3)
        progress.begin_kernel("treadle.contact.soft.g", 2.0)
        progress.end_kernel()
        progress.end_kernel()
    assert len(timers) == 3
    assert not any(timer.running for timer in timers)
    assert "kernels of contact, about 7 s" in timers[0].arguments[0]
    # the patience that is left shrinks: it is one second for all of them
    assert timers[2].seconds <= timers[1].seconds <= timers[0].seconds == 1.0


def test_it_is_quiet_on_request_and_in_the_background(timers, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("TREADLE_QUIET", "1")
        with progress.compiling("anything", 10.0):
            pass
    worker = threading.Thread(target=lambda: progress.begin_kernel("treadle.contact.soft.f", 7.3))
    worker.start()
    worker.join()
    assert timers == []


def test_what_a_thread_compiles():
    me = threading.get_ident()
    assert progress.compilation(me) is None
    with progress.compiling("a program of 9 operations", 3.2):
        progress.begin_kernel("treadle.sim.step.f", 60.0)
        # the outermost one is what someone waits for
        found = progress.compilation(me)
        assert found is not None
        assert (found.what, found.expected) == ("a program of 9 operations", 3.2)
        assert found.passed >= 0.0
        assert progress.compilation(me + 1) is None
        progress.end_kernel()
    assert progress.compilation(me) is None
    progress.begin_kernel("treadle.sim.step.f", 60.0)
    found = progress.compilation(me)
    assert found is not None
    assert found.what == "the kernel sim.step.f"
    progress.end_kernel()
