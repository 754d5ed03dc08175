"""Loops of files that are not quite closed: the report tells which and by how much, and runs close them."""

import numpy as np
import pytest

import treadle as td


def four_bar(gap: float) -> td.ModelSpec:
    """A square of four bars, drawn closed but for a gap (m) at the last pin."""
    spec = td.ModelSpec("four-bar")
    for name in ("crank", "coupler", "rocker"):
        spec.add_body(name, 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.01))
    hinge = {"axis": (0, 1, 0)}
    spec.add_joint("crank", "revolute", None, "crank", **hinge)
    spec.add_joint("coupler", "revolute", "crank", "coupler", position=(0, 0, 1), **hinge)
    spec.add_joint("rocker", "revolute", None, "rocker", position=(1, 0, 0), **hinge)
    place = {"position": (0, 0, 1), "child_position": (gap, 0, 1)}
    spec.add_joint("pin", "revolute", "coupler", "rocker", **place, **hinge)
    spec.add_keyframe("initial", {"coupler": np.pi / 2}, velocities={"crank": 1.0})
    return spec


@pytest.mark.parametrize("suffix", ["toml", "xml"])
@pytest.mark.parametrize(
    ("gap", "words", "severity"),
    [
        (1e-8, "loops that numbers leave open in the initial position and runs close", "note"),
        (1e-3, "loops that are open in the initial position", "warning"),
    ],
)
def test_the_report_tells_gaps_and_runs_close_them(tmp_path, suffix, gap, words, severity):
    path = tmp_path / f"machine.{suffix}"
    td.save(four_bar(gap).compile(), path)
    model = td.load(path)
    (line,) = [line for line in model.report if line.startswith(words)]
    assert f"pin ({gap:.1g} m or rad)" in line and line.severity == severity
    sim = td.Simulation(model, 1e-3, "rk4")
    sim.run(0.5)
    assert sim.quality()["loop residual"] < 1e-12


def test_a_closed_loop_has_no_such_line(tmp_path):
    report = four_bar(0.0).compile().report
    assert not [line for line in report if "open in the initial position" in line]
