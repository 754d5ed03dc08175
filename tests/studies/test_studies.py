"""Studies run, say what they found, and would notice if it were not so."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.bench import peers
from treadle.bench.race import QUICK
from treadle.cli import app
from treadle.studies import (
    STUDIES,
    chain_scaling,
    roadheader_accuracy,
    roadheader_energy,
    roadheader_performance,
    work_precision,
)
from treadle.studies.arm_raising import DT, LIFT, STEPS, TIP, arm_raising
from treadle.studies.machines import frictionless, sprung_roadheader
from treadle.studies.study import Column

TINY = replace(QUICK, seconds=0.001, worlds=16)


def silent(share, what):
    assert 0.0 <= share <= 1.0
    assert what


@pytest.fixture
def no_mujoco(monkeypatch):
    """A computer without MuJoCo and Bullet."""

    def missing(module):
        raise peers.MissingPeer(module, "some comparisons")

    for module in (peers, roadheader_energy):
        monkeypatch.setattr(module, "peer", missing)


# ---------------------------------------------------------------------------------------------------------
# the command
# ---------------------------------------------------------------------------------------------------------


def test_studies_are_listed():
    result = CliRunner().invoke(app, ["study"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    # a heading, and one line each
    assert [line.split()[0] for line in lines[1:]] == list(STUDIES)
    assert all(len(line) <= 100 for line in lines)


def test_command(monkeypatch, tmp_path):
    monkeypatch.setattr(chain_scaling, "QUICK", TINY)
    monkeypatch.setattr(chain_scaling, "_QUICK_LINKS", (2, 3))
    folder = tmp_path / "new" / "plots"
    result = CliRunner().invoke(app, ["study", "chain-scaling", "--quick", "--json", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert [row["links"] for row in data["rows"]] == [2, 3]
    for row in data["rows"]:
        assert row["ratio"] == pytest.approx(row["peer_step_time"] / row["step_time"])
        assert row["world_ratio"] == pytest.approx(row["peer_world_time"] / row["world_time"])
    assert data["checks"] == []
    (picture,) = data["files"]
    assert picture == str(folder / "chain-scaling.png")
    assert (folder / "chain-scaling.png").read_bytes().startswith(b"\x89PNG")


def test_tables_are_printed_within_100_columns(monkeypatch, tmp_path):
    monkeypatch.setattr(roadheader_performance, "QUICK", TINY)
    result = CliRunner().invoke(app, ["study", "roadheader-performance", "--quick", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "symplectic_euler, with all poses" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines() if "plot is in" not in line) <= 100


def test_unknown_study():
    result = CliRunner().invoke(app, ["study", "roadheader-acuracy"])
    assert result.exit_code == 2
    assert "did you mean 'roadheader-accuracy'" in result.stderr


def test_a_folder_that_cannot_be_made_is_noticed_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["study", "roadheader-energy", "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert str(tmp_path / "file") in result.stderr


def test_cells():
    column = Column("error", "error", ".1e")
    assert column.text({"error": 0.00123}) == "1.2e-03"
    assert column.text({"error": "lost"}) == "lost"
    assert column.text({"error": None}) == column.text({}) == ""


# ---------------------------------------------------------------------------------------------------------
# roadheader-accuracy
# ---------------------------------------------------------------------------------------------------------


def test_closed_form_is_where_the_tool_is():
    arm = arm_raising()
    for lift in (-0.6, 0.0, 0.5):
        arm.q[arm.model.joint(LIFT).q] = lift
        tip = td.frame_pose(arm.model, arm.q, TIP)[:3, 3]
        np.testing.assert_allclose(tip, arm.tip(lift), atol=1e-14)
        assert max(arm.errors(tip, lift)) < 1e-15
        # one millimetre across the circle is an error of the place and not of the distance
        place, distance = arm.errors(np.add(tip, (0.0, 1e-3, 0.0)), lift)
        assert place == pytest.approx(1e-3 / arm.radius)
        assert distance < 1e-6
    lower, upper = arm.model.joint(LIFT).lower[0], arm.model.joint(LIFT).upper[0]
    assert lower < arm.lift(0.0) < arm.lift(STEPS * DT) < upper


def test_generalized_coordinates_keep_the_tool_on_its_circle():
    """Over the whole motion of 10,000 steps, with every joint free to move and held by forces only."""
    arm = arm_raising()
    track = roadheader_accuracy._follow(
        arm, "Treadle", "generalized", roadheader_accuracy._generalized(arm), STEPS
    )
    assert track.steps[-1] == STEPS == 10_000
    assert max(track.errors) < roadheader_accuracy.LIMIT == 1e-12


def test_the_arm_follows_its_motion():
    arm = arm_raising()
    run = roadheader_accuracy._generalized(arm)
    for _ in range(101):
        _, lift, _ = next(run)
    assert lift == pytest.approx(arm.lift(1000 * DT), abs=1e-5)


def test_maximal_coordinates_come_apart(monkeypatch):
    arm = arm_raising()
    for start in (roadheader_accuracy._simmc, roadheader_accuracy._xpbd, roadheader_accuracy._bullet):
        track = roadheader_accuracy._follow(arm, "other", "maximal", start(arm), 20)
        assert 1e-10 < max(track.errors) < 1e-3
        assert 1e-10 < max(track.gaps) < 1e-2


def test_missing_bullet_is_said(no_mujoco, monkeypatch):
    monkeypatch.setattr(roadheader_accuracy, "STEPS", 1000)
    monkeypatch.setattr("treadle.studies.bullet.peer", peers.peer)
    findings = roadheader_accuracy.run(True, silent)
    methods = [row["method"] for row in findings.rows]
    assert methods[0] == "Treadle"
    assert "Bullet" not in methods
    assert findings.notes == [
        "pybullet is not installed, so some comparisons are left out: pip install 'treadle[peers]'"
    ]
    (check,) = findings.checks
    assert check.holds
    for row in findings.rows[1:]:
        assert row["ratio"] > 1e3


# ---------------------------------------------------------------------------------------------------------
# roadheader-energy
# ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def short_energy(monkeypatch):
    """The study with few methods and, instead of the roadheader, a pendulum."""
    pendulum = roadheader_energy._Start(
        "pendulum", frictionless("pendulum"), np.array([1.2, -0.4]), np.zeros(2)
    )
    monkeypatch.setattr(roadheader_energy, "_roadheader", lambda: pendulum)
    methods = ("symplectic_euler", "explicit_euler", "rk4", "implicit_midpoint", "variational")
    chosen = {name: roadheader_energy.INTEGRATORS[name] for name in methods}
    monkeypatch.setattr(roadheader_energy, "INTEGRATORS", chosen)


def test_energy_of_every_method(short_energy, monkeypatch):
    monkeypatch.setattr(roadheader_energy, "STEPS", 3000)
    findings = roadheader_energy.run(False, silent)
    rows = {(row["machine"], row["label"]): row for row in findings.rows}
    assert len(rows) == len(findings.rows) == 2 * (5 + 4)
    for machine in ("pendulum", "chain of 5"):
        assert all(row["steps"] == 3000 for key, row in rows.items() if key[0] == machine)
        # of the same order and the same method, the same errors
        for ours, theirs in (("symplectic_euler", "MuJoCo Euler"), ("rk4", "MuJoCo RK4")):
            assert rows[machine, ours]["error"] == pytest.approx(rows[machine, theirs]["error"], rel=1e-4)
        error = {label: row["error"] for (name, label), row in rows.items() if name == machine}
        assert error["rk4"] < error["variational"] < error["symplectic_euler"] < error["explicit_euler"]
    assert len(findings.checks) == 8
    assert all(check.holds for check in findings.checks if "peak" in check.name)
    assert len(findings.draw().axes) == 2


def test_a_trend_is_noticed():
    row = {"machine": "chain", "method": "variational", "trend": 1.6, "error": 2e-3}
    assert [check.holds for check in roadheader_energy._checks(row)] == [False, False]


def test_a_lost_run_ends(short_energy):
    start = roadheader_energy._chain()
    lost = replace(start, v=np.full(5, 1e4))
    run = roadheader_energy._treadle(lost, "explicit_euler")
    course = roadheader_energy._follow(lost, "Treadle", "explicit_euler", run, 1000, 10)
    row = roadheader_energy._row(lost, course, 1.0, 1000)
    assert row["end"] < 1.0
    assert row["error"] == row["last"] == math.inf


def test_a_quick_run_checks_no_trend_and_needs_no_mujoco(short_energy, no_mujoco, monkeypatch):
    monkeypatch.setattr(roadheader_energy, "QUICK_STEPS", 100)
    findings = roadheader_energy.run(True, silent)
    assert len(findings.rows) == 2 * 5
    assert len(findings.checks) == 4
    assert len(findings.notes) == 2


def test_sprung_roadheader_is_conservative():
    model = sprung_roadheader()
    assert not any(d for joint in model.joints for d in (*joint.damping, *joint.friction))
    loose = {joint.name for joint in model.joints if not any(joint.stiffness)}
    assert loose == {"cutter", "gather_left", "gather_right"}
    start = roadheader_energy._roadheader()
    sim = td.Simulation(model, 1e-3, "rk4", start.q, start.v)
    energies = roadheader_energy._energies(model)
    before = energies(sim.q, sim.v)[1]
    sim.step(300)
    kinetic, after = energies(sim.q, sim.v)
    assert abs(after - before) < 1e-8 * kinetic


# ---------------------------------------------------------------------------------------------------------
# roadheader-performance and chain-scaling: what they time is the same motion
# ---------------------------------------------------------------------------------------------------------


def test_frames_of_both_are_the_same_motion(monkeypatch):
    monkeypatch.setattr(roadheader_performance, "QUICK", TINY)
    findings = roadheader_performance.run(True, silent)
    compared = [row for row in findings.rows if "peer" in row]
    assert len(compared) == len(roadheader_performance._METHODS)
    for row in compared:
        assert row["agreement"] < 1e-8
        assert row["ratio"] == pytest.approx(row["peer_time"] / row["frame_time"])
    # the complete machine keeps its loops closed while it is timed
    assert [check.limit for check in findings.checks] == [0.5, 1.0, 1e-9]
    assert findings.checks[2].holds
    assert len(findings.draw().axes) == 1


# ---------------------------------------------------------------------------------------------------------
# work-precision
# ---------------------------------------------------------------------------------------------------------


def test_work_and_precision(monkeypatch):
    monkeypatch.setattr(work_precision, "_MACHINES", {1: ("A01", 2.0)})
    findings = work_precision.run(True, silent)
    rows = {row["integrator"]: row for row in findings.rows}
    assert rows["rk4"]["evaluations_1e-06"] == 4 * 200
    assert rows["explicit_euler"]["time_1e-12"] is None
    assert rows["dopri853"]["evaluations_1e-12"] < rows["dopri5"]["evaluations_1e-12"]
    assert len(findings.checks) == 6
    assert all(check.holds for check in findings.checks)
    assert len(findings.draw().axes) == 2


def test_a_tolerance_that_is_missed_is_noticed():
    missed = work_precision._Run(1e-6, 1.1e-5, 1.0, 10.0)
    reached = work_precision._Run(1e-9, 0.9e-8, 1.0, 10.0)
    assert [check.holds for check in work_precision._checks("a method", [missed, reached])] == [False, True]
