"""What to say when a state leaves the finite numbers, or all bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.errors import InputError, SimulationDiverged
from treadle.sim.step.program import FASTEST
from treadle.solvers.closure import nearly_singular

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["check_given", "diverged", "stuck"]


def check_given(sim: Simulation) -> None:
    """That the numbers which the user may have written are finite."""
    for name, given in (("q", sim.q), ("v", sim.v), ("tau", sim.tau)):
        bad = np.flatnonzero(~np.isfinite(given))
        if bad.size:
            owner = _owner(sim, name, int(bad[0]))
            raise InputError(f"step: {name}[{bad[0]}] ({owner}) is {given[bad[0]]}")


def diverged(sim: Simulation, attempt: np.ndarray) -> SimulationDiverged:
    """The error for a simulation at its last good state whose next step reaches the velocities `attempt`."""
    lost = np.flatnonzero(~np.isfinite(attempt))
    worst = int(lost[0]) if lost.size else int(np.argmax(np.abs(attempt)))
    owner = _owner(sim, "v", worst)
    when = sim.time + sim.dt
    fact = "is no number any more" if lost.size else f"would move at {attempt[worst]:.3g}"
    return SimulationDiverged(
        f"the simulation of {sim.model.name!r} diverged at t = {when:.6g} s: {owner} {fact}; "
        f"{_cause(sim, worst)}",
        time=when,
        element=owner,
        last_good_state=sim.save(),
    )


def stuck(sim: Simulation, tried: float, left: float) -> SimulationDiverged:
    """The error for a step that the control of its error could not finish, `left` seconds before its end."""
    when = sim.time + sim.dt - left
    owner = _fastest(sim)
    near = nearly_singular(sim.model, sim.q.tolist())
    flat = f" and the loop {near!r} is next to a singular position" if near else ""
    jumps = " and write conditions in force laws with td.switch" if sim.laws else ""
    return SimulationDiverged(
        f"{sim.integrator!r} cannot keep the tolerance {sim.options['tolerance']:g} at t = {when:.9g} s, "
        f"where {owner} accelerates most{flat} (after {tried:.0f} substeps of a step): "
        f"give it a larger one{jumps}",
        time=when,
        element=owner,
        last_good_state=sim.save(),
    )


def _fastest(sim: Simulation) -> str:
    """The joint that accelerates most, in its loops."""
    try:
        rates = {j.name: np.abs(sim.joint(j.name).acceleration).max(initial=0.0) for j in sim.model.joints}
    except InputError:
        acceleration = compiled.forward_dynamics(sim.model, sim.q, sim.v, sim.tau)
        return _owner(sim, "v", int(np.argmax(np.abs(acceleration))))
    return f"joint {max(rates, key=rates.__getitem__)!r}"


def _cause(sim: Simulation, freedom: int) -> str:
    """The likely cause, and what to do about it."""
    speed = float(np.abs(sim.v).max(initial=0.0))
    if speed * sim.dt > 1.0:
        return (
            f"it already moved {speed * sim.dt:.2g} (rad or m) per step: try a step smaller than "
            f"dt = {sim.dt:g} s, or an integrator with error control such as 'dopri5'"
        )
    mass = compiled.mass_matrix(sim.model, sim.q)
    own = float(mass[freedom, freedom])
    try:
        acceleration = compiled.forward_dynamics(sim.model, sim.q, sim.v, sim.tau)[freedom]
    except ValueError:
        acceleration = float("nan")
    if abs(acceleration) * sim.dt < FASTEST * 1e-3 and (sim.laws or sim.controllers):
        return (
            f"without laws and controllers it would accelerate by {acceleration:.3g}: check what they return"
        )
    if own < 1e-9 * float(np.abs(mass).max()):
        return f"its inertia is only {own:.3g} beside {np.abs(mass).max():.3g} elsewhere: check the masses"
    return f"try a step smaller than dt = {sim.dt:g} s, smaller forces, or an implicit integrator"


def _owner(sim: Simulation, label: str, index: int) -> str:
    for joint in sim.model.joints:
        part = joint.q if label == "q" else joint.v
        if part.start <= index < part.stop:
            return f"joint {joint.name!r}"
    return "an unknown joint"
