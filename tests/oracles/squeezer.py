"""Andrews' squeezer mechanism: seven bodies, three loops, and the solution at 0.03 s.

Data and reference of the Test Set for Initial Value Problem Solvers (Bari), in these joints' coordinates.
"""

import numpy as np

import treadle as td

__all__ = ["DRIVE", "REFERENCE", "START", "spring_and_drive", "squeezer"]

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D_LENGTH, DA, E_LENGTH, EA, RR, RA, SS = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035
SA, SB, SC, SD, TA, TB, U, UA, UB = 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916, 0.04, 0.01228, 0.00449
ZF, ZT, FA = 0.02, 0.04, 0.01421
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
    """The mechanism in the x-y plane, without gravity."""
    spec = td.ModelSpec("squeezer", gravity=(0, 0, 0))
    bodies = (
        # joint, parent, place in the parent, centre of mass
        ("beta", None, (0.0, 0.0), (RA, 0.0)),
        ("theta", "K1", (RR, 0.0), (-DA, 0.0)),
        ("gamma", None, B, (SB, -SA)),
        ("phi", "K5", (ZT, 0.0), (0.0, -(E_LENGTH - EA))),
        ("delta", None, A, (TA, TB)),
        ("omega", "K7", (0.0, -U), (ZF - FA, 0.0)),
        ("epsilon", None, A, (-UB, -UA)),
    )
    for number, (_, _, _, center) in enumerate(bodies):
        moment = INERTIAS[number]
        spec.add_body(
            f"K{number + 1}", MASSES[number], center=(*center, 0.0), inertia=(moment, moment, moment)
        )
    for number, (joint, parent, place, _) in enumerate(bodies):
        spec.add_joint(joint, "revolute", parent, f"K{number + 1}", position=(*place, 0.0), axis=(0, 0, 1))
    # all meet in E
    for name, place in (("K3", (0.0, -SS)), ("K4", (0.0, -E_LENGTH)), ("K6", (ZF, 0.0))):
        spec.add_joint(
            f"E_{name}", "revolute", "K2", name,
            position=(-D_LENGTH, 0.0, 0.0), child_position=(*place, 0.0), axis=(0, 0, 1),
        )  # fmt: skip
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
