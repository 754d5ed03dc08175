"""A pendulum, built from nothing, and its period against the exact one.

A thin rod swings on a hinge. Released at rest from the angle A it has the period

    T = 2 pi / (w M(1, cos(A/2))),    w^2 = m g (L/2) / (m L^2/3) = 3 g / (2 L),

with Gauss's arithmetic-geometric mean M. At 2 rad that is a third longer than for small swings, so a
simulation that is merely plausible does not pass.
"""

from math import cos, pi, sqrt

import treadle as td

LENGTH, MASS, GRAVITY = 1.2, 0.8, 9.81  # m, kg, m/s2
AMPLITUDE = 2.0  # rad


def rod() -> td.Model:
    """The rod hangs along -z from a hinge about y at the world's origin."""
    spec = td.ModelSpec("rod", gravity=(0, 0, -GRAVITY))
    about_center = MASS * LENGTH**2 / 12
    spec.add_body("rod", MASS, center=(0, 0, -LENGTH / 2), inertia=(about_center, about_center, 0))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0))
    spec.add_frame("tip", "rod", position=(0, 0, -LENGTH))
    return spec.compile()


def measured_period(sim: td.Simulation, swings: int) -> float:
    """Mean time between passages through the vertical in one direction, interpolated in the step."""
    passages = []
    while len(passages) <= swings:
        before = sim.joint("hinge").position
        sim.step()
        after = sim.joint("hinge").position
        if before > 0.0 >= after:
            passages.append(sim.time - sim.dt * after / (after - before))
    return (passages[-1] - passages[0]) / swings


def mean(a: float, b: float) -> float:
    """The arithmetic-geometric mean, to rounding after five rounds."""
    for _ in range(5):
        a, b = (a + b) / 2, sqrt(a * b)
    return a


sim = td.Simulation(rod(), dt=1e-3, integrator="rk4")
sim.joint("hinge").position = AMPLITUDE

period = measured_period(sim, swings=5)
small = 2 * pi / sqrt(1.5 * GRAVITY / LENGTH)
exact = small / mean(1.0, cos(AMPLITUDE / 2))
print(f"period: simulated {period:.8f} s, exact {exact:.8f} s, of small swings {small:.8f} s")
print(sim.quality())

# a straight line through the passage is off by a part of the step that is cubic in dt
assert abs(period / exact - 1) < 1e-7
# nothing does work on the rod: what the energy moved is the method's own error
assert abs(sim.quality()["energy drift"]) < 1e-9
