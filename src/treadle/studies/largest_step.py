"""Largest step that keeps the energy of an elastic ball, against other engines.

The experiment of Zhou et al. (Sensors 24, 1415, 2024), table 1: within 5 % for 10 s. The energy is that
of the ball in flight, and at the end that of the ball where it is then, with that of its pressed surface.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from treadle.bench.peers import MissingPeer
from treadle.bench.results import Check, at_least, at_most
from treadle.scenes.bouncing_ball import GRAVITY, HEIGHT, MASS, RADIUS
from treadle.studies.balls import BALLS, Ball
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Steps (ms), and those of a quick run.
_STEPS, _QUICK_STEPS = tuple(2.0**k for k in range(-6, 8)), (0.25, 1.0, 16.0, 128.0)

#: Time simulated (s), and quickly; time between two looks at the ball.
_SECONDS, _QUICK, _LOOK = 10.0, 2.0, 4e-3

#: Share of the energy that may be lost or gained, and that at which a ball is given up.
_ALLOWED, _LOST = 0.05, 1e3

#: Largest steps (ms) that the paper states.
_PUBLISHED = {"MuJoCo, Euler": 16.0, "Bullet": 1 / 32}

#: Steps (ms) of the columns with energy errors.
_SHOWN = (2.0**-6, 0.25, 1.0, 16.0, 128.0)

_COLUMNS = (
    Column("engine", "engine"),
    Column("largest", "largest (ms)", ".4g"),
    Column("published", "paper", ".4g"),
    *(Column(f"error_{step:g}", f"{step:.3g} ms", ".1e") for step in _SHOWN),
)


def run(quick: bool, report: Report) -> Findings:
    """Let the ball bounce in every engine with every step; quick: for a shorter time, with fewer steps."""
    steps, seconds = (_QUICK_STEPS, _QUICK) if quick else (_STEPS, _SECONDS)
    errors: dict[str, dict[float, float]] = {}
    findings = Findings(_COLUMNS, [], lambda: _draw(errors), timed=False)
    for number, engine in enumerate(BALLS):
        found: dict[float, float] = {}
        try:
            for k, step in enumerate(steps):
                report((number + k / len(steps)) / len(BALLS), f"{engine}, {step:g} ms")
                found[step] = _energy_error(BALLS[engine](1e-3 * step), 1e-3 * step, seconds)
        except MissingPeer as missing:
            findings.notes.append(str(missing))
            continue
        errors[engine] = found
        findings.rows.append(_row(engine, found))
    findings.checks = _checks(errors)
    findings.notes.append("columns with steps: largest relative error of the energy; inf where it exploded")
    return findings


def _energy_error(ball: Ball, dt: float, seconds: float) -> float:
    """Largest relative error of the energy; inf where it grew beyond all bounds."""
    start, worst, left = MASS * GRAVITY * HEIGHT, 0.0, round(seconds / dt)
    every = max(round(_LOOK / dt), 1)
    while left:
        count = min(every, left)
        ball.step(count)
        left -= count
        height, velocity = ball.state()
        pressed = max(RADIUS - height, 0.0)
        energy = MASS * (0.5 * velocity**2 + GRAVITY * height) + 0.5 * ball.stiffness * pressed**2
        if not isfinite(energy) or energy > _LOST * start:
            worst = inf
            break
        if pressed == 0.0 or left == 0:
            worst = max(worst, abs(energy / start - 1.0))
    ball.close()
    return worst


def _largest(found: dict[float, float]) -> float | None:
    """The largest step (ms) that, like all smaller ones, keeps the energy; None where none does."""
    largest = None
    for step in sorted(found):
        if found[step] > _ALLOWED:
            break
        largest = step
    return largest


def _row(engine: str, found: dict[float, float]) -> dict[str, Any]:
    row = {"engine": engine, "largest": _largest(found) or "none", "published": _PUBLISHED.get(engine)}
    return row | {f"error_{step:g}": found.get(step) for step in _SHOWN}


def _checks(errors: dict[str, dict[float, float]]) -> list[Check]:
    own = errors["Treadle"]
    return [
        at_least("Treadle: largest step (ms)", _largest(own) or 0.0, 128.0),
        at_most("Treadle: relative error of the energy at any step", max(own.values()), 1e-9),
    ]


def _draw(errors: dict[str, dict[float, float]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    for engine, found in errors.items():
        kept = [(step, max(error, 1e-17)) for step, error in found.items() if isfinite(error)]
        axes.loglog(*zip(*kept, strict=True), "o-", label=engine)
    axes.axhline(_ALLOWED, color="grey", linestyle=":", label="5 %")
    axes.set(xlabel="step (ms)", ylabel="largest relative error of the energy")
    axes.set_title("Elastic ball, 1.4e8 N/m, 10 s: no point where it exploded")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
