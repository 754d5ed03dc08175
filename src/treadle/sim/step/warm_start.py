"""Forces from one span to the next: of joints, and of points, found again by their shapes and features."""

from __future__ import annotations

from treadle.native.kernels import part
from treadle.sim.step.contact_rows import PRESSED

__all__ = ["copy", "recall", "remember"]


@part()
def recall(scratch, found, impulse, span, settings):
    """Start from the forces that the same points had before, and keep the speeds at which they met."""
    points, key, force, known, k = scratch.points, scratch.key, scratch.force, scratch.known[0], 0
    for c in range(found):
        point = points[c]
        if point.row < 0:
            continue
        # most points follow each other as they did
        for _ in range(known):
            k = k if k < known else 0
            if key[k, 0] == point.a and key[k, 1] == point.b and key[k, 2] == point.feature:
                for i in range(point.rows):
                    impulse[point.row + i] = force[k, i] * span
                if point.spring >= 0 and point.gap < -PRESSED:
                    settings[4 * point.spring + 2] = force[k, 6]
                k += 1
                break
            k += 1


@part()
def remember(scratch, held, found, impulse, span, settings):
    """Keep the forces of the joints' rows (`held` of them) and of the points, and the speeds of these."""
    key, force, known = scratch.key, scratch.force, 0
    for i in range(held):
        scratch.joint_force[i] = impulse[i] / span
    for c in range(found):
        point = scratch.points[c]
        if point.row >= 0:
            key[known, 0], key[known, 1], key[known, 2] = point.a, point.b, point.feature
            for i in range(point.rows):
                force[known, i] = impulse[point.row + i] / span
            force[known, 6] = settings[4 * point.spring + 2] if point.spring >= 0 else 0.0
            point.known = known
            known += 1
    scratch.known[0] = known


@part()
def copy(source, target, count):
    """The first numbers of one array to another."""
    for k in range(count):
        target[k] = source[k]
