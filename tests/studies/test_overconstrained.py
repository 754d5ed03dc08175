"""The study of overconstrained linkages runs, and notices what rounding spoils."""

import pytest

from treadle.errors import SimulationDiverged
from treadle.studies import overconstrained


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    kinds = {name: overconstrained.LINKAGES[name] for name in ("bennett", "sarrus")}
    monkeypatch.setattr(overconstrained, "LINKAGES", kinds)
    monkeypatch.setattr(overconstrained, "_TURNS", ("rk4",))
    monkeypatch.setattr(overconstrained, "_SECONDS", 1.0)


def test_a_quick_run_holds():
    findings = overconstrained.run(True, lambda share, what: None)
    assert [check.name for check in findings.checks if not check.holds] == []
    assert len(findings.rows) == 2 * 2 * 3
    assert all(row["gap"] > 1e-9 for row in findings.rows if row["form"] == "frames")
    assert findings.draw().axes[0].get_xlabel()


def test_lost_energy_and_stopped_runs_are_noticed(monkeypatch):
    whole = overconstrained.passage

    def spoilt(spec, q, v, integrator):
        if spec.name == "sarrus" and integrator == "rk4":
            return overconstrained.Passage(failed="stopped")
        found = whole(spec, q, v, integrator)
        rounded = found.gap > 1e-9
        return overconstrained.Passage(gap=found.gap, error=(2.0 if rounded else 1.0) * found.error)

    monkeypatch.setattr(overconstrained, "passage", spoilt)
    findings = overconstrained.run(True, lambda share, what: None)
    failed = [check.name.split(",")[0] for check in findings.checks if not check.holds]
    assert failed == ["runs that were refused or stopped", "energy error by that with exact numbers"]
    assert "stopped" in findings.notes


def test_a_run_that_stops_is_told(monkeypatch):
    class Stopped:
        def __init__(self, *args, **options):
            raise SimulationDiverged("gone", time=0.0, element="link0")

    monkeypatch.setattr(overconstrained, "Simulation", Stopped)
    assert "gone" in overconstrained.passage(*overconstrained.drawn("bennett", 0, "frames"), "rk4").failed


def test_the_gap_is_the_one_that_quality_reports():
    spec, q, v = overconstrained.drawn("sarrus", 0, "frames")
    sim = overconstrained.Simulation(spec.compile(), 5e-3, q=q, v=v)
    sim.run(0.2)
    assert overconstrained.reported_gap(sim) == sim.quality()["loop residual"] > 1e-9
