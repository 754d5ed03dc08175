"""Removed depth as colours: from the colour of the material over yellow to dark red, with a legend."""

from __future__ import annotations

import numpy as np

__all__ = ["depth_colors", "legend_html", "scale_of"]

#: Colours after that of the material, evenly spaced up to the largest depth of the scale.
_MAP = ((255, 237, 160), (254, 178, 76), (252, 78, 42), (189, 0, 38), (84, 0, 48))

#: Depth (m) of the smallest scale.
_LEAST = 1e-6


def scale_of(depth: np.ndarray) -> float:
    """The largest depth (m) of the scale: the next of 1, 2 and 5 times a power of ten."""
    deepest = max(float(depth.max(initial=0.0)), _LEAST)
    power = 10.0 ** np.floor(np.log10(deepest))
    return float(next(x * power for x in (1.0, 2.0, 5.0, 10.0) if x * power >= deepest * (1.0 - 1e-9)))


def depth_colors(depth: np.ndarray, material: tuple[int, int, int], scale: float) -> np.ndarray:
    """Colours (n, 4) of depths (n) in m; what is untouched has the colour of the material."""
    anchors = np.array([material, *_MAP], dtype=float)
    at = np.linspace(0.0, 1.0, len(anchors))
    share = np.clip(depth / scale, 0.0, 1.0)
    found = np.column_stack([np.interp(share, at, anchors[:, k]) for k in range(3)])
    return np.column_stack([found, np.full(len(found), 255.0)]).astype(np.uint8)


def legend_html(material: tuple[int, int, int], scale: float) -> str:
    """The scale as a bar, from 0 to its largest depth."""
    stops = ", ".join(f"rgb{color}" for color in (material, *_MAP))
    unit, times = ("um", 1e6) if scale < 1e-3 else ("mm", 1e3)
    ends = f"<span>0</span><span>removed depth</span><span>{times * scale:g} {unit}</span>"
    return (
        '<div role="img" aria-label="scale of the removed depth" style="margin: 0.3em 1em; font-size: 0.8em">'
        f'<div style="height: 0.8em; background: linear-gradient(to right, {stops})"></div>'
        f'<div style="display: flex; justify-content: space-between">{ends}</div></div>'
    )
