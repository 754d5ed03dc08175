"""The study of the LandTamer: it finds what the paper does, and notices where a method does not."""

from dataclasses import replace

import numpy as np
import pytest

from treadle.studies import landtamer_ramp


@pytest.fixture(scope="module")
def balance():
    return landtamer_ramp._drive(landtamer_ramp._simulation({"dt": landtamer_ramp.STEP}))


def rows(found, reference, direct_wall=1e3):
    first = landtamer_ramp._row({"dt": landtamer_ramp.STEP}, found, reference, 1e-3)
    error = max(first["error"], 1e-6)
    return [
        {"method": "balance", **first, "error": error},
        {"method": "direct, controlled", "error": 0.0, "wall": direct_wall},
        {"method": "direct, fixed", "error": 10.0 * error, "wall": 0.1 * direct_wall},
        {"method": "direct, fixed", "error": 0.1 * error, "wall": 0.1 * direct_wall},
    ]


def test_slips_up_down_and_around(balance):
    checks = landtamer_ramp._checks(rows(balance, balance), balance)
    assert [check.name for check in checks if not check.holds] == []
    assert balance.path[-1, 1] > 5.0 and balance.path[:, 2].max() > 2.0
    # left to right and back: outer wheels push, inner ones hold back
    assert (balance.slips[balance.steady][:, 0] < 0).all() and (balance.slips[balance.steady][:, 1] > 0).all()


def test_what_goes_wrong_is_noticed(balance):
    rng = np.random.default_rng(0)
    shaken = replace(balance, slips=balance.slips + 1e-2 * rng.standard_normal(balance.slips.shape))
    astray = replace(balance, path=balance.path + 1.0)
    tired = replace(balance, effort=balance.effort + 1.0)
    failed = [
        {check.name for check in landtamer_ramp._checks(rows(found, balance, wall), found) if not check.holds}
        for found, wall in ((shaken, 1e3), (astray, 1e3), (tired, 1e3), (balance, 5.0))
    ]
    # a direct method that is quick and accurate beats both comparisons
    assert [len(names) for names in failed] == [1, 1, 1, 2] and len(set.union(*failed)) == 5


@pytest.mark.parametrize(("error", "expected"), [(4.0, 2.0), (1.0, 4.0), (2.0, 8.0**0.5), (0.1, np.inf)])
def test_time_of_an_error_lies_between_the_steps_around_it(error, expected):
    """Time over error: 1 at 16, 2 at 4, 4 at 1, and one that is better by chance."""
    steps = [
        {"error": e, "wall": w} for e, w in ((16.0, 1.0), (4.0, 2.0), (1.0, 4.0), (3.0, 8.0), (0.5, 16.0))
    ]
    assert landtamer_ramp._time_of_error(steps, error) == pytest.approx(expected)


def test_direct_addition_shakes_at_the_same_step():
    sim = landtamer_ramp._simulation({"dt": landtamer_ramp.STEP, "rolling": "direct"})
    found = landtamer_ramp._drive(sim)
    assert found is None or np.abs(np.diff(found.slips[found.steady], axis=0)).max() > 0.1
