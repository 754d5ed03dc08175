"""The differential equation of a whole machine: rates of velocities and actuator states from the state.

Joint springs and dampers, force elements, tendons, actuators, laws, loads and closed loops are in it. Stops,
dry friction and contact are not: they are no functions of the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from treadle.errors import InputError
from treadle.forces.actuator import actuator_state_size
from treadle.graph import Expr, Scalar, evaluate, forward, trace
from treadle.integrators import System
from treadle.model.model import Model
from treadle.native.program import Program

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["check_smooth", "rates_program", "state_inputs", "state_rates"]

#: Time constant, in steps, with which loops that are open close where others integrate the rates.
_CLOSING = 10.0


def check_smooth(sim: Simulation) -> None:
    """InputError for a machine whose accelerations are no function of its state."""
    model = sim.model
    if sim.contact:
        hint = "give the simulation contact=False"
        raise InputError(f"contact of {model.name!r} is not smooth and cannot be made linear: {hint}")
    if model.wheels:
        raise InputError(f"{model.name!r} is on wheels, whose forces on the ground are not made linear yet")


def state_inputs(sim: Simulation) -> dict[str, int]:
    """What the rates are functions of, with sizes; arrays without numbers are left out."""
    model = sim.model
    sizes = {
        "q": model.nq,
        "v": model.nv,
        "tau": model.nv,
        "time": 1,
        "commands": len(model.actuators),
        "drives": actuator_state_size(model),
    }
    return {name: size for name, size in sizes.items() if size}


def state_rates(
    sim: Simulation,
    given: Mapping[str, Sequence[Scalar]],
    machine: Model | None = None,
    closing_time: Scalar | None = None,
) -> list[Scalar]:
    """dv/dt and the rates of the actuators' own state, from arrays named as in `state_inputs`, and "loads".

    `machine` has other constants than the simulation's. With a `closing_time` loops that are open close
    (see `solvers.stabilization`), as those who integrate the rates by a method of their own need it.
    """
    q, v, (time,) = given["q"], given["v"], given["time"]
    drives = given.get("drives", ())
    system = System(
        machine or sim.model,
        given["tau"],
        given.get("loads", ()),
        sim.laws,
        commands=given.get("commands", ()),
        drives=drives,
        closing_time=closing_time,
    )
    flows: list[Scalar] = []
    if drives:
        flows = _flows(system, [*q, *v, *system.commands, *drives], len(q), len(v))
    return [*system.acceleration(q, v, time), *flows]


def _flows(system: System, values: Sequence[Scalar], nq: int, nv: int) -> list[Scalar]:
    """Rates of the actuators' own state: the derivative of what a step h leads to, at h = 0."""
    commands = nq + nv + len(system.commands)

    def slopes(given: Sequence[Expr]) -> list[Scalar]:
        *state, step = given
        own = replace(system, commands=state[nq + nv : commands], drives=state[commands:])
        reached = own.driven(state[:nq], state[nq : nq + nv], step)
        return [row[0] for row in forward(reached, {step: {0: 1.0}}, 1)]

    graph, outputs = trace(slopes, len(values) + 1)
    return evaluate(graph, outputs, [*values, 0.0])


def rates_program(sim: Simulation, along: bool = False) -> Program:
    """dq/dt, dv/dt and the rates of the actuators' state as one "result".

    With `along` it is the derivative of these along a direction, whose inputs have a `d` before their names.
    """
    check_smooth(sim)
    inputs = state_inputs(sim)
    closing = _CLOSING * sim.dt if sim.model.closed else None

    def rates(given: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
        q, v = given["q"], given["v"]
        moved = [x for j in sim.model.joints for x in j.type.rate(q[j.q], v[j.v])]
        return [*moved, *state_rates(sim, given, closing_time=closing)]

    def slopes(**given: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        seeds = {
            x: {0: dx} for name in inputs if name != "time" for x, dx in zip(given[name], given[f"d{name}"])
        }
        return {"result": [row[0] for row in forward(rates(given), seeds, 1)]}  # type: ignore[arg-type]

    if not along:
        return Program(None, inputs, lambda **given: {"result": rates(given)}, hot=False)
    directions = {f"d{name}": size for name, size in inputs.items() if name != "time"}
    return Program(None, {**inputs, **directions}, slopes, hot=False)
