"""The study of bodies in a fluid: every line that it has to show holds."""

from treadle.studies import fluid


def test_every_line_holds():
    findings = fluid.run(True, lambda share, what: None)
    assert len(findings.rows) == 27
    assert [check.name for check in findings.checks if not check.holds] == []


def test_a_wrong_coefficient_is_noticed(monkeypatch):
    monkeypatch.setattr(fluid, "_LAMB", {2.0: (0.2100, 0.7142, 0.2394)})
    findings = fluid.run(True, lambda share, what: None)
    (failed,) = [check.name for check in findings.checks if not check.holds]
    assert failed.startswith("Lamb's k2 at a/b = 2: error")
