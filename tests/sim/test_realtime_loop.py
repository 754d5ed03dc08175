"""The interactive loop, on a clock that only tests move."""

import math
import threading
from itertools import pairwise

import pytest

import treadle as td


class FakeClock:
    """Waiting takes as long as asked for, unless something is to happen on the way."""

    def __init__(self) -> None:
        self.time = 100.0
        self.waits: list[float | None] = []
        #: called when the loop waits for somebody to wake it
        self.while_idle: list = []

    def now(self) -> float:
        return self.time

    def wait(self, awake: threading.Event, seconds: float | None) -> None:
        self.waits.append(seconds)
        if seconds is None:
            self.while_idle.pop(0)()
        else:
            self.time += seconds


def paced(dt: float = 1e-3, cost: float = 0.0, **options) -> tuple[td.Pace, FakeClock]:
    """A pace whose steps take `cost` seconds each."""
    sim, clock = td.Simulation(td.scene("pendulum"), dt), FakeClock()
    take = sim.step

    def step(count: int = 1) -> None:
        clock.time += cost * count
        take(count)

    sim.step = step  # type: ignore[method-assign]
    return td.Pace(sim, clock=clock, **options), clock


def test_frames_keep_to_real_time_without_drift():
    pace, clock = paced(cost=1e-4)
    frames = []
    pace.run(60.0, lambda sim: frames.append((clock.time, sim.time)))
    assert pace.sim.time == pytest.approx(60.0, abs=1e-9)
    assert len(frames) == 3600
    # the picture of a frame is never further from real time than a step and the computing of a frame
    for number, (_, simulated) in enumerate(frames, start=1):
        assert simulated == pytest.approx(number / 60, abs=1.001e-3)
    assert clock.time == pytest.approx(160.0, abs=1e-6)
    assert pace.late == 0
    assert pace.factor == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("speed", [0.1, 0.5, 3.0])
def test_speeds(speed):
    pace, clock = paced(speed=speed)
    pace.run(6.0)
    assert clock.time - 100.0 == pytest.approx(6.0 / speed, abs=0.02)
    assert pace.factor == pytest.approx(speed, rel=0.05)


def test_as_fast_as_it_can():
    pace, clock = paced(cost=1e-4, speed=math.inf)
    pace.run(5.0)
    assert clock.time - 100.0 == pytest.approx(0.5, abs=1e-6)
    assert pace.factor == pytest.approx(10.0, rel=0.01)
    assert clock.waits == []


def test_a_machine_that_is_too_slow_falls_behind_and_stays_responsive():
    """Steps of 1 ms that take 4 ms: a quarter of real time, frames cut at twice their length."""
    pace, clock = paced(cost=4e-3)
    times = []
    pace.run(1.0, lambda sim: times.append(clock.time))
    assert clock.time - 100.0 == pytest.approx(4.0, abs=0.05)
    assert pace.late > 0.9 * len(times)
    assert pace.factor == pytest.approx(0.25, rel=0.05)
    assert max(b - a for a, b in pairwise(times)) < 2 / 60 + 5e-3


def test_lost_time_is_not_made_up_for():
    pace, clock = paced()
    seen = []

    def draw(sim):
        if len(seen) == 10:
            clock.time += 5.0
        seen.append(sim.time)

    pace.run(1.0, draw)
    steps = [round((b - a) * 1e3) for a, b in pairwise(seen)]
    assert set(steps) <= {16, 17}
    assert clock.time == pytest.approx(106.0, abs=0.05)
    assert pace.late == 1


def test_commands_are_taken_before_the_next_step():
    pace, _ = paced()
    seen = []

    def note(sim):
        seen.append(round(sim.time * 1e3))
        if len(seen) < 5:
            pace.send(note)
        return "done"

    answer = pace.send(note)
    pace.run(0.1)
    # what a command sends is taken before the same step
    assert seen == [0, 0, 0, 0, 0]
    assert answer.result(0) == "done"


def test_commands_from_another_thread_act_within_a_step():
    pace, _ = paced()
    sent = []

    def watch(sim):
        if not sent:
            sent.append(sim.time)
            worker = threading.Thread(target=lambda: pace.send(lambda sim: sent.append(sim.time)))
            worker.start()
            worker.join()

    pace.run(0.1, watch)
    assert sent[1] == sent[0]


def test_what_a_command_raises_does_not_end_the_loop():
    pace, _ = paced()
    answer = pace.send(lambda sim: sim.joint("nose"))
    pace.run(0.1)
    assert pace.sim.time == pytest.approx(0.1)
    with pytest.raises(td.TreadleError, match="nose"):
        answer.result(0)


def test_pause_single_steps_and_resume():
    pace, clock = paced()
    pace.pause()
    drawn = []
    clock.while_idle = [
        pace.step,
        lambda: pace.step(3),
        lambda: pace.send(lambda sim: setattr(sim, "q", [0.5, 0.0])),
        pace.resume,
    ]
    pace.run(0.05, lambda sim: drawn.append((round(sim.time * 1e3), float(sim.q[0]))))
    assert [time for time, _ in drawn[:3]] == [1, 4, 4]
    assert drawn[2][1] == 0.5
    assert pace.sim.time == pytest.approx(0.054)
    # a paused loop sleeps until somebody wakes it
    assert clock.waits[:4] == [None] * 4


def test_the_pause_does_not_count():
    pace, clock = paced()

    def wait_a_minute():
        clock.time += 60.0
        pace.resume()

    clock.while_idle = [wait_a_minute]
    pace.send(lambda sim: pace.pause())
    pace.run(2.0)
    assert clock.time - 160.0 == pytest.approx(2.0, abs=0.05)
    assert pace.factor == pytest.approx(1.0, abs=0.03)


def test_stop_from_a_command_and_before_the_start():
    pace, _ = paced()
    pace.send(lambda sim: pace.stop())
    pace.run()
    assert pace.sim.time == 0.0
    pace.stop()
    pace.run()
    assert pace.sim.time == 0.0
    pace.run(0.01)
    assert pace.sim.time == pytest.approx(0.01)


def test_a_terminal_event_pauses():
    model = td.scene("pendulum")
    events = [td.Event(lambda q, v, t: q["shoulder"], terminal=True, name="bottom")]
    sim, clock = td.Simulation(model, 1e-2, "dopri5", q=[0.1, 0.0], events=events), FakeClock()
    pace = td.Pace(sim, clock=clock)
    clock.while_idle = [pace.stop]
    pace.run(10.0)
    assert [entry.name for entry in sim.events.log] == ["bottom"]
    assert sim.time == sim.events.log[0].time


def test_changing_the_speed_on_the_way():
    pace, clock = paced(speed=1.0)
    pace.run(1.0)
    pace.speed = 0.5
    pace.run(1.0)
    assert clock.time - 100.0 == pytest.approx(3.0, abs=0.05)


def test_real_threads():
    """The wall clock, without asking how long anything took."""
    sim = td.Simulation(td.scene("pendulum"), 1e-3)
    pace = td.Pace(sim, speed=math.inf)
    thread = threading.Thread(target=pace.run)
    thread.start()
    assert pace.send(lambda sim: 42).result(30.0) == 42
    with pytest.raises(td.InputError, match="running already"):
        pace.run()
    assert pace.step(2).exception(30.0) is None
    time = sim.time
    assert pace.send(lambda sim: sim.time).result(30.0) == time
    pace.stop()
    thread.join(30.0)
    assert not thread.is_alive()


def test_wrong_arguments():
    sim = td.Simulation(td.scene("pendulum"))
    for options in ({"frame": 0.0}, {"frame": math.inf}, {"speed": 0.0}, {"speed": "fast"}):
        with pytest.raises(td.InputError, match="must be a positive number"):
            td.Pace(sim, **options)  # type: ignore[arg-type]
