"""Elliptic integrals against those of scipy, over the whole range of their arguments, and in closed form."""

from math import inf, log, pi

import numpy as np
import pytest
from scipy.special import ellipe, ellipk, elliprd

from treadle.numerics.elliptic import carlson_rd, complete_integrals


def test_complete_integrals():
    rng = np.random.default_rng(0)
    for m in [*rng.random(300), *(1.0 - 10.0 ** rng.uniform(-12.0, -1.0, 300))]:
        K, E = complete_integrals(m)
        assert pytest.approx(ellipk(m), rel=1e-14) == K
        assert pytest.approx(ellipe(m), rel=1e-14) == E


def test_complete_integrals_of_a_circle():
    assert complete_integrals(0.0) == (pytest.approx(pi / 2), pytest.approx(pi / 2))


def test_carlson_rd():
    rng = np.random.default_rng(1)
    for x, y, z in 10.0 ** rng.uniform(-6.0, 6.0, (500, 3)):
        assert carlson_rd(x, y, z) == pytest.approx(elliprd(x, y, z), rel=1e-14)


def test_carlson_rd_in_closed_form():
    # all equal: x^(-3/2); R_D(0, 2, 1) from the lemniscate (DLMF 19.20.22)
    assert carlson_rd(4.0, 4.0, 4.0) == pytest.approx(0.125, rel=1e-15)
    assert carlson_rd(0.0, 2.0, 1.0) == pytest.approx(1.7972103521033883, rel=1e-14)
    # a disc: the limit of small x grows with the logarithm
    assert carlson_rd(0.0, 1e-12, 1.0) == pytest.approx(3.0 * (log(4.0 / 1e-6) - 1.0), rel=1e-9)
    assert carlson_rd(0.0, 1.0, 1.0) < inf
