"""LandTamer in arcs: paths predicted by a dynamic and by a kinematic model.

After table 3 of Seegmiller and Kelly, "Modular Dynamic Simulation of Wheeled Mobile Robots". The paths that
they measured on a parking lot are not public: a finely integrated simulation of a vehicle loaded at the rear,
on slightly uneven ground, stands in for them. The dynamic model takes that ground for a plane and knows its
friction and the vehicle's centre of mass to a twentieth, as if it had been tuned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.batch import Batch
from treadle.bench.results import Check, at_least, at_most
from treadle.scenes import scene
from treadle.scenes.rovers.landtamer import HALF_TRACK, RADIUS
from treadle.studies.study import Column, Findings, Report, new_figure
from treadle.terrain import Plane, random_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Lengths of prediction (m), and what the paper found: dynamic and kinematic, position (m) and yaw (rad).
HORIZONS = {
    5.0: (0.0669, 0.0169, 0.5442, 0.2006),
    10.0: (0.1470, 0.0292, 1.8076, 0.3818),
    20.0: (0.3839, 0.0515, 5.1336, 0.6796),
}

#: Fastest speed (m/s) and turning rate (rad/s); commands change every so often (s); time of a trial (s).
SPEED, TURNING, HOLD, SECONDS = 2.5, 0.5, 8.0, 16.0

#: Centre of mass before the middle of the hull (m) and friction, and the share of both that is known.
CENTER, FRICTION, KNOWN = -0.4, 0.9, 0.95

#: Step of the predictions and of the stand-in for measurements (s).
STEP, FINE = 0.04, 1e-3

_TRIALS, _QUICK = 60, 12

_COLUMNS = (
    Column("horizon", "horizon (m)", ".0f"),
    Column("model", "model"),
    Column("position", "position error (m)", ".4f"),
    Column("yaw", "yaw error (rad)", ".4f"),
    Column("paper_position", "paper (m)", ".4f"),
    Column("paper_yaw", "paper (rad)", ".4f"),
)


@dataclass(frozen=True)
class _Paths:
    """Positions (samples, trials, 2) and headings (samples, trials), every STEP seconds."""

    places: np.ndarray
    headings: np.ndarray


def run(quick: bool, report: Report) -> Findings:
    """Drive the stand-in and both models with the same commands; quick: a fifth of the trials."""
    trials = _QUICK if quick else _TRIALS
    commands = _commands(trials)
    report(0.0, "the stand-in for measurements")
    ground = random_grid(
        (60.0, 60.0), spacing=0.2, roughness=0.01, correlation=1.0, seed=2, friction=FRICTION
    )
    truth = _drive(commands, FINE, CENTER, terrain=ground)
    report(0.6, "the dynamic model")
    plane = Plane(friction=KNOWN * FRICTION)
    predicted = {"dynamic": _drive(commands, STEP, KNOWN * CENTER, terrain=plane)}
    report(0.8, "the kinematic model")
    predicted["kinematic"] = _drive(commands, STEP, terrain=plane, rolling="kinematic")
    rows = []
    for horizon, paper in HORIZONS.items():
        for number, (name, paths) in enumerate(predicted.items()):
            errors = _errors(paths, truth, horizon)
            known = {"paper_position": paper[2 * number], "paper_yaw": paper[2 * number + 1]}
            rows.append({"horizon": horizon, "model": name, **errors, **known})
    findings = Findings(_COLUMNS, rows, lambda: _draw(truth, predicted), _checks(rows), timed=False)
    findings.notes.append(
        f"means over {trials} trials, against a simulation with steps of {1e3 * FINE:g} ms on uneven ground, "
        "not against measurements as in the paper"
    )
    return findings


def _commands(trials: int) -> np.ndarray:
    """Speeds and turning rates (pieces, trials, 2), the same for all models."""
    rng = np.random.default_rng(11)
    shape = (round(SECONDS / HOLD), trials)
    speed = rng.uniform(0.6 * SPEED, SPEED, shape)
    return np.stack([speed, rng.uniform(-TURNING, TURNING, shape)], axis=-1)


def _drive(commands: np.ndarray, step: float, center: float = 0.0, **options: Any) -> _Paths:
    model = scene("landtamer", center=center)
    trials = commands.shape[1]
    worlds = Batch(model, trials, dt=step, **options)
    worlds.v[:, 3] = commands[0, :, 0]
    worlds.v[:, 6:] = commands[0, :, :1] / RADIUS
    sides = np.array([1.0 if "left" in actuator.name else -1.0 for actuator in model.actuators])
    places, headings = [], []
    for piece in commands:
        worlds.commands = (piece[:, :1] - sides * piece[:, 1:] * HALF_TRACK) / RADIUS
        for _ in range(round(HOLD / STEP)):
            worlds.step(round(STEP / step))
            w, x, y, z = worlds.q[:, :4].T
            headings.append(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
            places.append(worlds.q[:, 4:6].copy())
    return _Paths(np.array(places), np.unwrap(np.array(headings), axis=0))


def _errors(paths: _Paths, truth: _Paths, horizon: float) -> dict[str, float]:
    """Mean errors at the first sample at which the stand-in has gone so far."""
    gone = np.cumsum(np.linalg.norm(np.diff(truth.places, axis=0), axis=2), axis=0)
    at = 1 + np.argmax(gone >= horizon, axis=0)
    trial = np.arange(len(at))
    apart = np.linalg.norm(paths.places - truth.places, axis=2)[at, trial]
    turned = np.abs(paths.headings - truth.headings)[at, trial]
    return {"position": float(apart.mean()), "yaw": float(turned.mean())}


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    checks = []
    for horizon in HORIZONS:
        dynamic, kinematic = (
            next(row for row in rows if row["horizon"] == horizon and row["model"] == name)
            for name in ("dynamic", "kinematic")
        )
        for key in ("position", "yaw"):
            saved = 100.0 * (1.0 - dynamic[key] / kinematic[key])
            checks.append(
                at_least(f"{horizon:g} m: {key} error less than the kinematic one by (%)", saved, 80.0)
            )
        share = 100.0 * dynamic["position"] / horizon
        checks.append(at_most(f"{horizon:g} m: position error by distance (%)", share, 2.0))
    return checks


def _draw(truth: _Paths, predicted: dict[str, _Paths]) -> Figure:
    figure = new_figure(2)
    paths, errors = figure.axes
    for trial in range(3):
        for paths_of, style, name in (
            (truth, "-", "stand-in for measurements"),
            (predicted["dynamic"], "--", "dynamic"),
            (predicted["kinematic"], ":", "kinematic"),
        ):
            label = name if trial == 0 else None
            paths.plot(*paths_of.places[:, trial].T, style, color=f"C{trial}", label=label)
    paths.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    gone = np.cumsum(np.linalg.norm(np.diff(truth.places, axis=0), axis=2), axis=0).mean(axis=1)
    for name, found in predicted.items():
        apart = np.linalg.norm(found.places - truth.places, axis=2).mean(axis=1)[1:]
        errors.semilogy(gone, np.maximum(apart, 1e-4), label=name)
    errors.set(xlabel="distance travelled (m)", ylabel="mean position error (m)")
    for axes in figure.axes:
        axes.grid(alpha=0.3)
        axes.legend()
    return figure
