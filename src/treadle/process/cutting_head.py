"""A head with picks: their tips, the lines that they cut, and the surface that they cut together.

Neighbouring picks follow each other around the head: `starts` of them (one of each spiral) work on one line,
and the ridges between their grooves break off. What a turn of the head cuts is therefore the surface of
revolution through all tips.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError

__all__ = ["CuttingHead"]


class CuttingHead:
    """Picks on a body that turns about its x axis.

    `tips` (picks, 3) in the body's frame (m), from the base of the head to its nose; each `starts` of them in
    this order are one line. `normals` (picks, 2) are the axial and radial parts of the outward normals of the
    surface through the tips, `angles` (picks,) how far before each pick the one before it on its line is.
    """

    def __init__(self, tips: ArrayLike, starts: int = 1) -> None:
        self.tips = np.array(tips, dtype=float)
        if self.tips.ndim != 2 or self.tips.shape[1:] != (3,) or len(self.tips) < 2:
            raise InputError("a cutting head needs the tips of at least two picks, with x, y and z each")
        if not np.isfinite(self.tips).all():
            raise InputError("the tips of a cutting head must be finite numbers")
        count = len(self.tips)
        if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1 or count % starts:
            raise InputError(f"starts must be a whole number that divides the {count} picks, not {starts!r}")
        self.starts, self.lines = starts, count // starts
        self.radii = np.hypot(self.tips[:, 1], self.tips[:, 2])
        if self.radii.min() <= 0.0:
            raise InputError("the tips of a cutting head must be off its axis")
        self.outline = np.column_stack([self.tips[:, 0], self.radii])
        if np.linalg.norm(np.diff(self.outline, axis=0), axis=1).min() <= 0.0:
            raise InputError("every two neighbouring tips must be apart along the head's outline")
        self.normals = self._normals()
        self.angles = self._angles()
        self.strips = self._strips()

    @property
    def reach(self) -> float:
        """Largest distance (m) of a tip from the frame's origin."""
        return float(np.linalg.norm(self.tips, axis=1).max())

    def _normals(self) -> np.ndarray:
        along = np.gradient(self.outline, axis=0)
        # the outline goes to the nose: out of the head is to its left
        normals = np.column_stack([-along[:, 1], along[:, 0]])
        return normals / np.linalg.norm(normals, axis=1, keepdims=True)

    def _angles(self) -> np.ndarray:
        """Angle (rad) that the head turns between two picks on one line, for the later of both."""
        around = np.arctan2(self.tips[:, 2], self.tips[:, 1]).reshape(self.lines, self.starts)
        result = np.zeros_like(around)
        for line, angles in enumerate(around):
            # turning to positive angles, the pick that is ahead was there before
            ahead = (angles[None] - angles[:, None]) % (2.0 * np.pi)
            ahead[ahead < 1e-9] = 2.0 * np.pi
            result[line] = ahead.min(axis=1)
        return result.ravel()

    def _strips(self) -> np.ndarray:
        """Outlines (lines, starts + 2, 2) of what each line cuts: half-way to its neighbours, or to the end.

        The head is closed at its nose by a point on the axis, as far ahead as the last tip.
        """
        rows = self.outline.reshape(self.lines, self.starts, 2)
        strips = np.zeros((self.lines, self.starts + 2, 2))
        strips[:, 1:-1] = rows
        middle = 0.5 * (rows[:-1, -1] + rows[1:, 0])
        strips[1:, 0], strips[:-1, -1] = middle, middle
        strips[0, 0] = rows[0, 0]
        strips[-1, -1] = rows[-1, -1, 0], 0.0
        return strips
