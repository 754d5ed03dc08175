"""The solution of Andrews' squeezer at 0.03 s, and the mechanism with its spring as a force law.

Reference of the Test Set for Initial Value Problem Solvers (Bari).
"""

import numpy as np

import treadle as td
from treadle.scenes import SCENES

__all__ = ["DRIVE", "REFERENCE", "START", "spring_and_drive", "squeezer"]

B, C, SC, SD = (-0.03635, 0.03273), (0.014, 0.072), 0.018, 0.02
STIFFNESS, REST, DRIVE = 4530.0, 0.07785, 0.033

START = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}

#: Angles at t = 0.03 s.
REFERENCE = {
    "beta": 15.81077119629904,
    "theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


def squeezer() -> td.Model:
    """The scene without the bodies of its spring and without its motor: `spring_and_drive` is for both."""
    spec = SCENES["squeezer"]()
    spec.bodies = [body for body in spec.bodies if "spring" not in body.name]
    spec.joints = [joint for joint in spec.joints if "spring" not in joint.name and joint.name != "D"]
    spec.shapes, spec.actuators, spec.keyframes = [], [], []
    spec.add_keyframe("initial", positions=START)
    return spec.compile()


def spring_and_drive(q, v, t):
    """The motor's torque, and that of the spring from D to C about the hinge of its body."""
    s, c = td.sin(q["gamma"]), td.cos(q["gamma"])
    x, y = SD * c + SC * s, SD * s - SC * c
    dx, dy = C[0] - (B[0] + x), C[1] - (B[1] + y)
    length = td.sqrt(dx * dx + dy * dy)
    force = STIFFNESS * (length - REST) / length
    return {"beta": DRIVE, "gamma": force * (x * dy - y * dx)}


def energy(model: td.Model, sim: td.Simulation) -> float:
    """Kinetic energy and that of the spring, less the work of the motor."""
    gamma = sim.joint("gamma").position
    s, c = np.sin(gamma), np.cos(gamma)
    length = np.hypot(C[0] - B[0] - SD * c - SC * s, C[1] - B[1] - SD * s + SC * c)
    stored = 0.5 * STIFFNESS * (length - REST) ** 2
    worked = DRIVE * (sim.joint("beta").position - START["beta"])
    return td.kinetic_energy(model, sim.q, sim.v) + stored - worked
