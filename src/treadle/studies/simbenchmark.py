"""Rolling and bouncing balls of SimBenchmark, against published errors.

The first two tests of Kang and Hwangbo's SimBenchmark, with their parameters and their measures of error.
Rolling: 150 N push a box of 10 kg over the ground, friction 0.4, with 25 balls of 1 kg on it, friction 0.8,
in steps of 1 ms. Balls roll without slip, so that with n balls of mass m on a box of mass M

    f2 = (F - f1) / M / (3.5 / m + n / M),   a_box = (F - f1 - n f2) / M,   a_ball = f2 / m

where f1 = 0.4 (M + n m) g. Bouncing: 49 elastic balls of 10 kg fall from 5 m for 20 s.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_most
from treadle.model import Model, ModelSpec, box_inertia
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["bouncing", "rolling", "run"]

_G = 9.81

#: Rolling: push (N), masses of box and ball (kg), balls along a side, radius and first depth (m).
_PUSH, _BOX, _BALL, _SIDE, _RADIUS, _DEPTH = 150.0, 10.0, 1.0, 5, 0.5, 2e-5
_DIRECTIONS = {"xy": (0.5, 0.866025403784439), "y": (0.0, 1.0)}

#: Rolling: step and time simulated (s), and quickly.
_DT, _SECONDS, _QUICK = 1e-3, 4.0, 0.05

#: Bouncing: mass (kg), radius (m), balls along a side, height (m), time simulated (s), and quickly.
_HEAVY, _SMALL, _MANY, _HEIGHT, _LONG, _SHORT = 10.0, 0.1, 7, 5.0, 20.0, 2.0

#: Bouncing: steps (s), and quickly.
_STEPS, _QUICK_STEPS = (4e-4, 1e-3, 4e-3, 1e-2, 4e-2, 1e-1), (4e-2, 1e-1)

#: Smallest published error of rolling, m2/s2, and errors of bouncing, J2, by engine and step (s).
_ROLLING = {"xy": ("Bullet", 3.85e-27), "y": ("Bullet", 7.3e-28)}
_BOUNCING = {
    "RaiSim": dict(zip(_STEPS, (4.77103e-4, 0.0186204, 4.76468, 185.953, 47390.6, 1.83452e6), strict=True)),
    "ODE": dict(zip(_STEPS, (29.631, 185.027, 2982.68, 18808.3, 313419.0, 2.03326e6), strict=True)),
    "DART": dict(zip(_STEPS, (10870.7, 72274.4, 1.18966e6, 7.37588e6, 1.19086e8, 7.67291e8), strict=True)),
    "Bullet": dict(zip(_STEPS, (12038.5, 75245.4, 1.20178e6, 7.40664e6, 1.19223e8, 7.67704e8), strict=True)),
}

_COLUMNS = (
    Column("test", "test"),
    Column("step", "step (s)", "g"),
    Column("error", "error", ".1e"),
    Column("published", "best published", ".1e"),
    Column("engine", "of"),
    Column("speed", "real-time factor", ".2g"),
)


def run(quick: bool, report: Report) -> Findings:
    """Roll in both directions, and bounce with every step; quick: for a shorter time, with fewer steps."""
    findings = Findings(_COLUMNS, [], lambda: _draw(findings.rows))
    steps = _QUICK_STEPS if quick else _STEPS
    tests = len(_DIRECTIONS) + len(steps)
    model = rolling()
    for number, direction in enumerate(_DIRECTIONS):
        report(number / tests, f"rolling, {direction}")
        error, speed = _roll(model, _DIRECTIONS[direction], _QUICK if quick else _SECONDS)
        engine, published = _ROLLING[direction]
        findings.rows.append({
            "test": f"rolling, {direction}", "step": _DT, "error": error, "published": published,
            "engine": engine, "speed": speed,
        })  # fmt: skip
    model = bouncing()
    for number, step in enumerate(steps):
        report((len(_DIRECTIONS) + number) / tests, f"bouncing, {step:g} s")
        error, speed = _bounce(model, step, _SHORT if quick else _LONG)
        published, engine = min((found[step], name) for name, found in _BOUNCING.items())
        findings.rows.append({
            "test": "bouncing", "step": step, "error": error, "published": published, "engine": engine,
            "speed": speed,
        })  # fmt: skip
    findings.checks = _checks(findings.rows)
    findings.notes.append("errors: mean squares, of rolling in m2/s2, of bouncing in J2")
    return findings


def rolling() -> Model:
    """A box on the ground with balls on it; the joint "box" pushes it."""
    spec = ModelSpec("rolling", gravity=(0.0, 0.0, -_G))
    for name, friction in (("ground", 0.5), ("sliding", 0.4), ("rolling", 0.8)):
        spec.add_material(name, friction=friction, restitution=0.0)
    spec.add_shape("ground", None, "plane", role="collision", material="ground")
    spec.add_body("box", _BOX, inertia=box_inertia(_BOX, 20.0, 20.0, 1.0))
    spec.add_joint("box", "free", None, "box", position=(0.0, 0.0, 0.5 - _DEPTH))
    spec.add_shape("box", "box", "box", (20.0, 20.0, 1.0), role="collision", material="ground")
    spec.add_contact(None, "box", material="sliding")
    for k in range(_SIDE * _SIDE):
        place = (2.0 * (k // _SIDE) - 4.0, 2.0 * (k % _SIDE) - 4.0, 1.0 + _RADIUS - 3.0 * _DEPTH)
        _add_ball(spec, f"ball{k}", _BALL, _RADIUS, place, "ground")
        spec.add_contact("box", f"ball{k}", material="rolling")
    return spec.compile()


def bouncing() -> Model:
    """Elastic balls over the ground."""
    spec = ModelSpec("bouncing", gravity=(0.0, 0.0, -_G))
    spec.add_material("elastic", friction=0.0, restitution=1.0)
    spec.add_shape("ground", None, "plane", role="collision", material="elastic")
    for k in range(_MANY * _MANY):
        place = (2.0 * (k // _MANY), 2.0 * (k % _MANY), _HEIGHT)
        _add_ball(spec, f"ball{k}", _HEAVY, _SMALL, place, "elastic")
    return spec.compile()


def _add_ball(
    spec: ModelSpec, name: str, mass: float, radius: float, place: tuple[float, float, float], material: str
) -> None:
    moment = 0.4 * mass * radius**2
    spec.add_body(name, mass, inertia=(moment, moment, moment))
    spec.add_joint(name, "free", None, name, position=place)
    spec.add_shape(name, name, "sphere", (radius,), role="collision", material=material)


def _roll(model: Model, direction: tuple[float, float], seconds: float) -> tuple[float, float]:
    """Mean square error of the velocities of the box and of one ball (m2/s2), and the real-time factor."""
    along = np.array([*direction, 0.0])
    sim = _warm(model, _DT)
    sim.joint("box").torque = [0.0, 0.0, 0.0, *(_PUSH * along)]
    accelerations, total = _accelerations(), 0.0
    steps, before = round(seconds / _DT), sim.wall_time
    for _ in range(steps):
        sim.step()
        for body, acceleration in accelerations.items():
            total += float(np.sum((_velocity(sim, body) - acceleration * sim.time * along) ** 2))
    return total / steps, seconds / (sim.wall_time - before)


def _warm(model: Model, dt: float) -> Simulation:
    """A simulation whose code is compiled, at its start."""
    sim = Simulation(model, dt)
    sim.step()
    sim.reset()
    return sim


def _accelerations() -> dict[str, float]:
    """Accelerations (m/s2) of the box and of a ball along the push."""
    count = _SIDE * _SIDE
    rest = _PUSH - 0.4 * (_BOX + count * _BALL) * _G
    each = rest / _BOX / (3.5 / _BALL + count / _BOX)
    return {"box": (rest - count * each) / _BOX, "ball0": each / _BALL}


def _velocity(sim: Simulation, body: str) -> np.ndarray:
    """Velocity (m/s) of a free body's centre in the world."""
    return sim.v[sim.model.joint(body).v][3:]


def _bounce(model: Model, step: float, seconds: float) -> tuple[float, float]:
    """Mean square error of the energy (J2), inf where a ball is in the ground, and the real-time factor."""
    sim = _warm(model, step)
    count, total = _MANY * _MANY, 0.0
    start = _HEAVY * _G * _HEIGHT * count
    steps, before = round(seconds / step), sim.wall_time
    for _ in range(steps):
        sim.step()
        heights, velocities = sim.q.reshape(count, 7)[:, 6] + _HEIGHT, sim.v.reshape(count, 6)[:, 3:]
        energy = _HEAVY * (0.5 * float(np.sum(velocities**2)) + _G * float(np.sum(heights)))
        total += (energy - start) ** 2 if heights.min() > _SMALL - 1e-6 else inf
    return total / steps, seconds / (sim.wall_time - before)


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    checks = [
        at_most(f"{row['test']}: error", row["error"], 1e-9) for row in rows if "rolling" in row["test"]
    ]
    share = max((row["error"] / row["published"] for row in rows if row["test"] == "bouncing"), default=inf)
    return [*checks, at_most("bouncing: error at any step, by the best published one", share, 1.0)]


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    found = {row["step"]: row["error"] for row in rows if row["test"] == "bouncing"}
    for engine, errors in {"Treadle": found, **_BOUNCING}.items():
        label = engine if engine == "Treadle" else f"{engine}, published"
        axes.loglog(list(errors), [max(error, 1e-30) for error in errors.values()], "o-", label=label)
    axes.set(xlabel="step (s)", ylabel="mean square error of the energy (J²)")
    axes.set_title("SimBenchmark, bouncing: 49 elastic balls, 20 s")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
