"""Long runs keep no memory: counted in bytes on short ones; `treadle bench endurance` takes the long ones."""

import pytest

import treadle as td
from tests.guards.test_stepping import ALLOWED, growth
from treadle.bench.endurance import _with_events, measure_endurance, resident_bytes


def test_events_and_histories_keep_no_memory():
    # a short ring: those that fill it anew while bytes are counted would be taken for growth
    take = _with_events(seconds=0.2)
    assert growth(lambda: take(5), 1000) < ALLOWED


def test_switches_keep_no_memory():
    def spring(q, v, t):
        return {"shoulder": td.where(td.switch(q["shoulder"]), -20.0 * q["shoulder"], 0.0)}

    sim = td.Simulation(td.scene("pendulum"), 1e-2, "dopri5", q=[1.0, 0.5], laws=[spring])
    assert growth(lambda: sim.step(5), 1000) < ALLOWED


def test_commands_keep_no_memory():
    pace = td.Pace(td.Simulation(td.scene("pendulum"), 1e-3), speed=float("inf"))

    def work():
        pace.send(lambda sim: sim.time)
        pace.run(2e-3)

    assert growth(work, 1000) < ALLOWED


def test_growth_is_noticed():
    kept: list[bytearray] = []
    grown = max(20_000_000, resident_bytes() // 10)
    outcome = measure_endurance("leak", lambda count: kept.append(bytearray(b"x" * (grown // 200))), 200)
    memory = next(row for row in outcome.rows if row.quantity == "growth of memory")
    assert memory.value > 1.0
    assert memory.holds is False


def test_slowing_down_is_noticed(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("time.process_time", lambda: clock[0])
    calls: list[int] = []

    def slower(count: int) -> None:
        calls.append(count)
        clock[0] += 1.0 + 0.05 * ((len(calls) - 1) // 20)

    outcome = measure_endurance("slower", slower, 2000)
    assert calls == [10] * 200
    pace = next(row for row in outcome.rows if row.quantity == "last tenth by the second")
    assert pace.value == pytest.approx(1.45 / 1.05)
    assert pace.holds is False
