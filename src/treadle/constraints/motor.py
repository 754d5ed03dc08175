"""Rigid motors: actuators that hold a commanded position or velocity exactly, as far as their effort reaches.

    rigid_velocity    v' = u
    rigid_position    q + dt v' = u, at no more than the joint's speed and than it can brake from; half of
                      that in the middle of a span (see `motion`)

The impulse of a step stays within dt times the effort of the actuator and of the joint; where that does not
suffice, the joint lags behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.dynamics.crba import crba
from treadle.graph import Scalar, clip, minimum, sqrt
from treadle.model.model import Model

__all__ = ["motor_rows"]

#: Share of the effort that is counted on for braking; the rest is for the load.
_BRAKING = 0.5


def motor_rows(
    model: Model, commands: Sequence[Scalar], q: Sequence[Scalar], dt: Scalar, over: Scalar | None = None
) -> list[BoundedRow]:
    """A row for every rigid motor; without commands there are none. `over` as of `motion_rows`."""
    rows = []
    for actuator, command in zip(model.actuators, commands, strict=False):
        if not actuator.rigid or actuator.v is None:
            continue
        joint = model.joint(actuator.joint)
        low = -float("inf") if actuator.lower is None else actuator.lower
        high = float("inf") if actuator.upper is None else actuator.upper
        speed = clip(command, low, high)
        effort = min(
            joint.effort[actuator.freedom], float("inf") if actuator.effort is None else actuator.effort
        )
        if actuator.type == "rigid_position":
            missing = speed - q[actuator.q]  # type: ignore[index]
            fastest: Scalar = joint.speed[actuator.freedom]
            if effort < float("inf"):
                braking = _BRAKING * effort / crba(model, q)[actuator.v][actuator.v]
                fastest = minimum(fastest, _stoppable(abs(missing), braking, dt))
            speed = clip(missing / dt if over is None else 0.5 * missing / over, -fastest, fastest)
        strength = ANY if effort == float("inf") else dt * effort
        rows.append(BoundedRow({actuator.v: 1.0}, speed, speed, -strength, strength))
    return rows


def _stoppable(distance: Scalar, braking: Scalar, dt: Scalar) -> Scalar:
    """The speed from which the steps of a constant braking (rad/s2, m/s2) end within a distance.

    v^2 / (2 a) + v dt / 2 = distance
    """
    kick = braking * dt
    return 0.5 * (sqrt(kick * kick + 8.0 * braking * distance) - kick)
