"""What a step does, over generic scalars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from treadle.constraints.bounded import Arrest, BoundedRow
from treadle.constraints.limit import limit_rows
from treadle.constraints.rope import rope_rows
from treadle.forces.law import law_force
from treadle.graph import Scalar, logical_not, maximum, where
from treadle.integrators import Advance, System
from treadle.model.apart import told_apart
from treadle.sim.ledger import ledger_rates, ledger_size, step_entry
from treadle.sim.step import FASTEST, Step
from treadle.sim.watched_step import Part, held_force, watched_part
from treadle.solvers.stabilization import closing_time

__all__ = ["advance"]


def advance(step: Step, values: Mapping[str, Sequence[Scalar]]) -> dict[str, Sequence[Scalar]]:
    """The arrays after a step, under the names "next_...", from those before it."""
    model, method, events = step.model, step.method, step.events
    machine = told_apart(model)
    if step.parameters:
        from treadle.model.parameters import lift

        machine = lift(machine, dict(zip(step.parameters, values["parameters"], strict=True)))
    options = dict(zip(method.options, values.get("options", ()), strict=True))
    loads, memory = values.get("loads", ()), values.get("memory", ())
    start, steps = values.get("clock", [0.0, 0.0])
    dt = values["dt"][0]
    now = start + steps * dt
    tau: Sequence[Scalar] = values["tau"]
    held: list[Scalar] = [0.0] * model.nv if step.controllers else []
    for controller in step.controllers:
        added = law_force(machine, controller, values["q"], values["v"], now)
        held = [a + b for a, b in zip(held, added, strict=True)]
    if step.controllers:
        held = held if events is None else held_force(values, held)
        tau = [a + b for a, b in zip(tau, held, strict=True)]

    spent: list[Scalar] = []

    def bounds(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[BoundedRow]:
        from treadle.sim.bounds import bound_rows

        given = values["v"], values.get("commands", ())
        return bound_rows(machine, step.motions, q, v, now, dt, spent, *given, sprung=method.arrests)

    system = System(
        machine,
        tau,
        loads,
        step.laws,
        options,
        memory,
        bounds if step.bounded else None,
        values.get("commands", ()),
        values.get("drives", ()),
        elastic=not (method.arrests and step.bounded),
        closing_time=closing_time(values["closing"][0], dt) if "closing" in step.inputs else None,
        terrain=step.terrain,
        rolling=step.rolling,
        solver=step.solver,
    )
    if step.bounded and model.rubs and not method.arrests:
        rubbed = _friction(system, values["q"], values["v"], now, dt)
        spent += rubbed.rows
        system = replace(system, tau=[x + p / dt for x, p in zip(tau, rubbed.impulses, strict=True)])
    if step.accounted and method.adaptive:
        system = replace(system, account=ledger_rates(system, step.pushed))
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
        q, v, gap = step.kept.finish(machine, after.q, after.v)
        after = after._replace(q=q, v=v)
    origin, span = (values["q"], dt) if part is None else (part.origin, part.span)
    rounds, worst = values.get("effort", (0.0, 0.0))
    results = {
        "q": after.q,
        "v": after.v,
        "clock": [start, steps + 1.0],
        "memory": after.memory,
        "drives": system.driven(origin, after.v, span) if "drives" in step.inputs else [],
        "gap": [maximum(values["gap"][0], gap[0]), values["gap"][1] + gap[1]] if model.closed else [],
        "effort": [rounds + after.effort[0], maximum(worst, abs(after.effort[1]))],
    }
    if step.accounted:
        entry = list(after.entry)
        if not method.adaptive:
            # a method that takes forces at the end of the step takes pressures there too
            books = replace(system, drives=results["drives"]) if method.arrests else system
            if method.arrests and step.rolling != "kinematic":
                # the ground's forces are in the work that the step tells
                books = replace(books, terrain=None)
            # what a stop does at the end of a step changes nothing on the way there
            ends = (values["q"], values["v"]), (after.q, after.v if method.arrests else free)
            entry = step_entry(books, method.order, *ends, now, dt, step.pushed, kicks=method.arrests)
        entry = entry or [0.0] * ledger_size(model)
        entry[0] = entry[0] + (after.work if part is None else where(part.stopped, 0.0, after.work))
        results["ledger"] = [a + b for a, b in zip(values["ledger"], entry, strict=True)]
    if part is not None:
        results = _unless_stopped(part, values, results)
    results = {name: result for name, result in results.items() if name in step.inputs}
    if step.guarded:
        fine = True if not method.adaptive else after.effort[1] <= 0.0
        if not step.bounded:
            ends = values["q"] if method.arrests else after.q, after.v, dt
            for row in (*limit_rows(machine, *ends), *rope_rows(machine, *ends)):
                fine = logical_not(row.active) & fine
        results = _guard(values, results, fine, part)
    return {f"next_{name}": result for name, result in results.items()}


def _friction(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Arrest:
    """What friction gives over a step by the rates at its start.

    Methods that ask for none on their way get it as a force all through the step; at its end friction may
    give what it has left.
    """
    from treadle.constraints.friction import friction_rows
    from treadle.solvers.impulses import bounded_velocity

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
