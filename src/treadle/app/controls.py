"""What there is to move on a machine: the commands of its actuators, or else the torques of its joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treadle.forces.actuator import actuator_drives, actuator_units, driven_coordinate
from treadle.model.attachments import Actuator
from treadle.model.model import Model, ModelJoint
from treadle.sim.simulation import Simulation

__all__ = ["Control", "controls", "measured"]

#: Unit of the force along a freedom, by the unit of its velocity.
_FORCE_UNITS = {"rad/s": "N m", "m/s": "N"}


@dataclass(frozen=True)
class Control:
    """A number to be set by hand, in [lower, upper], which may be infinite; `read` and `write` do it."""

    name: str
    unit: str
    hint: str
    lower: float
    upper: float
    read: Callable[[Simulation], float]
    write: Callable[[Simulation, float], None]
    #: joint position (None where it is a quaternion), velocity and force now
    measure: Callable[[Simulation], tuple[float | None, float, float]]
    #: units of these
    units: tuple[str, str, str]
    #: whether the command is a place to go to, which stays, rather than a push that ends
    held: bool = False


def controls(model: Model) -> list[Control]:
    """The actuators; for a machine without any, the joints with one freedom."""
    if model.actuators:
        return [_actuator_control(model, actuator) for actuator in model.actuators]
    return [_joint_control(joint) for joint in model.joints if joint.type.nv == 1]


def measured(sim: Simulation, controls: Sequence[Control]) -> list[tuple[float | None, float, float]]:
    """Position, velocity and force of all controls now, at the cost of one."""
    if not sim.model.actuators:
        return [control.measure(sim) for control in controls]
    q, v = sim.q.tolist(), sim.v.tolist()
    commands, states = (sim.arrays[name][:, 0].tolist() for name in ("commands", "drives"))
    found = []
    for actuator, drive in zip(sim.model.actuators, actuator_drives(sim.model, commands, states, q, v)):
        position, speed, _ = driven_coordinate(sim.model, actuator, q, v)
        rigid = actuator.rigid
        force = sim.actuator(actuator.name).force if rigid else float(drive.force - drive.damping * speed)
        found.append((position, speed, force))
    return found


def _actuator_control(model: Model, actuator: Actuator) -> Control:
    name = actuator.name
    units = actuator_units(model, actuator)
    unit, hint = {
        "motor": (units[2], "force"),
        "position": (units[0], "position to go to"),
        "velocity": (units[1], "velocity to hold"),
        "rigid_position": (units[0], "position to go to"),
        "rigid_velocity": (units[1], "velocity to hold"),
        "cylinder": ("valve", "opening of the valve: 1 extends, -1 retracts, 0 holds"),
    }.get(actuator.type, ("1", "command"))
    if actuator.type == "motor" and actuator.gain != 1.0:
        unit, hint = "1", f"force divided by {actuator.gain:g} {units[2]}"

    def write(sim: Simulation, value: float) -> None:
        sim.actuator(name).command = value

    def measure(sim: Simulation) -> tuple[float | None, float, float]:
        position, speed, _ = driven_coordinate(sim.model, actuator, sim.q.tolist(), sim.v.tolist())
        return position, speed, sim.actuator(name).force  # type: ignore[return-value]

    lower = -math.inf if actuator.lower is None else float(actuator.lower)
    upper = math.inf if actuator.upper is None else float(actuator.upper)
    text = f"{hint}, in {unit}" if unit not in ("valve", "1") else hint
    return Control(
        name,
        unit,
        text,
        lower,
        upper,
        lambda sim: sim.actuator(name).command,
        write,
        measure,
        units,
        held=actuator.type in ("position", "rigid_position"),
    )


def _joint_control(joint: ModelJoint) -> Control:
    name, units = joint.name, _units(joint, 0)
    effort = float(joint.effort[0]) if joint.effort and joint.effort[0] > 0.0 else math.inf

    def write(sim: Simulation, value: float) -> None:
        sim.joint(name).torque = value

    def read(sim: Simulation) -> float:
        return float(sim.tau[joint.v][0])

    def measure(sim: Simulation) -> tuple[float | None, float, float]:
        return float(sim.q[joint.q][0]), float(sim.v[joint.v][0]), read(sim)

    hint = f"{'torque' if units[2] == 'N m' else 'force'} on the joint, in {units[2]}"
    return Control(name, units[2], hint, -effort, effort, read, write, measure, units)


def _units(joint: ModelJoint, freedom: int) -> tuple[str, str, str]:
    """Units of position, velocity and force along a freedom."""
    velocity = joint.type.velocity_units[freedom]
    return velocity.removesuffix("/s"), velocity, _FORCE_UNITS[velocity]
