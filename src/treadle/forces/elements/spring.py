"""Spring and damper along the line between two points.

With the distance l, the free length L and the extension x = l - L, the tension is

    T = P + k x + T_table(x) + d dl/dt + T_law(x, dl/dt)

from the pretension P, the stiffness k, a piecewise linear table, the damping d and a formula. A spring that
acts in tension alone has T = 0 where the part without the damper is negative, and the damper never makes it
push; in compression alone, the other way round. The energy is the integral of the part without damper and
formula, zero at the free length (where the tension vanishes, for a spring that acts one way); these two do
work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.forces.element import NEAREST, ForceElement, Linear
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, maximum, minimum, sqrt, where
from treadle.graph.formula import formula_value
from treadle.model.flow import law_slopes
from treadle.spatial import Force, Vec3

__all__ = ["Spring"]

#: Share of the stiffness along its line above which that across it, T / l, is taken implicitly too.
_TAUT = 0.1


class Spring(ForceElement):
    """Spring and damper between the origins of two frames."""

    relative = True
    stiffness: Scalar
    damping: Scalar
    length: Scalar
    pretension: Scalar
    acts: str
    table: Sequence[tuple[Scalar, Scalar]]
    law: str | None = None

    def energy(self, *frames: FrameMotion) -> Scalar:
        _, l = _line(*frames)
        x = l - self.length
        if self.acts == "both":
            stored = self.pretension * x + (0.5 * self.stiffness) * (x * x)
            for slope, corner, offset in self._pieces():
                stored = stored + offset * x
                past = x if corner is None else maximum(x - corner, 0.0)
                # the integral from the free length, where the extension is zero
                before = 0.0 if corner is None else maximum(-corner, 0.0)
                stored = stored + (0.5 * slope) * (past * past - before * before)
            return stored
        tension = self._elastic(x)
        if _zero(self.stiffness):
            return tension * x
        return (0.5 / self.stiffness) * (tension * tension)

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        n, l = _line(*frames)
        return _along(n, self._elastic(l - self.length))

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        if _zero(self.damping) and not self.law:
            return ()
        n, l = _line(*frames)
        return _along(n, self._working(l - self.length, n.dot(frames[1].velocity - frames[0].velocity)))

    def tension(self, length: Scalar, rate: Scalar, springs: bool) -> Scalar:
        x = length - self.length
        elastic = self._elastic(x) if springs else 0.0
        return elastic if _zero(self.damping) and not self.law else elastic + self._working(x, rate)

    def linear(self, *frames: FrameMotion) -> Linear | None:
        n, l = _line(*frames)
        x = l - self.length
        damping, tension = self.damping, self._elastic(x)
        if self.acts != "both":
            acting = tension > 0.0 if self.acts == "tension" else tension < 0.0
            damping = where(acting, damping, 0.0)
        slope = self._slope(x)
        if self.law:
            rate = n.dot(frames[1].velocity - frames[0].velocity)
            by_extension, by_rate = law_slopes(self.law, x, rate)
            slope, damping = slope + maximum(by_extension, 0.0), damping + maximum(by_rate, 0.0)
        stiffness = _along_and_across(n, slope, self._across(l))
        return Linear(stiffness, _along_and_across(n, damping, 0.0))

    def _across(self, l: Scalar) -> Scalar:
        """Stiffness across its line, of a spring under much tension; that of one that pushes is negative."""
        x = l - self.length
        across = maximum(self._elastic(x), 0.0) / l
        return where(across > _TAUT * self._slope(x), across, 0.0)

    def _elastic(self, x: Scalar) -> Scalar:
        tension = self.pretension + self.stiffness * x
        for slope, corner, offset in self._pieces():
            tension = tension + offset + slope * (x if corner is None else maximum(x - corner, 0.0))
        if self.acts == "tension":
            return maximum(tension, 0.0)
        return minimum(tension, 0.0) if self.acts == "compression" else tension

    def _working(self, x: Scalar, rate: Scalar) -> Scalar:
        """The part of the tension that has no energy."""
        viscous = 0.0 if _zero(self.damping) else self._viscous(x, rate)
        return viscous + formula_value(self.law, {"x": x, "v": rate}) if self.law else viscous

    def _viscous(self, x: Scalar, rate: Scalar) -> Scalar:
        drag = self.damping * rate
        if self.acts == "both":
            return drag
        tension = self._elastic(x)
        if self.acts == "tension":
            return where(tension > 0.0, maximum(drag, -tension), 0.0)
        return where(tension < 0.0, minimum(drag, -tension), 0.0)

    def _slope(self, x: Scalar) -> Scalar:
        """dT/dx of the part without the damper, not below zero."""
        slope = self.stiffness
        for change, corner, _ in self._pieces():
            slope = slope + (change if corner is None else where(x > corner, change, 0.0))
        if self.acts != "both":
            tension = self._elastic(x)
            acting = tension > 0.0 if self.acts == "tension" else tension < 0.0
            return where(acting, slope, 0.0)
        return maximum(slope, 0.0) if self.table else slope

    def _pieces(self) -> list[tuple[Scalar, Scalar | None, Scalar]]:
        """The table as a line through its first piece, and changes of the slope at the corners after it."""
        if not self.table:
            return []
        slopes = [(f1 - f0) / (x1 - x0) for (x0, f0), (x1, f1) in zip(self.table, self.table[1:])]
        x0, f0 = self.table[0]
        pieces: list[tuple[Scalar, Scalar | None, Scalar]] = [(slopes[0], None, f0 - slopes[0] * x0)]
        for (x, _), before, after in zip(self.table[1:], slopes, slopes[1:]):
            pieces.append((after - before, x, 0.0))
        return pieces


def _line(first: FrameMotion, second: FrameMotion) -> tuple[Vec3, Scalar]:
    """Unit vector from the first origin to the second, and their distance."""
    r = second.position - first.position
    l = sqrt(maximum(r.dot(r), NEAREST))
    return r * (1.0 / l), l


def _along(n: Vec3, tension: Scalar) -> list[Force]:
    pull = n * tension
    return [Force(Vec3(), pull), Force(Vec3(), -pull)]


def _along_and_across(n: Vec3, along: Scalar, across: Scalar) -> list[list[Any]]:
    """along n n^T + across (1 - n n^T), as the linear part of a 6 x 6 matrix."""
    matrix: list[list[Scalar]] = [[0.0] * 6 for _ in range(6)]
    extra = along - across
    for i, a in enumerate(n):
        for j, b in enumerate(n):
            matrix[3 + i][3 + j] = extra * (a * b) + (across if i == j else 0.0)
    return matrix


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
