"""Wheel-ground models side by side: force over slip ratio and slip angle.

The surfaces of figure 3 of Seegmiller and Kelly, "Modular Dynamic Simulation of Wheeled Mobile Robots", for
every model that comes with Treadle: normalized force at a constant depth, speeds scaled to one.
"""

from __future__ import annotations

from math import hypot, pi, tan
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.graph import Graph, evaluate, forward
from treadle.model.attachments import Settings, Wheel
from treadle.studies.study import Column, Findings, Report, new_figure
from treadle.terrain import Soil
from treadle.wheels import WHEEL_MODELS, WheelContact, model_force

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: The wheel (m) and how deep it is in the ground.
RADIUS, WIDTH, DEPTH = 0.09, 0.11, 0.01

#: Slip ratios and slip angles (rad).
SLIPS, ANGLES = np.linspace(-0.99, 0.99, 51), np.radians(np.linspace(-89.0, 89.0, 51))

#: Models whose surfaces are drawn, those of the paper's figure.
DRAWN = ("pacejka", "ishigami")

_COLUMNS = (
    Column("model", "model"),
    Column("pull", "largest fx/fz", ".3f"),
    Column("at", "at slip", ".2f"),
    Column("side", "largest fy/fz", ".3f"),
    Column("angle", "at angle (deg)", ".0f"),
    Column("power", "largest power (W)", ".1e"),
    Column("jacobian", "Jacobian error", ".0e"),
)


def run(quick: bool, report: Report) -> Findings:
    """Evaluate every model over the grid; quick: every fifth point."""
    stride = 5 if quick else 1
    slips, angles = SLIPS[::stride], ANGLES[::stride]
    surfaces: dict[str, np.ndarray] = {}
    rows = []
    names = list(WHEEL_MODELS)
    for number, name in enumerate(names):
        report(number / len(names), name)
        forces, powers = _surface(name, slips, angles)
        surfaces[name] = forces
        rows.append({"model": name, **_peaks(forces, slips, angles)} | {
            "power": float(powers.max()), "jacobian": _jacobian_error(name, 20 if quick else 100),
        })  # fmt: skip
    return Findings(_COLUMNS, rows, lambda: _draw(surfaces, slips, angles), _checks(rows), timed=False)


def contact(slip: float, angle: float, depth: float = DEPTH) -> WheelContact:
    """The contact at a slip ratio and angle: speeds ahead, across and of the rim scaled to one.

    The ratio is by the faster of rim and centre: 1 - V / (R w) where it drives, R w / V - 1 where it brakes.
    """
    ahead, rolling = (1.0 - slip, 1.0) if slip >= 0.0 else (1.0, 1.0 + slip)
    across = ahead * tan(angle)
    scale = 1.0 / hypot(ahead, rolling, across)
    vx, vy = (ahead - rolling) * scale, across * scale
    return WheelContact(vx, vy, 0.0, rolling * scale, depth, RADIUS, WIDTH, 1.0, Soil())


def _wheel(name: str) -> Wheel:
    grips = {"grip": 1e3, "side_grip": 1e3} if name == "linear" else {}
    values = {"stiffness": 1e4, "damping": 5e2} | grips
    known = _parameters(name)
    given = {parameter: value for parameter, value in values.items() if parameter in known}
    return Wheel("w", "axle", 0, 0, (0, 1, 0), RADIUS, WIDTH, name, Settings(given))


def _parameters(name: str) -> list[str]:
    import inspect

    return list(inspect.signature(WHEEL_MODELS[name]).parameters)


def _surface(name: str, slips: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """fx/fz and fy/fz (slips, angles, 2), and the power (W) that the ground gives to the wheel."""
    wheel = _wheel(name)
    forces, powers = np.zeros((len(slips), len(angles), 2)), np.zeros((len(slips), len(angles)))
    for i, slip in enumerate(slips.tolist()):
        for j, angle in enumerate(angles.tolist()):
            here = contact(slip, angle)
            fx, fy, fz, drag = model_force(wheel, here)
            forces[i, j] = fx / fz, fy / fz
            powers[i, j] = fx * here.vx + fy * here.vy + drag * here.rolling
    return forces, powers


def _peaks(forces: np.ndarray, slips: np.ndarray, angles: np.ndarray) -> dict[str, Any]:
    straight = forces[:, len(angles) // 2, 0]
    sideways = np.abs(forces[len(slips) // 2, :, 1])
    best, most = int(straight.argmax()), int(sideways.argmax())
    return {
        "pull": float(straight[best]), "at": float(slips[best]),
        "side": float(sideways[most]), "angle": abs(float(angles[most])) * 180.0 / pi,
    }  # fmt: skip


def _jacobian_error(name: str, count: int) -> float:
    """Largest relative difference of exact and finite-difference Jacobians, kinks left out."""
    wheel, graph = _wheel(name), Graph()
    inputs = graph.inputs(5)

    def force(x: Any) -> list[Any]:
        vx, vy, vz, rolling, depth = x
        return model_force(wheel, WheelContact(vx, vy, vz, rolling, depth, RADIUS, WIDTH, 1.0, Soil()))

    slopes = forward(force(inputs), {x: {k: 1.0} for k, x in enumerate(inputs)}, 5)
    flat = [x for row in slopes for x in row]
    rng, worst = np.random.default_rng(3), 0.0
    for _ in range(count):
        x = rng.uniform([-0.5, -0.5, -0.05, 0.2, 0.004], [0.5, 0.5, 0.05, 1.0, 0.02])
        exact = np.array(evaluate(graph, flat, x.tolist()), dtype=float).reshape(4, 5)
        around = [_differences(force, x, h) for h in (1e-6, 5e-7)]
        size = 1.0 + np.abs(exact).max()
        if np.abs(around[0] - around[1]).max() < 1e-4 * size:
            worst = max(worst, float(np.abs(exact - around[1]).max() / size))
    return worst


def _differences(force: Any, x: np.ndarray, h: float) -> np.ndarray:
    steps = [(np.array(force(x + h * e)) - np.array(force(x - h * e))) / (2.0 * h) for e in np.eye(5)]
    return np.array(steps, dtype=float).T


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    checks = []
    for row in rows:
        checks.append(at_most(f"{row['model']}: largest power from the ground (W)", row["power"], 1e-9))
        checks.append(at_most(f"{row['model']}: error of the exact Jacobian", row["jacobian"], 1e-4))
    by_name = {row["model"]: row for row in rows}
    peak = by_name["pacejka"]["at"]
    checks.append(at_most("pacejka: slip of the largest pull, as of a tyre", peak, 0.5))
    checks.append(at_least("ishigami: slip of the largest pull, as in soil", by_name["ishigami"]["at"], 0.7))
    return checks


def _draw(surfaces: dict[str, np.ndarray], slips: np.ndarray, angles: np.ndarray) -> Figure:
    figure = new_figure(3)
    for axes, name in zip(figure.axes, DRAWN, strict=False):
        drawn = axes.contourf(np.degrees(angles), slips, surfaces[name][:, :, 0], levels=21, cmap="RdBu_r")
        axes.set(xlabel="slip angle (deg)", ylabel="slip ratio", title=f"{name}: fx/fz")
        figure.colorbar(drawn, ax=axes)
    lines = figure.axes[2]
    for name, forces in surfaces.items():
        lines.plot(slips, forces[:, len(angles) // 2, 0], label=name)
    lines.set(xlabel="slip ratio, straight ahead", ylabel="fx/fz", ylim=(-1.2, 1.2))
    lines.grid(alpha=0.3)
    lines.legend(fontsize="small")
    return figure
