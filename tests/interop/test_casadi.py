"""CasADi: exported functions are external ones, with exact Jacobians that its solvers use."""

import shutil

import numpy as np
import pytest

import treadle as td
from tests.exports.machines import MACHINES, sprung_arm, state_of
from treadle.exports.machine_function import machine_function

casadi = pytest.importorskip(
    "casadi", reason="CasADi is not installed: make test-interop", exc_type=ImportError
)
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this computer")


@pytest.mark.parametrize("name", ["sprung arm", "four-bar", "slide"])
@pytest.mark.parametrize("what", ["step", "acceleration"])
def test_values_and_jacobians(name, what, tmp_path):
    sim = MACHINES[name]()
    _, library = td.export(sim, tmp_path, "casadi", name="machine", functions=[what])
    external = casadi.external(f"machine_{what}", str(library))
    own = machine_function(sim, what)
    given = state_of(sim, list(own.inputs))
    assert external.name_in() == list(own.inputs)
    found = np.concatenate([np.array(x).ravel() for x in external.call([casadi.DM(x) for x in given])])
    np.testing.assert_allclose(found, own(*given), rtol=1e-11, atol=1e-11)
    symbols = [casadi.MX.sym(key, size) for key, size in own.inputs.items()]
    whole = casadi.vertcat(*external.call(symbols))
    slopes = casadi.Function("J", symbols, [casadi.jacobian(whole, symbols[0])])
    J = np.array(slopes(*[casadi.DM(x) for x in given]))
    expected = np.array([own.pullback(*given, row)[: given[0].size] for row in np.eye(len(found))])
    np.testing.assert_allclose(J, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_a_solver_finds_the_torque_that_holds(tmp_path):
    """IPOPT through an external function: the joint forces under which nothing accelerates."""
    sim = sprung_arm()
    _, library = td.export(sim, tmp_path, "casadi", name="arm")
    external = casadi.external("arm_forward_dynamics", str(library))
    tau = casadi.MX.sym("tau", 2)
    q = np.array([0.4, -0.7])
    a = external(q, np.zeros(2), tau)
    problem = {"x": tau, "f": casadi.sumsqr(a)}
    options = {"ipopt.print_level": 0, "print_time": 0, "ipopt.hessian_approximation": "limited-memory"}
    found = casadi.nlpsol("held", "ipopt", problem, options)(x0=[0.0, 0.0])["x"]
    np.testing.assert_allclose(
        np.array(found).ravel(), td.inverse_dynamics(sim.model, q, [0, 0], [0, 0]), atol=1e-6
    )
