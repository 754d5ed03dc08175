"""An arm from a URDF file: what the import says, gravity compensation, and a push.

The joint torques that hold the arm against gravity come from inverse dynamics at zero velocity and
acceleration. With them the arm stays where it is; a force on the gripper then moves it the way it points.
"""

from pathlib import Path

import numpy as np

import treadle as td

model = td.load(Path(__file__).parent / "data" / "two_link.urdf")
print(
    f"{model.name}: {model.nv} freedoms, {model.mass:g} kg, joints {[joint.name for joint in model.joints]}"
)
print("report of the import:")
for line in model.report:
    print(f"  {line}")

sim = td.Simulation(model, dt=1e-3)
sim.joint("shoulder").position = 0.6
sim.joint("elbow").position = 0.9

# tau = M(q) 0 + C(q, 0): gravity alone
rest = np.zeros(model.nv)
sim.tau = td.inverse_dynamics(model, sim.q, rest, rest)
print(f"holding torques: {sim.tau} N m")

start = sim.body("gripper").position
sim.run(seconds=2)
held = sim.body("gripper").position
print(f"the gripper moved by {np.linalg.norm(held - start):.2e} m in 2 s")

sim.apply_force("gripper", force=(3.0, 0.0, 0.0))  # N, in world axes, until clear_forces()
sim.run(seconds=0.1)
push = sim.body("gripper").position - held
print(f"pushed along x for 0.1 s it moved by {push} m")

# the torques balance gravity exactly, and the shoulder's dry friction holds what rounding leaves
assert np.linalg.norm(held - start) < 1e-9
# a force does positive work on what it accelerates from rest; the arm is confined to the x-z plane
assert push[0] > 0.0
assert push[1] == 0.0
# the principle of virtual work: gravity's torques are the gradient of its potential
h = 1e-6
gradient = [
    (td.potential_energy(model, sim.q + h * e) - td.potential_energy(model, sim.q - h * e)) / (2 * h)
    for e in np.eye(model.nv)
]
np.testing.assert_allclose(td.inverse_dynamics(model, sim.q, rest, rest), gradient, atol=1e-7)
