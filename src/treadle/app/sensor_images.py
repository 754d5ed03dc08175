"""What cameras of a machine see, as pictures for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treadle.sensors import sensor_type

__all__ = ["camera_image"]


def camera_image(parameters: Mapping[str, Any], values: np.ndarray) -> np.ndarray:
    """The numbers of a camera as a picture (height, width, 3)."""
    options = sensor_type("camera").options
    chosen = {name: parameters.get(name, options[name].default) for name in ("width", "height", "gives")}
    shape = int(chosen["height"]), int(chosen["width"])
    if chosen["gives"] == "rgb":
        return np.clip(values, 0, 255).astype(np.uint8).reshape(*shape, 3)
    picture = values.reshape(shape)
    seen = np.isfinite(picture) & (picture >= 0.0)
    if chosen["gives"] == "segmentation":
        shades = np.where(seen, 40.0 + (picture * 67.0) % 200.0, 0.0)
    else:
        far = picture[seen].max(initial=1e-9)
        shades = np.where(seen, 235.0 - 200.0 * np.where(seen, picture, 0.0) / far, 0.0)
    return np.repeat(shades.astype(np.uint8)[..., None], 3, axis=2)
