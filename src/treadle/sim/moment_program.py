"""Functions of the machine at one instant, as programs to compile: sensors, signals, rewards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from treadle.forces.actuator import actuator_state_size
from treadle.forces.input import reading
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar, maximum
from treadle.model.model import WORLD, Model
from treadle.model.parameters import lift
from treadle.native.program import Program
from treadle.sim.lock import rotor_names
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.step.shape_forces import SHAPE_FORCES
from treadle.sim.world import World

__all__ = ["MeasureKind", "MomentFunction", "code_digest", "moment_program"]

#: Named outputs from the machine at one instant, and from the further inputs.
MomentFunction = Callable[[Moment, Mapping[str, Sequence[Scalar]]], Mapping[str, Sequence[Scalar]]]


@dataclass(frozen=True)
class MeasureKind:
    """What a measurement has to take into account."""

    loaded: bool = False
    bounded: bool = False
    #: rotors of locked dofs are inputs
    locked: bool = False
    #: names of the collision shapes and the bodies that hold them (-1: the world), in the order of their
    #: forces
    shapes: tuple[tuple[str, int], ...] = ()
    #: names of the touch sensors with zones, in the order of their forces
    zones: tuple[str, ...] = ()


def moment_program(
    world: World,
    kind: MeasureKind,
    function: MomentFunction,
    digest: str | None,
    further: Mapping[str, int] | None = None,
) -> Program:
    """q, v, joint forces, loads, time, step and `further` inputs (name, size) -> what the function gives.

    `digest` says what the function computes, see `Program`.
    """
    model, options = world.model, world.options
    parameters = tuple(rotor_names(model)) if kind.locked else world.parameters
    sizes = {
        "q": model.nq,
        "v": model.nv,
        "held": model.nv,
        "time": 1,
        "dt": 1,
        "loads": LOAD_SIZE * len(model.bodies) if kind.loaded else 0,
        "commands": len(model.actuators),
        "drives": actuator_state_size(model),
        "parameters": len(parameters),
        "inputs": world.inputs.size,
        "shapes": SHAPE_FORCES * len(kind.shapes),
        "zones": len(kind.zones),
    }
    motions = options.motions if kind.bounded or options.driven else {}

    def traced(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        machine = model
        if parameters:
            machine = lift(model, dict(zip(parameters, values["parameters"], strict=True)))
        shapes = values.get("shapes", ())
        moment = Moment(
            model=machine,
            laws=options.laws,
            controllers=world.controllers,
            q=values["q"],
            v=values["v"],
            held=values["held"],
            loads=values.get("loads", [0.0] * (LOAD_SIZE * len(model.bodies))),
            time=values["time"][0],
            commands=values.get("commands", ()),
            drives=values.get("drives", ()),
            dt=values["dt"][0],
            bounded=kind.bounded,
            motions=motions,
            terrain=options.terrain if model.wheels else None,
            rolling=options.rolling,
            driven=options.driven,
            arrests=options.method.arrests,
            contact=options.contact,
            pressed=_pressed(model, kind.shapes, shapes),
            shape_forces=_by_name(kind.shapes, shapes),
            zone_forces=dict(zip(kind.zones, values.get("zones", ()), strict=True)),
        )
        with reading(world.inputs.inputs, values.get("inputs", ())):
            return function(moment, values)

    inputs = {name: size for name, size in (sizes | dict(further or {})).items() if size}
    return Program(digest, inputs, traced, hot=False)


def code_digest(world: World, owners: Sequence[type], described: str) -> str | None:
    """Under what such code is stored; None where only its graph can tell what it computes.

    `owners` are the types whose own code it is, besides those of the joints.
    """
    model, options = world.model, world.options
    parts = [*[type(joint.type) for joint in model.joints], *owners]
    foreign = any(not part.__module__.startswith("treadle.") for part in parts)
    if foreign or options.laws or world.controllers or options.motions or options.terrain or model.elements:
        return None
    names = [
        [part.name for part in parts] for parts in (model.joints, model.links, model.loops, model.actuators)
    ]
    names.append([str(part.link) for tendon in model.tendons for part in tendon.path])
    return f"{described} {world.parameters} {model.digest} {names}"


def _by_name(shapes: Sequence[tuple[str, int]], forces: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
    """What every shape feels: sums over its pieces, and the deepest penetration."""
    found: dict[str, Sequence[Scalar]] = {}
    for k, (name, _) in enumerate(shapes):
        own = forces[SHAPE_FORCES * k : SHAPE_FORCES * (k + 1)]
        if name in found:
            sums = [a + b for a, b in zip(found[name][:6], own[:6], strict=True)]
            own = [*sums, maximum(found[name][6], own[6])]
        found[name] = own
    return found


def _pressed(model: Model, shapes: Sequence[tuple[str, int]], forces: Sequence[Scalar]) -> list[Scalar]:
    """Force and moment about the world's origin on every body, from those on its shapes."""
    if not shapes:
        return []
    total: list[Scalar] = [0.0] * (6 * len(model.bodies))
    for k, (_, body) in enumerate(shapes):
        if body != WORLD:
            for j in range(6):
                total[6 * body + j] = total[6 * body + j] + forces[SHAPE_FORCES * k + j]
    return total
