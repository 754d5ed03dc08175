"""Dense output: its order, its ends, and rotations."""

import numpy as np
import pytest

import treadle as td
from tests.machines import build_spec
from treadle.integrators import INTEGRATORS
from treadle.native.program import compile_program
from treadle.sim.interpolant import Interpolant, dense_program
from treadle.sim.ledger import ledger_size


def motion(model: td.Model, integrator: str, q: np.ndarray, v: np.ndarray, span: float) -> Interpolant:
    dense = compile_program(dense_program(model, integrator, False, (), 0))
    given = dense(q, v, np.zeros(model.nv), [0.0, span])
    assert given is not None
    return Interpolant(model, 0.0, span, q, v, given[0].reshape(-1, 2 * model.nv + ledger_size(model)))


def start(model: td.Model) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    q = np.array([x for joint in model.joints for x in joint.type.sample(rng)])
    return q, rng.uniform(-1.0, 1.0, model.nv)


def exact(model: td.Model, q: np.ndarray, v: np.ndarray, time: float) -> np.ndarray:
    sim = td.Simulation(model, time, "dopri853", q=q, v=v, tolerance=1e-14)
    sim.step()
    return np.concatenate([sim.q, sim.v])


@pytest.fixture(params=["revolute", "ball", "free"])
def machine(request) -> td.Model:
    return build_spec(np.random.default_rng(5), [request.param, "revolute"], [-1, 0]).compile()


@pytest.mark.parametrize(("integrator", "order"), [("dopri5", 4), ("dopri853", 7)])
def test_order(machine, integrator, order):
    """Of order p: the error inside a substep falls with h^(p + 1)."""
    q, v = start(machine)

    def error(span: float) -> float:
        inside = motion(machine, integrator, q, v, span)
        return max(
            np.abs(np.concatenate(inside(x * span)) - exact(machine, q, v, x * span)).max()
            for x in (0.15, 0.4, 0.6, 0.9)
        )

    long, short = {4: (0.1, 0.05), 7: (0.3, 0.15)}[order]
    assert np.log2(error(long) / error(short)) > order + 1 - 0.5


@pytest.mark.parametrize("integrator", ["dopri5", "dopri853"])
def test_ends(machine, integrator):
    """At the start the state it began with; at the end that of a step; rates fit at both."""
    q, v = start(machine)
    inside = motion(machine, integrator, q, v, 0.05)
    np.testing.assert_allclose(np.concatenate(inside(0.0)), [*q, *v], rtol=0.0, atol=1e-15)
    sim = td.Simulation(machine, 0.05, integrator, q=q, v=v, tolerance=1.0)
    sim.arrays["memory"][0] = 0.05
    sim.step()
    assert sim.effort[0] == 1
    np.testing.assert_allclose(np.concatenate(inside(0.05)), [*sim.q, *sim.v], rtol=0.0, atol=1e-14)
    h = 1e-6
    slope = (inside(0.05)[1] - inside(0.05 - h)[1]) / h
    np.testing.assert_allclose(
        slope, td.forward_dynamics(machine, sim.q, sim.v, np.zeros(machine.nv)), atol=1e-3
    )


def test_times_outside_are_refused(machine):
    q, v = start(machine)
    inside = motion(machine, "dopri5", q, v, 0.1)
    assert (inside.start, inside.end) == (0.0, 0.1)
    with pytest.raises(td.InputError, match=r"holds from 0 to 0\.1 s"):
        inside(0.11)


def test_all_error_controlled_methods_have_it():
    for method in INTEGRATORS.values():
        if method.tableau is not None:
            assert method.tableau().dense
