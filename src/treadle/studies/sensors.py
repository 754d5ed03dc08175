"""Sensors: noise by its Allan deviation, and readings against the motion.

A motionless IMU records for hours in a batch; a tumbling one is integrated back to its pose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.batch import Batch
from treadle.bench.results import at_most
from treadle.model.spec import ModelSpec
from treadle.model.values import rpy
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["NOISE", "allan_variance", "fitted_noise", "record_motionless", "run", "strapdown_order"]

#: White density and bias walk of gyroscope (rad/s) and accelerometer (m/s2), as Kalibr writes them.
NOISE = {
    "gyroscope": {"density": 1.5e-3, "walk": 2.0e-4},
    "accelerometer": {"density": 8.0e-3, "walk": 6.0e-4},
}
_RATE = 2.0

#: Hours and worlds, and those of a quick run.
_SIZES, _QUICK = (10.0, 16), (0.5, 16)

_COLUMNS = (
    Column("case", "case"),
    Column("value", "found", ".5g"),
    Column("exact", "stated", ".5g"),
    Column("unit", "unit"),
    Column("error", "relative error", ".1e"),
)


def run(quick: bool, report: Report) -> Findings:
    """Record, integrate and measure; quick: fewer hours, worlds and steps."""
    hours, worlds = _QUICK if quick else _SIZES
    rows: list[dict[str, Any]] = []
    curves: dict[str, Any] = {}
    findings = Findings(_COLUMNS, rows, lambda: _draw(curves), timed=False)
    report(0.0, f"{hours:g} hours of a motionless IMU")
    samples = record_motionless(hours, worlds)
    for group, values in samples.items():
        curves[group] = spans, variance = allan_variance(values, 1.0 / _RATE)
        found = fitted_noise(spans, variance)
        for (name, stated), value in zip(NOISE[group].items(), found, strict=True):
            error = abs(value / stated - 1.0)
            unit = {"density": "1/sqrt(Hz)", "walk": "1/s/sqrt(Hz)"}[name]
            rows.append(_row(f"{group}, {name}", value, stated, unit, error))
            # hours of noise leave so much of a share undetermined
            limit = 0.05 if not quick else 0.3
            findings.checks.append(at_most(f"{group}: relative error of the {name}", error, limit))
    report(0.5, "strapdown integration")
    order = strapdown_order()
    rows.append(_row("order of strapdown integration", order, 2.0, "1", abs(order / 2.0 - 1.0)))
    findings.checks.append(at_most("order of strapdown integration: distance from 2", abs(order - 2.0), 0.1))
    return findings


def allan_variance(values: np.ndarray, interval: float) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping Allan variance of samples (n, series) over averaging times in octaves, mean of the series.

    AVAR(tau) = <(theta(t + 2 tau) - 2 theta(t + tau) + theta(t))^2> / (2 tau^2), with theta the integral.
    """
    theta = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0) * interval])
    spans, found = [], []
    m = 1
    while m <= len(values) // 20:
        second = theta[2 * m :] - 2.0 * theta[m:-m] + theta[: -2 * m]
        spans.append(m * interval)
        found.append(float((second**2).mean() / (2.0 * (m * interval) ** 2)))
        m *= 2
    return np.array(spans), np.array(found)


def record_motionless(hours: float, worlds: int) -> dict[str, np.ndarray]:
    """(samples, series) of one gyroscope axis and one accelerometer axis of every world."""
    spec = ModelSpec("table")
    spec.add_body("table", 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("axle", "revolute", None, "table")
    spec.add_sensor("imu", "imu", "table", rate=_RATE, noise=NOISE)
    batch = Batch(spec.compile(), worlds, dt=1.0 / _RATE, threads=1)
    count = round(hours * 3600.0 * _RATE)
    samples = np.empty((2, count, worlds))
    sensor = batch.sensor("imu")
    for k in range(count):
        batch.step()
        samples[:, k] = sensor.value[:, [0, 3]].T
    return {"gyroscope": samples[0], "accelerometer": samples[1]}


def fitted_noise(spans: np.ndarray, variance: np.ndarray) -> tuple[float, float]:
    """White density N and bias walk K of AVAR = N^2/tau + K^2 tau/3, by least squares of relative errors."""
    columns = np.stack([1.0 / spans, spans / 3.0], axis=1)
    # long averages are few: they are known less well
    weights = 1.0 / (variance * np.sqrt(spans))
    squares = np.linalg.lstsq(columns * weights[:, None], variance * weights, rcond=None)[0]
    return tuple(np.sqrt(np.maximum(squares, 0.0)).tolist())


def strapdown_order() -> float:
    """Order at which the readings of a tumbling IMU integrate to its pose."""
    errors = []
    for dt in (4e-3, 2e-3):
        spec = ModelSpec("tumbler")
        spec.add_body("box", 1.0, inertia=(0.1, 0.2, 0.27))
        spec.add_joint("free", "free", None, "box")
        spec.add_sensor("imu", "imu", "box", position=(0.3, -0.2, 0.1), rotation=rpy(0.4, 0.2, 1.0))
        spec.add_frame("at imu", "box", position=(0.3, -0.2, 0.1), rotation=rpy(0.4, 0.2, 1.0))
        sim = Simulation(spec.compile(), dt=dt, integrator="dopri853", v=(3.0, 0.5, 1.0, 0.2, 0.1, 1.5))
        errors.append(_strapdown(sim, round(1.0 / dt)))
    return float(np.log2(errors[0] / errors[1]))


def _strapdown(sim: Simulation, steps: int) -> float:
    """Position error (m) at the end."""
    dt, gravity = sim.dt, np.array(sim.model.gravity)
    body = sim.body("at imu")
    pose, velocity = body.pose, np.array(body.velocity)[3:]
    R, p, before = pose[:3, :3], pose[:3, 3], np.asarray(sim.sensor("imu").value)
    for _ in range(steps):
        sim.step()
        now = np.asarray(sim.sensor("imu").value)
        turned = R @ _turn(0.5 * dt * (before[:3] + now[:3]))
        start, end = R @ before[3:] + gravity, turned @ now[3:] + gravity
        p = p + dt * velocity + dt**2 * (start / 3.0 + end / 6.0)
        velocity = velocity + 0.5 * dt * (start + end)
        R, before = turned, now
    return float(np.linalg.norm(p - sim.body("at imu").pose[:3, 3]))


def _turn(w: np.ndarray) -> np.ndarray:
    """Rotation matrix of a turn vector."""
    angle, K = np.linalg.norm(w), np.cross(np.eye(3), w)
    return np.eye(3) + np.sin(angle) / angle * K + (1.0 - np.cos(angle)) / angle**2 * (K @ K)


def _row(case: str, value: float, exact: float | None, unit: str, error: float | None) -> dict[str, Any]:
    return {"case": case, "value": value, "exact": exact, "unit": unit, "error": error}


def _draw(curves: dict[str, Any]) -> Figure:
    figure = new_figure(2)
    units = {"gyroscope": "rad/s", "accelerometer": "m/s²"}
    for plot, (group, (spans, variance)) in zip(figure.axes, curves.items(), strict=True):
        density, walk = NOISE[group]["density"], NOISE[group]["walk"]
        plot.loglog(spans, np.sqrt(variance), "o", color="tab:blue", label="recorded")
        stated = np.sqrt(density**2 / spans + walk**2 * spans / 3.0)
        plot.loglog(spans, stated, color="tab:orange", label="stated density and walk")
        plot.set_xlabel("averaging time (s)")
        plot.set_ylabel(f"Allan deviation of the {group} ({units[group]})")
        plot.grid(which="both", alpha=0.3)
        plot.legend()
    return figure
