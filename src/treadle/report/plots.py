"""The plots of a report, each a function of the history that returns a figure, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.integrators import INTEGRATORS
from treadle.report.curves import Curve, draw, limited
from treadle.report.history import History
from treadle.sim.quality import Quality

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PLOTS"]


def energy(history: History, quality: Quality) -> Figure | None:
    """Where the energy is, and the work that was done."""
    c = history.columns
    curves = [Curve("kinetic", c["kinetic"]), Curve("gravity", c["gravity"] - c["gravity"][0])]
    if np.ptp(c["springs"]) > 0.0:
        curves.append(Curve("springs", c["springs"] - c["springs"][0]))
    total = c["kinetic"] + c["gravity"] + c["springs"]
    curves.append(Curve("total", total - total[0] + c["kinetic"][0], width=2.0))
    if np.any(c["work"]):
        curves.append(Curve("work done", c["work"], dashed=True))
    return draw(c["time"], [("energy (J)", curves)])


def drift(history: History, quality: Quality) -> Figure | None:
    """What the energy changed by beyond the work."""
    c = history.columns
    total = c["kinetic"] + c["gravity"] + c["springs"]
    balance = total - total[0] - (c["work"] - c["work"][0])
    return draw(c["time"], [("energy drift (J)", [Curve("drift", balance)])], zero=True)


def positions(history: History, quality: Quality) -> Figure | None:
    """Joint positions, those that moved most."""
    return _coordinates(history, "q")


def velocities(history: History, quality: Quality) -> Figure | None:
    """Joint velocities, those that changed most."""
    return _coordinates(history, "v")


def step_error(history: History, quality: Quality) -> Figure | None:
    """Estimated error of single steps along the run."""
    time, error = np.array(history.errors).T
    return draw(time, [("error of a step (mm)", [Curve("worst link", error * 1e3)])], log=True)


def error_growth(history: History, quality: Quality) -> Figure | None:
    """How the error of the whole run grew."""
    if quality.error_growth is None:
        return None
    time, error = (np.array(x) for x in quality.error_growth)
    begin = float(history.columns["time"][0])
    return draw(time + begin, [("error of the run (mm)", [Curve("worst link", error * 1e3)])], log=True)


def momentum(history: History, quality: Quality) -> Figure | None:
    """Change of the momentum of a machine that floats, beyond gravity and loads."""
    c, model = history.columns, history.sim.model
    if "momentum" not in c:
        return None
    weight = model.mass * np.outer(c["time"] - c["time"][0], model.gravity)
    gained = c["momentum"] - c["momentum"][0] - (c["impulse"] - c["impulse"][0])
    gained[:, 3:] -= weight
    angular, linear = gained[:, :3], gained[:, 3:]
    panels = [
        ("linear (N s)", [Curve(axis, x) for axis, x in zip("xyz", linear.T, strict=True)]),
        ("angular (N m s)", [Curve(axis, x) for axis, x in zip("xyz", angular.T, strict=True)]),
    ]
    return draw(c["time"], panels, zero=True)


def rounds(history: History, quality: Quality) -> Figure | None:
    """Effort of the integrator's own solver."""
    method, c = INTEGRATORS[history.sim.integrator], history.columns
    if not method.iterates or len(c["time"]) < 2:
        return None
    steps = np.maximum(np.round(np.diff(c["time"]) / history.sim.dt), 1.0)
    what = "substeps per step" if method.adaptive else "rounds per step"
    return draw(c["time"][1:], [(what, [Curve(what, np.diff(c["rounds"]) / steps)])])


#: Title, the plot and what it shows, in the order of the report.
PLOTS = [
    (
        "Energy",
        energy,
        "Kinetic energy, and gravity, springs and total by how much they changed since the start (the total "
        "begins at the kinetic energy). Without work the total is a straight line.",
    ),
    (
        "Energy drift",
        drift,
        "Change of the energy beyond the work of actuators, forces, dampers and laws: zero for an exact "
        "run. A swing about zero is harmless, a trend is not.",
    ),
    (
        "Error of single steps",
        step_error,
        "Every so often one step was taken once as it is and once as two of half the size; this is the "
        "estimated error at the worst link.",
    ),
    (
        "Error of the run",
        error_growth,
        "The run was repeated with half the step; this is the estimated distance of the worst link from "
        "where it should be.",
    ),
    (
        "Momentum drift",
        momentum,
        "Change of the momentum beyond the impulse of gravity and loads, angular about the centre of mass: "
        "zero for an exact run.",
    ),
    ("Joint positions", positions, ""),
    ("Joint velocities", velocities, ""),
    ("Solver", rounds, "How hard the integrator had to work in a step."),
]


def _coordinates(history: History, which: str) -> Figure | None:
    """Curves of all joints, a panel per unit."""
    panels: dict[str, list[Curve]] = {}
    values = history.columns[which]
    for joint in history.sim.model.joints:
        names, units, place = (
            (joint.type.positions, joint.type.position_units, joint.q)
            if which == "q"
            else (joint.type.velocities, joint.type.velocity_units, joint.v)
        )
        for k, (name, unit) in enumerate(zip(names, units, strict=True)):
            label = joint.name if len(names) == 1 else f"{joint.name}.{name}"
            panels.setdefault(unit, []).append(Curve(label, values[:, place.start + k]))
    titles = {"rad": "angle (rad)", "m": "displacement (m)", "1": "quaternion", "rad/s": "rate (rad/s)",
              "m/s": "speed (m/s)"}  # fmt: skip
    shown = [(titles.get(unit, unit), limited(curves)) for unit, curves in panels.items()]
    return draw(history.columns["time"], shown) if shown else None
