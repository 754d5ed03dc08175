"""The study of flat positions runs, and notices energy and branches that are lost."""

from dataclasses import replace

import numpy as np

from treadle.studies import singular
from treadle.studies.flat_linkages import FLAT_LINKAGES


def test_a_quick_run_holds(monkeypatch):
    monkeypatch.setattr(singular, "_QUICK_METHODS", ("symplectic_euler", "rk4"))
    findings = singular.run(True, lambda share, what: None)
    assert [check.name for check in findings.checks if not check.holds] == []
    assert len(findings.rows) == 2 * len(FLAT_LINKAGES)
    assert all(row["passes"] > 0 for row in findings.rows)
    assert findings.draw().axes[0].get_xlabel()


def test_lost_branches_and_energy_are_noticed(monkeypatch):
    linkage = FLAT_LINKAGES["parallelogram"](np.random.default_rng(1))
    off = replace(linkage, off_branch=lambda q: 1.0)
    assert singular.passage_of(off, "rk4", 4e-3).off == 1.0
    energy = singular.kinetic_energy

    def jumps(model, q, v):
        return energy(model, q, v) + (1e-3 if linkage.side(q) > 0.0 else 0.0)

    monkeypatch.setattr(singular, "kinetic_energy", jumps)
    assert singular.passage_of(linkage, "rk4", 4e-3).ratio > 10.0
