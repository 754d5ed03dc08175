"""One step as one program, over generic scalars: the stages, composed while tracing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from treadle.constraints.bounded import Arrest, BoundedRow
from treadle.constraints.limit import limit_rows
from treadle.constraints.motion import prescribed, with_drive_rotors
from treadle.constraints.rope import rope_rows
from treadle.forces.law import law_force
from treadle.graph import Scalar, logical_not, maximum, unrolling, where
from treadle.integrators import Advance, Method, System
from treadle.integrators.system import MotionDrive
from treadle.model.coincidence import length_rounding, nearly_equal_lengths
from treadle.model.distinct_constants import distinct_constants
from treadle.model.model import Model
from treadle.sim.ledger import ledger_rates, ledger_size, step_entry
from treadle.sim.step.program import FASTEST, Step
from treadle.sim.step.watched import Part, held_force, watched_part
from treadle.solvers.stabilization import Stabilization, closing_time, largest_residual, opened

__all__ = ["advance"]


def advance(step: Step, values: Mapping[str, Sequence[Scalar]]) -> dict[str, Sequence[Scalar]]:
    """The arrays after a step, under the names "next_...", from those before it."""
    fused = _FusedStep(step, values)
    fused.control()
    fused.predict()
    fused.integrate()
    fused.stabilize()
    fused.account()
    return {f"next_{name}": result for name, result in fused.guarded().items()}


class _FusedStep:
    """A step as it is traced: the stages fill in what the next ones read."""

    system: System
    after: Advance
    #: the substep that an event may have ended, where events are watched
    part: Part | None

    def __init__(self, step: Step, values: Mapping[str, Sequence[Scalar]]) -> None:
        self.step, self.values = step, values
        self.model, self.options, self.kind = step.model, step.options, step.kind
        self.method = step.options.method
        self.start, self.steps = values.get("clock", [0.0, 0.0])
        self.dt = values["dt"][0]
        self.now = self.start + self.steps * self.dt
        self.machine = distinct_constants(step.model)
        if step.kind.parameters:
            from treadle.model.parameters import lift

            named = zip(step.kind.parameters, values["parameters"], strict=True)
            self.machine = lift(self.machine, dict(named))
        #: motions of joints that the method cannot hold by impulses
        self.drive: MotionDrive | None = None
        if step.options.driven:
            self.drive = MotionDrive(self.machine, step.options.motions)
            self.machine = with_drive_rotors(self.machine, step.options.motions)
        self.tau: Sequence[Scalar] = values["tau"]
        #: what controllers command over the step
        self.held: list[Scalar] = []
        #: rows of friction that acted throughout the step
        self.spent: list[Scalar] = []
        #: residual of the loops, rounds of their projection, and the distance from a singular position
        self.gap: Sequence[Scalar] = (0.0, 0.0, 1.0)

    def control(self) -> None:
        """Call the controllers, once."""
        if not self.step.controllers:
            return
        held: list[Scalar] = [0.0] * self.model.nv
        for controller in self.step.controllers:
            added = law_force(self.machine, controller, self.values["q"], self.values["v"], self.now)
            held = [a + b for a, b in zip(held, added, strict=True)]
        self.held = held if self.kind.events is None else held_force(self.values, held)
        self.tau = [a + b for a, b in zip(self.tau, self.held, strict=True)]

    def predict(self) -> None:
        """The differential equation of the step, with friction that acts throughout."""
        values, kind, method = self.values, self.kind, self.method
        self.system = System(
            self.machine,
            self.tau,
            values.get("loads", ()),
            self.options.laws,
            dict(zip(method.options, values.get("options", ()), strict=True)),
            values.get("memory", ()),
            self._bounds if kind.bounded else None,
            values.get("commands", ()),
            values.get("drives", ()),
            elastic=not (method.arrests and kind.bounded),
            closing_time=closing_time(values["closing"][0], self.dt)
            if "closing" in self.step.inputs
            else None,
            projected=self.step.stabilization.projects,
            terrain=self.options.terrain if self.model.wheels else None,
            rolling=self.options.rolling,
            solver=self.options.solver,
            drive=self.drive,
        )
        if kind.bounded and self.model.rubs and not method.arrests:
            rubbed = _friction(self.system, values["q"], values["v"], self.now, self.dt)
            self.spent += rubbed.rows
            tau = [x + p / self.dt for x, p in zip(self.tau, rubbed.impulses, strict=True)]
            self.system = replace(self.system, tau=tau)
        if kind.accounted and method.adaptive:
            self.system = replace(self.system, account=ledger_rates(self.system, kind.pushed))

    def _bounds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[BoundedRow]:
        from treadle.sim.bounds import bound_rows

        before = self.values["v"], self.values.get("commands", ())
        motions, sprung = {} if self.drive else self.options.motions, self.method.arrests
        return bound_rows(self.machine, motions, q, v, self.now, self.dt, self.spent, *before, sprung=sprung)

    def integrate(self) -> None:
        """The integrator's step, and limits and friction at its end."""
        values, method = self.values, self.method
        self.part = None
        singular = self.kind.events is None and passes_singular(method, self.step.stabilization, self.model)
        careful = method.order > 1 or method.loops == "positions"
        gaps: Sequence[Scalar] = ()
        if singular and not careful and not unrolling() and nearly_equal_lengths(self.model):
            gaps = self._look_ahead()
        if self.kind.events is not None:
            self.part = watched_part(
                method, self.system, self.kind.events, values, self.now, self.dt, self.held
            )
            self.after = self.part.after
        elif self.model.nv:
            self.after = method.step(self.system, values["q"], values["v"], self.now, self.dt)
        else:
            self.after = Advance(list(values["q"]), [], self.system.memory)
        if gaps:
            self.after = self.after._replace(gaps=gaps)
        if singular and careful:
            self._pass_singular()
        if self.drive is not None:
            self._arrive(self.drive)
        #: the velocity before limits act at the end of the step
        self.free = self.after.v
        if not method.arrests:
            ended = self.system.arrest(self.after.q, self.after.v)
            rows = list(ended.rows)
            # friction comes last, and gave a part on the way
            for k, spent in enumerate(self.spent, start=len(rows) - len(self.spent)):
                rows[k] = rows[k] + spent
            self.after = self.after._replace(v=ended.v, work=ended.work, rows=rows)

    def _pass_singular(self) -> None:
        """Take the step again where it comes to a singular position of the loops."""
        from treadle.integrators.singular import careful_step, passage

        start = self.values["q"], self.values["v"]
        passing = passage(self.system, *start, self.dt)
        q, v, _ = careful_step(self.system, *start, self.now, self.dt, passing, self.method.order)
        q = [where(passing.passes, x, own) for x, own in zip(q, self.after.q, strict=True)]
        v = [where(passing.passes, x, own) for x, own in zip(v, self.after.v, strict=True)]
        self.after = self.after._replace(q=q, v=v, ajar=where(passing.ends_open(self.dt), 1.0, 0.0))

    def _look_ahead(self) -> list[Scalar]:
        """How far loops of rounded numbers are to be open at the end, at a singular position."""
        from treadle.integrators.singular import opening_ahead

        q, v, distance = self.values["q"], self.values["v"], self.values["gap"][2]
        ahead = opening_ahead(self.system, q, v, self.dt, distance)
        least = ahead.least_share(length_rounding(self.model), self.dt)
        self.system = replace(self.system, least_share=least)
        return ahead.gaps_after(self.dt)

    def _arrive(self, drive: MotionDrive) -> None:
        """Joints with motions at the end of the step: where these lead, without the error of the method."""
        q, v = list(self.after.q), list(self.after.v)
        for name, motion in drive.motions.items():
            joint = self.machine.joint(name)
            q[joint.q], v[joint.v], _ = prescribed(joint, motion, self.now + self.dt)
        self.after = self.after._replace(q=q, v=v)

    def stabilize(self) -> None:
        """Close the loops."""
        if self.model.closed and self.model.nv:
            finish, before = self.step.stabilization.finish, self.after
            q, v, self.gap = finish(self.machine, before.q, before.v, before.gaps)
            if not isinstance(before.ajar, float):
                ajar, (_, left, distance) = before.ajar > 0.5, self.gap
                q = [where(ajar, x, y) for x, y in zip(before.q, q, strict=True)]
                v = [where(ajar, x, y) for x, y in zip(before.v, v, strict=True)]
                self.gap = [largest_residual(self.machine, q), where(ajar, 0.0, left), distance]
            elif before.gaps:
                self.gap = [largest_residual(self.machine, q), *self.gap[1:]]
            self.after = before._replace(q=q, v=v)

    def account(self) -> None:
        """All arrays after the step; work and impulses in its ledger."""
        values, after, part, gap = self.values, self.after, self.part, self.gap
        origin, h = (values["q"], self.dt) if part is None else (part.origin, part.span)
        rounds, worst = values.get("effort", (0.0, 0.0))
        drives = self.system.driven(origin, after.v, h) if "drives" in self.step.inputs else []
        known = opened(values["gap"], gap) if self.model.closed else []
        results: dict[str, Sequence[Scalar]] = {
            "q": after.q,
            "v": after.v,
            "clock": [self.start, self.steps + 1.0],
            "memory": after.memory,
            "drives": drives,
            "gap": known,
            "effort": [rounds + after.effort[0], maximum(worst, abs(after.effort[1]))],
        }
        if "rows" in values:
            results["rows"] = [*after.rows, *[0.0] * (len(values["rows"]) - len(after.rows))]
        if self.kind.accounted:
            entry = self._entry(drives)
            results["ledger"] = [a + b for a, b in zip(values["ledger"], entry, strict=True)]
        if part is not None:
            results = _unless_stopped(part, values, results)
        self.results = {name: result for name, result in results.items() if name in self.step.inputs}

    def _entry(self, drives: Sequence[Scalar]) -> list[Scalar]:
        """What the step adds to the ledger."""
        values, after, method, part = self.values, self.after, self.method, self.part
        entry = list(after.entry)
        if not method.adaptive:
            # a method that takes forces at the end of the step takes pressures there too
            books = replace(self.system, drives=drives) if method.arrests else self.system
            if method.arrests and self.options.rolling != "kinematic":
                # the ground's forces are in the work that the step reports
                books = replace(books, terrain=None)
            # what a limit does at the end of a step changes nothing on the way there
            ends = (values["q"], values["v"]), (after.q, after.v if method.arrests else self.free)
            pushed, kicks = self.kind.pushed, method.arrests
            entry = step_entry(books, method.order, *ends, self.now, self.dt, pushed, kicks=kicks)
        entry = entry or [0.0] * ledger_size(self.model)
        entry[0] = entry[0] + (after.work if part is None else where(part.stopped, 0.0, after.work))
        return entry

    def guarded(self) -> dict[str, Sequence[Scalar]]:
        """The results; what was there before, if the step diverges or needs limits that do not act yet."""
        if not self.kind.guarded:
            return self.results
        after, method = self.after, self.method
        fine: Any = True if not method.adaptive else after.effort[1] <= 0.0
        if not self.kind.bounded:
            ends = self.values["q"] if method.arrests else after.q, after.v, self.dt
            for row in (*limit_rows(self.machine, *ends), *rope_rows(self.machine, *ends)):
                fine = logical_not(row.active) & fine
        return _guard(self.values, self.results, fine, self.part)


def passes_singular(method: Method, stabilization: Stabilization, model: Model) -> bool:
    """Whether steps of a method look out for singular positions; those under error control do so alone."""
    return model.closed and stabilization.projects and not method.adaptive


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
        for name in ("q", "v", "clock", "drives", "gap", "rows")
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
