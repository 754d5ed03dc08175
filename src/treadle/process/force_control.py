"""Force of grinding under control: impedance control and direct force control instead of position control.

Position control holds the tool by the stiffness of its drives, a meganewton per metre: every error of the
place becomes one of the force. Impedance control makes the arm a soft spring that presses with the wanted
force,

    m z'' + d z' + k z = F - Fd,

which is an arm of that stiffness whose path lies deeper by Fd / k. Direct force control moves the tool by the
measured force, at the rate g (F - Fd) along the normal: with the stiffness K of pad and arm in series an
error falls with the time constant 1 / (K g).
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from treadle.errors import InputError
from treadle.model.values import real_numbers
from treadle.process.grinding import ArmCompliance, ForceControl, GrindingSetup

__all__ = ["force_control", "impedance_control"]


def impedance_control(
    setup: GrindingSetup, force: float, stiffness: float = 3e3, damping_ratio: float = 1.0
) -> tuple[GrindingSetup, float]:
    """The setup under impedance control of a stiffness (N/m), and the offset (m) for a force (N).

    The offset is that for a plane; a surface that is elsewhere by x changes the force by `stiffness` x.
    """
    real_numbers("impedance_control", force=force, stiffness=stiffness, damping_ratio=damping_ratio)
    if min(force, stiffness, damping_ratio) <= 0.0:
        raise InputError("impedance_control: force, stiffness and damping ratio must be positive")
    mass = setup.arm.mass
    arm = ArmCompliance(mass, 2.0 * damping_ratio * sqrt(mass * stiffness), stiffness)
    return replace(setup, arm=arm), -setup.pad.approach(force) - force / stiffness


def force_control(setup: GrindingSetup, force: float, time_constant: float = 5e-3) -> GrindingSetup:
    """The setup under direct force control, whose errors fall with a time constant (s)."""
    real_numbers("force_control", force=force, time_constant=time_constant)
    if min(force, time_constant) <= 0.0:
        raise InputError("force_control: force and time constant must be positive")
    pad = setup.stiffness_factor * setup.pad.stiffness(force)
    stiffness = 1.0 / (1.0 / pad + 1.0 / setup.arm.stiffness)
    return replace(setup, control=ForceControl(force, 1.0 / (stiffness * time_constant)))
