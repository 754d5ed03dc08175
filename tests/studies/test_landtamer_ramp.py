"""The study of the LandTamer: it finds what the paper does, and notices where a method does not."""

from dataclasses import replace

import numpy as np
import pytest

from treadle.studies import landtamer_ramp


@pytest.fixture(scope="module")
def balance():
    return landtamer_ramp._drive({"dt": landtamer_ramp.STEP}, turns=1)


def rows(found, reference, direct_wall=1e3):
    first = landtamer_ramp._row({"dt": landtamer_ramp.STEP}, found, reference)
    return [
        {"method": "balance", **first, "wall": 1.0},
        {"method": "direct, controlled", "error": 0.0, "wall": direct_wall},
        {"method": "direct, fixed", "error": 9.0, "wall": 2.0},
        {"method": "direct, fixed", "error": 0.0, "wall": 20.0},
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


def test_direct_addition_shakes_at_the_same_step():
    found = landtamer_ramp._drive({"dt": landtamer_ramp.STEP, "rolling": "direct"}, turns=1)
    assert found is None or np.abs(np.diff(found.slips[found.steady], axis=0)).max() > 0.1
