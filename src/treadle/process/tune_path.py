"""Offsets and feed of a path at which force and depth of grinding are the wanted ones, by Gauss-Newton."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.values import real_numbers
from treadle.process.grinding import GrindingPass, GrindingSetup, grind
from treadle.process.surface import Surface
from treadle.process.tool_path import ToolPath
from treadle.process.tune_feed import DepthGoal, Removal, removal, tuned_feeds

__all__ = ["TunedPath", "TuningStep", "tune_path"]

#: Weight of a change of an offset, as a share of the largest column of the Jacobian.
_WEIGHT = 1e-4

#: Share of the mean error before an iteration that it leaves where there is nothing more to gain.
_STILL = 0.98


@dataclass(frozen=True)
class TuningStep:
    """Relative errors of the force before an iteration (after the last one), and its CPU time (s).

    And those of the removed depth, if one was wanted, at the points that the pad goes over from end to end.
    """

    mean: float
    largest: float
    seconds: float
    depth_mean: float = 0.0
    depth_largest: float = 0.0


@dataclass(frozen=True)
class TunedPath:
    """Offsets (m) and feeds (m/s) at the path's points, the errors of all iterations, and the last passes.

    There is one pass per setup; `depths` (setups, points) is what it removed there, where a depth was wanted.
    """

    offsets: np.ndarray
    steps: list[TuningStep]
    passes: list[GrindingPass]
    feeds: np.ndarray = field(default_factory=lambda: np.zeros(0))
    depths: np.ndarray | None = None

    @property
    def iterations(self) -> int:
        """How many iterations were taken."""
        return len(self.steps) - 1


def tune_path(
    setups: GrindingSetup | Sequence[GrindingSetup],
    surface: Surface,
    path: ToolPath,
    offsets: np.ndarray | float,
    *,
    force: float,
    feed: ArrayLike,
    dt: float = 1e-2,
    seam: np.ndarray | None = None,
    limits: tuple[float, float] = (-np.inf, np.inf),
    depth: DepthGoal | ArrayLike | None = None,
    iterations: int = 5,
    tolerance: float = 1e-4,
) -> TunedPath:
    """Change the offsets (m) of a path until the simulated force (N) is the desired one along all of it.

    Every iteration simulates the pass, with the exact derivatives of the force by all offsets, and takes the
    step of least squares within the limits (m). With a `depth` to remove (m, one or one per point, or a
    `DepthGoal` with limits of the feed) the feed changes too: Preston's depth is linear in 1/feed, also where
    limits of the offsets keep the force from being the desired one. With several setups (stiffnesses,
    positions, heights of the seam) one path is made for all of them. It ends where the mean errors are below
    the tolerance or fall no more.
    """
    worlds = [setups] if isinstance(setups, GrindingSetup) else list(setups)
    real_numbers("tune_path", force=force, tolerance=tolerance)
    if not worlds or force <= 0.0 or iterations < 0 or not limits[0] < limits[1]:
        raise InputError("tune_path: give at least one setup, a positive force, and limits that increase")
    goal = depth if isinstance(depth, DepthGoal) or depth is None else DepthGoal(depth)
    wanted = None if goal is None else goal.at_points(len(path))
    if goal is not None and min(world.preston * world.speed for world in worlds) <= 0.0:
        raise InputError("tune_path: to remove a depth, the setup needs preston and speed above zero")
    now = np.clip(np.broadcast_to(np.asarray(offsets, dtype=float), len(path)), *limits)
    feeds = np.asarray(feed, dtype=float)
    if feeds.shape not in ((), (len(path),)):
        raise InputError(f"tune_path: the feed is one number, or {len(path)}, one per point of the path")
    if goal is not None:
        feeds = np.clip(np.broadcast_to(feeds, len(path)), *goal.feeds)
    steps: list[TuningStep] = []
    while True:
        begin = time.process_time()
        passes = [
            grind(world, surface, path, now, feed=feeds, dt=dt, seam=seam, derivatives=True)
            for world in worlds
        ]
        errors = np.abs(np.concatenate([one.force for one in passes]) / force - 1.0)
        removed: list[Removal] = []
        missed = np.zeros(1)
        if wanted is not None:
            removed = [
                removal(world, surface, path, one, feeds, seam)
                for world, one in zip(worlds, passes, strict=True)
            ]
            missed = np.abs(np.concatenate([(one.depth / wanted - 1.0)[one.whole] for one in removed]))
        step = TuningStep(
            float(errors.mean()), float(errors.max()), 0.0,
            float(missed.mean()) if len(missed) else 1.0, float(missed.max(initial=0.0)),
        )  # fmt: skip
        last = len(steps) == iterations or _ended(step, steps, tolerance)
        moved, changed = now, feeds
        if not last:
            moved = _moved(now, passes, force, limits)
            if goal is not None and wanted is not None:
                changed = tuned_feeds(removed, wanted, feeds, goal.feeds, path.lengths[-1])
        steps.append(replace(step, seconds=time.process_time() - begin))
        if last:
            depths = np.array([one.depth for one in removed]) if removed else None
            return TunedPath(now, steps, passes, np.broadcast_to(feeds, len(path)).copy(), depths)
        now, feeds = moved, changed


def _ended(step: TuningStep, before: Sequence[TuningStep], tolerance: float) -> bool:
    """Whether both errors are small, or fall no more."""
    pairs = [(step.mean, [one.mean for one in before]), (step.depth_mean, [one.depth_mean for one in before])]
    return all(now < tolerance or (bool(old) and now > _STILL * old[-1]) for now, old in pairs)


def _moved(
    offsets: np.ndarray, passes: Sequence[GrindingPass], force: float, limits: tuple[float, float]
) -> np.ndarray:
    """Offsets after a step of least squares; those at a limit that the step would leave stay there."""
    J = np.concatenate([one.by_offset for one in passes if one.by_offset is not None])
    missing = force - np.concatenate([one.force for one in passes])
    free = np.ones(len(offsets), dtype=bool)
    normal, gradient = J.T @ J, J.T @ missing
    normal += _WEIGHT**2 * max(normal.diagonal().max(), 1.0) * np.eye(len(offsets))
    if normal.diagonal().max() <= 1.0:
        raise InputError("tune_path: the pad touches nowhere: start with offsets deeper in the material")
    step = np.zeros(len(offsets))
    for _ in range(len(offsets)):
        step[:] = 0.0
        step[free] = np.linalg.solve(normal[np.ix_(free, free)], gradient[free])
        outside = free & ((offsets + step < limits[0]) | (offsets + step > limits[1]))
        at_limit = outside & ((offsets <= limits[0]) | (offsets >= limits[1]))
        if not at_limit.any():
            break
        free &= ~at_limit
    return np.clip(offsets + step, *limits)
