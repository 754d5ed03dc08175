"""A rock face: upright, flat or uneven."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.errors import InputError
from treadle.model.values import real_numbers
from treadle.process.surface import Surface
from treadle.process.worked_surface import WorkedSurface

__all__ = ["RockFace"]

#: Waves of an uneven face.
_WAVES = 24


class RockFace(WorkedSurface):
    """A face that picks cut; what hangs over a cut, as seen from the outside, breaks off.

    The axes of its frame are x to the right as seen from the outside, y up, z out of the rock.
    """

    @classmethod
    def flat(
        cls,
        position: Sequence[float],
        size: tuple[float, float],
        spacing: float = 0.02,
        outward: Sequence[float] = (-1.0, 0.0, 0.0),
        uneven: float = 0.0,
        seed: int = 1,
    ) -> RockFace:
        """A face with its middle at a position, of a width and height (m), that looks along `outward`.

        `uneven` (m) is how far its waves go out and in.
        """
        real_numbers("RockFace", width=size[0], height=size[1], spacing=spacing, uneven=uneven)
        if min(*size, spacing) <= 0.0:
            raise InputError("RockFace: size and spacing must be positive")
        z = np.array(outward, dtype=float)
        if z.shape != (3,) or not np.hypot(z[0], z[1]) > 1e-9 * np.linalg.norm(z):
            raise InputError("RockFace: outward must be a direction that is not upright")
        z /= np.linalg.norm(z)
        x = np.cross((0.0, 0.0, 1.0), z)
        x /= np.linalg.norm(x)
        X = np.eye(4)
        X[:3, 0], X[:3, 1], X[:3, 2], X[:3, 3] = x, np.cross(z, x), z, position
        half = 0.5 * size[0], 0.5 * size[1]
        waves = _Waves(uneven, seed)
        return cls(Surface.of_function(waves, (-half[0], half[0]), (-half[1], half[1]), spacing), X)


class _Waves:
    """An uneven surface: waves of random directions, 0.4 m and longer."""

    def __init__(self, size: float, seed: int) -> None:
        draw = np.random.default_rng(seed)
        self._size = size
        self._angles, self._phases = draw.uniform(0.0, 2.0 * np.pi, (2, _WAVES))
        self._lengths = draw.uniform(0.4, 1.6, _WAVES)

    def __call__(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        total = np.zeros(np.broadcast(x, y).shape)
        if self._size == 0.0:
            return total
        for angle, phase, length in zip(self._angles, self._phases, self._lengths, strict=True):
            total += np.sin(2.0 * np.pi * (x * np.cos(angle) + y * np.sin(angle)) / length + phase)
        return self._size * total / np.abs(total).max()
