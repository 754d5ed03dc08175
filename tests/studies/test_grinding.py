"""The study of grinding: every line that it has to show holds, and it notices a failure."""

from treadle.studies import grinding


def test_every_line_holds():
    findings = grinding.run(True, lambda share, what: None)
    assert [check.name for check in findings.checks if not check.holds] == []
    assert len(findings.checks) >= 12
    assert len(findings.draw().axes) == 4


def test_a_disturbance_that_is_too_large_is_noticed(monkeypatch):
    monkeypatch.setattr(grinding, "_DISTURBANCES", (0.2, 3e-5, 0.3))
    monkeypatch.setattr(grinding, "_hertz", lambda rows: [])
    monkeypatch.setattr(grinding, "_steps", lambda *given: [])
    monkeypatch.setattr(grinding, "_whole_arm", lambda *given: [])
    monkeypatch.setattr(grinding, "_depths", lambda *given: [])
    monkeypatch.setattr(grinding, "_identified", lambda *given: [])
    monkeypatch.setattr(grinding, "_kinematics", lambda *given: [])
    findings = grinding.run(True, lambda share, what: None)
    failed = [check.name for check in findings.checks if not check.holds]
    assert any(name.startswith("mean error of the force") for name in failed)
