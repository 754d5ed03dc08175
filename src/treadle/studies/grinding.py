"""Grinding of a weld seam by a robot to a force of 5 N (Zhou et al., 2024).

The arm is an ESTUN ER10-900 under position control, seen from the tool as a mass, a damper and a spring; the
pad is an elastic foundation that wears the workpiece away after Preston. The paper gives neither stiffnesses
nor the wear: those used here are in the table.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.machines import MACHINES
from treadle.bench.peers import MissingPeer
from treadle.bench.results import Check, at_least, at_most
from treadle.formats import load
from treadle.model.model import Model
from treadle.planning.inverse_kinematics import InverseKinematics, inverse_kinematics, random_poses
from treadle.process.force_control import force_control, impedance_control
from treadle.process.grinding import GrindingSetup, arm_compliance, grind
from treadle.process.hertz import hertz_contact
from treadle.process.identify import identify
from treadle.process.pad import Pad
from treadle.process.roughness import Roughness
from treadle.process.surface import Surface
from treadle.process.tool_path import ToolPath, path_on
from treadle.process.tune_feed import DepthGoal, removal
from treadle.process.tune_path import TunedPath, tune_path
from treadle.scenes.er10_900 import er10_900
from treadle.scenes.grinding import (
    JOINT_STIFFNESS,
    PAD_DOME,
    PAD_RADIUS,
    TOP,
    WORKPIECE_RADIUS,
    grinding,
    seam_height,
)
from treadle.studies.grinding_control import CONTROLS, WholeArm, compared
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Wanted force (N), feed (m/s), and half length of the path (m).
_FORCE, _FEED, _HALF = 5.0, 0.02, 0.06

#: Foundation modulus (Pa/m), Preston's k (1/Pa), speed of the abrasive (m/s).
_MODULUS, _PRESTON, _SPEED = 2e8, 2e-11, 5.0

#: Number of disturbed runs, and how far they are disturbed: stiffness, workpiece (m), seam.
_RUNS, _DISTURBANCES = 20, (0.02, 3e-6, 0.03)

#: The same where position control does not do: the workpiece is clamped to a tenth of a millimetre.
_LARGE = (0.2, 1e-4, 0.3)

#: Slowest and fastest feed (m/s) where it is tuned to a depth.
_FEEDS = (2e-3, 0.1)

#: Poses of inverse kinematics.
_MANY = 10_000

#: Roughness before and after, as the paper prints it, and a floor below both that the grit is taken to leave.
_FRESH, _GROUND, _FLOOR = 1.6396, 0.9166, 0.4

_COLUMNS = (
    Column("case", "case"),
    Column("value", "Treadle", ".6g"),
    Column("reference", "reference", ".6g"),
    Column("unit", "unit"),
)


def run(quick: bool, report: Report) -> Findings:
    """Tune the path and check the process; quick: on a coarse grid, with fewer runs."""
    rows: list[dict[str, Any]] = []
    task = _Task(1e-3 if quick else 5e-4)
    worlds = task.disturbed(5 if quick else _RUNS)
    report(0.0, "tuning the path")
    alone = tune_path(task.setup, task.surface, task.path, task.start, **task.options)
    report(0.2, f"tuning one path for {len(worlds)} disturbed runs")
    tuned = tune_path(worlds, task.surface, task.path, task.start, **task.options)
    arm = WholeArm()
    findings = Findings(_COLUMNS, rows, lambda: _draw(task, alone, tuned, arm))
    findings.checks += _tuning(rows, alone, tuned, len(worlds))
    report(0.4, "tuning the feed to a depth")
    findings.checks += _depths(rows, task, alone)
    for share, what, part in (
        (0.5, "pressing on a plane and a cylinder", _hertz(rows)),
        (0.55, "steps from 0.1 to 10 ms", _steps(rows, task, alone, quick)),
        (0.7, "control of the force", _controlled(rows, task, alone, 5 if quick else _RUNS)),
        (0.72, "control of the whole arm", _whole_arm(rows, task, arm, 2 if quick else _RUNS)),
        (0.8, "identifying contacts", _identified(rows, 4 if quick else 40)),
        (0.85, "inverse kinematics", _kinematics(rows, 2000 if quick else _MANY)),
    ):
        report(share, what)
        findings.checks += list(part)
    _roughness(rows, task, alone)
    findings.notes.append(
        f"arm {task.setup.arm.stiffness:.3g} N/m and {task.setup.arm.mass:.3g} kg at the tool, pad "
        f"{task.setup.pad.stiffness(_FORCE):.3g} N/m at {_FORCE:g} N in series, feed {_FEED * 1e3:g} mm/s; "
        f"the disturbances are stiffness +-{_DISTURBANCES[0]:.0%}, workpiece +-{_DISTURBANCES[1] * 1e6:g} um "
        f"and height of the seam +-{_DISTURBANCES[2]:.0%}, uniform"
    )
    return findings


class _Task:
    """The workpiece, the path, the arm over it and the process."""

    def __init__(self, spacing: float) -> None:
        x0, top, radius = TOP[0], TOP[2], WORKPIECE_RADIUS
        self.surface = Surface.of_function(
            lambda x, y: np.sqrt(radius**2 - (x - x0) ** 2) - radius + top + 0.0 * y,
            (x0 - _HALF - 0.02, x0 + _HALF + 0.02),
            (-0.02, 0.02),
            spacing,
        )
        self.seam = seam_height(*np.meshgrid(self.surface.x, self.surface.y))
        self.path: ToolPath = path_on(self.surface, [(x0 - _HALF, 0.0), (x0 + _HALF, 0.0)], 1e-3)
        model = grinding().compile()
        near = [0.0, 0.4, 0.3, 0.0, 0.9, 0.0]
        middle = self.path.poses()[len(self.path) // 2]
        q = inverse_kinematics(model, "pad_tip", middle, near, nearest=True).q
        arm = arm_compliance(model, q, "pad_tip", (0.0, 0.0, 1.0), JOINT_STIFFNESS)
        pad = Pad.foundation(_MODULUS, PAD_RADIUS, PAD_DOME)
        self.setup = GrindingSetup(pad, arm, preston=_PRESTON, speed=_SPEED)
        # what presses with the wanted force on a plane, with a rigid arm
        self.start = -pad.approach(_FORCE)
        self.options: dict[str, Any] = {"force": _FORCE, "feed": _FEED, "dt": 1e-2, "seam": self.seam}

    def disturbed(self, count: int, by: tuple[float, float, float] | None = None) -> list[GrindingSetup]:
        draw = np.random.default_rng(20)
        stiffness, offset, seam = by or _DISTURBANCES
        return [
            replace(
                self.setup,
                stiffness_factor=1.0 + draw.uniform(-stiffness, stiffness),
                offset=draw.uniform(-offset, offset),
                seam_factor=1.0 + draw.uniform(-seam, seam),
            )
            for _ in range(count)
        ]


def _tuning(rows: list[dict[str, Any]], alone: TunedPath, tuned: TunedPath, count: int) -> Iterator[Check]:
    for name, path in (("one run", alone), (f"{count} disturbed runs", tuned)):
        for k, step in enumerate(path.steps):
            for kind, value in (("mean", step.mean), ("largest", step.largest)):
                case = f"{name}, after {k} iterations: {kind} error of the force"
                rows.append({"case": case, "value": 100.0 * value, "unit": "%"})
        seconds = [step.seconds for step in path.steps]
        rows.append({"case": f"{name}: CPU time of an iteration", "value": max(seconds), "unit": "s"})
        rows.append({"case": f"{name}: CPU time in all", "value": sum(seconds), "unit": "s"})
    last = tuned.steps[-1]
    yield at_most("iterations", tuned.iterations, 5)
    yield at_most(f"mean error of the force in {count} disturbed runs (%)", 100.0 * last.mean, 2.75)
    yield at_most("largest error of the force there, seam included (%)", 100.0 * last.largest, 5.0)


def _depths(rows: list[dict[str, Any]], task: _Task, alone: TunedPath) -> Iterator[Check]:
    """Feeds at which the same depth is removed all along the path, the seam too; twice it; less force."""
    even = removal(
        task.setup, task.surface, task.path, alone.passes[0], np.full(len(task.path), _FEED), task.seam
    )
    usual = float(np.median(even.depth[even.whole]))
    before = np.abs(even.depth[even.whole] / usual - 1.0)
    rows.append({"case": "removed depth with one feed", "value": 1e6 * usual, "unit": "um"})
    rows.append({"case": "one feed: mean error of that depth", "value": 100.0 * before.mean(), "unit": "%"})
    shallow = {"limits": (0.8 * task.start, 0.0)}
    for name, share, limits in (
        ("the same depth", 1.0, {}),
        ("twice the depth", 2.0, {}),
        ("the same depth with less than the wanted force", 1.0, shallow),
    ):
        found = tune_path(
            task.setup, task.surface, task.path, task.start,
            depth=DepthGoal(share * usual, _FEEDS), **limits, **task.options,
        )  # fmt: skip
        last = found.steps[-1]
        numbers = (
            ("slowest feed", 1e3 * found.feeds.min(), "mm/s"),
            ("fastest feed", 1e3 * found.feeds.max(), "mm/s"),
            ("mean error of the force", 100.0 * last.mean, "%"),
            ("mean error of the depth", 100.0 * last.depth_mean, "%"),
        )
        rows.extend({"case": f"{name}: {what}", "value": x, "unit": unit} for what, x, unit in numbers)
        yield at_most(f"{name} by the feed: mean error, seam included (%)", 100.0 * last.depth_mean, 5.0)
        if not limits:
            yield at_most(f"{name} by the feed: mean error of the force (%)", 100.0 * last.mean, 2.75)


def _controlled(rows: list[dict[str, Any]], task: _Task, alone: TunedPath, count: int) -> Iterator[Check]:
    """Large disturbances under position, impedance and direct force control, at 1 kHz."""
    options = {"feed": _FEED, "dt": 1e-3, "seam": task.seam}
    mean: dict[str, float] = {}
    for name in ("position", "impedance", "force"):
        errors = []
        for world in task.disturbed(count, _LARGE):
            setup, offsets = world, alone.offsets
            if name == "impedance":
                setup, deeper = impedance_control(world, _FORCE)
                # the tuned path says where the surface is
                offsets = alone.offsets + deeper - task.start
            elif name == "force":
                setup = force_control(world, _FORCE)
            force = grind(setup, task.surface, task.path, offsets, **options).force
            # the first tenth of the path is where a controller finds the surface
            errors.append(np.abs(force[len(force) // 10 :] / _FORCE - 1.0))
        mean[name] = float(np.mean(errors))
        for kind, value in (("mean", mean[name]), ("largest", float(np.max(errors)))):
            case = f"{count} runs with large disturbances, {name} control: {kind} error of the force"
            rows.append({"case": case, "value": 100.0 * value, "unit": "%"})
    for name in ("impedance", "force"):
        yield at_least(
            f"error of position control by that of {name} control", mean["position"] / mean[name], 5
        )


def _whole_arm(rows: list[dict[str, Any]], task: _Task, arm: WholeArm, count: int) -> Iterator[Check]:
    yield from compared(rows, arm, task.disturbed(count), task.disturbed(count, _LARGE))


def _hertz(rows: list[dict[str, Any]]) -> Iterator[Check]:
    """A pad of an elastic half-space, pressed 0.4 mm onto a plane and onto the workpiece's cylinder."""
    young, poisson, depth = 1.5e6, 0.45, 4e-4
    from treadle.process.pad_contact import press

    for name, radius in (("plane", np.inf), ("cylinder", WORKPIECE_RADIUS)):
        fall = 0.0 if radius == np.inf else 1.0 / radius
        pad = Pad.hertz(young, 0.02, PAD_DOME, poisson, workpiece_curvature=0.5 * fall)
        surface = Surface.of_function(
            lambda x, y, bend=fall: -0.5 * bend * x**2 + 0.0 * y, (-0.01, 0.01), (-0.01, 0.01), 1e-4
        )
        grid = np.array([surface.x[0], surface.y[0], *surface.spacing])
        numbers = pad.coefficient, pad.exponent, pad.share, pad.radius, pad.dome
        tip, axis = np.array([0.0, 0.0, -depth]), np.array([0.0, 0.0, 1.0])
        force, _, _, peak = press(surface.heights, grid, tip, axis, numbers, 0.0)
        exact = hertz_contact(young / (1.0 - poisson**2), (1.0 / PAD_DOME + fall, 1.0 / PAD_DOME), depth)
        for what, value, reference, unit in (
            ("force", force, exact.force, "N"),
            ("largest pressure", peak, exact.pressure, "Pa"),
        ):
            case = f"pad on a {name}: {what} against Hertz"
            rows.append({"case": case, "value": value, "reference": reference, "unit": unit})
            yield at_most(f"{case}, error (%)", 100.0 * abs(value / reference - 1.0), 1.0)


def _steps(rows: list[dict[str, Any]], task: _Task, alone: TunedPath, quick: bool) -> Iterator[Check]:
    offsets = np.full(len(task.path), task.start)
    options = {"feed": _FEED, "seam": task.seam}
    sizes = (1e-3, 1e-2) if quick else (1e-4, 1e-3, 1e-2)
    runs = {dt: grind(task.setup, task.surface, task.path, offsets, dt=dt, **options) for dt in sizes}
    # the seam is in the middle: the first tenth of the path is away from it
    early = runs[1e-2].force[: len(runs[1e-2].force) // 10]
    rows.append(
        {"case": "force of the path as it was, away from the seam", "value": early.mean(), "unit": "N"}
    )
    yield at_most("force of the path as it was, away from the seam (N)", float(early.mean()), _FORCE)
    worst = 0.0
    for dt, found in runs.items():
        expected = found.expected_volume(task.setup)
        worst = max(worst, abs(found.volume / expected - 1.0))
        case = f"removed volume in steps of {dt * 1e3:g} ms"
        rows.append({"case": case, "value": found.volume * 1e9, "reference": expected * 1e9, "unit": "mm3"})
    yield at_most("removed volume against the integral of k F v dt, relative", worst, 1e-3)
    fine, coarse = runs[sizes[0]], runs[1e-2]
    error = np.abs(coarse.force - np.interp(coarse.path, fine.path, fine.force)) / fine.force.mean()
    yield at_most(
        f"forces in steps of 10 ms against {sizes[0] * 1e3:g} ms (%)", 100.0 * float(error.max()), 1.0
    )
    other = _Task(1.5 * task.surface.spacing[0])
    again = grind(other.setup, other.surface, other.path, alone.offsets, feed=_FEED, dt=1e-2, seam=other.seam)
    change = abs(again.volume / alone.passes[0].volume - 1.0)
    rows.append(
        {"case": "removed volume on a grid 1.5 times as coarse, change", "value": 100 * change, "unit": "%"}
    )
    yield at_most("removed volume on a grid 1.5 times as coarse, change (%)", 100.0 * change, 1.0)


def _identified(rows: list[dict[str, Any]], count: int) -> Iterator[Check]:
    """Impacts at random, with 5 % noise on every sample."""
    draw = np.random.default_rng(7)
    worst = np.zeros(2)
    for _ in range(count):
        mass, stiffness, restitution = (
            draw.uniform(0.5, 3.0),
            10.0 ** draw.uniform(4, 6),
            draw.uniform(0.3, 0.95),
        )
        times, forces, speeds = [], [], draw.uniform(0.2, 1.0, 5)
        for speed in speeds:
            t, f = _impact(mass, stiffness, restitution, speed)
            times.append(t)
            forces.append(f * (1.0 + 0.05 * draw.standard_normal(len(f))))
        found = identify(times, forces, mass=mass, speed=speeds)
        errors = abs(found.stiffness / stiffness - 1.0), abs(found.restitution / restitution - 1.0)
        worst = np.maximum(worst, errors)
    for name, value in zip(("stiffness", "restitution"), worst, strict=True):
        case = f"{name} identified from 5 noisy impacts, worst of {count}"
        rows.append({"case": case, "value": 100.0 * value, "unit": "% error"})
        yield at_most(f"{case}: error (%)", 100.0 * float(value), 2.0)


def _impact(mass: float, stiffness: float, restitution: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Samples of the closed form of an impact, before, during and after it."""
    ratio = -np.log(restitution) / np.hypot(pi, np.log(restitution))
    w0 = np.sqrt(stiffness / mass)
    w, r = w0 * np.sqrt(1.0 - ratio**2), ratio * w0
    t = np.linspace(-0.3 * pi / w, 1.4 * pi / w, 2000)
    x = speed / w * np.exp(-r * t) * np.sin(w * t)
    rate = speed * np.exp(-r * t) * (np.cos(w * t) - r / w * np.sin(w * t))
    force = stiffness * x + 2.0 * r * mass * rate
    return t, np.where((t >= 0.0) & (t <= pi / w), force, 0.0)


def _kinematics(rows: list[dict[str, Any]], count: int) -> Iterator[Check]:
    for name, model, frame in _arms():
        poses = random_poses(model, frame, count, seed=5)
        inverse_kinematics(model, frame, poses[:8])
        found, cpu = _timed(model, frame, poses)
        starts = int(np.where(found.solved, found.start + 1, 8).sum())
        share = 100.0 * float(found.solved.mean())
        rows.append(
            {"case": f"{name}: {count} random poses solved from 8 starts", "value": share, "unit": "%"}
        )
        rows.append({"case": f"{name}: CPU time per start", "value": 1e6 * cpu / starts, "unit": "us"})
        yield at_least(f"{name}: poses solved from 8 starts (%)", share, 99.9)
        if count >= _MANY:
            # a few poses are over before the starts are chosen
            yield at_most(f"{name}: CPU time per start (us)", 1e6 * cpu / starts, 10.0)


def _timed(model: Model, frame: str, poses: np.ndarray) -> tuple[InverseKinematics, float]:
    """What inverse kinematics finds from 8 starts, and the least CPU time (s) of three times the same."""
    runs = []
    for _ in range(3):
        begin = time.process_time()
        found = inverse_kinematics(model, frame, poses, starts=8)
        runs.append((found, time.process_time() - begin))
    return min(runs, key=lambda run: run[1])


def _arms() -> Iterator[tuple[str, Model, str]]:
    yield "ER10-900", er10_900().compile(), "tool0"
    for name, machine, frame in (("UR5", "ur5", "tool0"), ("Panda", "panda", "panda_hand")):
        try:
            yield name, load(MACHINES[machine].path), frame
        except MissingPeer:
            continue


def _roughness(rows: list[dict[str, Any]], task: _Task, alone: TunedPath) -> None:
    """Calibrated on the paper's two values with the work of one tuned pass."""
    force = float(alone.passes[0].force.mean())
    radius = np.sqrt(2.0 * PAD_DOME * task.setup.pad.approach(force))
    area = pi * radius**2
    dwell = 2.0 * radius / _FEED
    model = Roughness.calibrated(_FRESH, _GROUND, force / area * _SPEED * dwell, _FLOOR)
    for passes in (1, 2, 3):
        value = model.after(force / area, _SPEED, dwell, passes)
        reference = _GROUND if passes == 1 else None
        rows.append(
            {
                "case": f"Ra after {passes} pass{'es' if passes > 1 else ''}",
                "value": value,
                "reference": reference,
                "unit": "um",
            }
        )


def _draw(task: _Task, alone: TunedPath, tuned: TunedPath, arm: WholeArm) -> Figure:
    figure = new_figure(3)
    left, right, last = figure.axes
    options = {key: task.options[key] for key in ("feed", "dt", "seam")}
    before = grind(task.setup, task.surface, task.path, np.full(len(task.path), task.start), **options)
    at = 1e3 * before.path
    left.plot(at, before.force, color="tab:red", label="before")
    forces = np.array([one.force for one in tuned.passes])
    left.fill_between(
        at, forces.min(0), forces.max(0), color="tab:blue", alpha=0.25, label="one path, disturbed runs"
    )
    left.plot(at, alone.passes[0].force, color="tab:blue", label="tuned")
    left.axhline(_FORCE, color="black", linewidth=0.6, linestyle="--", label="wanted")
    left.set(xlabel="along the path (mm)", ylabel="normal force (N)", title="Force along the path")
    left.set_ylim(bottom=0.0)
    left.legend()
    removed = 1e6 * (task.surface.heights + task.seam - alone.passes[0].heights)
    x, y = 1e3 * (task.surface.x - TOP[0]), 1e3 * task.surface.y
    image = right.pcolormesh(x, y, removed, cmap="viridis", shading="nearest")
    figure.colorbar(image, ax=right, label="removed depth (um)")
    right.set(xlabel="x on the workpiece (mm)", ylabel="y (mm)", title="Removed in the tuned pass")
    world = replace(task.setup, offset=8e-5, seam_factor=1.3)
    for name in CONTROLS:
        last.plot(*arm.forces(name, world), label=name)
    last.axhline(_FORCE, color="black", linewidth=0.6, linestyle="--")
    last.set(xlabel="time (s)", ylabel="normal force (N)", title="Whole arm, workpiece 80 um too high")
    last.set_ylim(bottom=0.0)
    last.legend()
    return figure
