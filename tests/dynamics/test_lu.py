import numpy as np
from hypothesis import given

from tests.machines import machines, random_state
from treadle.dynamics.crba import crba
from treadle.dynamics.lu import lu_solve


@given(machines(largest=6))
def test_solves_matrices_with_the_sparsity_of_a_tree(machine):
    model, rng = machine
    q, _, b = random_state(model, rng)
    M = np.array(crba(model, q), dtype=float)
    # not symmetric any more, but zero where it was
    A = M * (1.0 + 0.1 * rng.uniform(-1.0, 1.0, M.shape)) + np.diag(np.diag(M))
    x = np.array(lu_solve(A.tolist(), list(b)))
    np.testing.assert_allclose(A @ x, b, atol=1e-9 * (1.0 + np.abs(A).max() * np.abs(x).max()))
