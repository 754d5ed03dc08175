"""A step that looks out for events and switches, as a program to compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import LOAD_SIZE
from treadle.forces.switch import locked, switch_values
from treadle.graph import Scalar, equal, logical_not, where
from treadle.integrators import INTEGRATORS, System
from treadle.integrators.watch import Watch, watched_step
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.event import Event
from treadle.sim.step import FASTEST

__all__ = ["CONTINUED", "FRESH", "STOPPED", "WATCHED", "pause_size", "watched_program"]

#: Where a step is: at its start, stopped after a substep (nothing is done), or on its way again.
FRESH, STOPPED, CONTINUED = 0.0, 1.0, 2.0

#: Arrays that a watched step reads and writes.
WATCHED = ("q", "v", "clock", "memory", "effort", "alive", "pause", "modes", "held")


def pause_size(model: Model) -> int:
    """Where the step is, whether to stop after every substep, seconds done, and the last substep.

    Of the substep: when in the step it began, its length, and q and v at its start.
    """
    return 5 + model.nq + model.nv


def watched_program(
    model: Model,
    integrator: str,
    loaded: bool,
    laws: Sequence[ForceLaw],
    controllers: Sequence[ForceLaw],
    events: Sequence[Event],
    switches: int,
) -> Program:
    """A step of `step_program` that stops after a substep in which an event or a switch crosses zero.

    The modes of switches and the forces that controllers command are fixed at the start of a step; they
    are held where it goes on after a stop. The memory is the next substep, and which events just fired.
    """
    method = INTEGRATORS[integrator]
    assert method.tableau is not None
    tableau = method.tableau()
    nq, nv = model.nq, model.nv
    sizes = {
        "q": nq,
        "v": nv,
        "tau": nv,
        "dt": 1,
        "clock": 2,
        "loads": LOAD_SIZE * len(model.bodies) if loaded else 0,
        "options": len(method.options),
        "memory": 1 + len(events),
        "effort": 2,
        "alive": 2,
        "pause": pause_size(model),
        "modes": switches,
        "held": nv if controllers else 0,
    }
    inputs = {name: size for name, size in sizes.items() if size}

    def advance(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        q, v, dt, (start, steps) = values["q"], values["v"], values["dt"][0], values["clock"]
        options = dict(zip(method.options, values["options"], strict=True))
        status, every, done = values["pause"][:3]
        fresh, idle = equal(status, FRESH), equal(status, STOPPED)
        time = start + steps * dt
        modes = [
            where(fresh, where(x > 0.0, 1.0, 0.0), old)
            for x, old in zip(switch_values(model, laws, q, v, time), values.get("modes", ()), strict=True)
        ]
        tau, held = values["tau"], values.get("held", ())
        if held:
            commanded: list[Scalar] = [0.0] * nv
            for controller in controllers:
                added = law_force(model, controller, q, v, time)
                commanded = [a + b for a, b in zip(commanded, added, strict=True)]
            held = [where(fresh, new, old) for new, old in zip(commanded, held, strict=True)]
            tau = [a + b for a, b in zip(tau, held, strict=True)]

        def functions(q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> list[Scalar]:
            found = [event.value(model, q, v, time) for event in events]
            return found + (switch_values(model, laws, q, v, time, modes) if modes else [])

        watch = Watch(functions, [event.direction for event in events], values["memory"][1:], modes)
        system = System(model, tau, values.get("loads", ()), laws, options, values["memory"][:1])
        with locked(modes or None):
            now = watched_step(
                tableau,
                method.order - 1,
                system,
                watch,
                q,
                v,
                time,
                dt,
                # one that is stopped has nothing left to do
                where(idle, dt, where(fresh, 0.0, done)),
                every > 0.5,
            )
        stopped = now.stopped > 0.5
        results = {
            "q": now.q,
            "v": now.v,
            "clock": [start, where(stopped, steps, steps + 1.0)],
            "memory": [now.h, *now.fired],
            "effort": [values["effort"][0] + now.tried, values["effort"][1]],
            "pause": [
                where(stopped, STOPPED, FRESH), every, now.done, now.begin, now.span,
                *now.q_begin, *now.v_begin,
            ],
            "modes": modes,
            "held": held,
        }  # fmt: skip
        alive, taken = values["alive"]
        finished = stopped | equal(now.done, dt)
        sound = finished & (sum((x * x for x in now.v), 0.0) < FASTEST * FASTEST)
        go = (alive > 0.5) & logical_not(idle) & sound
        kept: dict[str, Sequence[Scalar]] = {
            name: [where(go, new, old) for new, old in zip(results[name], values[name], strict=True)]
            for name in results
            if name in inputs
        }
        kept["alive"] = [
            where(idle | sound, alive, 0.0),
            where(go & logical_not(stopped), taken + 1.0, taken),
        ]
        return {f"next_{name}": result for name, result in kept.items()}

    carry = {f"next_{name}": name for name in WATCHED if name in inputs}
    return Program(None, inputs, advance, carry)
