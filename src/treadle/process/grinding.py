"""Grinding: a pad on an arm under position control goes over a workpiece, presses on it and wears it away.

Material is removed after Preston, dh/dt = k p v, cell by cell under the pressure of the pad, and the pad
touches what is left. The normal force is that of the compliant contact in series with the arm (see
`pad_contact`); the tangential force is a share of it, by friction or by the energy that a volume takes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics.compiled import frame_jacobian, mass_matrix
from treadle.errors import InputError
from treadle.extras import require
from treadle.model.model import Model
from treadle.model.values import real_numbers
from treadle.process.pad import Pad
from treadle.process.surface import Surface
from treadle.process.tool_path import ToolPath

__all__ = [
    "ArmCompliance",
    "ForceControl",
    "GrindingPass",
    "GrindingSetup",
    "arm_compliance",
    "calibrated_preston",
    "grind",
    "hats",
    "unworn",
]


@dataclass(frozen=True)
class ArmCompliance:
    """The arm as seen from the tool along the normal: mass (kg), damping (N s/m) and stiffness (N/m)."""

    mass: float
    damping: float
    stiffness: float


@dataclass(frozen=True)
class ForceControl:
    """A wanted force (N), and the gain (m/s per N) of the tool's rate along the normal; once per step."""

    force: float
    gain: float


@dataclass(frozen=True)
class GrindingSetup:
    """A pad, an arm, and the process.

    `preston` is Preston's k (1/Pa), `speed` the speed of the abrasive on the surface (m/s), `friction` the
    share of the normal force that acts along the surface; `specific_energy` (J/m3) gives that share instead,
    as the power of the tangential force is the energy of the removed volume: Ft / F = u k.
    `control` moves the tool by its force; without, the path is kept. `stiffness_factor` multiplies the
    pad's pressure, `offset` (m) and `seam_factor` say where the workpiece is and how high its seam, for
    runs with disturbances.
    """

    pad: Pad
    arm: ArmCompliance
    preston: float = 0.0
    speed: float = 0.0
    friction: float = 0.3
    specific_energy: float | None = None
    stiffness_factor: float = 1.0
    offset: float = 0.0
    seam_factor: float = 1.0
    control: ForceControl | None = None

    def __post_init__(self) -> None:
        numbers = {name: x for name, x in vars(self).items() if isinstance(x, int | float)}
        real_numbers("GrindingSetup", **numbers)
        if min(self.preston, self.speed, self.friction) < 0.0 or self.stiffness_factor <= 0.0:
            raise InputError("GrindingSetup: preston, speed and friction must not be negative")

    @property
    def tangential_share(self) -> float:
        """Tangential over normal force."""
        return self.friction if self.specific_energy is None else self.specific_energy * self.preston


@dataclass(frozen=True)
class GrindingPass:
    """Force, position and removed volume of a grinding pass, at the ends of its steps.

    `time` (s), `path` (m along the path), `force` and `tangential` (N), `slope` (N/m, of the force by the
    approach), `deflection` of the arm (m), `tip` (m) of the pad's free shape and its `axis` out of the
    material, `heights` (m) of the workpiece after it, `volume` removed (m3).
    """

    time: np.ndarray
    path: np.ndarray
    force: np.ndarray
    tangential: np.ndarray
    slope: np.ndarray
    deflection: np.ndarray
    heights: np.ndarray
    volume: float
    #: d force / d offset at the path's points (steps, points), where it was asked for
    by_offset: np.ndarray | None = None
    tip: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    axis: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    def expected_volume(self, setup: GrindingSetup) -> float:
        """The integral of k F v dt (m3)."""
        return float(setup.preston * setup.speed * np.trapezoid(self.force, self.time))


def grind(
    setup: GrindingSetup,
    surface: Surface,
    path: ToolPath,
    offsets: ArrayLike,
    *,
    feed: ArrayLike,
    dt: float = 1e-3,
    seam: np.ndarray | None = None,
    heights: np.ndarray | None = None,
    derivatives: bool = False,
) -> GrindingPass:
    """Take the pad along a path with a feed (m/s), in steps dt (s), its tip offset along the normals.

    The feed is one, or one per point of the path; its inverse is linear between them.
    `offsets` (m, one per point of the path, linear between) are negative into the material. `heights` are
    those of the workpiece where it is not fresh: of the surface otherwise, with `seam` (heights on its grid
    that the setup's factor multiplies) on top. With `derivatives` the exact derivatives of the force by the
    offsets come with it; what the removal of this very pass changes about the force is not part of them.
    """
    from treadle.process.pad_contact import take_pass

    if derivatives and setup.control is not None:
        raise InputError("grind: there are derivatives by the offsets under position control only")
    times, at, points, axes = _sampled(path, feed, dt)
    shifts = np.asarray(offsets, dtype=float)
    if shifts.shape != (len(path),) or not np.isfinite(shifts).all():
        raise InputError(f"grind: offsets must be {len(path)} finite numbers, one per point of the path")
    ground = unworn(setup, surface, seam) if heights is None else np.array(heights, dtype=float)
    step = float(times[1])
    arm, pad = setup.arm, setup.pad
    _check_control(setup, step)
    numbers = [pad.coefficient * setup.stiffness_factor, pad.exponent, pad.share, pad.radius, pad.dome]
    world = np.array([*numbers, arm.mass, arm.damping, arm.stiffness, step])
    rates = np.full(len(at), setup.preston * setup.speed * step)
    # the trapezoidal rule in time
    rates[[0, -1]] *= 0.5
    knots = path.lengths
    moved = np.interp(at, knots, shifts) - setup.offset
    force, slope, deflection, tips = (np.zeros(len(at)) for _ in range(4))
    grid = np.array([surface.x[0], surface.y[0], *surface.spacing])
    control = setup.control or ForceControl(0.0, 0.0)
    wanted = control.force, control.gain * step
    out = force, slope, deflection, tips
    volume = take_pass(ground, grid, points, axes, moved, world, rates, wanted, out)
    found = GrindingPass(
        time=times,
        path=at,
        force=force,
        tangential=setup.tangential_share * force,
        slope=slope,
        deflection=deflection,
        tip=points + tips[:, None] * axes,
        axis=axes,
        heights=ground,
        volume=float(volume),
    )
    if not derivatives:
        return found
    return replace(found, by_offset=_by_offset(slope, arm, step, hats(at, knots)))


def arm_compliance(
    model: Model,
    q: ArrayLike,
    frame: str,
    normal: ArrayLike,
    joint_stiffness: ArrayLike,
    damping_ratio: float = 1.0,
) -> ArmCompliance:
    """The arm at q as seen from a frame along a normal n (3).

    Its mass is 1/(n J M^-1 J' n), its stiffness 1/(n J K^-1 J' n).
    `joint_stiffness` (N m/rad, nv) is that of drives and gears under position control.
    """
    n = np.asarray(normal, dtype=float)
    row = n @ frame_jacobian(model, q, frame)[3:]
    M, K = mass_matrix(model, q), np.asarray(joint_stiffness, dtype=float)
    mass = 1.0 / float(row @ np.linalg.solve(M, row))
    stiffness = 1.0 / float((row**2 / K).sum())
    return ArmCompliance(mass, 2.0 * damping_ratio * float(np.sqrt(mass * stiffness)), stiffness)


def calibrated_preston(volume: float, force: ArrayLike, time: ArrayLike, speed: float) -> float:
    """Preston's k (1/Pa) from one measured pass: volume (m3), force (N) over time (s), speed (m/s)."""
    work = float(np.trapezoid(np.asarray(force, dtype=float), np.asarray(time, dtype=float))) * speed
    if not work > 0.0:
        raise InputError("calibrated_preston: the force must act for some time at some speed")
    return volume / work


def _check_control(setup: GrindingSetup, step: float) -> None:
    """Raise InputError for a force control that swings: it acts once per step."""
    if setup.control is None:
        return
    pad = setup.stiffness_factor * setup.pad.stiffness(setup.control.force)
    stiffness = 1.0 / (1.0 / pad + 1.0 / setup.arm.stiffness)
    constant = 1.0 / (stiffness * setup.control.gain) if setup.control.gain > 0.0 else np.inf
    if step > constant:
        raise InputError(
            f"grind: force control with a time constant of {1e3 * constant:.3g} ms acts once per step of "
            f"{1e3 * step:.3g} ms: take smaller steps, or a larger time constant"
        )


def unworn(setup: GrindingSetup, surface: Surface, seam: np.ndarray | None) -> np.ndarray:
    """Heights (m) of a workpiece that nothing was removed of."""
    return surface.heights.copy() if seam is None else surface.heights + setup.seam_factor * seam


def _sampled(path: ToolPath, feed: ArrayLike, dt: float) -> tuple[np.ndarray, ...]:
    """Times and lengths along the path at the ends of the steps, points and unit normals there."""
    real_numbers("grind", dt=dt)
    feeds = np.asarray(feed, dtype=float)
    if feeds.shape not in ((), (len(path),)) or not np.isfinite(feeds).all():
        raise InputError(f"grind: the feed is one number, or {len(path)}, one per point of the path")
    if feeds.min() <= 0.0 or dt <= 0.0:
        raise InputError("grind: feed and dt must be positive")
    knots = path.lengths
    slowness = np.broadcast_to(1.0 / feeds, knots.shape)
    ends = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(knots) * (slowness[1:] + slowness[:-1]))])
    times = np.linspace(0.0, ends[-1], max(round(ends[-1] / dt), 1) + 1)
    at = _places(times, ends, knots, slowness)
    at[-1] = knots[-1]
    spline: Any = require("scipy.interpolate", "grinding").CubicSpline
    # the tip follows the curve, not its chords
    points, axes = spline(knots, path.points)(at), spline(knots, path.normals)(at)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return times, at, np.ascontiguousarray(points), axes


def _places(times: np.ndarray, ends: np.ndarray, knots: np.ndarray, slowness: np.ndarray) -> np.ndarray:
    """Lengths along a path at times, with a slowness (s/m) that is linear between its points."""
    k = np.clip(np.searchsorted(ends, times, side="right") - 1, 0, len(knots) - 2)
    late, first = times - ends[k], slowness[k]
    bend = (slowness[k + 1] - first) / (knots[k + 1] - knots[k])
    # of first u + bend u^2 / 2 = late, the form that is stable for any bend
    return knots[k] + 2.0 * late / (first + np.sqrt(np.maximum(first**2 + 2.0 * bend * late, 0.0)))


def hats(at: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Derivative of the offset at the steps by those at the points (steps, points)."""
    k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    share = (at - knots[k]) / (knots[k + 1] - knots[k])
    found = np.zeros((len(at), len(knots)))
    rows = np.arange(len(at))
    found[rows, k], found[rows, k + 1] = 1.0 - share, share
    return found


def _by_offset(slope: np.ndarray, arm: ArmCompliance, step: float, moved: np.ndarray) -> np.ndarray:
    """d force / d offsets: the linearization of every step, carried from step to step."""
    from treadle.process.pad_contact import propagator

    result = np.zeros_like(moved)
    z, rate, g = np.zeros((3, moved.shape[1]))
    for n, s in enumerate(slope):
        K, P, g, known, weight = 0.0, np.zeros(8), 0.0 * z, 0.0 * z, 1.0 / arm.stiffness
        if n:
            K = slope[n - 1]
            P = propagator(arm.mass, arm.damping, arm.stiffness + K, step)
            g = result[n - 1] + K * z
            known, weight = P[0] * z + P[1] * rate + P[4] * g, P[6]
        new = (known - weight * s * moved[n]) / (1.0 - weight * (K - s))
        result[n] = -s * (moved[n] + new)
        if n:
            rate = P[2] * z + P[3] * rate + P[5] * g + P[7] * (result[n] + K * new)
        z = new
    return result
