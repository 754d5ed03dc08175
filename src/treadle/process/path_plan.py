"""Plans of tool paths: a few numbers that people edit, and the path that they make on a surface.

plan = PathPlan.of({"points": [[0.44, 0.0], [0.56, 0.0]], "offset": -3e-4, "feed": 0.02})
path = plan.path(surface)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.process.surface import Surface
from treadle.process.tool_path import ToolPath, parallel_paths, path_on, spiral, zigzag

__all__ = ["PATTERNS", "PathPlan"]

#: What the points are: a polyline; the first of several curves side by side; the middle of a spiral.
PATTERNS = ("line", "zigzag", "spiral")

#: Points of a path at most.
_MOST = 20_000


@dataclass(frozen=True)
class PathPlan:
    """A tool path as people state it.

    `points` (x, y in m) are a polyline, or the middle of a spiral; `pattern` is one of `PATTERNS`, `count` of
    curves or turns at the distance `pitch` (m). The path has points every `spacing` (m), moved along
    the normals by `offset` (m, negative into the material; one, or one per point of the path). `feed` is the
    speed of the tool (m/s), `lead` the length and height (m) of the way in and out, 0: none.
    """

    points: tuple[tuple[float, float], ...]
    pattern: str = "line"
    count: int = 3
    pitch: float = 4e-3
    spacing: float = 1e-3
    offset: float | tuple[float, ...] = 0.0
    feed: float = 0.02
    lead: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> PathPlan:
        """From settings."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise InputError(f"a tool path has no {name!r}; it has {', '.join(known)}")
        values = dict(given)
        values["points"] = tuple(tuple(float(x) for x in point[:2]) for point in given.get("points", ()))
        if isinstance(values.get("offset"), Sequence):
            values["offset"] = tuple(float(x) for x in values["offset"])
        if "lead" in values:
            values["lead"] = tuple(float(x) for x in values["lead"])
        return cls(**values)

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS:
            raise InputError(f"the pattern of a tool path is one of {', '.join(PATTERNS)}")
        least = 1 if self.pattern == "spiral" else 2
        if len(self.points) < least or any(len(point) != 2 for point in self.points):
            raise InputError(f"a {self.pattern} needs at least {least} points with x and y")
        numbers = np.hstack([*self.points, self.pitch, self.spacing, self.feed, self.lead, self.offset])
        if not np.isfinite(numbers).all():
            raise InputError("the numbers of a tool path must be finite")
        if min(self.pitch, self.spacing, self.feed) <= 0.0 or min(self.lead) < 0.0 or len(self.lead) != 2:
            raise InputError("pitch, spacing and feed of a tool path must be positive, its lead not negative")
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise InputError("the count of curves or turns must be a positive whole number")

    def to_dict(self) -> dict[str, Any]:
        """As settings have it."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        values["points"] = [list(point) for point in self.points]
        for name in ("offset", "lead"):
            values[name] = list(values[name]) if isinstance(values[name], tuple) else values[name]
        return values

    def on(self, surface: Surface) -> ToolPath:
        """The path on a surface, without offsets and leads."""
        if self.pattern == "spiral":
            self._check(np.pi * self.count**2 * self.pitch)
            return spiral(surface, self.points[0], self.pitch, float(self.count), self.spacing)
        length = np.linalg.norm(np.diff(np.array(self.points), axis=0), axis=1).sum()
        self._check(float(length) * (self.count if self.pattern == "zigzag" else 1))
        first = path_on(surface, self.points, self.spacing)
        if self.pattern == "line":
            return first
        return zigzag(surface, parallel_paths(surface, first, self.pitch, self.count), self.spacing)

    def path(self, surface: Surface) -> ToolPath:
        """The path of the tool's tip: with offsets, and with the ways in and out."""
        path = self.on(surface)
        if isinstance(self.offset, tuple) and len(self.offset) != len(path):
            raise InputError(f"the path has {len(path)} points and {len(self.offset)} offsets: tune it again")
        path = path.offset(self.offset)
        return path.with_leads(*self.lead) if self.lead[0] > 0.0 else path

    def _check(self, length: float) -> None:
        if length / self.spacing > _MOST:
            raise InputError(f"a tool path has at most {_MOST} points: give it a larger spacing")
