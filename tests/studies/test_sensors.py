"""The study of sensors: noise comes out as stated, and a wrong one would be noticed."""

import numpy as np
import pytest

from treadle.studies import sensors


def test_allan_variance_of_white_noise_and_of_a_walk():
    rng = np.random.default_rng(0)
    white = rng.standard_normal((40_000, 4)) * np.sqrt(10.0)
    spans, variance = sensors.allan_variance(white, 0.1)
    assert np.allclose(variance[:6] * spans[:6], 1.0, rtol=0.1)
    walk = np.cumsum(rng.standard_normal((40_000, 4)), axis=0) * np.sqrt(0.1)
    spans, variance = sensors.allan_variance(walk, 0.1)
    # beyond a few samples, where the steps of the walk are small
    assert np.allclose(variance[5:8] * 3.0 / spans[5:8], 1.0, rtol=0.2)


def test_strapdown_order():
    assert sensors.strapdown_order() == pytest.approx(2.0, abs=0.1)


def test_recorded_noise(monkeypatch):
    samples = sensors.record_motionless(0.5, 16)
    density, _ = sensors.fitted_noise(*sensors.allan_variance(samples["gyroscope"], 0.5))
    assert density == pytest.approx(1.5e-3, rel=0.05)
    monkeypatch.setitem(sensors.NOISE["gyroscope"], "density", 3e-3)
    samples = sensors.record_motionless(0.5, 16)
    density, _ = sensors.fitted_noise(*sensors.allan_variance(samples["gyroscope"], 0.5))
    assert density == pytest.approx(3e-3, rel=0.05)
