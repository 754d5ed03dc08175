"""Let a scene come to rest by kinetic damping: velocities are zeroed whenever their square passes a maximum.

Bodies fall and tip over as they do, and nothing swings or rocks: where motion slows down by itself it is
ended at once (Cundall 1976). Joint forces, loads and commands act as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treadle.errors import InputError
from treadle.sim.simulation import Simulation

__all__ = ["Settled", "settle"]

#: Time (s) for which everything has to be slow from rest on, and steps of it at least.
_STILL, _LEAST = 0.05, 10


@dataclass(frozen=True)
class Settled:
    """Whether a scene came to rest, after how long (s), and what still moves fastest (m/s or rad/s)."""

    at_rest: bool
    seconds: float
    speed: float
    #: the fastest joint
    joint: str

    def __bool__(self) -> bool:
        return self.at_rest


def settle(sim: Simulation, seconds: float = 30.0, speed: float = 1e-4) -> Settled:
    """Bring a simulation to rest, within a simulated time (s), and return whether it came to rest.

    It rests if from a standstill no velocity of a joint exceeds the speed (m/s or rad/s) for 50 ms. The clock
    stays where it was: what is found is a state to start from. Where it does not come to rest the simulation
    stays where the search ended, with its velocities zero.
    """
    if not (np.isfinite(seconds) and seconds > 0.0 and np.isfinite(speed) and speed > 0.0):
        raise InputError(f"settle: seconds and speed must be positive, not {seconds!r} and {speed!r}")
    before = sim.save()
    steps, still = round(seconds / sim.dt), max(round(_STILL / sim.dt), _LEAST)
    sim.v[:] = 0.0
    taken, quiet, last, fastest, index = 0, 0, 0.0, 0.0, 0
    while taken < steps and quiet < still:
        sim.step()
        taken += 1
        squares = sim.v**2
        index = int(squares.argmax()) if len(squares) else 0
        fastest = float(np.sqrt(squares.max(initial=0.0)))
        quiet = quiet + 1 if fastest <= speed else 0
        total = float(squares.sum())
        if total < last and quiet == 0:
            sim.v[:] = 0.0
            total = 0.0
        last = total
    after = sim.save()
    kept = {"start": before.start, "steps": before.steps, "dt": before.dt, "v": np.zeros_like(after.v)}
    sim.restore(replace(after, **kept))
    joint = next((j.name for j in sim.model.joints if j.v.start <= index < j.v.stop), "")
    return Settled(quiet >= still, taken * sim.dt, fastest, joint)
