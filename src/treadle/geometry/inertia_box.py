"""Boxes that stand for links without shapes."""

from __future__ import annotations

import numpy as np

from treadle.model.model import Link

__all__ = ["BODY_COLORS", "inertia_box"]

#: Colours of the bodies of a machine that has no shapes.
BODY_COLORS = (
    (0.95, 0.68, 0.08, 1.0),
    (0.25, 0.45, 0.65, 1.0),
    (0.55, 0.60, 0.62, 1.0),
    (0.80, 0.40, 0.25, 1.0),
    (0.35, 0.58, 0.42, 1.0),
)


def inertia_box(link: Link) -> tuple[np.ndarray, np.ndarray]:
    """The uniform box with a link's mass, centre of mass and inertia: its pose in the body (4, 4) and sides.

    The moment about x is (y² + z²) m / 12.
    """
    moments, axes = np.linalg.eigh(np.array(link.rotational.to_rows(), dtype=np.float64))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    squares = 6.0 / float(link.mass) * (moments.sum() - 2.0 * moments)  # type: ignore[arg-type]
    # a rod or a point still has to be seen
    sides = np.sqrt(np.maximum(squares, 0.0))
    sides = np.maximum(sides, max(0.03 * sides.max(), 0.01))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes, np.array(list(link.center), dtype=np.float64)
    return link.placement.to_matrix() @ pose, sides
