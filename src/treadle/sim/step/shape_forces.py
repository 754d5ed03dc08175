"""What contact does to a collision shape over a step, in numbers that sensors read."""

from __future__ import annotations

__all__ = ["SHAPE_FORCES"]

#: Numbers of a shape: mean force on it (N, 3), its moment about the world's origin (N m, 3), deepest
#: penetration (m).
SHAPE_FORCES = 7
