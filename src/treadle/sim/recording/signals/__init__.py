"""What can be recorded, by name. A new kind of signal is a function and a line in SIGNAL_KINDS.

All vectors are in world axes; units are SI, with angles in radians.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.model.model import Model
from treadle.sim.contacts.sensors import sensor_names
from treadle.sim.recording.signals import actuator, body, closure, contact, joint, machine, sensor, wheel
from treadle.sim.recording.signals.signal import Layout, Signal

__all__ = ["DEFAULT_SIGNALS", "SIGNAL_KINDS", "Layout", "Signal", "available"]

#: Makers of signals by pattern: "joint.*" stands for every joint of the tree, "body.*" for every link and
#: frame, "loop.*" for every joint that closes a loop, "coupling.*", "actuator.*", "wheel.*" and "sensor.*"
#: for all, "contact.*" for every link with collision shapes and for every such shape.
SIGNAL_KINDS: dict[str, Callable[..., Signal]] = {
    "joint.*.position": joint.position,
    "joint.*.velocity": joint.velocity,
    "joint.*.acceleration": joint.acceleration,
    "joint.*.torque": joint.torque,
    "joint.*.reaction_force": joint.reaction_force,
    "joint.*.reaction_torque": joint.reaction_torque,
    "loop.*.reaction_force": closure.reaction_force,
    "loop.*.reaction_torque": closure.reaction_torque,
    "loop.*.gap": closure.loop_gap,
    "coupling.*.force": closure.coupling_force,
    "coupling.*.gap": closure.coupling_gap,
    "actuator.*.force": actuator.force,
    "wheel.*.force": wheel.force,
    "wheel.*.slip": wheel.slip,
    "wheel.*.slip_angle": wheel.slip_angle,
    "wheel.*.sinkage": wheel.sinkage,
    "wheel.*.contact_velocity": wheel.contact_velocity,
    "wheel.*.point": wheel.point,
    "contact.*.force": contact.force,
    "contact.*.torque": contact.torque,
    "contact.*.penetration": contact.penetration,
    "contact.*.work": contact.work,
    "sensor.*.value": sensor.value,
    "body.*.pose": body.pose,
    "body.*.velocity": body.velocity,
    "body.*.acceleration": body.acceleration,
    "energy.kinetic": machine.kinetic,
    "energy.potential": machine.potential,
    "energy.spring": machine.spring,
    "energy.total": machine.total,
    "momentum.linear": machine.linear_momentum,
    "momentum.angular": machine.angular_momentum,
    "center_of_mass.position": machine.center_position,
    "center_of_mass.velocity": machine.center_velocity,
}

#: What is recorded unless signals are named.
DEFAULT_SIGNALS = ("joint.*.position", "joint.*.velocity", "joint.*.torque", "body.*.pose", "energy.*")


def available(model: Model) -> dict[str, Signal]:
    """All signals of a model by name."""
    signals: dict[str, Signal] = {}
    parts = {
        "joint": model.joints,
        "body": model.frames,
        "loop": model.loops,
        "coupling": model.couplings,
        "actuator": model.actuators,
        "wheel": model.wheels,
        "sensor": model.sensors,
    }
    groups = {group: [part.name for part in found] for group, found in parts.items()}
    groups["contact"] = sensor_names(model)
    for pattern, make in SIGNAL_KINDS.items():
        group, star, quantity = pattern.partition(".*.")
        if not star:
            signals[pattern] = make(pattern, model)
            continue
        for number, part in enumerate(groups[group]):
            name = f"{group}.{part}.{quantity}"
            signals[name] = make(name, model, number)
    return signals
