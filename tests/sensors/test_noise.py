"""Noise: its moments, its reproducibility, and the other imperfections."""

import numpy as np
import pytest

import treadle as td
from treadle.sensors.chain import MEMORY, measure
from treadle.sensors.kind import channels
from treadle.sensors.noise import PRESETS, imperfections
from treadle.sensors.random import normals, sensor_key

KEY = sensor_key(3, "imu")


def chain(noise, exact, samples, worlds=2000, rate=100.0, first=0):
    """(samples, channels, worlds) of constant values."""
    count = len(exact)
    effects = imperfections(channels(" ".join("xyz"[:count]), "1"), noise, {})
    memory, shown = np.zeros((count, MEMORY, worlds)), []
    for k in range(samples):
        values = np.tile(np.array(exact, dtype=float)[:, None], (1, worlds))
        interval = np.full(worlds, 1.0 / rate if k else 0.0)
        measure(
            np.uint64(KEY), effects.table, values, memory, np.full(worlds, k), interval,
            np.full(worlds, np.sqrt(rate)), np.ones(worlds, bool), np.arange(first, first + worlds),
        )  # fmt: skip
        shown.append(values)
    return np.array(shown)


def test_normal_numbers():
    numbers = normals(KEY, np.arange(50_000), np.zeros(50_000, int), 2, 0)
    assert np.abs(numbers.mean(axis=1)).max() < 0.02
    assert np.abs(numbers.std(axis=1) - 1.0).max() < 0.02
    assert abs((numbers**4).mean() - 3.0) < 0.15
    assert abs(np.corrcoef(numbers)[0, 1]) < 0.02
    assert not np.array_equal(numbers[0], normals(KEY, np.arange(50_000), np.zeros(50_000, int), 1, 1)[0])


def test_philox_is_the_published_one():
    """A known answer of Philox4x32-10: counter and key zero (Random123)."""
    words = (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    u = ((((words[0] << 21) ^ (words[1] >> 11)) & (2**53 - 1)) + 0.5) / 2**53
    t = ((words[2] << 21) ^ (words[3] >> 11)) / 2**53
    expected = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * t)
    found = normals(0, np.zeros(1, int), np.zeros(1, int), 1, 0)[0, 0]
    assert found == pytest.approx(expected, rel=1e-12)


def test_white_and_walk():
    shown = chain({"density": 0.02, "walk": 0.5}, [1.0], 60)[:, 0]
    assert shown[0].std() == pytest.approx(0.02 * 10.0, rel=0.1)
    # after 59 intervals of 0.01 s
    expected = np.sqrt(0.2**2 + 0.5**2 * 0.59)
    assert shown[59].std() == pytest.approx(expected, rel=0.1)
    assert shown.mean() == pytest.approx(1.0, abs=0.01)


def test_gauss_markov_settles():
    noise = {"dynamic_bias_stddev": 0.7, "dynamic_bias_correlation_time": 0.05}
    shown = chain(noise, [0.0], 80)[:, 0]
    assert shown[0].std() == 0.0
    assert shown[79].std() == pytest.approx(0.7 * np.sqrt(0.05 / 2.0), rel=0.1)
    correlation = np.corrcoef(shown[74], shown[79])[0, 1]
    assert correlation == pytest.approx(np.exp(-0.05 / 0.05), abs=0.06)


def test_bias_is_drawn_once():
    shown = chain({"bias": 2.0, "bias_stddev": 0.3}, [1.0], 3)[:, 0]
    assert np.array_equal(shown[0], shown[2])
    assert shown[0].mean() == pytest.approx(3.0, abs=0.03)
    assert shown[0].std() == pytest.approx(0.3, rel=0.1)


def test_worlds_are_independent_of_their_place():
    noise = {"stddev": 1.0, "walk": 0.3, "bias_stddev": 0.2}
    whole, part = chain(noise, [0.0, 1.0], 5, worlds=30), chain(noise, [0.0, 1.0], 5, worlds=10, first=20)
    assert np.array_equal(whole[:, :, 20:], part)


def test_digital_effects():
    shown = chain({"scale": 0.1}, [2.0, -3.0], 1, worlds=1)[0, :, 0]
    assert np.allclose(shown, (2.2, -3.3))
    shown = chain({"dead_band": 0.5}, [0.4, -0.6], 1, worlds=1)[0, :, 0]
    assert shown.tolist() == [0.0, -0.6]
    shown = chain({"saturation": 2.0}, [3.0, -5.0, 1.0], 1, worlds=1)[0, :, 0]
    assert shown.tolist() == [2.0, -2.0, 1.0]
    shown = chain({"quantization": 0.25}, [0.4, -0.4], 1, worlds=1)[0, :, 0]
    assert shown.tolist() == [0.5, -0.5]


def test_presets():
    wanted = [*channels("wx wy wz", "rad/s", "gyroscope"), *channels("ax ay az", "m/s^2", "accelerometer")]
    effects = imperfections(wanted, {"preset": "adis16448", "accelerometer": {"density": 1.0}}, {})
    assert effects.table[0, 1] == pytest.approx(np.radians(0.0135))
    assert effects.table[3, 1] == 1.0
    # 0.66 deg/sqrt(h) is the same angle random walk within a fifth
    assert np.degrees(effects.table[0, 1]) * 60.0 == pytest.approx(0.66, rel=0.25)
    assert np.degrees(PRESETS["mpu6000"]["gyroscope"]["density"]) * 60.0 == pytest.approx(0.30)


def test_misalignment():
    effects = imperfections(channels("x y z", "1"), {"misalignment": (0.0, 0.0, 0.01)}, {})
    ((start, matrix),) = effects.mixing
    assert start == 0
    assert np.allclose(matrix @ (1.0, 0.0, 0.0), (1.0, -0.01, 0.0))


def test_noise_of_a_large_picture_makes_no_channels(monkeypatch):
    """A million channels, made one by one, take seconds at the start of every run."""
    spec = td.ModelSpec("camera")
    spec.add_body("head", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("head", "revolute", None, "head")
    picture = {"width": 1280, "height": 720, "gives": "rgb"}
    spec.add_sensor("eye", "camera", "head", noise={"stddev": 0.01}, parameters=picture)
    monkeypatch.setattr("treadle.sensors.camera.sensor._Pixels.__getitem__", None)
    sim = td.Simulation(spec.compile())
    sim.step()
    assert len(sim.sensor("eye").value) == 1280 * 720 * 3
