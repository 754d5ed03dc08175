"""Ball that bounces on a floor: contact in large steps against the closed form.

The experiment of Zhou et al. (Sensors 24, 1415, 2024), figure 3: five restitutions at a stiffness of
1.4e8 N/m. The contact is a damped oscillator, F = K delta + D d delta/dt with D from the restitution,

    delta(t) = v0 / w exp(-r t) sin(w t),   r = D / 2m,   w = sqrt(K/m - r^2)

which ends at pi/w. Durations and rebounds are read from one step of 128 ms in which the whole contact
lies, peaks and courses from many small steps through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, exp, log, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from treadle.bench.results import Check, at_most
from treadle.scenes import scene
from treadle.scenes.bouncing_ball import GRAVITY, HEIGHT, MASS, RADIUS, STIFFNESS
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ball_energy", "run"]

RESTITUTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)

#: Speed of the impact (m/s): that of a fall of 0.9 m.
SPEED = 4.2

#: Large step (s), height from which the ball is launched into it (m), and steps that follow a contact.
LARGE, _ABOVE, _SMALL = 0.128, 0.2, 400

#: Time of the elastic ball, and of the falls that are drawn (s), with their step.
_SECONDS, _SHOWN, _DT = 10.0, 2.0, 0.01

_COLUMNS = (
    Column("restitution", "e", ".1f"),
    Column("duration", "contact (µs)", ".4f"),
    Column("penetration", "deepest (µm)", ".4f"),
    Column("force", "largest force (N)", ".2f"),
    Column("duration_error", "errors: contact", ".1e"),
    Column("penetration_error", "depth", ".1e"),
    Column("force_error", "force", ".1e"),
    Column("rebound_error", "rebound", ".1e"),
)


@dataclass(frozen=True)
class _Course:
    """Times (s), penetrations (m), their rates (m/s) and forces (N) of one contact."""

    times: np.ndarray
    penetrations: np.ndarray
    rates: np.ndarray
    forces: np.ndarray


def run(quick: bool, report: Report) -> Findings:
    """Let the ball meet the floor with every restitution; quick: with fewer small steps."""
    courses: dict[float, _Course] = {}
    falls: dict[float, np.ndarray] = {}
    findings = Findings(_COLUMNS, [], lambda: _draw(courses, falls), timed=False)
    for number, e in enumerate(RESTITUTIONS):
        report(number / (len(RESTITUTIONS) + 1), f"restitution {e}")
        courses[e] = _follow(e, _SMALL // 2 if quick else _SMALL)
        falls[e] = _fall(e)
        findings.rows.append(_row(e, _in_one_step(e), courses[e]))
    report(len(RESTITUTIONS) / (len(RESTITUTIONS) + 1), "elastic ball")
    findings.checks = _checks(findings.rows, _elastic_error())
    findings.notes.append("errors are relative to the closed form, without gravity during contact")
    return findings


def ball_energy(sim: Simulation) -> float:
    """Energy (J) of the ball: of motion, of height and of the pressed surface."""
    height = float(sim.body("ball").position[2])
    pressed = max(RADIUS - height, 0.0)
    gravity = -float(sim.model.gravity[2])
    return 0.5 * MASS * float(sim.v[5]) ** 2 + MASS * gravity * height + 0.5 * STIFFNESS * pressed**2


def _launched(restitution: float, height: float, dt: float) -> Simulation:
    """The ball on its way down, without gravity."""
    model = scene("bouncing-ball", restitution=restitution, height=height, gravity=0.0)
    return Simulation(model, dt, v=[0.0, 0.0, 0.0, 0.0, 0.0, -SPEED])


def _in_one_step(restitution: float) -> tuple[float, float]:
    """Duration of the contact (s) and speed of the rebound (m/s), from where one large step ends."""
    sim = _launched(restitution, RADIUS + _ABOVE, LARGE)
    sim.step()
    height, speed = float(sim.body("ball").position[2]), float(sim.v[5])
    return LARGE - _ABOVE / SPEED - (height - RADIUS) / speed, speed


def _follow(restitution: float, steps: int) -> _Course:
    """The contact in many small steps."""
    duration = _closed_form(restitution)["duration"]
    sim = _launched(restitution, RADIUS, duration / steps)
    damping = _damping(restitution)
    found = [(0.0, 0.0, SPEED, damping * SPEED)]
    for _ in range(steps - 1):
        sim.step()
        depth, rate = RADIUS - float(sim.body("ball").position[2]), -float(sim.v[5])
        found.append((sim.time, depth, rate, STIFFNESS * depth + damping * rate))
    return _Course(*np.array(found).T)


def _damping(restitution: float) -> float:
    """Damping (N s/m) after which a contact, ended where penetration does, leaves this restitution."""
    return -2.0 * log(restitution) * sqrt(STIFFNESS * MASS / (pi**2 + log(restitution) ** 2))


def _closed_form(restitution: float) -> dict[str, float]:
    """Duration (s), largest penetration (m) and force (N), speed of the rebound (m/s)."""
    r = _damping(restitution) / (2.0 * MASS)
    w = sqrt(STIFFNESS / MASS - r * r)
    deepest = atan2(w, r) / w
    # F = m v0 / w exp(-r t) (2 r w cos w t + (w^2 - r^2) sin w t): its rate is zero here
    hardest = max(atan2(w * (w * w - 3.0 * r * r), r * (3.0 * w * w - r * r)) / w, 0.0)
    swing = 2.0 * r * w * cos(w * hardest) + (w * w - r * r) * sin(w * hardest)
    return {
        "duration": pi / w,
        "penetration": SPEED / w * exp(-r * deepest) * sin(w * deepest),
        "force": MASS * SPEED / w * exp(-r * hardest) * swing,
        "rebound": restitution * SPEED,
    }


def _row(restitution: float, one_step: tuple[float, float], course: _Course) -> dict[str, Any]:
    exact = _closed_form(restitution)
    accelerations = -course.forces / MASS
    growth = STIFFNESS * course.rates + _damping(restitution) * accelerations
    found = {
        "duration": one_step[0],
        "penetration": _largest(course.times, course.penetrations, course.rates),
        "force": _largest(course.times, course.forces, growth),
        "rebound": one_step[1],
    }
    row: dict[str, Any] = {"restitution": restitution}
    row |= {f"{name}_error": abs(found[name] / exact[name] - 1.0) for name in found}
    row |= {"duration": 1e6 * found["duration"], "penetration": 1e6 * found["penetration"]}
    return row | {"force": found["force"], "rebound": found["rebound"]}


def _largest(times: np.ndarray, values: np.ndarray, rates: np.ndarray) -> float:
    """The largest value of the curve through values with these rates."""
    curve = CubicHermiteSpline(times, values, rates)
    turns = curve.derivative().roots(extrapolate=False)
    return float(max(values.max(), curve(turns).max(initial=-np.inf)))


def _fall(restitution: float) -> np.ndarray:
    """Times (s), heights (m) and energies (J) of the ball let go."""
    sim = Simulation(scene("bouncing-ball", restitution=restitution), _DT)
    found = [(0.0, HEIGHT, ball_energy(sim))]
    for _ in range(round(_SHOWN / _DT)):
        sim.step()
        found.append((sim.time, float(sim.body("ball").position[2]), ball_energy(sim)))
    return np.array(found).T


def _elastic_error() -> float:
    """Largest relative error of the energy of the elastic ball, in large steps for ten seconds."""
    sim = Simulation(scene("bouncing-ball", restitution=1.0), LARGE)
    start, worst = MASS * GRAVITY * HEIGHT, 0.0
    while sim.time < _SECONDS:
        sim.step()
        worst = max(worst, abs(ball_energy(sim) / start - 1.0))
    return worst


def _checks(rows: list[dict[str, Any]], elastic: float) -> list[Check]:
    limits = {"duration": 1e-6, "penetration": 1e-6, "force": 1e-6, "rebound": 1e-9}
    checks = [
        at_most(f"{name}, largest relative error", max(row[f"{name}_error"] for row in rows), limit)
        for name, limit in limits.items()
    ]
    return [*checks, at_most("elastic ball, 128 ms, 10 s: relative error of the energy", elastic, 1e-9)]


def _draw(courses: dict[float, _Course], falls: dict[float, np.ndarray]) -> Figure:
    figure = new_figure(4)
    force, depth, rate, energy = figure.axes
    for e, course in courses.items():
        times = 1e6 * course.times
        force.plot(times, 1e-3 * course.forces, label=f"e = {e}")
        depth.plot(times, 1e6 * course.penetrations)
        rate.plot(times, -course.rates)
        energy.plot(falls[e][0], falls[e][2])
    force.set(xlabel="time in contact (µs)", ylabel="force (kN)")
    depth.set(xlabel="time in contact (µs)", ylabel="penetration (µm)")
    rate.set(xlabel="time in contact (µs)", ylabel="velocity (m/s)")
    energy.set(xlabel="time (s)", ylabel="energy (J), steps of 10 ms", ylim=(0.0, None))
    force.legend()
    for axes in figure.axes:
        axes.grid(alpha=0.3)
    figure.suptitle("Ball of 1 kg on a floor, 1.4e8 N/m: one contact, and the energy of the fall")
    figure.set_size_inches(18.0, 4.8)
    return figure
