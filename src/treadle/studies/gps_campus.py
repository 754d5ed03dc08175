"""GPS on a campus: satellites and errors near buildings.

The experiment of Wang, "Interactive virtual prototyping of a mechanical system considering the environment
effect" (2011), on a campus of its own: a rover with a GPS receiver drives around buildings at the place and
with the nominal satellites of the publication; path and number of satellites with and without the buildings.
Before that, the constellation over a sidereal day, and the errors in the open against their budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.scenes import scene
from treadle.scenes.rovers.campus import BUILDINGS
from treadle.scenes.rovers.landtamer import HALF_TRACK, RADIUS
from treadle.sensors.gps import GpsFix, GpsReceiver, GpsSettings, Site
from treadle.sensors.gps.solution import dilutions
from treadle.sensors.rays import RayScene
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["drive", "run"]

#: Where and when: the institute of the publication, in the early afternoon.
SITE, START = Site(39.98, 116.33, 50.0), datetime(2008, 7, 1, 5, 40)

SIDEREAL_DAY = 86164.1

#: Mean number of visible satellites and median PDOP by mask (deg) that the nominal constellation has there.
EXPECTED = {5.0: (7.61, 1.81), 15.0: (5.93, 2.65)}

#: The way of the rover (m): open ground, around the laboratory, through the streets, along the tower, back.
WAY = (
    (-95.0, -70.0), (20.0, -72.0), (88.0, -62.0), (86.0, 20.0), (76.0, 68.0), (34.0, 64.0), (30.0, 56.0),
    (30.0, 32.0), (24.0, 25.5), (-26.0, 25.5), (-31.0, 18.0), (-31.0, -1.0), (-24.0, -5.0), (30.0, -5.0),
    (34.0, -14.0), (20.0, -22.0), (-76.0, -18.0), (-92.0, -30.0), (-95.0, -66.0),
)  # fmt: skip

SPEED = 2.5

#: Distances (m) from the nearest wall from which on ground is open, and up to which it is close to buildings.
OPEN, CLOSE = 25.0, 10.0

_COLUMNS = (
    Column("case", "case"),
    Column("satellites", "satellites", ".2f"),
    Column("fewest", "fewest", ".0f"),
    Column("most", "most", ".0f"),
    Column("pdop", "median PDOP", ".2f"),
    Column("rms", "rms error (m)", ".2f"),
    Column("budget", "sigma x DOP (m)", ".2f"),
    Column("fixes", "fixes (%)", ".0f"),
)


@dataclass
class Track:
    """The drive, once per second: time (s), position and velocity of the antenna, distance from walls."""

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    clearance: np.ndarray


def run(quick: bool, report: Report) -> Findings:
    """The constellation, the errors in the open, and the drive; quick: fewer receivers and moments."""
    findings = Findings(_COLUMNS, [], lambda: _draw(track, drives, walls), timed=False)
    report(0.0, "the sky over a sidereal day")
    for mask in (5.0, 10.0, 15.0, 30.0):
        findings.rows.append(_sky_row(mask, 120.0 if quick else 60.0))
    report(0.2, "errors in the open")
    findings.rows.append(_open_row(6 if quick else 20))
    report(0.4, "the drive")
    track = drive()
    walls = RayScene(scene("campus"), links=("world",))
    drives = {}
    for name, obstacles in (("no buildings", None), ("buildings", walls)):
        report(0.5 if obstacles is None else 0.6, name)
        seeds = range(2 if quick else 8)
        drives[name] = [_fixes(track, obstacles, seed) for seed in seeds]
        findings.rows += _drive_rows(track, drives[name], name)
    findings.checks = _checks(findings.rows, [fix for fixes in drives["buildings"] for fix in fixes])
    return findings


def drive() -> Track:
    """Simulate LandTamer along the way: its sides follow the heading to a point some metres ahead."""
    model = scene("campus")
    sim = Simulation(model, dt=0.02)
    way = _dense(np.array(WAY))
    samples, near = [], 0
    while near < len(way) - 1 and sim.time < 900.0:
        pose = sim.body("hull").pose
        near += int(np.argmin(np.linalg.norm(way[near : near + 30] - pose[:2, 3], axis=1)))
        ahead = way[min(near + 10, len(way) - 1)] - pose[:2, 3]
        error = np.arctan2(ahead[1], ahead[0]) - np.arctan2(pose[1, 0], pose[0, 0])
        error = (error + np.pi) % (2.0 * np.pi) - np.pi
        # wheels of a skid-steered vehicle have to turn more than those of one that rolls
        turn = 2.5 * float(np.clip(1.2 * error, -0.5, 0.5)) * HALF_TRACK
        for actuator in model.actuators:
            side = -1.0 if "left" in actuator.name else 1.0
            sim.actuator(actuator.name).command = (SPEED + side * turn) / RADIUS
        if round(sim.time / 0.02) % 50 == 0:
            gps = sim.body("gps")
            samples.append((sim.time, gps.position, gps.velocity[3:]))
        sim.step(5)
    time, position, velocity = (np.array(column) for column in zip(*samples, strict=True))
    return Track(time, position, velocity, _clearance(position))


def _dense(corners: np.ndarray) -> np.ndarray:
    """Points of a polygon half a metre apart."""
    parts = []
    for a, b in pairwise(corners):
        count = max(1, round(float(np.linalg.norm(b - a)) / 0.5))
        parts.append(a + (b - a) * (np.arange(count) / count)[:, None])
    return np.vstack([*parts, corners[-1]])


def _clearance(position: np.ndarray) -> np.ndarray:
    """Distance (m) over ground from the nearest wall."""
    gaps = []
    for building in BUILDINGS:
        gap = np.abs(position[:, :2] - building.middle) - 0.5 * np.array(building.lengths)
        gaps.append(np.linalg.norm(np.maximum(gap, 0.0), axis=1))
    return np.min(gaps, axis=0)


def _sky_row(mask: float, interval: float) -> dict[str, Any]:
    """Visible satellites and PDOP over a sidereal day."""
    receiver = GpsReceiver(SITE, START, settings=GpsSettings(mask=np.radians(mask)))
    counts, pdops = [], []
    for time in np.arange(0.0, SIDEREAL_DAY, interval):
        sky = receiver.sky(time)
        counts.append(int(sky.visible.sum()))
        pdops.append(dilutions(sky.directions[sky.visible]).pdop)
    pdops = np.array(pdops)
    return {
        "case": f"day, mask {mask:g} deg",
        "mask": mask,
        "satellites": float(np.mean(counts)),
        "fewest": min(counts),
        "most": max(counts),
        "pdop": float(np.median(pdops[np.isfinite(pdops)])),
        "fixes": 100.0 * float(np.mean(np.array(counts) >= 4)),
    }


def _open_row(receivers: int) -> dict[str, Any]:
    """Errors of receivers at rest in the open over a day, against the root of the mean of (sigma PDOP)^2."""
    errors, expected, counts, pdops = [], [], [], []
    for seed in range(receivers):
        receiver = GpsReceiver(SITE, START, seed=1000 + seed)
        sigma = receiver.settings.budget.total
        # moments between which errors have changed, others for every receiver
        for time in np.arange(97.0 * seed, SIDEREAL_DAY, 3600.0):
            fix = receiver.measure(time, (0.0, 0.0, 0.0))
            errors.append(fix.position @ fix.position)
            expected.append((sigma * fix.dop.pdop) ** 2)
            counts.append(fix.satellites)
            pdops.append(fix.dop.pdop)
    return {
        "case": "day, at rest",
        "satellites": float(np.mean(counts)),
        "fewest": min(counts),
        "most": max(counts),
        "pdop": float(np.median(pdops)),
        "rms": float(np.sqrt(np.mean(errors))),
        "budget": float(np.sqrt(np.mean(expected))),
        "fixes": 100.0,
    }


def _fixes(track: Track, obstacles: RayScene | None, seed: int) -> list[GpsFix]:
    receiver = GpsReceiver(SITE, START, obstacles=obstacles, seed=seed)
    return [
        receiver.measure(t, p, v)
        for t, p, v in zip(track.time.tolist(), track.position, track.velocity, strict=True)
    ]


def _drive_rows(track: Track, drives: list[list[GpsFix]], name: str) -> list[dict[str, Any]]:
    """Rows of the open part of the way and of that close to buildings."""
    rows = []
    sigma = GpsSettings().budget.total
    for zone, chosen in (("open", track.clearance >= OPEN), ("walls", track.clearance <= CLOSE)):
        fixes = [fix for fixes in drives for fix, kept in zip(fixes, chosen, strict=True) if kept]
        places = [p for _ in drives for p, kept in zip(track.position, chosen, strict=True) if kept]
        errors = [fix.position - p for fix, p in zip(fixes, places, strict=True) if fix.valid]
        counts = [fix.satellites for fix in fixes]
        pdops = [fix.dop.pdop for fix in fixes if fix.valid]
        rows.append(
            {
                "case": f"{zone}, {name}",
                "zone": zone,
                "buildings": name,
                "satellites": float(np.mean(counts)),
                "fewest": min(counts),
                "most": max(counts),
                "pdop": float(np.median(pdops)),
                "rms": float(np.sqrt(np.mean(np.sum(np.square(errors), axis=1)))),
                "budget": float(sigma * np.sqrt(np.mean(np.square(pdops)))),
                "fixes": 100.0 * float(np.mean([fix.valid for fix in fixes])),
            }
        )
    return rows


def _checks(rows: list[dict[str, Any]], fixes: list[GpsFix]) -> list[Check]:
    by_mask = {row["mask"]: row for row in rows if "mask" in row}
    checks = []
    for mask, (satellites, pdop) in EXPECTED.items():
        row = by_mask[mask]
        name = f"mask {mask:g} deg"
        checks.append(
            at_most(
                f"{name}: visible satellites, off {satellites} by", abs(row["satellites"] - satellites), 0.02
            )
        )
        checks.append(at_most(f"{name}: median PDOP, off {pdop} by", abs(row["pdop"] - pdop), 0.02))
    checks.append(at_least("mask 5 deg: fewest satellites", by_mask[5.0]["fewest"], 6))
    checks.append(at_most("mask 5 deg: most satellites", by_mask[5.0]["most"], 10))
    rest = next(row for row in rows if row["case"] == "day, at rest")
    checks.append(
        at_most(
            "in the open: rms error off sigma x DOP by (%)",
            100.0 * abs(rest["rms"] / rest["budget"] - 1.0),
            10.0,
        )
    )
    near = {row["buildings"]: row for row in rows if row.get("zone") == "walls"}
    free, hidden = near["no buildings"], near["buildings"]
    checks.append(
        at_least(
            "close to walls: satellites that buildings hide", free["satellites"] - hidden["satellites"], 1.0
        )
    )
    checks.append(
        at_least("close to walls: rms error with buildings by that without", hidden["rms"] / free["rms"], 1.2)
    )
    few = [fix for fix in fixes if fix.satellites < 4]
    checks.append(at_least("moments with fewer than four satellites", len(few), 1))
    checks.append(at_most("fixes among them", sum(fix.valid for fix in few), 0))
    return checks


def _draw(track: Track, drives: dict[str, list[list[GpsFix]]], walls: RayScene) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(15.0, 9.0), dpi=130, layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1.0), height_ratios=(1.0, 1.0))
    plan, time, sky = figure.add_subplot(grid[:, 0]), figure.add_subplot(grid[0, 1]), None
    sky = figure.add_subplot(grid[1, 1], projection="polar")
    for building in BUILDINGS:
        low = np.array(building.middle) - 0.5 * np.array(building.lengths)
        plan.add_patch(Rectangle(tuple(low), *building.lengths, facecolor="#c9c4bb", edgecolor="#6d675f"))
        plan.annotate(
            f"{building.name}\n{building.height:.0f} m", building.middle, ha="center", va="center",
            fontsize=8, color="#4a453f",
        )  # fmt: skip
    _draw_plan(plan, track, drives)
    _draw_counts(time, track, drives)
    _draw_sky(sky, track, walls)
    return figure


_COLORS = {"no buildings": "#2a7ab9", "buildings": "#d1495b"}


def _draw_plan(plan: Any, track: Track, drives: dict[str, list[list[GpsFix]]]) -> None:
    plan.plot(*track.position[:, :2].T, color="black", lw=1.6, label="true path", zorder=3)
    for name, runs in drives.items():
        fixes = np.array([fix.position[:2] for fix in runs[0]])
        plan.plot(*fixes.T, ".-", ms=3, lw=0.7, color=_COLORS[name], label=f"fixes, {name}", zorder=2)
    lost = np.array([not fix.valid for fix in drives["buildings"][0]])
    plan.plot(*track.position[lost, :2].T, "x", color="#f4a100", ms=6, mew=1.8, label="no fix", zorder=4)
    plan.plot(*track.position[0, :2], "o", color="black", ms=7)
    plan.annotate("start", track.position[0, :2], xytext=(6, -12), textcoords="offset points")
    plan.set(xlabel="east (m)", ylabel="north (m)", title="Path", xlim=(-118, 112), ylim=(-95, 95))
    plan.set_aspect("equal")
    plan.grid(alpha=0.25)
    plan.legend(loc="upper left", framealpha=0.95)


def _draw_counts(axes: Any, track: Track, drives: dict[str, list[list[GpsFix]]]) -> None:
    for name, runs in drives.items():
        counts = [fix.satellites for fix in runs[0]]
        axes.step(track.time, counts, where="post", color=_COLORS[name], lw=1.4, label=name)
    axes.axhline(4, color="black", lw=0.8, ls=":", label="needed for a fix")
    _shade_close(axes, track)
    axes.set(xlabel="time (s)", ylabel="satellites", title="Satellites in view", ylim=(0, 11.5))
    axes.set_xlim(0.0, track.time[-1])
    axes.grid(alpha=0.25)
    axes.legend(loc="upper right", ncols=4, fontsize=8)


def _shade_close(axes: Any, track: Track) -> None:
    """Mark the time spent close to buildings."""
    close = np.concatenate([[False], track.clearance <= CLOSE, [False]]).astype(int)
    starts, ends = np.flatnonzero(np.diff(close) == 1), np.flatnonzero(np.diff(close) == -1)
    for k, (a, b) in enumerate(zip(starts, ends)):
        label = f"within {CLOSE:.0f} m of walls" if k == 0 else None
        axes.axvspan(
            track.time[a], track.time[min(b, len(track.time) - 1)], color="#c9c4bb", alpha=0.5, label=label
        )


def _draw_sky(axes: Any, track: Track, walls: RayScene) -> None:
    """The sky from between the tower and the library: what is hidden, and the satellites' tracks."""
    receiver = GpsReceiver(SITE, START, obstacles=walls)
    k = int(np.argmin(np.linalg.norm(track.position[:, :2] - (-8.0, 25.5), axis=1)))
    place = track.position[k]
    azimuth, elevation = np.linspace(0.0, 2.0 * np.pi, 361), np.radians(np.linspace(0.0, 90.0, 91))
    A, E = np.meshgrid(azimuth, elevation, indexing="ij")
    ways = np.stack([np.cos(E) * np.sin(A), np.cos(E) * np.cos(A), np.sin(E)], axis=-1).reshape(-1, 3)
    hidden = walls.occluded(place, ways).reshape(A.shape)
    axes.contourf(A, 90.0 - np.degrees(E), hidden.astype(float), levels=(0.5, 1.5), colors=["#c9c4bb"])
    skies = [receiver.sky(t, place) for t in np.arange(track.time[k] - 3600.0, track.time[k] + 3601.0, 300.0)]
    now = receiver.sky(float(track.time[k]), place)
    for i in range(len(now.prn)):
        risen = np.array([s.elevation[i] > 0.0 for s in skies])
        if not risen.any():
            continue
        a = np.array([s.azimuth[i] for s in skies])
        e = np.array([90.0 - np.degrees(s.elevation[i]) for s in skies])
        a, e = np.where(risen, a, np.nan), np.where(risen, e, np.nan)
        axes.plot(a, e, color="#9a9a9a", lw=0.8, zorder=2)
        if now.elevation[i] > 0.0:
            color = "#2a7ab9" if now.visible[i] else "#d1495b"
            at = (now.azimuth[i], 90.0 - np.degrees(now.elevation[i]))
            axes.plot(*at, "o", ms=12, color=color, zorder=3)
            axes.annotate(str(now.prn[i]), at, ha="center", va="center", color="white", fontsize=7, zorder=4)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_rlim(0.0, 90.0)
    axes.set_yticks([30, 60, 85], ["60°", "30°", "5°"], fontsize=7)
    axes.set_xticks(np.radians([0, 90, 180, 270]), ["N", "E", "S", "W"])
    axes.set_title("Sky in the street: visible (blue), hidden or low (red), tracks of two hours", fontsize=10)
