"""Momentum of a machine that floats and touches nothing fixed: only gravity and loads can change it."""

from __future__ import annotations

import numpy as np

from treadle.dynamics import compiled
from treadle.model.model import WORLD, Model
from treadle.sim.ledger import floats
from treadle.sim.quality.measure import Measure, rate
from treadle.sim.quality.run import Run
from treadle.sim.state import State

__all__ = ["angular_momentum", "linear_momentum", "momenta"]

#: Largest drifts that are good and fair, as parts of the momentum that the kinetic energy allows.
_GOOD, _FAIR = 0.01, 0.05


def linear_momentum(run: Run) -> Measure | None:
    """Change of the linear momentum beyond the impulse of gravity and loads."""
    if not _kept(run):
        return None
    gained = _gained(run)[3:]
    weight = run.model.mass * np.array(run.model.gravity) * run.duration
    drift = float(np.linalg.norm(gained - weight - run.ledger[4:]))
    meaning = "change of the linear momentum less the impulse of gravity and loads"
    return _judged(run, "linear momentum drift", drift, "N s", meaning, 1.0)


def angular_momentum(run: Run) -> Measure | None:
    """Change of the angular momentum about the centre of mass beyond that of loads."""
    if not _kept(run):
        return None
    drift = float(np.linalg.norm(_gained(run)[:3] - run.ledger[1:4]))
    meaning = "change of the angular momentum about the centre of mass less the impulse of loads"
    return _judged(run, "angular momentum drift", drift, "N m s", meaning, run.size)


def momenta(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Angular momentum about the centre of mass and linear momentum (6), in world axes."""
    p = compiled.momentum(model, q, v)
    center = compiled.center_of_mass(model, q)
    p[:3] -= np.cross(center, p[3:])
    return p


def _kept(run: Run) -> bool:
    """Whether nothing of the world holds or touches the machine."""
    fixed = any(shape.role == "collision" and shape.body == WORLD for shape in run.model.shapes)
    touched = run.sim.contact and (fixed or run.sim.terrain is not None)
    # a locked degree of freedom of a free joint holds on to the world
    locked = any(
        run.now.locked[body.joint.v].any() or run.start.locked[body.joint.v].any()
        for body in run.model.bodies
        if body.parent == WORLD and len(run.now.locked)
    )
    roots = {body.joint.name for body in run.model.bodies if body.parent == WORLD}
    moved = not roots.isdisjoint(run.sim.motions)
    return floats(run.model) and not touched and not locked and not moved


def _gained(run: Run) -> np.ndarray:
    def at(state: State) -> np.ndarray:
        return momenta(run.model, state.q, state.v)

    return at(run.now) - at(run.start)


def _judged(run: Run, name: str, drift: float, unit: str, meaning: str, arm: float) -> Measure:
    """A drift beside sqrt(2 m T), the momentum of the whole mass with the kinetic energy T, times an arm."""
    if run.early:
        return Measure(name, drift, unit, meaning)
    scale = float(np.sqrt(2.0 * run.model.mass * run.peak_kinetic)) * arm
    what = name.removesuffix(" drift")
    return Measure(
        name,
        drift,
        unit,
        meaning,
        rate(drift, _GOOD * scale, _FAIR * scale),
        _GOOD * scale,
        f"the {what} is off by {drift / scale:.2g} of what the motion carries",
        run.finer(drift / scale / _GOOD),
    )
