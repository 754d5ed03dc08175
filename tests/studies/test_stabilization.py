"""The study of ways to keep a loop closed: it finds what they promise, and notices where they do not."""

import numpy as np
import pytest

from treadle.studies import stabilization


@pytest.fixture(scope="module")
def found():
    runs = {}
    draw = stabilization._draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stabilization, "_step_time", lambda *arguments: 1.0)
        findings = stabilization.run(True, lambda done, what: None)
        patch.setattr(stabilization, "_draw", lambda given: runs.update(given) or draw(given))
        findings.draw()
    return findings, runs


def test_every_way_does_what_it_promises(found):
    findings, _ = found
    assert [check.name for check in findings.checks if not check.holds] == []
    worst = {(row["integrator"], row["stabilization"]): row["position"] for row in findings.rows}
    assert worst["symplectic_euler", "none"] > 1e-3
    assert 1e-4 > worst["symplectic_euler", "baumgarte"] > 1e-6
    assert worst["symplectic_euler", "projection"] < 1e-13


def test_a_way_that_does_not_hold_is_noticed(found):
    _, runs = found
    broken = runs | {("symplectic_euler", "projection"): runs["symplectic_euler", "none"]}
    failed = [check.name for check in stabilization._checks(broken) if not check.holds]
    assert [name.split(":")[0] for name in failed] == ["symplectic_euler, projection"] * 2
    adrift = runs | {("index2_euler", "none"): runs["symplectic_euler", "none"]}
    failed = [check.name for check in stabilization._checks(adrift) if not check.holds]
    assert [name.split(":")[0] for name in failed] == ["index2_euler, none"] * 2


def test_the_plot_shows_the_largest_of_the_samples():
    values = np.arange(2.5 * stabilization._SHOWN)
    np.testing.assert_array_equal(stabilization._largest(values), [19, 39])
