import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.bench import peers, startup
from treadle.bench.algorithms import measure_algorithms
from treadle.bench.call import measure_call
from treadle.bench.dynamics import TABLES, Task, algorithm_tasks, dynamics_tasks, run_tasks
from treadle.bench.evaluation import measure_evaluation
from treadle.bench.heyoka_graph import to_heyoka
from treadle.bench.machines import MACHINES, Machine, select
from treadle.bench.peers import MissingPeer, MujocoModel
from treadle.bench.race import QUICK, Contestant, calibrate, race
from treadle.bench.results import Outcome, Rival, Row, at_least, at_most, compare, limited
from treadle.bench.startup import measure_code
from treadle.bench.step import growth, measure_step, step_difference
from treadle.bench.worlds import measure_worlds
from treadle.cli import app
from treadle.graph import Graph, atan2, exp, sin, sqrt, where

TINY = replace(QUICK, seconds=0.001, worlds=16, processes=1)
ROW = Row("step", "ur5", 6, "step", "µs", 2.0)


def test_command():
    result = CliRunner().invoke(
        app, ["bench", "dynamics", "--quick", "--only", "ur5", "--tables", "step,call", "--json"]
    )
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["computer"]["treadle"] == td.__version__
    assert {(row["table"], row["peer"].split()[0]) for row in data["rows"]} == {
        ("step", "MuJoCo"),
        ("call", "Pinocchio"),
    }
    for row in data["rows"]:
        assert row["ratio"] > 0.0
        assert row["ratio"] == pytest.approx(row["peer_value"] / row["value"])
        assert row["agreement"] < 1e-8
    for check in data["checks"]:
        assert set(check) == {"name", "value", "limit", "holds"}
        assert check["holds"] == (check["value"] >= check["limit"])
    assert len(data["checks"]) == 2


def test_tables_are_printed_within_100_columns():
    result = CliRunner().invoke(
        app, ["bench", "dynamics", "--quick", "--only", "chain10", "--tables", "step"]
    )
    assert result.exit_code == 0, result.output
    assert "chain10" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 100


@pytest.mark.parametrize("name", ["ur5", "anymal", "chain10"])
def test_step(name):
    (row,) = measure_step(MACHINES[name], TINY).rows
    assert row.ratio > 0.0
    assert row.agreement < 1e-10


def test_long_chain_agrees_although_its_accelerations_do_not():
    machine = MACHINES["chain250"]
    q, v, _ = machine.state()
    sim, other = td.Simulation(machine.model(), dt=1e-3), MujocoModel(machine.model(), 1e-3)
    assert step_difference(sim, other, q, v) < 1e-8
    other.model.body_mass[100] *= 1.001
    assert step_difference(sim, other, q, v) > 1e-8


@pytest.mark.parametrize("name", ["panda", "talos", "g1"])
def test_call(name):
    (row,) = measure_call(MACHINES[name], TINY).rows
    assert row.ratio > 0.0
    assert row.agreement < 1e-10


def test_worlds():
    outcome = measure_worlds(MACHINES["panda"], TINY)
    (row,) = outcome.rows
    assert row.ratio == pytest.approx(row.value / row.peer_value)
    assert row.agreement < 1e-10
    assert outcome.checks[0].limit == 20.0


def test_evaluation():
    (row,) = measure_evaluation(MACHINES["ur5"], TINY).rows
    assert row.ratio > 0.0
    assert row.agreement < 1e-10
    assert "fast_math" in row.detail


def test_algorithms():
    (row,) = measure_algorithms(MACHINES["ur5"], TINY).rows
    assert row.ratio > 0.0
    assert row.agreement < 1e-10
    names = [task.label.split()[1] for task in algorithm_tasks(TINY)]
    assert "chain50" in names
    assert "chain250" not in names


def test_code():
    outcome = measure_code(MACHINES["ur5"], TINY)
    assert [row.quantity for row in outcome.rows] == ["code, nothing stored", "code, stored"]
    assert all(row.value > 0.0 for row in outcome.rows)
    assert [check.limit for check in outcome.checks] == [0.3, 0.1]


def test_startup(monkeypatch):
    outcome = startup.measure_startup(TINY)
    assert len(outcome.rows) == len(outcome.checks) == 3
    monkeypatch.setattr(startup, "_IMPORT", "raise SystemExit('no such thing')")
    with pytest.raises(td.TreadleError, match="no such thing"):
        startup.measure_startup(TINY)


def test_heyoka_graph():
    heyoka = pytest.importorskip("heyoka")
    graph = Graph()
    x, y = graph.inputs(2)
    outputs = [sin(x) * y - 3.0, sqrt(x * x + y * y) / (1.0 + exp(-y)), atan2(y, x), where(x < y, x, -y), 2.5]
    variables, expressions = to_heyoka(graph, outputs)
    function = heyoka.cfunc(expressions, variables)
    a, b = 0.3, 0.8
    expected = [math.sin(a) * b - 3, math.hypot(a, b) / (1 + math.exp(-b)), math.atan2(b, a), a, 2.5]
    np.testing.assert_allclose(function(np.array([a, b])), expected, rtol=1e-15)


def test_every_table_has_known_machines():
    assert all(name in MACHINES for _, names in TABLES.values() for name in names)
    labels = [task.label for task in dynamics_tasks(TINY, ["ur5"])]
    assert labels == [
        "step ur5",
        "call ur5",
        "worlds ur5",
        "evaluation ur5",
        "startup ur5",
        "startup process",
    ]
    assert [machine.name for machine in select(["panda", "ur5"])] == ["ur5", "panda"]


def test_states_are_reproducible_and_valid():
    q, v, tau = MACHINES["talos"].state()
    assert np.linalg.norm(q[:4]) == pytest.approx(1.0)
    np.testing.assert_array_equal(q, MACHINES["talos"].state()[0])
    assert (len(v), len(tau)) == (50, 50)


@pytest.fixture
def quiet(monkeypatch):
    monkeypatch.setattr(peers.os, "getloadavg", lambda: (0.0, 0.0, 0.0), raising=False)


def test_busy_computer_leaves_a_note(monkeypatch):
    monkeypatch.setattr(peers.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(peers.os, "getloadavg", lambda: (3.0, 0.0, 0.0), raising=False)
    assert "a load of 3.0 on 2 cores" in run_tasks([]).notes[0]


@pytest.mark.usefixtures("quiet")
def test_missing_peers_leave_notes(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(peers.importlib, "import_module", missing)
    total = run_tasks(dynamics_tasks(TINY, ["chain10", "ur5"], ["step", "call", "worlds", "evaluation"]))
    assert [row.peer for row in total.rows] == [None] * 5
    assert all(row.value > 0.0 for row in total.rows)
    assert not any(check.holds for check in total.checks)
    assert [note.split()[0] for note in total.notes] == ["mujoco", "pin", "heyoka"]


@pytest.mark.usefixtures("quiet")
def test_missing_robots_leave_a_note():
    absent = Machine("absent", "nowhere/absent.urdf")
    total = run_tasks([Task("step absent", lambda: measure_step(absent, TINY))])
    assert total.rows == []
    assert "example-robot-data is not installed" in total.notes[0]
    with pytest.raises(MissingPeer):
        absent.model()


def test_no_ratio_for_different_results():
    outcome = compare(ROW, Rival("MuJoCo 0", 10.0, agreement=1e-3), "MuJoCo", limit=7.0)
    (row,), (check,), (note,) = outcome.rows, outcome.checks, outcome.notes
    assert row.ratio is None
    assert "ratio" not in row.record()
    assert (check.value, check.holds) == (None, False)
    assert "differ by 1.0e-03" in note


def test_ratios():
    rival = Rival("MuJoCo 0", 10.0, agreement=1e-12)
    assert compare(ROW, rival, "MuJoCo").rows[0].ratio == 5.0
    assert compare(ROW, rival, "MuJoCo", rate=True).rows[0].ratio == 0.2
    assert compare(ROW, rival, "MuJoCo", limit=6.0).checks[0].holds is False
    assert compare(ROW, "not here", "MuJoCo").notes == ["not here"]


def test_limits():
    assert at_least("x", 2.0, 2.0).holds
    assert at_most("x", 2.0, 2.0).holds
    assert not at_most("x", None, 2.0).holds
    # JSON has no numbers of numpy
    assert at_most("x", np.float64(1.0), 2.0).holds is True
    assert at_least("x", np.float64(1.0), 2.0).holds is False
    assert limited(ROW, 1.0).rows[0].holds is False
    assert limited(ROW, None).checks == []


def test_growth():
    rows = [replace(ROW, machine=f"chain{n}", value=n * 0.1) for n in (50, 250)]
    outcome = growth(rows)
    assert outcome.rows[0].value == pytest.approx(1.0)
    assert outcome.checks[0].holds
    assert growth(rows[:1]) == Outcome()


def test_race_takes_turns_and_keeps_the_minimum(monkeypatch):
    calls = []
    clock = iter(range(10_000))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    best = race(
        {
            "a": Contestant(lambda: calls.append("a"), lambda: calls.append("prepare")),
            "b": Contestant(lambda: calls.append("b")),
        },
        seconds=0.0,
    )
    assert best == {"a": 1.0, "b": 1.0}
    assert [x for x in calls if x != "prepare"] == ["a", "b"] + ["a", "a", "a", "b", "b", "b"] * 3
    assert calls.count("prepare") == calls.count("a")


def test_calibrate():
    assert calibrate(lambda count: None, 10.0, most=64) == 64
    assert calibrate(lambda count: time.sleep(0.002), 0.001, most=64) == 1
