"""Changes of a machine that runs: it is compiled again, and continues from where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treadle.constraints.rows import row_names
from treadle.errors import InputError, ModelError
from treadle.forces.law import law_force
from treadle.model.model import Model
from treadle.model.spec import ModelSpec
from treadle.model.tree import spanning_tree
from treadle.sim.sensing import SimulationPort
from treadle.sim.state import State
from treadle.sim.state_transfer import carried
from treadle.solvers.assembly import assemble, closure_evaluation

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["adopt", "become", "edited"]

#: Gaps of loops (m, rad), and their rates, that are rounding.
_CLOSED = 1e-12

#: What a simulation keeps when it gets another machine.
_KEPT = ("observers", "wall_time", "measured_time", "fresh")

#: Arrays that users may hold views of.
_LIVE = ("q", "v", "tau", "dt", "commands")


def edited(spec: ModelSpec) -> Model:
    """The machine of an edited description."""
    in_tree = {joint.name for joint in spanning_tree(spec)[0]}
    for keyframe in spec.keyframes:
        keyframe.positions = {n: x for n, x in keyframe.positions.items() if n in in_tree}
        keyframe.velocities = {n: x for n, x in keyframe.velocities.items() if n in in_tree}
    return spec.compile()


def adopt(sim: Simulation, model: Model, gap: float = 1e-3) -> None:
    """Let a simulation go on with an edited machine from where it is.

    Loops and couplings that are open by at most `gap` (m, rad) are closed; beyond it there is a ModelError.
    """
    become(sim, model, _closed(model, carried(sim.model, model, sim.save()), gap))


def become(sim: Simulation, model: Model, state: State) -> None:
    """Let a simulation go on with another machine; where that cannot be, it stays as it was."""
    if sim.events.acting:
        raise InputError("the action of an event must not change the machine; do it between steps")
    options = sim.step_options.moved(sim.model, model)
    fresh = type(sim).with_options(model, options, sim.dt, state.q, state.v, tuple(sim.events))
    for law in fresh.laws:
        # one that asks for a joint that is gone fails here, while nothing is lost
        law_force(model, law, state.q.tolist(), state.v.tolist(), state.time)
    old_model, reference = sim.model, sim.reference
    log = sim.events.log
    live = {name: sim.arrays[name] for name in _LIVE}
    for readings in ("reactions", "accelerations"):
        vars(sim).pop(readings, None)
    vars(sim).update({name: value for name, value in vars(fresh).items() if name not in _KEPT})
    sim.watcher.belong(sim)
    sim.run_log.belong(sim)
    sim.stepper.belong(sim)
    if sim.sampling is not None:
        sim.sampling.belong(SimulationPort(sim))
    sim.events.log = log
    sim.keep_views(live)
    sim.restore(state)
    sim.reference = _reference(old_model, model, reference, state)
    for observer in tuple(sim.observers):
        observer.rebuilt()


def _closed(model: Model, state: State, gap: float) -> State:
    if not model.closed:
        return state
    residuals, jacobian = closure_evaluation(model)(state.q)
    open_by, opening = np.abs(residuals), np.abs(jacobian @ state.v)
    if max(open_by.max(initial=0.0), opening.max(initial=0.0)) <= _CLOSED:
        # what is closed stays as it is, to the last bit
        return state
    worst = int(np.argmax(open_by)) if len(open_by) else 0
    if len(open_by) and open_by[worst] > gap:
        raise ModelError(
            f"the edited {model.name!r} is not closed where it is: {row_names(model)[worst]!r} is open by "
            f"{open_by[worst]:.3g} (m or rad), more than the gap of {gap:g} that is allowed",
            hint="move the machine nearer before, or allow more with sim.edit(gap=...)",
        )
    assembly = assemble(model, state.q, state.v)
    return replace(state, q=assembly.q, v=assembly.v)


def _reference(old: Model, new: Model, reference: State, present: State) -> State:
    """The state that `reset` goes to: the first one, or the present one if the new machine cannot have it."""
    try:
        return _closed(new, carried(old, new, reference), 0.1)
    except ModelError:
        return present
