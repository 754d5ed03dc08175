"""A roadheader cuts a slot into rock: volume, head torque, specific energy.

No measured record of such a cut is at hand. The picks' forces are those of a stated law (Evans), the volume
is compared with that of the head's swept envelope, and the torque with the closed form of constant chips.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.process.rock_cutting import RockCutting
from treadle.process.rock_face import RockFace
from treadle.scenes import scene
from treadle.sim.simulation import Simulation
from treadle.studies.rock_rig import RigRun, closed_torque, run_rig
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Slot", "cut_slot", "run", "swept_volume"]

#: How deep the head sumps (m), and how far it swings to both sides (rad).
_DEPTH, _SWING = 0.62, 0.125

#: Speed of the head (rad/s), of advancing (m/s) and of slewing (rad/s).
_SPEED, _ADVANCE, _SLEW = 5.5, 0.06, 0.022

#: Seconds between commands, and of the turning in place at the ends.
_EVERY, _DWELL = 0.05, 1.5

#: Points by which the swept volume is counted, and steps from one pose of the head to the next there.
_POINTS, _STRIDE = 1 << 17, 8

_COLUMNS = (
    Column("case", "case"),
    Column("value", "Treadle", ".5g"),
    Column("reference", "reference", ".5g"),
    Column("unit", "unit"),
)


def run(quick: bool, report: Report) -> Findings:
    """Cut the slot and check it; quick: a narrow slot and fewer cases."""
    rows: list[dict[str, Any]] = []
    checks: list[Check] = []
    report(0.0, "a head on a rig")
    checks += list(_rig(rows, quick))
    report(0.3, "cutting the slot")
    slot = cut_slot(swing=0.03 if quick else _SWING, depth=0.2 if quick else _DEPTH)
    report(0.8, "the swept volume")
    checks += list(_slot(rows, slot, quick))
    findings = Findings(_COLUMNS, rows, lambda: _draw(slot), checks)
    rock, pick = slot.cutting.rock, slot.cutting.pick
    findings.notes.append(
        f"rock of {rock.compressive / 1e6:g} MPa in compression and {rock.tensile / 1e6:g} MPa in tension, "
        f"conical picks of {2.0 * np.degrees(pick.half_angle):g} deg, {pick.law}, mean force a third of the "
        f"peak, normal force {pick.normal:g} of the cutting force; chosen, not measured"
    )
    return findings


@dataclass
class Slot:
    """A run that cut a slot: the process at its end, and what was seen at every step.

    `series` (steps, 6): time (s), torque (N m), power (W), volume (m3), slew cylinder force (N), lumps that
    fell. `poses` (steps, 4, 4) are those of the head; `cpu` is the CPU time (s) of every second.
    """

    cutting: RockCutting
    series: np.ndarray
    poses: np.ndarray
    cpu: np.ndarray


def cut_slot(swing: float = _SWING, depth: float = _DEPTH, dt: float | None = None, **options: Any) -> Slot:
    """Sump in by advancing, swing from the right to the left, and turn in place at both ends."""
    model = scene("roadheader-cutting", uneven=0.0, **options)
    sim = Simulation(model, dt=dt)
    cutting = cast(RockCutting, sim.processes["rock"])
    pilot = _Pilot(sim, cutting, swing, depth)
    sim.step()
    stride = max(1, round(_EVERY / sim.dt))
    series, poses, cpu = [], [], []
    spent, second = 0.0, 1.0
    while pilot.command():
        for _ in range(stride):
            begin = time.process_time()
            sim.step()
            spent += time.process_time() - begin
            force = sim.actuator("slew_left").force
            fallen = 0 if cutting.lumps is None else cutting.lumps.released
            series.append((sim.time, cutting.torque, cutting.power, cutting.volume, force, fallen))
            poses.append(sim.body("cutting_head").pose.copy())
        if sim.time >= second:
            cpu.append(spent)
            spent, second = 0.0, second + 1.0
    return Slot(cutting, np.array(series), np.array(poses), np.array(cpu))


class _Pilot:
    """Commands the drives from what the joints do, stage by stage."""

    def __init__(self, sim: Simulation, cutting: RockCutting, swing: float, depth: float) -> None:
        self._sim, self._swing = sim, swing
        face = cutting.face
        out, origin = face.X_WS[:3, 2], face.X_WS[:3, 3]
        self._in = lambda: float((origin - sim.body("head_tip").pose[:3, 3]) @ out)
        self._depth = depth
        self._stages = iter((self._start, self._sump, self._dwell, self._swing_left, self._dwell))
        self._stage, self._since = next(self._stages), sim.time

    def command(self) -> bool:
        """Command the drives; False when all is done."""
        while self._stage():
            following = next(self._stages, None)
            if following is None:
                return False
            self._stage, self._since = following, self._sim.time
        return True

    def _drive(self, advance: float = 0.0, slew: float = 0.0) -> None:
        sim = self._sim
        sim.actuator("cutter").command = _SPEED
        sim.actuator("gather_left").command, sim.actuator("gather_right").command = 2.5, 2.5
        sim.actuator("advance").command = advance
        # the valves follow the wanted speed of the joint
        valve = 16.0 * slew + 8.0 * (slew - sim.joint("slew").velocity) if slew else 0.0
        valve = float(np.clip(valve, -1.0, 1.0))
        sim.actuator("slew_left").command, sim.actuator("slew_right").command = -valve, valve

    def _start(self) -> bool:
        # to the right end before the cutter meets rock
        missing = -self._swing - self._sim.joint("slew").position
        self._drive(slew=float(np.clip(missing, -0.03, 0.03)) if abs(missing) > 1e-3 else 0.0)
        return bool(abs(missing) <= 1e-3 and self._sim.time > 1.5)

    def _sump(self) -> bool:
        self._drive(advance=_ADVANCE)
        return self._in() >= self._depth

    def _swing_left(self) -> bool:
        self._drive(slew=_SLEW)
        return bool(self._sim.joint("slew").position >= self._swing)

    def _dwell(self) -> bool:
        self._drive()
        return self._sim.time - self._since > _DWELL


def swept_volume(poses: np.ndarray, cutting: RockCutting, points: int = _POINTS) -> tuple[float, float]:
    """Volume (m3) of the rock that the head's envelope went through, by counting points; and its error.

    The points are evenly spread over the box around the cut (Sobol); each is tested against the head's
    outline at all poses. Half of the points each give two results, whose difference is the error.
    """
    from scipy.stats import qmc

    face, head = cutting.face, cutting.head
    to_face = np.linalg.inv(face.X_WS)
    local = to_face @ poses
    middles = local[:, :3, 3] + 0.5 * head.reach * local[:, :3, 0]
    low, high = middles.min(axis=0) - head.reach, middles.max(axis=0) + head.reach
    low[2], high[2] = face.heights.min() - 0.05, float(face.fresh.max())
    sample = low + (high - low) * qmc.Sobol(3, rng=3).random(points)
    inside = np.zeros(points, dtype=bool)
    outline = np.vstack([head.outline, [[head.outline[-1, 0], 0.0]]])
    for X in local:
        left = np.flatnonzero(~inside)
        away = sample[left] - X[:3, 3]
        along = away @ X[:3, 0]
        across = np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0.0))
        radius = np.interp(along, outline[:-1, 0], outline[:-1, 1])
        inside[left] = (along >= outline[0, 0]) & (along <= outline[-1, 0]) & (across <= radius)
    box = float(np.prod(high - low))
    halves = box * inside[::2].mean(), box * inside[1::2].mean()
    return 0.5 * (halves[0] + halves[1]), 0.5 * abs(halves[0] - halves[1])


def _rig(rows: list[dict[str, Any]], quick: bool) -> Iterator[Check]:
    cases = [RigRun("across"), RigRun("axial")]
    if not quick:
        cases += [RigRun(way, law=law) for way in ("across", "axial") for law in ("goktan", "roxborough-liu")]
        cases += [RigRun("across", feed=0.04), RigRun("across", speed=2.9), RigRun("axial", feed=0.03)]
        cases += [RigRun("across", dt=dt) for dt in (1e-3, 2e-2)]
    worst = 0.0
    for case in cases:
        found, expected = run_rig(case), closed_torque(case)
        worst = max(worst, abs(found.torque / expected - 1.0))
        speeds = f"{case.feed:g} m/s, {case.speed:g} rad/s"
        name = f"rig, fed {case.way} at {speeds}, {case.law}, {1e3 * case.dt:g} ms"
        rows.append({"case": f"{name}: torque", "value": found.torque, "reference": expected, "unit": "N m"})
    yield at_most("torque of a head on a rig against the closed form (%)", 100.0 * worst, 2.0)


def _slot(rows: list[dict[str, Any]], slot: Slot, quick: bool) -> Iterator[Check]:
    cutting, series = slot.cutting, slot.series
    swept, error = swept_volume(slot.poses[::_STRIDE], cutting, _POINTS // 8 if quick else _POINTS)
    width, height, depth = _size(cutting.face)
    busy = series[:, 2] > 1e3
    for case, value, reference, unit in (
        ("slot: width", width, None, "m"),
        ("slot: height", height, None, "m"),
        ("slot: depth", depth, None, "m"),
        ("slot: removed volume, against the swept envelope", cutting.volume, swept, "m3"),
        ("slot: error of the swept volume", error, None, "m3"),
        ("slot: mean power while cutting", series[busy, 2].mean() / 1e3, None, "kW"),
        ("slot: largest torque", series[:, 1].max() / 1e3, None, "kN m"),
        ("slot: largest force of a slewing cylinder", np.abs(series[:, 4]).max() / 1e3, None, "kN"),
        ("slot: specific energy", cutting.specific_energy / 1e6, None, "MJ/m3"),
        ("slot: lumps that fell", series[-1, 5], None, "1"),
        ("slot: simulated time", series[-1, 0], None, "s"),
        ("slot: real-time factor, mean", len(slot.cpu) / slot.cpu.sum(), None, "1"),
        ("slot: real-time factor, slowest second", 1.0 / slot.cpu.max(), None, "1"),
    ):
        rows.append({"case": case, "value": float(value), "reference": reference, "unit": unit})
    yield at_most(
        "removed volume against the swept envelope (%)", 100.0 * abs(cutting.volume / swept - 1.0), 1.0
    )
    balance = abs(cutting.face.removed / cutting.volume - 1.0)
    yield at_most("removed volume, step by step against the face (relative)", balance, 1e-9)
    if not quick:
        yield at_least("width of the slot (m)", width, 2.0)
        yield at_least("height of the slot (m)", height, 1.0)
        yield at_least("lumps that fell", float(series[-1, 5]), 12)
        yield at_least("real-time factor with lumps, mean (CPU time)", len(slot.cpu) / slot.cpu.sum(), 1.0)
        yield at_least("real-time factor with lumps, slowest second (CPU time)", 1.0 / slot.cpu.max(), 1.0)


def _size(face: RockFace) -> tuple[float, float, float]:
    """Largest width, height and depth (m) of what was cut."""
    cut = face.fresh - face.heights > 1e-3
    width = face.surface.spacing[0] * float(cut.sum(axis=1).max())
    height = face.surface.spacing[1] * float(cut.sum(axis=0).max())
    return width, height, float((face.fresh - face.heights).max())


def _draw(slot: Slot) -> Figure:
    figure = new_figure(3)
    before, after, right = figure.axes
    face, series = slot.cutting.face, slot.series
    x, y = face.surface.x, face.surface.y + face.X_WS[2, 3]
    limit = float((face.fresh - face.heights).max())
    for axes, heights, title in ((before, face.fresh, "Face before"), (after, face.heights, "Face after")):
        image = axes.pcolormesh(
            x, y, face.fresh - heights, cmap="YlOrBr", shading="nearest", vmin=0.0, vmax=limit
        )
        axes.set(xlabel="across, as the driver sees it (m)", ylabel="above the floor (m)", title=title)
        axes.set_aspect("equal")
    figure.colorbar(image, ax=after, label="removed depth (m)")
    # over about a turn of the head
    count = max(1, round(1.0 / (series[1, 0] - series[0, 0])))
    smooth = np.convolve(series[:, 2], np.ones(count) / count, "same")
    right.plot(series[:, 0], smooth / 1e3, color="tab:blue", label="power of the picks")
    right.plot(series[:, 0], series[:, 1] / 1e3, color="tab:gray", linewidth=0.4, label="torque (kN m)")
    right.set(xlabel="time (s)", ylabel="kW, kN m", title="Cutting")
    energy = np.cumsum(series[:, 2]) * (series[1, 0] - series[0, 0])
    other = right.twinx()
    known = series[:, 3] > 1e-3
    other.plot(series[known, 0], energy[known] / series[known, 3] / 1e6, color="tab:red")
    other.set_ylabel("specific energy so far (MJ/m3)", color="tab:red")
    right.legend(loc="upper left")
    return figure
