"""Steps that end at a flat position of a linkage, or as far from it as one likes: the hardest to pass."""

from __future__ import annotations

from treadle.sim import Simulation
from treadle.studies.flat_linkages import FlatLinkage

__all__ = ["landing"]

#: Seconds within which a linkage passes a flat position.
_SECONDS = 4.0

#: Share of the step by which the search for one begins, and rounds of it.
_SEARCH, _ROUNDS = 1e-3, 12

#: Sine, and share of what is asked for, by which a step may miss it.
_MISSED, _SHARE = 1e-9, 0.02


def landing(linkage: FlatLinkage, integrator: str, dt: float, off: float) -> float | None:
    """A step (s) near dt with which a whole number of steps ends so far (sine) past the first flat position.

    None where the linkage does not come to one. By the secant method: the position after a number of steps is
    a smooth function of the step.
    """
    count = _steps_to(linkage, integrator, dt)
    if count is None:
        return None

    def missed(step: float) -> float:
        sim = Simulation(linkage.model, step, integrator, q=linkage.q, v=linkage.v)
        sim.step(count)
        return float(linkage.side(sim.q)) - off

    before, step = dt * (1.0 - _SEARCH), dt * (1.0 + _SEARCH)
    earlier, now = missed(before), missed(step)
    for _ in range(_ROUNDS):
        if abs(now) < max(_MISSED, _SHARE * abs(off)) or now == earlier:
            break
        before, step, earlier = step, step - now * (step - before) / (now - earlier), now
        now = missed(step)
    return step


def _steps_to(linkage: FlatLinkage, integrator: str, dt: float) -> int | None:
    """How many steps end nearest to the first flat position."""
    sim = Simulation(linkage.model, dt, integrator, q=linkage.q, v=linkage.v)
    side = float(linkage.side(sim.q))
    for number in range(1, round(_SECONDS / dt)):
        sim.step()
        last, side = side, float(linkage.side(sim.q))
        if last * side < 0.0:
            return number if abs(side) < abs(last) else number - 1
    return None
