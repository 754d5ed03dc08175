"""Offsets of a path at which the force of grinding is the wanted one everywhere, by Gauss and Newton."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treadle.errors import InputError
from treadle.model.values import real_numbers
from treadle.process.grinding import GrindingPass, GrindingSetup, grind
from treadle.process.surface import Surface
from treadle.process.tool_path import ToolPath

__all__ = ["TunedPath", "TuningStep", "tune_path"]

#: Weight of a change of an offset, as a share of the largest column of the Jacobian.
_WEIGHT = 1e-4

#: Share of the mean error before an iteration that it leaves where there is nothing more to gain.
_STILL = 0.98


@dataclass(frozen=True)
class TuningStep:
    """Relative errors of the force before an iteration (after the last one), and its CPU time (s)."""

    mean: float
    largest: float
    seconds: float


@dataclass(frozen=True)
class TunedPath:
    """Offsets (m) of the path's points, the errors of all iterations, and the last passes, one per setup."""

    offsets: np.ndarray
    steps: list[TuningStep]
    passes: list[GrindingPass]

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
    feed: float,
    dt: float = 1e-2,
    seam: np.ndarray | None = None,
    limits: tuple[float, float] = (-np.inf, np.inf),
    iterations: int = 5,
    tolerance: float = 1e-4,
) -> TunedPath:
    """Change the offsets (m) of a path until the simulated force (N) is the desired one along all of it.

    Every iteration simulates the pass, with the exact derivatives of the force by all offsets, and takes the
    step of least squares within the limits (m). With several setups (stiffnesses, positions, heights of
    the seam) one path is made for all of them. It ends where the mean error is below
    the tolerance or falls no more.
    """
    worlds = [setups] if isinstance(setups, GrindingSetup) else list(setups)
    real_numbers("tune_path", force=force, tolerance=tolerance)
    if not worlds or force <= 0.0 or iterations < 0 or not limits[0] < limits[1]:
        raise InputError("tune_path: give at least one setup, a positive force, and limits that increase")
    now = np.clip(np.broadcast_to(np.asarray(offsets, dtype=float), len(path)), *limits)
    steps: list[TuningStep] = []
    while True:
        begin = time.process_time()
        passes = [
            grind(world, surface, path, now, feed=feed, dt=dt, seam=seam, derivatives=True)
            for world in worlds
        ]
        errors = np.abs(np.concatenate([one.force for one in passes]) / force - 1.0)
        still = bool(steps) and errors.mean() > _STILL * steps[-1].mean
        last = len(steps) == iterations or errors.mean() < tolerance or still
        moved = now if last else _moved(now, passes, force, limits)
        seconds = time.process_time() - begin
        steps.append(TuningStep(float(errors.mean()), float(errors.max()), seconds))
        if last:
            return TunedPath(now, steps, passes)
        now = moved


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
