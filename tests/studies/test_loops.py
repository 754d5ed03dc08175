"""The study of loops runs, says what it found, and would notice if it were not so."""

from dataclasses import replace

import numpy as np
import pytest

from treadle.bench import peers
from treadle.bench.race import QUICK
from treadle.scenes import scene
from treadle.sim import Simulation
from treadle.studies import exudyn_linkage, linkages, loop_references, loops, roadheader_sweep
from treadle.studies.linkages import MujocoLinkage, pinned

TINY = replace(QUICK, seconds=0.001)


@pytest.fixture(scope="module")
def findings():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "QUICK", TINY)
        patch.setattr(loops, "_QUICK_CELLS", (2, 3))
        return loops.run(True, lambda share, what: None)


def test_what_it_has_to_show(findings):
    checks = {check.name: check for check in findings.checks}
    # times are no matter of tests
    timed = ("times the speed", "times the cost", "ms per frame")
    for name, check in checks.items():
        assert check.value is not None, name
        assert check.holds or any(part in name for part in timed), check
    assert len(checks) == 9


def test_rows(findings):
    rows = {(row["machine"], row["engine"], row["dt"]): row for row in findings.rows}
    ours = rows["peaucellier", "Treadle", 10.0]
    for (machine, engine, _), row in rows.items():
        if "peer" in row:
            treadle = next(other for other in findings.rows if other["machine"] == machine)
            assert row["ratio"] == pytest.approx(row["step_time"] / treadle["step_time"]), engine
    soft, stiff = rows["peaucellier", "MuJoCo, defaults", 1.0], rows["peaucellier", "MuJoCo, stiffened", 1.0]
    assert ours["gap"] < 1e-12 < stiff["gap"] < soft["gap"]
    # a gap of a loop is seen at the pen
    assert soft["error"] > soft["gap"]
    figure = findings.draw()
    assert len(figure.axes) == 2


def test_without_peers_the_checks_of_treadle_remain(monkeypatch):
    def missing(module):
        raise peers.MissingPeer(module, "some comparisons")

    for module in (linkages, exudyn_linkage):
        monkeypatch.setattr(module, "peer", missing)
    notes: list[str] = []
    rows = loops._free("slider-crank", 0.1, 0.001, notes)
    rows += loops._free("four-bar-chain", 0.1, 0.001, notes)
    assert [row["engine"] for row in rows] == ["Treadle", "Treadle"]
    assert len(notes) == 2
    assert loops._faster(rows).holds is False


def test_the_slider_crank_in_mujoco_is_the_same_machine():
    """Cut at the pin instead of the slider, with stiff loops, it moves as ours does."""
    other = MujocoLinkage(pinned("slider-crank"), 1e-4, "stiffened")
    sim = Simulation(scene("slider-crank"), 1e-4, "symplectic_euler")
    places = other.follow(0.3, None, "crown")["places"]
    sim.run(0.3 - 1e-4)
    # sites are where the last step began
    np.testing.assert_allclose(places[-1], sim.body("crown").position, atol=1e-4)


def test_a_linkage_that_comes_apart_is_noticed():
    linkage = MujocoLinkage(pinned("peaucellier"), 1e-2, "defaults")
    linkage.model.eq_solref[:] = (-1e6, -2e3)
    assert linkage.follow(2.0, None, "pen")["apart"] < 1.0


def test_a_cost_that_grows_faster_than_the_cells_is_noticed():
    assert loops._growth((2, 10, 20, 40), [0.5, 1.0, 2.0, 4.4]).holds
    assert not loops._growth((2, 10, 20, 40), [0.5, 1.0, 4.0, 16.0]).holds


def test_wrong_references_would_be_noticed(monkeypatch):
    wrong = [list(row) for row in loop_references.FOUR_BAR_TABLE]
    wrong[6][3] += 1e-5
    monkeypatch.setattr(loop_references, "FOUR_BAR_TABLE", wrong)
    assert loop_references.four_bar_row()["error"] == pytest.approx(1e-5, rel=0.01)


def test_a_sweep_that_ends_early_is_noticed(monkeypatch):
    monkeypatch.setattr(roadheader_sweep, "_SWEEP", 2.0)
    assert roadheader_sweep.sweep_row()["range"] < 0.5
