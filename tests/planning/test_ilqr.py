"""Iterative LQR: the optimum of a linear problem, a swing-up, bounds, and what it refuses."""

import numpy as np
import pytest

import treadle as td


@pytest.fixture(scope="module")
def carts() -> td.Model:
    """Two masses on rails with a spring between them: a linear machine."""
    spec = td.ModelSpec("carts", gravity=(0.0, 0.0, 0.0))
    spec.add_body("first", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_body("second", 2.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("rail", "prismatic", None, "first", axis=(1, 0, 0), damping=0.3)
    spec.add_joint("slide", "prismatic", "first", "second", axis=(1, 0, 0), stiffness=4.0, damping=0.1)
    spec.add_actuator("push", "motor", "rail", gain=1.5)
    return spec.compile()


@pytest.fixture(scope="module")
def cart_pole() -> td.Model:
    spec = td.ModelSpec("cart-pole")
    spec.add_body("cart", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_body("pole", 0.2, center=(0.0, 0.0, 0.5), inertia=(0.01, 0.01, 1e-4))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_joint("hinge", "revolute", "cart", "pole", axis=(0, 1, 0))
    spec.add_actuator("push", "motor", "rail", gain=1.0)
    return spec.compile()


def square(now):
    """Positions, velocities and controls, each with a weight of its own."""
    return (
        (now.q[0] - now.variables[0]) ** 2
        + 0.5 * now.q[1] ** 2
        + 0.1 * now.v[0] ** 2
        + 0.2 * now.v[1] ** 2
        + 0.05 * now.action[0] ** 2
    )


def stepped(model: td.Model, dt: float, x: np.ndarray, u: float) -> np.ndarray:
    sim = td.Simulation(model, dt, q=x[:2], v=x[2:])
    sim.actuator("push").command = u
    sim.step()
    return np.concatenate([sim.q, sim.v])


def test_a_linear_problem_has_the_riccati_solution(carts):
    """The step's matrices by differences of a simulation, the controls by dynamic programming in numpy."""
    pieces, dt, goal = 40, 0.05, 0.7
    start = np.array([0.2, -0.1, 0.3, 0.0])
    A = np.stack([stepped(carts, dt, unit, 0.0) for unit in np.eye(4)], axis=1)
    B = stepped(carts, dt, np.zeros(4), 1.0)[:, None]
    # the goal as a further state that never changes
    A, B = np.block([[A, np.zeros((4, 1))], [np.zeros((1, 4)), 1.0]]), np.vstack([B, 0.0])
    off = np.array([1.0, 0.0, 0.0, 0.0, -1.0])
    Q = np.outer(off, off) + np.diag([0.0, 0.5, 0.1, 0.2, 0.0])
    P, gains = np.zeros((5, 5)), []
    for _ in range(pieces):
        W = Q + P
        K = -np.linalg.solve(0.05 + B.T @ W @ B, B.T @ W @ A)
        P = (A + B @ K).T @ W @ (A + B @ K) + 0.05 * K.T @ K
        gains.insert(0, K)
    x, expected = np.append(start, goal), []
    for K in gains:
        u = K @ x
        expected.append(u[0])
        x = A @ x + B @ u
    planner = td.ILQR(
        carts, square, low=[-50.0], high=[50.0], horizon=pieces * dt, pieces=pieces, goal_size=1
    )
    plan = planner.plan(start[:2], start[2:], goal=[goal])
    np.testing.assert_allclose(plan.controls[:, 0], expected, rtol=1e-5, atol=1e-6)
    assert plan.cost == pytest.approx(np.append(start, goal) @ P @ np.append(start, goal), rel=1e-8)
    # one round for the optimum, one to see that nothing is left
    assert len(plan.costs) <= 4


def test_a_pole_is_swung_up(cart_pole):
    def cost(now):
        lean = 1.0 - td.cos(now.q[1])
        return lean + 0.01 * now.q[0] ** 2 + 0.01 * now.v[1] ** 2 + 1e-4 * now.action[0] ** 2

    planner = td.ILQR(
        cart_pole, cost, low=[-10.0], high=[10.0], horizon=2.5, pieces=125, terminal=200.0, rounds=200
    )
    sim = td.Simulation(cart_pole, 0.02, q=[0.0, np.pi], v=[0.0, 0.0])
    # the bottom is a point where the cost has no slope
    planner.controls[:] = np.sin(np.arange(125) * 0.1)[:, None]
    plan = planner.plan(sim.q, sim.v)
    assert (np.diff(plan.costs) < 0.0).all() and np.abs(plan.controls).max() <= 10.0
    for control in plan.controls[:, 0]:
        sim.actuator("push").command = float(control)
        sim.step()
    assert abs((sim.q[1] + np.pi) % (2.0 * np.pi) - np.pi) < 0.1 and abs(sim.v[1]) < 0.5
    # what was planned is what happens
    np.testing.assert_allclose(plan.watched[0, -1], np.concatenate([sim.q, sim.v]), rtol=1e-6, atol=1e-6)


def test_bounds_are_kept_and_used(carts):
    planner = td.ILQR(carts, square, low=[-0.5], high=[0.5], horizon=2.0, pieces=40, goal_size=1)
    plan = planner.plan([0.0, 0.0], [0.0, 0.0], goal=[3.0])
    assert plan.controls.max() == 0.5 and plan.controls.min() >= -0.5
    free = td.ILQR(carts, square, low=[-50.0], high=[50.0], horizon=2.0, pieces=40, goal_size=1)
    assert free.plan([0.0, 0.0], [0.0, 0.0], goal=[3.0]).cost < plan.cost


def test_it_drives_a_receding_horizon(carts):
    planner = td.ILQR(carts, square, low=[-20.0], high=[20.0], horizon=2.0, pieces=40, goal_size=1)
    sim = td.Simulation(carts, 0.01)
    horizon = td.RecedingHorizon(planner, sim, cycle=0.1, latency=0.05)
    for _ in range(160):
        horizon.advance([1.0])
    assert sim.q[0] == pytest.approx(1.0, abs=0.05) and abs(sim.v[0]) < 0.05


def test_machines_without_derivatives_are_refused():
    with pytest.raises(td.InputError, match="as many positions as degrees of freedom"):
        td.ILQR(_ball(), square, low=[], high=[])


def _ball() -> td.Model:
    spec = td.ModelSpec("ball")
    spec.add_body("ball", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("free", "free", None, "ball")
    return spec.compile()
