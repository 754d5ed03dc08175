"""Many worlds side by side, each with its own masses and lengths.

A thousand pendulums, point masses on light rods, get random masses and lengths and are released from a
small angle. One compiled step serves all of them: the constants named in `parameters` became inputs.
The time of a small swing depends on the length alone, T = 2 pi sqrt(l / g).
"""

import numpy as np

import treadle as td

WORLDS, ANGLE, GRAVITY = 1000, 0.02, 9.81  # 1, rad, m/s2

spec = td.ModelSpec("bob", gravity=(0, 0, -GRAVITY))
spec.add_body("bob", 1.0, center=(0, 0, -1))
spec.add_joint("hinge", "revolute", None, "bob", axis=(0, 1, 0))
model = spec.compile()
print("constants that may differ from world to world:", *td.parameter_names(model))

worlds = td.Batch(model, WORLDS, dt=1e-3, integrator="rk4", parameters=["bob.mass", "bob.center.z"])
rng = np.random.default_rng(0)
mass, length = rng.uniform(0.1, 10.0, WORLDS), rng.uniform(0.3, 2.0, WORLDS)
worlds.parameter("bob.mass")[:] = mass
worlds.parameter("bob.center.z")[:] = -length
worlds.q = [ANGLE]

# the first passage through the vertical ends a quarter of the period
quarter = np.full(WORLDS, np.nan)
while np.isnan(quarter).any():
    before = worlds.q[:, 0].copy()
    worlds.step()
    after = worlds.q[:, 0]
    passed = (before > 0.0) & (after <= 0.0) & np.isnan(quarter)
    share = before[passed] / (before[passed] - after[passed])
    quarter[passed] = (worlds.steps - 1 + share) * 1e-3

period, small = 4 * quarter, 2 * np.pi * np.sqrt(length / GRAVITY)
for k in range(3):
    print(f"{mass[k]:6.2f} kg at {length[k]:.2f} m: {period[k]:.5f} s, by the formula {small[k]:.5f} s")

# the formula neglects A^2/16 of the period, which is the same share for all
np.testing.assert_allclose(period / small, 1 + ANGLE**2 / 16, atol=1e-6)
# inertial and gravitational mass are the same: the period knows nothing of the mass
assert abs(np.corrcoef(mass, period / small)[0, 1]) < 0.1
# every world is computed by the same instructions, alone or among others
alone = td.Batch(model, 1, dt=1e-3, integrator="rk4", parameters=worlds.parameters)
alone.parameter("bob.mass")[:], alone.parameter("bob.center.z")[:] = mass[7], -length[7]
alone.q = [ANGLE]
alone.step(worlds.steps)
assert alone.q[0, 0] == worlds.q[7, 0]
