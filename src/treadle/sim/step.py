"""A step as a program to compile: what it reads and writes, and under what it is stored.

What it does is in `advance`, which is imported when a step is traced: the code of most is found on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from treadle.forces.actuator import actuator_state_size
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar
from treadle.integrators import INTEGRATORS, Method
from treadle.model.elements import timed
from treadle.model.limbs import limb_inputs
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.arrays import CARRIED
from treadle.sim.ledger import ledger_size
from treadle.sim.watched_step import watched_sizes
from treadle.solvers.stabilization import STABILIZATIONS, Stabilization

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.forces.law import ForceLaw
    from treadle.sim.event import Event
    from treadle.terrain import Terrain

__all__ = ["FASTEST", "Step", "step_program"]

#: Speeds (rad/s, m/s) that nothing has: a state beyond them has exploded.
FASTEST = 1e8


class Step(NamedTuple):
    """What a step is to do, see `step_program`; `inputs` are the names of the arrays that it has."""

    model: Model
    method: Method
    kept: Stabilization
    inputs: frozenset[str]
    parameters: Sequence[str]
    laws: Sequence[ForceLaw]
    controllers: Sequence[ForceLaw]
    motions: Mapping[str, Motion]
    guarded: bool
    bounded: bool
    accounted: bool
    pushed: bool
    events: Sequence[Event] | None
    terrain: Terrain | None
    rolling: str
    solver: str


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
        "clock": 2 if laws or controllers or motions or timed(model) else 0,
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

    step = Step(
        model, method, kept, frozenset(inputs), parameters, laws, controllers, motions or {},
        guarded, bounded, accounted, pushed, events, terrain, rolling, solver,
    )  # fmt: skip

    def function(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        from treadle.sim.advance import advance

        return advance(step, values)

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
    owners = [getattr(method.step, "func", method.step), *[type(joint.type) for joint in model.joints]]
    if terrain is not None:
        owners += [type(terrain), *_wheel_models(model)]
    known = not (laws or controllers or motions or events) and all(
        owner.__module__.startswith("treadle.") for owner in owners
    )
    carry = {f"next_{name}": name for name in carried}
    return Program(digest if known else None, inputs, function, carry, twins=limb_inputs(model, inputs))


def _wheel_models(model: Model) -> list[Callable[..., object]]:
    """The functions that give the forces on the model's wheels."""
    if not model.wheels:
        return []
    from treadle.wheels import WHEEL_MODELS

    return [WHEEL_MODELS[wheel.model] for wheel in model.wheels]
