"""Feed along a path at which grinding removes a wanted depth, which is linear in the slowness, 1/feed.

With the slowness sigma(s), linear between the points of the path, the depth removed at a point i is

    h_i = k v int p_i(s) sigma(s) ds,

where p_i(s) is the pressure there while the pad is at s. As long as the force hardly depends on the feed, the
slowness follows from one linear problem of least squares, with bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.extras import require
from treadle.process.grinding import GrindingPass, GrindingSetup, hats, unworn
from treadle.process.surface import Surface
from treadle.process.tool_path import ToolPath

__all__ = ["DepthGoal", "Removal", "removal", "tuned_feeds"]

#: Weight of a bend of the slowness over half the length of the contact: within that, the pad averages it.
_WEIGHT = 0.02


@dataclass(frozen=True)
class DepthGoal:
    """A depth to remove (m, one or one per point of a path), and the limits of the feed (m/s)."""

    depth: ArrayLike
    feeds: tuple[float, float] = (0.0, np.inf)

    def at_points(self, count: int) -> np.ndarray:
        """The depth at so many points; raises InputError where it, or the limits, make no sense."""
        if not 0.0 <= self.feeds[0] < self.feeds[1]:
            raise InputError("DepthGoal: the limits of the feed must increase, from zero or more")
        given = np.asarray(self.depth, dtype=float)
        if given.shape not in ((), (count,)) or not np.isfinite(given).all() or given.min() <= 0.0:
            raise InputError(
                f"DepthGoal: the depth is one positive number, or {count}, one per point of the path"
            )
        return np.broadcast_to(given, count)


class Removal(NamedTuple):
    """What a pass removed at the points of its path."""

    depth: np.ndarray  # (n) m, along the normals
    by_slowness: np.ndarray  # (n, n) m2/s: by the slowness at the points
    whole: np.ndarray  # (n) whether the pad goes over the point from end to end
    reach: float  # m, half the length of the contact


def removal(
    setup: GrindingSetup,
    surface: Surface,
    path: ToolPath,
    found: GrindingPass,
    feeds: np.ndarray,
    seam: np.ndarray | None,
) -> Removal:
    """Depths that a pass with these feeds removed, and their derivatives."""
    x, y = path.points[:, 0], path.points[:, 1]
    before = unworn(setup, surface, seam)
    fresh, worn = (Surface(surface.x, surface.y, z).height(x, y) for z in (before, found.heights))
    depth = (fresh - worn) * path.normals[:, 2]
    touched = np.column_stack([x, y, 0.5 * (fresh + worn)])
    pressure = _pressures(setup, found, touched)
    at = found.path
    # the trapezoidal rule along the path
    share = np.gradient(at)
    share[[0, -1]] *= 0.5
    J = setup.preston * setup.speed * (pressure * share[:, None]).T @ hats(at, path.lengths)
    predicted = J @ (1.0 / feeds)
    # the depth is linear in the slowness: what the grid makes of a point's pressure is the rest
    J *= np.divide(depth, predicted, out=np.ones_like(depth), where=predicted > 0.0)[:, None]
    reach = float(np.abs(at[:, None] - path.lengths)[pressure > 0.0].max(initial=0.0))
    whole = (path.lengths >= reach) & (path.lengths <= path.lengths[-1] - reach)
    return Removal(depth, J, whole, reach)


def tuned_feeds(
    removed: Sequence[Removal],
    wanted: np.ndarray,
    feeds: np.ndarray,
    limits: tuple[float, float],
    length: float,
) -> np.ndarray:
    """Feeds (m/s) within limits at which the wanted depths (m) are removed, where the pad goes over them.

    `length` (m) is that of the path.
    """
    whole = removed[0].whole
    if not whole.any():
        raise InputError(
            "tune_path: the path is shorter than the contact: no point is ground from end to end"
        )
    cells = removed[0].reach * (len(feeds) - 1) / length
    bends = np.diff(np.eye(len(feeds)), 2, axis=0) * (_WEIGHT * cells**2 * float(feeds.mean()))
    J = np.concatenate([one.by_slowness[whole] / wanted[whole, None] for one in removed])
    optimize: Any = require("scipy.optimize", "grinding")
    sides = np.concatenate([np.ones(len(J)), np.zeros(len(bends))])
    bounds = 1.0 / limits[1], (1.0 / limits[0] if limits[0] > 0.0 else np.inf)
    return 1.0 / optimize.lsq_linear(np.concatenate([J, bends]), sides, bounds=bounds).x


def _pressures(setup: GrindingSetup, found: GrindingPass, points: np.ndarray) -> np.ndarray:
    """Pressure (steps, n) at points of the workpiece, at every step of a pass."""
    pad = setup.pad
    away = points[None] - found.tip[:, None]
    along = (away * found.axis[:, None]).sum(-1)
    across = (away**2).sum(-1) - along**2
    tip = np.max(along - 0.5 * across / pad.dome, axis=1, initial=0.0)
    depth = along - (1.0 - pad.share) * tip[:, None] - 0.5 * across / pad.dome
    inside = (depth > 0.0) & (across <= pad.radius**2)
    return setup.stiffness_factor * pad.coefficient * np.where(inside, depth, 0.0) ** pad.exponent * inside
