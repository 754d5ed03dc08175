"""Bouncing: 49 elastic balls of 10 kg fall from 5 m for 20 s.

The error is the mean of the squared difference of the energy from what it was (J2).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from treadle.studies.simbenchmark.measure import Run, energy, follow
from treadle.studies.simbenchmark.scene import Scene, Solid
from treadle.studies.simbenchmark.worlds import World

__all__ = ["PUBLISHED", "SECONDS", "STEPS", "bounce", "bouncing"]

#: Steps, and the time simulated (s).
STEPS, SECONDS = (4e-4, 1e-3, 4e-3, 1e-2, 4e-2, 1e-1), 20.0

#: Published errors (J2) by engine and step.
PUBLISHED = {
    "RaiSim": dict(zip(STEPS, (4.77103e-4, 0.0186204, 4.76468, 185.953, 47390.6, 1.83452e6), strict=True)),
    "ODE": dict(zip(STEPS, (29.631, 185.027, 2982.68, 18808.3, 313419.0, 2.03326e6), strict=True)),
    "DART": dict(zip(STEPS, (10870.7, 72274.4, 1.18966e6, 7.37588e6, 1.19086e8, 7.67291e8), strict=True)),
    "Bullet": dict(zip(STEPS, (12038.5, 75245.4, 1.20178e6, 7.40664e6, 1.19223e8, 7.67704e8), strict=True)),
}

#: Balls along a side, mass (kg), radius (m), height (m), and how deep a ball may be in the ground.
_SIDE, _MASS, _RADIUS, _HEIGHT, _DEPTH = 7, 10.0, 0.1, 5.0, 0.5


def bouncing() -> Scene:
    """The balls, 2 m apart."""
    places = [(2.0 * i, 2.0 * j, _HEIGHT) for i in range(_SIDE) for j in range(_SIDE)]
    return Scene("bouncing", tuple(Solid(_MASS, (_RADIUS,), p) for p in places), restitution=1.0)


def bounce(make: Callable[[Scene, float], World], dt: float, seconds: float) -> Run:
    """Let the balls bounce in a world of some engine; inf is the error where one falls through the ground."""
    scene = bouncing()
    world = make(scene, dt)
    start = energy(scene, world)

    def error(world: World, number: int) -> float:
        lost = world.centres()[:, 2].min() < -_DEPTH
        return inf if lost else (energy(scene, world) - start) ** 2

    return follow(world, round(seconds / dt), error)
