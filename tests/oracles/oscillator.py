"""A mass on a spring with a damper."""

import numpy as np

__all__ = ["position"]


def position(
    time: np.ndarray, start: float, mass: float, stiffness: float, damping: float = 0.0
) -> np.ndarray:
    """Distance from the rest position after a start at rest, underdamped."""
    decay = damping / (2.0 * mass)
    rate = np.sqrt(stiffness / mass - decay**2)
    return start * np.exp(-decay * time) * (np.cos(rate * time) + decay / rate * np.sin(rate * time))
