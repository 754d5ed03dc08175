"""Sampling planners: they find what is known to be best, reproduce, and drive a machine to its goal."""

import numpy as np
import pytest

import treadle as td
from treadle.planning.plan import shifted

PLANNERS = {"MPPI": td.MPPI, "CEM": td.CEM, "RandomShooting": td.RandomShooting}


@pytest.fixture(scope="module")
def cart() -> td.Model:
    """A mass of 1 kg on a rail, pushed by a motor."""
    spec = td.ModelSpec("cart", gravity=(0.0, 0.0, 0.0))
    spec.add_body("cart", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_actuator("push", "motor", "rail", gain=1.0)
    return spec.compile()


def cost(now):
    return (now.q[0] - now.variables[0]) ** 2 + 0.1 * now.v[0] ** 2


def planner(kind: str, cart: td.Model, **options):
    given = {"candidates": 256, "horizon": 2.0, "pieces": 10, "dt": 0.02, "goal_size": 1, "threads": 1}
    return PLANNERS[kind](cart, cost, low=[-2.0], high=[2.0], spread=[1.0], **given | options)


@pytest.mark.parametrize("kind", PLANNERS)
def test_plans_approach_the_optimum(cart, kind):
    """Against the least cost of the linear problem: its controls are a bounded least-squares solution."""
    from scipy.optimize import lsq_linear

    found = planner(kind, cart)
    for _ in range(15):
        plan = found.plan([0.0], [0.0], goal=[0.5])
    # positions and velocities at the ends of the pieces are linear in the controls
    steps, pieces, dt = 10, 10, 0.02
    A, b = np.zeros((2 * pieces, pieces)), np.zeros(2 * pieces)
    for j in range(pieces):
        q = v = 0.0
        for k in range(pieces):
            for _ in range(steps):
                v += dt * (1.0 if k == j else 0.0)
                q += dt * v
            A[2 * k, j], A[2 * k + 1, j] = q, np.sqrt(0.1) * v
            b[2 * k] = 0.5
    best = 2.0 * lsq_linear(A, b, bounds=(-2.0, 2.0)).cost
    nothing = 10 * 0.5**2
    assert best * (1.0 - 1e-9) <= plan.cost < best + 0.1 * (nothing - best)


@pytest.mark.parametrize("kind", PLANNERS)
def test_plans_reproduce(cart, kind):
    first, second = (planner(kind, cart, threads=n) for n in (1, 2))
    for _ in range(3):
        a, b = (p.plan([0.1], [0.2], goal=[1.0], elapsed=0.1) for p in (first, second))
        np.testing.assert_array_equal(a.controls, b.controls)
        np.testing.assert_array_equal(a.costs, b.costs)


def test_the_cost_is_that_of_a_simulation(cart):
    found = planner("RandomShooting", cart, candidates=8)
    plan = found.plan([0.2], [0.1], goal=[0.7])
    sim = td.Simulation(cart, 0.02, q=[0.2], v=[0.1])
    total = 0.0
    for k in range(10):
        sim.actuator("push").command = float(plan.controls[k, 0])
        sim.step(10)
        total += (sim.q[0] - 0.7) ** 2 + 0.1 * sim.v[0] ** 2
    assert plan.cost == pytest.approx(total, rel=1e-12)


def test_controls_stay_within_bounds_and_warm_start_shifts(cart):
    found = planner("MPPI", cart)
    plan = found.plan([0.0], [0.0], goal=[100.0])
    assert np.abs(plan.controls).max() <= 2.0
    later = shifted(np.arange(10.0)[:, None], 0.5)
    np.testing.assert_allclose(later[:, 0], [*(np.arange(9) + 0.5), 9.0])


@pytest.mark.parametrize("latency", [0.0, 0.06])
def test_a_receding_horizon_reaches_the_goal(cart, latency):
    sim = td.Simulation(cart, 0.02)
    loop = td.RecedingHorizon(planner("MPPI", cart, candidates=128), sim, cycle=0.1, latency=latency)
    for _ in range(60):
        loop.advance(goal=[1.0])
    assert abs(sim.q[0] - 1.0) < 0.1 and abs(sim.v[0]) < 0.2


def test_wrong_bounds_are_refused(cart):
    with pytest.raises(td.InputError, match="low, high and spread"):
        td.MPPI(cart, cost, low=[1.0], high=[0.0], spread=[1.0])
    with pytest.raises(td.InputError, match="spread must not be negative"):
        td.CEM(cart, cost, low=[0.0], high=[1.0], spread=[-1.0])
    with pytest.raises(td.InputError, match="needs a cost, a function of a situation, not 3"):
        td.MPPI(cart, 3, low=[0.0], high=[1.0], spread=[1.0])
    with pytest.raises(td.InputError, match="shorter than a step"):
        planner("MPPI", cart, horizon=0.1, pieces=50)
