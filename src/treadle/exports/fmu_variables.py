"""Variables of an FMU: the arrays of a machine's step by name, with units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treadle.exports.machine import ExportedMachine
from treadle.native.layout import Layout

__all__ = ["TIME", "UNITS", "Variable", "variables"]

#: Value reference of the time, beyond any slot.
TIME = 4_000_000_000

#: Units by name: exponents of kg, m, s and rad.
UNITS: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "m": {"m": 1},
    "rad": {"rad": 1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
}

_FORCES = {"rad/s": "N.m", "m/s": "N"}


class Variable(NamedTuple):
    """A variable and its slot in the struct of the state, which is its value reference."""

    name: str
    reference: int
    causality: str
    start: float
    unit: str = ""
    description: str = ""


def variables(machine: ExportedMachine, layout: Layout) -> list[Variable]:
    """All but the time: joint forces and commands are inputs, positions and velocities outputs."""
    return [
        Variable("dt", layout.offset("dt"), "parameter", machine.start["dt"][0], "s", "internal time step"),
        *_joints(machine, layout),
        *_actuators(machine, layout),
    ]


def _joints(machine: ExportedMachine, layout: Layout) -> Iterator[Variable]:
    q, v, tau = (layout.offset(name) for name in ("q", "v", "tau"))
    for joint in machine.model.joints:
        several = joint.type.nv > 1
        for k, (part, unit) in enumerate(zip(joint.type.positions, joint.type.position_units, strict=True)):
            place = joint.q.start + k
            name = f"{joint.name}.position" + (f".{part}" if joint.type.nq > 1 else "")
            yield Variable(
                name, q + place, "output", machine.start["q"][place], unit if unit in UNITS else ""
            )
        for k, (part, unit) in enumerate(zip(joint.type.velocities, joint.type.velocity_units, strict=True)):
            place, suffix = joint.v.start + k, f".{part}" if several else ""
            start, force = machine.start["v"][place], machine.start["tau"][place]
            yield Variable(f"{joint.name}.velocity{suffix}", v + place, "output", start, unit)
            yield Variable(f"{joint.name}.torque{suffix}", tau + place, "input", force, _FORCES[unit])


def _actuators(machine: ExportedMachine, layout: Layout) -> Iterator[Variable]:
    actuators = machine.model.actuators
    if actuators:
        first = layout.offset("commands")
        for k, actuator in enumerate(actuators):
            start = machine.start["commands"][k]
            yield Variable(f"{actuator.name}.command", first + k, "input", start, "", actuator.type)
    if layout.inputs.get("drives"):
        first = layout.offset("drives")
        cylinders = [actuator.name for actuator in actuators if actuator.type == "cylinder"]
        for k, start in enumerate(machine.start["drives"][: 2 * len(cylinders)]):
            side = "cap" if k % 2 == 0 else "rod"
            yield Variable(f"{cylinders[k // 2]}.pressure.{side}", first + k, "output", start, "Pa")
