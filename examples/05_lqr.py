"""Balance a double pendulum upright with one motor at its elbow, by LQR.

The linear model comes from the exact derivatives of forward dynamics at the upright rest. With
x = (q - q*, v) it is

    dx/dt = A x + B u,    A = [[0, 1], [da/dq, da/dv]],    B = [0, da/dtau column of the elbow],

and scipy solves the Riccati equation for the gain of u = -K x. The controller is a force law: it runs
inside the compiled step.
"""

import numpy as np
from scipy.linalg import solve_continuous_are

import treadle as td

model = td.scene("pendulum")
upright = np.array([np.pi, 0.0])
rest = np.zeros(model.nv)

d = td.derivatives(model, upright, rest, rest)
A = np.block([[np.zeros((2, 2)), np.eye(2)], [d.by_q, d.by_v]])
B = np.concatenate([[0.0, 0.0], d.by_tau[:, 1]])[:, None]
P = solve_continuous_are(A, B, np.diag([10.0, 10.0, 1.0, 1.0]), np.eye(1))
K = (B.T @ P)[0]
print("poles without control:", np.round(np.linalg.eigvals(A), 3))
print("poles with control:   ", np.round(np.linalg.eigvals(A - B @ K[None]), 3))


def balance(q, v, t):
    """u = -K x at the elbow; the shoulder turns freely."""
    x = [q["shoulder"] - upright[0], q["elbow"] - upright[1], v["shoulder"], v["elbow"]]
    return {"elbow": -sum(k * s for k, s in zip(K, x))}


def simulate(laws: list[td.ForceLaw]) -> td.Simulation:
    sim = td.Simulation(model, dt=1e-3, integrator="rk4", q=upright, laws=laws)
    sim.joint("shoulder").position += 0.01  # about half a degree off
    sim.run(seconds=10)
    return sim


falling, balanced = simulate([]), simulate([balance])
print(f"after 10 s the tip is at height {falling.body('tip').position[2]:.3f} m without control")
print(f"and at {balanced.body('tip').position[2]:.6f} m with it, 2 m being the top")

# upright without control is an unstable equilibrium, and the gain makes it a stable one
assert np.linalg.eigvals(A).real.max() > 1.0
assert np.linalg.eigvals(A - B @ K[None]).real.max() < 0.0
# a stable equilibrium attracts what starts near it
assert np.abs(balanced.q - upright).max() < 1e-3
assert abs(balanced.body("tip").position[2] - 2.0) < 1e-6
