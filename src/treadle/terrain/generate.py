"""Random ground: Gaussian-correlated and fractal elevation grids, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.terrain.grid import Grid

__all__ = ["fractal_grid", "random_grid"]

#: Heights beyond which a size is a mistake.
_MOST_NODES = 100_000_000


def random_grid(
    size: tuple[float, float],
    spacing: float = 0.05,
    roughness: float = 0.1,
    correlation: float = 0.8,
    seed: int = 0,
    center: tuple[float, float] = (0.0, 0.0),
    **options: Any,
) -> Grid:
    """Hills with Gaussian statistics: standard deviation `roughness` (m), correlation length (m).

    White noise filtered by a Gaussian, so that heights d apart correlate as exp(-(d / correlation)^2).
    """
    rows, columns = _shape(size, spacing)
    if not (correlation > 0.0 and roughness >= 0.0):
        raise InputError("random ground needs a positive correlation length and a roughness in metres")
    # the noise is periodic: a margin decorrelates opposite borders
    margin = int(np.ceil(2.0 * correlation / spacing))
    noise = np.random.default_rng(seed).standard_normal((rows + margin, columns + margin))
    frequency = [2.0 * np.pi * np.fft.fftfreq(n, spacing) for n in noise.shape]
    squares = frequency[0][:, None] ** 2 + frequency[1][None, :] ** 2
    gain = np.exp(-squares * correlation**2 / 8.0)
    gain *= roughness / np.sqrt(np.mean(gain**2))
    heights = np.fft.ifft2(np.fft.fft2(noise) * gain).real[:rows, :columns]
    return _centered(heights, spacing, center, options)


def fractal_grid(
    size: tuple[float, float],
    spacing: float = 0.05,
    roughness: float = 0.1,
    hurst: float = 0.8,
    seed: int = 0,
    center: tuple[float, float] = (0.0, 0.0),
    **options: Any,
) -> Grid:
    """Fractal ground: a spectrum that falls as f^-(hurst + 1), scaled to the standard deviation `roughness`.

    The higher the Hurst exponent (0 to 1), the smoother it is.
    """
    rows, columns = _shape(size, spacing)
    if not 0.0 < hurst < 1.0:
        raise InputError(f"the Hurst exponent of fractal ground lies between 0 and 1, not {hurst}")
    noise = np.random.default_rng(seed).standard_normal((2 * rows, 2 * columns))
    frequency = np.hypot(*np.meshgrid(*[np.fft.fftfreq(n, spacing) for n in noise.shape], indexing="ij"))
    frequency[0, 0] = 1.0
    spectrum = np.fft.fft2(noise) * frequency ** -(hurst + 1.0)
    spectrum[0, 0] = 0.0
    heights = np.fft.ifft2(spectrum).real[:rows, :columns]
    heights = heights - heights.mean()
    return _centered(heights * (roughness / heights.std()), spacing, center, options)


def _shape(size: tuple[float, float], spacing: float) -> tuple[int, int]:
    try:
        x, y = (float(extent) for extent in size)
        step = float(spacing)
    except (TypeError, ValueError):
        raise InputError(f"random ground needs its size as two numbers (m), not {size!r}") from None
    if not step > 0.0 or not min(x, y) >= step:
        raise InputError(f"random ground of {size} m needs a positive spacing below that, not {spacing}")
    if not (x / step) * (y / step) <= _MOST_NODES:
        raise InputError(
            f"random ground of {size} m with a spacing of {spacing} m has more than {_MOST_NODES:,} heights; "
            "use a wider spacing"
        )
    return round(x / step) + 1, round(y / step) + 1


def _centered(
    heights: np.ndarray, spacing: float, center: tuple[float, float], options: dict[str, Any]
) -> Grid:
    rows, columns = heights.shape
    origin = center[0] - 0.5 * spacing * (rows - 1), center[1] - 0.5 * spacing * (columns - 1)
    return Grid(heights, (spacing, spacing), origin, **options)
