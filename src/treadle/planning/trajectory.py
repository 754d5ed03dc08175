"""Trajectories: joint positions over time, timed within limits, read at any time, and written to files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle._version import __version__
from treadle.errors import InputError
from treadle.extras import require
from treadle.model.model import Model
from treadle.model.values import path_of, real_array
from treadle.planning.timing import fastest_rates
from treadle.sim.recording.header import Header
from treadle.sim.recording.signals.signal import Layout
from treadle.sim.recording.writers import check_suffix, open_writer

__all__ = ["Trajectory"]

#: Points of the path at which its timing is computed, per waypoint and at least.
_PER_WAYPOINT, _LEAST = 8, 400


class Trajectory:
    """Positions and velocities of a machine's joints at any time from `start` to `end`.

    Between its `times` the positions are cubic. The machine's joints have one degree of freedom each.
    """

    def __init__(
        self, model: Model, times: ArrayLike, positions: ArrayLike, velocities: ArrayLike | None = None
    ) -> None:
        """Positions and velocities (times, nq); without velocities those of a cubic spline."""
        if model.nq != model.nv:
            raise InputError("a trajectory needs a machine whose joints have one degree of freedom each")
        interpolate: Any = require("scipy.interpolate", "a trajectory")
        self.model = model
        self.times = _array("times", times, (None,))
        if len(self.times) < 2 or (np.diff(self.times) <= 0.0).any():
            raise InputError("a trajectory needs at least two times that increase")
        shape = len(self.times), model.nq
        self.positions = _array("positions", positions, shape)
        if velocities is None:
            curve = interpolate.CubicSpline(self.times, self.positions)
            self.velocities = curve(self.times, 1)
        else:
            self.velocities = _array("velocities", velocities, shape)
        self._curve = interpolate.CubicHermiteSpline(self.times, self.positions, self.velocities)
        self.start, self.end = float(self.times[0]), float(self.times[-1])

    @classmethod
    def through(
        cls,
        model: Model,
        waypoints: ArrayLike,
        *,
        speeds: ArrayLike | None = None,
        accelerations: ArrayLike,
        lengths: ArrayLike | None = None,
        feed: ArrayLike | None = None,
    ) -> Trajectory:
        """The fastest motion along a smooth curve through positions (waypoints, nq), from rest to rest.

        `speeds` and `accelerations` are the joints' limits (nq; the speeds are the model's unless they are
        given). `lengths` are those of the tool's path up to every waypoint (m), and `feed` then the largest
        speed of the tool (m/s), one or one per waypoint.
        """
        if model.nq != model.nv:
            raise InputError("a trajectory needs a machine whose joints have one degree of freedom each")
        points = _array("waypoints", waypoints, (None, model.nq))
        if len(points) < 2:
            raise InputError("a trajectory needs at least two waypoints")
        limits = _joint_speeds(model) if speeds is None else _array("speeds", speeds, (model.nq,))
        accelerate = np.broadcast_to(_array("accelerations", accelerations, (model.nq,)), (model.nq,))
        if (limits <= 0.0).any() or (accelerate <= 0.0).any():
            raise InputError("limits of speed and acceleration must be positive")
        knots = _knots(points, lengths)
        s, q, slope, rates = _timed(points, knots, limits, accelerate, feed)
        times = np.concatenate([[0.0], np.cumsum(2.0 * np.diff(s) / (rates[:-1] + rates[1:]))])
        return cls(model, times, q, slope * rates[:, None])

    @property
    def duration(self) -> float:
        """Its time (s)."""
        return self.end - self.start

    def __call__(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities (nq) at a time (s)."""
        if not self.start <= time <= self.end:
            raise InputError(f"the trajectory goes from {self.start:g} to {self.end:g} s, not to {time!r}")
        return self._curve(time), self._curve(time, 1)

    def sampled(self, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, positions and velocities at so many samples per second, the end included."""
        if not np.isfinite(rate) or rate <= 0.0:
            raise InputError(f"the rate of samples must be positive, not {rate!r}")
        times = np.append(np.arange(self.start, self.end - 1e-12, 1.0 / rate), self.end)
        return times, self._curve(times), self._curve(times, 1)

    def save(self, path: str | PathLike[str], rate: float = 1000.0) -> None:
        """Write samples to a .csv, .parquet or .mcap file; the latter two are recordings of positions."""
        target = path_of(path)
        times, q, v = self.sampled(rate)
        if target.suffix.lower() == ".csv":
            names = [joint.name for joint in self.model.joints]
            with target.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(["time", *names, *[f"{name} velocity" for name in names]])
                writer.writerows(np.column_stack([times, q, v]).tolist())
            return
        check_suffix(target)
        writer = open_writer(target, self._header(rate))
        writer.add(np.column_stack([times, q, v]))
        writer.finish()

    def _header(self, rate: float) -> Header:
        joints = self.model.joints
        signals = [
            Layout(f"joint.{joint.name}.{kind}", (), (unit,), False)
            for kind, units in (("position", "position_units"), ("velocity", "velocity_units"))
            for joint in joints
            for unit in getattr(joint.type, units)
        ]
        return Header(
            model=self.model.name,
            treadle=__version__,
            integrator="trajectory",
            options={},
            dt=1.0 / rate,
            rate=rate,
            joints=tuple((joint.name, joint.type.nq) for joint in joints),
            signals=tuple(signals),
            start={},
        )


def _timed(
    points: np.ndarray,
    knots: np.ndarray,
    limits: np.ndarray,
    accelerations: np.ndarray,
    feed: ArrayLike | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Path parameters, positions, slopes dq/ds and rates ds/dt of the fastest timing."""
    interpolate: Any = require("scipy.interpolate", "a trajectory")
    curve = interpolate.CubicSpline(knots, points, bc_type="not-a-knot" if len(points) > 2 else "natural")
    s = np.linspace(knots[0], knots[-1], max(_PER_WAYPOINT * len(points), _LEAST))
    slope = curve(s, 1)
    most = (limits / np.maximum(np.abs(slope), 1e-12)).min(axis=1)
    if feed is not None:
        given = _array("feed", np.broadcast_to(np.asarray(feed, dtype=float), (len(points),)), (len(points),))
        if (given <= 0.0).any():
            raise InputError("the feed must be positive")
        most = np.minimum(most, np.interp(s, knots, given))
    return s, curve(s), slope, fastest_rates(s, slope, curve(s, 2), most, accelerations)


def _knots(points: np.ndarray, lengths: ArrayLike | None) -> np.ndarray:
    """Path parameters of the waypoints: lengths of the tool's path, or of the chords in joint space."""
    if lengths is not None:
        knots = _array("lengths", lengths, (len(points),))
    else:
        knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if (np.diff(knots) <= 0.0).any():
        raise InputError("no two waypoints in a row may be the same, and their lengths must increase")
    return knots


def _joint_speeds(model: Model) -> np.ndarray:
    speeds = np.array([joint.speed[0] if joint.speed else np.inf for joint in model.joints])
    if not np.isfinite(speeds).all():
        name = model.joints[int(np.argmax(~np.isfinite(speeds)))].name
        raise InputError(f"the joint {name!r} has no limit of speed: give speeds=")
    return speeds


def _array(name: str, value: ArrayLike, shape: Sequence[int | None]) -> np.ndarray:
    try:
        numbers = real_array(value)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    fits = len(numbers.shape) == len(shape) and all(
        n in (None, m) for n, m in zip(shape, numbers.shape, strict=True)
    )
    if not fits or not np.isfinite(numbers).all():
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{name} must be finite numbers of the shape {wanted}, not {numbers.shape}")
    return numbers
