"""Roots of random polynomials, of steps and of flat functions."""

import numpy as np
import pytest
from scipy.optimize import brentq

from treadle.numerics.root import bracketed_root


def counted(function):
    calls = []

    def value(x):
        calls.append(x)
        return float(function(x))

    return value, calls


def test_random_polynomials():
    rng = np.random.default_rng(0)
    found, own, theirs = 0, 0, 0
    while found < 300:
        f, (a, b) = np.polynomial.Polynomial(rng.normal(size=6)), rng.uniform(-3.0, 3.0, 2)
        if f(a) * f(b) > 0.0:
            continue
        found += 1
        value, calls = counted(f)
        x = bracketed_root(value, a, b, 1e-16)
        own += len(calls)
        assert min(a, b) <= x <= max(a, b)
        scale = np.abs(f.coef) @ np.abs(x) ** np.arange(6)
        assert abs(f(x)) <= 1e-15 * max(scale, 1.0)
        value, calls = counted(f)
        brentq(value, a, b, xtol=1e-16)
        theirs += len(calls)
    # as few evaluations as the usual implementation of the same method
    assert own <= 1.02 * theirs


def test_a_step_and_a_flat_function():
    assert bracketed_root(lambda x: -1.0 if x < 0.3 else 1.0, 0.0, 1.0) == pytest.approx(0.3, abs=1e-15)
    assert bracketed_root(lambda x: x**9, -1.0, 2.0) == pytest.approx(0.0, abs=1e-12)


def test_an_end_that_is_the_root():
    assert bracketed_root(lambda x: x, 0.0, 1.0) == 0.0
    assert bracketed_root(lambda x: x - 1.0, 0.0, 1.0) == 1.0


def test_no_change_of_sign():
    with pytest.raises(ValueError, match="signs differ"):
        bracketed_root(lambda x: 1.0 + x * x, -1.0, 1.0)
