"""What a step does, as a program to compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limit_rows
from treadle.constraints.motion import Motion
from treadle.constraints.rope import rope_rows
from treadle.forces.actuator import actuator_state_size
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar, logical_not, maximum, where
from treadle.integrators import INTEGRATORS, Advance, System
from treadle.model import lift
from treadle.model.apart import told_apart
from treadle.model.limbs import limb_inputs
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.arrays import CARRIED
from treadle.sim.bounds import bound_rows
from treadle.sim.event import Event
from treadle.sim.ledger import ledger_rates, ledger_size, step_entry
from treadle.sim.watched_step import Part, held_force, watched_part, watched_sizes
from treadle.solvers.impulses import Arrest, bounded_velocity
from treadle.solvers.stabilization import STABILIZATIONS, closing_time
from treadle.terrain import Terrain
from treadle.wheels import WHEEL_MODELS

__all__ = ["FASTEST", "step_program"]

#: Speeds (rad/s, m/s) that nothing has: a state beyond them has exploded.
FASTEST = 1e8


def step_program(
    model: Model,
    integrator: str,
    loaded: bool = False,
    parameters: Sequence[str] = (),
    laws: Sequence[ForceLaw] = (),
    controllers: Sequence[ForceLaw] = (),
    motions: Mapping[str, Motion] | None = None,
    guarded: bool = True,
    bounded: bool = False,
    accounted: bool = False,
    pushed: bool = True,
    events: Sequence[Event] | None = None,
    switches: int = 0,
    stabilization: str = "projection",
    terrain: Terrain | None = None,
    rolling: str = "balance",
    solver: str = "direct",
) -> Program:
    """One step of the machine: q, v -> q, v under tau (and loads) over dt.

    The clock (start, steps so far) is there where laws ask for the time, which is start + steps dt.
    `parameters` names constants of the model that become inputs; `laws` and `controllers` are traced into
    the step: laws act all through it, controllers once at its start; `motions` are held where it is bounded.
    Methods with options, a memory or an unknown number of rounds have arrays for them. A `guarded` step
    that would leave the finite numbers, or any speed of this world, is not taken, nor any after it:
    "alive" is 1 until then, and counts the steps that were taken. A `bounded` step holds the joints' stops
    and friction; one that is guarded but not bounded is not taken if a joint would pass a stop. An
    `accounted` step adds the work and impulse of forces to its "ledger"; unless it is `pushed`, no `tau` acts
    on joints that turn in space. With `events` (maybe none) and as many `switches` in the laws it
    stops after a substep in which one of them crosses zero (see `watched_step`). `stabilization` says how
    loops stay closed. Wheels run on the `terrain`, in the way `rolling` says.
    The `solver` finds the forces of loops and of what is bounded.
    """
    method, kept = INTEGRATORS[integrator], STABILIZATIONS[stabilization]
    sizes = {
        "q": model.nq,
        "v": model.nv,
        "tau": model.nv,
        "dt": 1,
        "clock": 2 if laws or controllers or motions else 0,
        "loads": LOAD_SIZE * len(model.bodies) if loaded else 0,
        "parameters": len(parameters),
        "commands": len(model.actuators),
        "drives": actuator_state_size(model),
        "options": len(method.options),
        "memory": method.memory(model),
        "effort": 2 if method.iterates or (terrain and model.wheels) else 0,
        "closing": 1 if model.closed and kept.feedback else 0,
        "gap": 2 if model.closed else 0,
        "ledger": ledger_size(model) if accounted else 0,
        "alive": 2 if guarded else 0,
    }
    if events is not None:
        sizes |= watched_sizes(model, events, switches, bool(controllers))
    inputs = {name: size for name, size in sizes.items() if size or name in ("q", "v", "tau")}

    def advance(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        machine = told_apart(model)
        if parameters:
            machine = lift(machine, dict(zip(parameters, values["parameters"], strict=True)))
        options = dict(zip(method.options, values.get("options", ()), strict=True))
        loads, memory = values.get("loads", ()), values.get("memory", ())
        start, steps = values.get("clock", [0.0, 0.0])
        dt = values["dt"][0]
        now = start + steps * dt
        tau: Sequence[Scalar] = values["tau"]
        held: list[Scalar] = [0.0] * model.nv if controllers else []
        for controller in controllers:
            added = law_force(machine, controller, values["q"], values["v"], now)
            held = [a + b for a, b in zip(held, added, strict=True)]
        if controllers:
            held = held if events is None else held_force(values, held)
            tau = [a + b for a, b in zip(tau, held, strict=True)]

        spent: list[Scalar] = []

        def bounds(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[BoundedRow]:
            given = values["v"], values.get("commands", ())
            return bound_rows(machine, motions or {}, q, v, now, dt, spent, *given, sprung=method.arrests)

        system = System(
            machine,
            tau,
            loads,
            laws,
            options,
            memory,
            bounds if bounded else None,
            values.get("commands", ()),
            values.get("drives", ()),
            elastic=not (method.arrests and bounded),
            closing_time=closing_time(values["closing"][0], dt) if "closing" in inputs else None,
            terrain=terrain,
            rolling=rolling,
            solver=solver,
        )
        if bounded and model.rubs and not method.arrests:
            rubbed = _friction(system, values["q"], values["v"], now, dt)
            spent += rubbed.rows
            system = replace(system, tau=[x + p / dt for x, p in zip(tau, rubbed.impulses, strict=True)])
        if accounted and method.adaptive:
            system = replace(system, account=ledger_rates(system, pushed))
        part = None if events is None else watched_part(method, system, events, values, now, dt, held)
        if part is not None:
            after = part.after
        elif model.nv:
            after = method.step(system, values["q"], values["v"], now, dt)
        else:
            after = Advance(list(values["q"]), [], memory)
        free = after.v
        if not method.arrests:
            ended = system.arrest(after.q, after.v)
            after = after._replace(v=ended.v, work=ended.work)
        gap: Sequence[Scalar] = (0.0, 0.0)
        if model.closed and model.nv:
            q, v, gap = kept.finish(machine, after.q, after.v)
            after = after._replace(q=q, v=v)
        origin, span = (values["q"], dt) if part is None else (part.origin, part.span)
        rounds, worst = values.get("effort", (0.0, 0.0))
        results = {
            "q": after.q,
            "v": after.v,
            "clock": [start, steps + 1.0],
            "memory": after.memory,
            "drives": system.driven(origin, after.v, span) if "drives" in inputs else [],
            "gap": [maximum(values["gap"][0], gap[0]), values["gap"][1] + gap[1]] if model.closed else [],
            "effort": [rounds + after.effort[0], maximum(worst, abs(after.effort[1]))],
        }
        if accounted:
            entry = list(after.entry)
            if not method.adaptive:
                # a method that takes forces at the end of the step takes pressures there too
                books = replace(system, drives=results["drives"]) if method.arrests else system
                if method.arrests and rolling != "kinematic":
                    # the ground's forces are in the work that the step tells
                    books = replace(books, terrain=None)
                # what a stop does at the end of a step changes nothing on the way there
                ends = (values["q"], values["v"]), (after.q, after.v if method.arrests else free)
                entry = step_entry(books, method.order, *ends, now, dt, pushed)
            entry = entry or [0.0] * ledger_size(model)
            entry[0] = entry[0] + (after.work if part is None else where(part.stopped, 0.0, after.work))
            results["ledger"] = [a + b for a, b in zip(values["ledger"], entry, strict=True)]
        if part is not None:
            results = _unless_stopped(part, values, results)
        results = {name: result for name, result in results.items() if name in inputs}
        if guarded:
            fine = True if not method.adaptive else after.effort[1] <= 0.0
            if not bounded:
                ends = values["q"] if method.arrests else after.q, after.v, dt
                for row in (*limit_rows(machine, *ends), *rope_rows(machine, *ends)):
                    fine = logical_not(row.active) & fine
            results = _guard(values, results, fine, part)
        return {f"next_{name}": result for name, result in results.items()}

    kind = f"loaded={loaded} guarded={guarded} bounded={bounded} accounted={accounted, pushed}"
    if model.closed:
        kind += f" {stabilization}"
    if model.closed or bounded:
        kind += f" {solver}"
    if events is not None:
        kind += " watched"
    if terrain is not None:
        kind += f" {rolling} on {terrain.digest}"
    digest = f"step {integrator} {kind} {model.digest}"
    if parameters:
        # the model's digest knows no names, but parameters are found by them
        digest += f" {list(parameters)} {[x.name for x in (*model.links, *model.joints)]}"
    carried = [name for name in CARRIED if name in inputs]
    # what a law, or a method or joint from elsewhere, computes only its graph can tell
    known = not (laws or controllers or motions or events) and all(
        owner.__module__.startswith("treadle.")
        for owner in (
            getattr(method.step, "func", method.step),
            *[type(j.type) for j in model.joints],
            *[WHEEL_MODELS[wheel.model] for wheel in model.wheels if terrain is not None],
            type(terrain),
        )
        if owner is not type(None)
    )
    carry = {f"next_{name}": name for name in carried}
    return Program(digest if known else None, inputs, advance, carry, twins=limb_inputs(model, inputs))


def _friction(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Arrest:
    """What friction gives over a step by the rates at its start.

    Methods that ask for none on their way get it as a force all through the step; at its end friction may
    give what it has left.
    """
    a = system.acceleration(q, v, time)
    ahead = [x + dt * rate for x, rate in zip(v, a, strict=True)]
    return bounded_velocity(
        system.model, q, ahead, lambda q, v: friction_rows(system.model, q, dt), system.solver
    )


def _unless_stopped(
    part: Part, values: Mapping[str, Sequence[Scalar]], results: dict[str, Sequence[Scalar]]
) -> dict[str, Sequence[Scalar]]:
    """The results, but of a step that stopped on its way without what happens at its end."""
    on_the_way = dict(values) | {"q": part.after.q, "v": part.after.v}
    ends = {
        name: [
            where(part.stopped, old, new) for old, new in zip(on_the_way[name], results[name], strict=True)
        ]
        for name in ("q", "v", "clock", "drives", "gap")
        if results.get(name)
    }
    return results | ends | part.results


def _guard(
    values: Mapping[str, Sequence[Scalar]], results: dict[str, Sequence[Scalar]], fine: Any, part: Part | None
) -> dict[str, Sequence[Scalar]]:
    """The results of a step that is fine and no speed of this world, else what was there before."""
    alive, taken = values["alive"]
    if part is not None:
        fine = part.stopped | fine
    fine = (alive > 0.5) & (sum((x * x for x in results["v"]), 0.0) < FASTEST * FASTEST) & fine
    go, finished = fine, fine
    if part is not None:
        go = logical_not(part.idle) & fine
        fine, finished = (part.idle & (alive > 0.5)) | fine, logical_not(part.stopped) & go
    kept: dict[str, Sequence[Scalar]] = {
        name: [where(go, new, old) for new, old in zip(result, values[name], strict=True)]
        for name, result in results.items()
    }
    return kept | {"alive": [where(fine, 1.0, 0.0), where(finished, taken + 1.0, taken)]}
