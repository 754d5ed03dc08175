"""Own force laws, traced into the compiled step: dry friction, and a motor that saturates.

A law is a plain function of the positions, the velocities and the time. It runs in machine code inside
every step, and because it is written over a generic scalar it can be tried on floats as well. (Dry friction
that holds a joint truly still is an option of the joint, `friction=`, and motors are actuators.)
"""

import treadle as td

MASS, MU, GRAVITY = 2.0, 0.3, 9.81  # kg, 1, m/s2
GAIN, TARGET, LARGEST = 40.0, 1.5, 12.0  # N s/m, m/s, N
SMOOTHING = 1e-3  # m/s: below this speed the friction falls off instead of jumping


def friction(q, v, t):
    """Coulomb friction on the rail, with a steep tanh in the place of the jump."""
    return {"slide": -MU * MASS * GRAVITY * td.tanh(v["slide"] / SMOOTHING)}


def motor(q, v, t):
    """For one second a speed controller whose force is limited; then it is switched off."""
    force = td.clip(GAIN * (TARGET - v["slide"]), -LARGEST, LARGEST)
    return {"slide": td.where(t < 1.0, force, 0.0)}


spec = td.ModelSpec("block on a rail", gravity=(0, 0, -GRAVITY))
spec.add_body("block", MASS)
spec.add_joint("slide", "prismatic", None, "block", axis=(1, 0, 0))
model = spec.compile()

# on floats, to see what the laws say
print("friction at 1 m/s:", friction({"slide": 0.0}, {"slide": 1.0}, 0.0)["slide"], "N")
print("motor at rest:", motor({"slide": 0.0}, {"slide": 0.0}, 0.0)["slide"], "N")

sim = td.Simulation(model, dt=1e-4, laws=[friction, motor])
block = sim.joint("slide")

sim.run(seconds=0.2)
early = block.velocity
sim.run(seconds=0.8)
cruise, place = block.velocity, block.position
sim.run(seconds=1.0)
way = block.position - place
print(f"after 0.2 s {early:.4f} m/s, after 1 s {cruise:.4f} m/s, then it slid on for {way:.4f} m")

# while the motor is saturated the block accelerates with (F - mu m g) / m
expected = 0.2 * (LARGEST / MASS - MU * GRAVITY)
assert abs(early / expected - 1) < 0.01
# a proportional controller settles where its force equals the friction
assert abs(cruise - (TARGET - MU * MASS * GRAVITY / GAIN)) < 1e-3
# friction takes the kinetic energy: m v^2/2 = mu m g s
assert abs(way / (cruise**2 / (2 * MU * GRAVITY)) - 1) < 0.01
