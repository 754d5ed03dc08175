"""Variables of an FMU: the arrays of a machine's step by name, with units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treadle.exports.machine import ExportedMachine
from treadle.forces.actuator import state_places
from treadle.native.layout import Layout

__all__ = ["RATES", "TIME", "UNITS", "Variable", "derivatives", "printable", "variables"]

#: Value reference of the time, beyond any slot.
TIME = 4_000_000_000

#: Value reference of the first rate of a continuous state.
RATES = 3_000_000_000

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
    "m/s2": {"m": 1, "s": -2},
    "rad/s2": {"rad": 1, "s": -2},
    "Pa/s": {"kg": 1, "m": -1, "s": -3},
}

_RATES = {"m": "m/s", "rad": "rad/s", "m/s": "m/s2", "rad/s": "rad/s2", "Pa": "Pa/s"}

_FORCES = {"rad/s": "N.m", "m/s": "N"}


#: Names that the standard takes as they are: identifiers with indices, joined by points.
_PLAIN = re.compile(r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*", re.ASCII)


def printable(text: str) -> str:
    """A name in printable ASCII: other characters by their numbers."""
    return "".join(x if " " <= x <= "~" else f"U+{ord(x):04X}" for x in text)


def _structured(name: str) -> str:
    """A name by the convention "structured": in quotes unless it is made of identifiers."""
    if _PLAIN.fullmatch(name):
        return name
    escaped = re.sub(r"""([\\'"])""", r"\\\1", printable(name))
    return f"'{escaped}'"


class Variable(NamedTuple):
    """A variable and its slot in the struct of the state, which is its value reference."""

    name: str
    reference: int
    causality: str
    start: float
    unit: str = ""
    description: str = ""
    #: name of the state that it is the rate of
    state: str = ""


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
        several, named = joint.type.nv > 1, _structured(joint.name)
        for k, (part, unit) in enumerate(zip(joint.type.positions, joint.type.position_units, strict=True)):
            place = joint.q.start + k
            name = f"{named}.position" + (f".{part}" if joint.type.nq > 1 else "")
            yield Variable(
                name, q + place, "output", machine.start["q"][place], unit if unit in UNITS else ""
            )
        for k, (part, unit) in enumerate(zip(joint.type.velocities, joint.type.velocity_units, strict=True)):
            place, suffix = joint.v.start + k, f".{part}" if several else ""
            start, force = machine.start["v"][place], machine.start["tau"][place]
            yield Variable(f"{named}.velocity{suffix}", v + place, "output", start, unit)
            yield Variable(f"{named}.torque{suffix}", tau + place, "input", force, _FORCES[unit])


def _actuators(machine: ExportedMachine, layout: Layout) -> Iterator[Variable]:
    actuators = machine.model.actuators
    if actuators:
        first = layout.offset("commands")
        for k, actuator in enumerate(actuators):
            start = machine.start["commands"][k]
            yield Variable(
                f"{_structured(actuator.name)}.command", first + k, "input", start, "", actuator.type
            )
    if layout.inputs.get("drives"):
        first = layout.offset("drives")
        for actuator, places in zip(actuators, state_places(machine.model), strict=True):
            cylinder, named = actuator.type == "cylinder", _structured(actuator.name)
            for k, side in zip(range(places.start, places.stop), ("cap", "rod") if cylinder else ("",)):
                name = f"{named}.pressure.{side}" if cylinder else f"{named}.activation"
                start = machine.start["drives"][k]
                yield Variable(name, first + k, "output", start, "Pa" if cylinder else "")


def derivatives(machine: ExportedMachine, layout: Layout, listed: Sequence[Variable]) -> list[Variable]:
    """Rates of the continuous states, in the order of `state_rates`; none of a machine without them."""
    if not machine.continuous:
        return []
    places = {variable.reference: variable for variable in listed}
    found = []
    for name in ("q", "v", "drives"):
        for k in range(layout.inputs.get(name, 0)):
            state = places[layout.offset(name) + k]
            unit = _RATES.get(state.unit, "")
            found.append(
                Variable(f"der({state.name})", RATES + len(found), "local", 0.0, unit, state=state.name)
            )
    return found
