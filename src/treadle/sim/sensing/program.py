"""What the sensors of one rate measure, as one compiled function of the state, for all worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from treadle.forces.actuator import actuator_state_size
from treadle.forces.input import reading
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.model.parameters import lift
from treadle.native.program import Program
from treadle.sensors.kind import SensorKind
from treadle.sim.lock import rotor_names
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.step.shape_forces import SHAPE_FORCES
from treadle.sim.world import World

__all__ = ["SHAPE_FORCES", "MeasureKind", "measure_program"]


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


def measure_program(world: World, sensors: Sequence[SensorKind], kind: MeasureKind) -> Program:
    """q, v, joint forces, loads, time, step -> "measured": the numbers of all sensors in turn."""
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

    def function(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
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
            pressed=_pressed(model, kind.shapes, shapes),
            shape_forces={
                name: shapes[SHAPE_FORCES * k : SHAPE_FORCES * (k + 1)]
                for k, (name, _) in enumerate(kind.shapes)
            },
            zone_forces=dict(zip(kind.zones, values.get("zones", ()), strict=True)),
        )
        with reading(world.inputs.inputs, values.get("inputs", ())):
            return {"measured": [x for sensor in sensors for x in sensor.measure(cast(Any, moment))]}

    inputs = {name: size for name, size in sizes.items() if size}
    return Program(_digest(world, sensors, kind), inputs, function, hot=False)


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


def _digest(world: World, sensors: Sequence[SensorKind], kind: MeasureKind) -> str | None:
    """Under what the code is stored; None where only its graph can tell what it computes."""
    model, options = world.model, world.options
    parts = [*[type(joint.type) for joint in model.joints], *[type(sensor) for sensor in sensors]]
    foreign = any(not part.__module__.startswith("treadle.") for part in parts)
    if foreign or options.laws or world.controllers or options.motions or options.terrain or model.elements:
        return None
    names = [
        [part.name for part in parts] for parts in (model.joints, model.links, model.loops, model.actuators)
    ]
    names.append([str(part.link) for tendon in model.tendons for part in tendon.path])
    described = [
        (s.type, s.on, s.body, s.placement.to_list(), sorted(s.parameters.items()))
        for s in [sensor.sensor for sensor in sensors]
    ]
    return f"sensors {kind} {world.parameters} {model.digest} {names} {described}"
