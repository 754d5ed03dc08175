"""A step as a program to compile: what it reads and writes, and under what it is stored.

What it does is in `advance`, which is imported when a step is traced: the code of most is found on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treadle.forces.actuator import actuator_state_size
from treadle.forces.input import Input, InputTable, reading
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar
from treadle.model.elements import timed as timed_elements
from treadle.model.identical_subtrees import subtree_inputs
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.arrays import CARRIED
from treadle.sim.bounds import most_rows
from treadle.sim.ledger import ledger_size
from treadle.sim.step.watched import watched_sizes
from treadle.solvers.stabilization import STABILIZATIONS, Stabilization

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.forces.law import ForceLaw
    from treadle.sim.event import Event
    from treadle.sim.step.options import StepOptions
    from treadle.terrain import Terrain

__all__ = ["FASTEST", "Step", "StepKind", "kept_rows", "own_wheels", "step_program"]

#: Speeds (rad/s, m/s) that nothing has: a state beyond them has exploded.
FASTEST = 1e8


class StepKind(NamedTuple):
    """What a compiled step has to take into account besides its options.

    `loaded`: forces on bodies; `parameters`: constants of the model that become inputs; `guarded`: a step
    that would diverge is not taken, nor any after it ("alive" is 1 until then, and counts those taken);
    `bounded`: limits and friction of joints act (one that is guarded but not bounded is not taken if a joint
    would pass a limit); `accounted`: it adds the work and impulse of forces to its "ledger"; unless it is
    `pushed`, no `tau` acts on joints that turn in space. With `events` (maybe none) and as many `switches` in
    the laws it stops after a substep in which one of them crosses zero (see `watched`).
    """

    loaded: bool = False
    parameters: Sequence[str] = ()
    guarded: bool = True
    bounded: bool = False
    accounted: bool = False
    pushed: bool = True
    events: Sequence[Event] | None = None
    switches: int = 0


class Step(NamedTuple):
    """A step to trace; `inputs` are the names of the arrays that it has, `controllers` those it calls."""

    model: Model
    options: StepOptions
    kind: StepKind
    controllers: Sequence[ForceLaw]
    inputs: frozenset[str]

    @property
    def stabilization(self) -> Stabilization:
        """How loops stay closed."""
        return STABILIZATIONS[self.options.stabilization]


def step_program(
    model: Model,
    options: StepOptions,
    kind: StepKind | None = None,
    controllers: Sequence[ForceLaw] = (),
    live: Sequence[Input] = (),
) -> Program:
    """One step of the machine: q, v -> q, v under tau (and loads) over dt.

    The clock (start, steps so far) is there where laws ask for the time, which is start + steps dt. Laws act
    all through the step, `controllers` (those that are traced) once at its start; the `live` inputs are those
    that they read. Methods with options, a
    memory or an unknown number of rounds have arrays for them.
    """
    kind = kind or StepKind()
    method, terrain = options.method, options.terrain if model.wheels else None
    kept, events = STABILIZATIONS[options.stabilization], kind.events
    timed = options.laws or controllers or options.motions or timed_elements(model)
    sizes = {
        "q": model.nq,
        "v": model.nv,
        "tau": model.nv,
        "dt": 1,
        "clock": 2 if timed else 0,
        "loads": LOAD_SIZE * len(model.bodies) if kind.loaded else 0,
        "inputs": InputTable(live).size,
        "parameters": len(kind.parameters),
        "commands": len(model.actuators),
        "drives": actuator_state_size(model),
        "options": len(method.options),
        "memory": method.memory(model),
        "effort": 2 if method.iterates or terrain else 0,
        "closing": 1 if model.closed and kept.feedback else 0,
        "gap": 5 if model.closed else 0,
        "ledger": ledger_size(model) if kind.accounted else 0,
        "alive": 2 if kind.guarded else 0,
        "rows": kept_rows(model, options.motions) if kind.bounded and kind.guarded else 0,
    }
    if events is not None:
        sizes |= watched_sizes(model, events, kind.switches, bool(controllers))
    inputs = {name: size for name, size in sizes.items() if size or name in ("q", "v", "tau")}

    step = Step(model, options, kind, controllers, frozenset(inputs))

    def function(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        from treadle.sim.step.fused import advance

        with reading(live, values.get("inputs", ())):
            return advance(step, values)

    carried = [name for name in CARRIED if name in inputs]
    # what a law, or a method or joint from elsewhere, computes only its graph can tell
    owners = [getattr(method.step, "func", method.step), *[type(joint.type) for joint in model.joints]]
    known = not (timed or events) and _ours(owners)
    if terrain is not None:
        known = known and own_wheels(model, terrain)
    carry = {f"next_{name}": name for name in carried}
    digest = _digest(step) if known else None
    twins = subtree_inputs(model, inputs)
    return Program(digest, inputs, function, carry, twins=twins, aside=("next_ledger",))


def kept_rows(model: Model, motions: Mapping[str, Motion]) -> int:
    """Numbers of an array that has the impulses of all bounded rows; those on wheels are not kept."""
    return 0 if model.wheels else most_rows(model, motions)


def _digest(step: Step) -> str:
    """Under what a step of Treadle's own methods, joints and wheels is stored."""
    model, options, kind = step.model, step.options, step.kind
    words = [f"step {options.integrator} loaded={kind.loaded} guarded={kind.guarded} bounded={kind.bounded}"]
    words += [f"accounted={kind.accounted, kind.pushed}"]
    if model.closed:
        words.append(options.stabilization)
    if model.closed or kind.bounded:
        words.append(options.solver)
    if kind.events is not None:
        words.append("watched")
    if options.terrain is not None and model.wheels:
        words.append(f"{options.rolling} on {options.terrain.digest}")
    words.append(model.digest)
    if kind.parameters:
        # the model's digest knows no names, but parameters are found by them
        words.append(f"{list(kind.parameters)} {_names(model)}")
    return " ".join(words)


def _names(model: Model) -> list[str]:
    return [x.name for x in (*model.links, *model.joints, *model.elements)]


def own_wheels(model: Model, terrain: Terrain) -> bool:
    """Whether terrain and wheel-ground models are Treadle's own, so that their names tell what they do."""
    return _ours([type(terrain), *_wheel_models(model)])


def _ours(owners: Sequence[Any]) -> bool:
    return all(owner.__module__.startswith("treadle.") for owner in owners)


def _wheel_models(model: Model) -> list[Callable[..., object]]:
    """The functions that give the forces on the model's wheels."""
    if not model.wheels:
        return []
    from treadle.wheels import WHEEL_MODELS

    return [WHEEL_MODELS[wheel.model] for wheel in model.wheels]
