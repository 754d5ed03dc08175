import numpy as np
import pytest

from treadle.constraints.rows import Group
from treadle.solvers.saddle import saddle_solve


def sparse(values: np.ndarray) -> dict[int, float]:
    return {k: float(x) for k, x in enumerate(values) if x != 0.0}


@pytest.mark.parametrize("seed", range(20))
def test_solves_equations_that_are_not_symmetric(seed):
    rng = np.random.default_rng(seed)
    n, m = 7, 3
    K = np.diag(rng.uniform(2.0, 3.0, n)) + 0.1 * rng.standard_normal((n, n))
    B = rng.standard_normal((m, n))
    G = B + 0.1 * rng.standard_normal((m, n))
    r, c = rng.standard_normal(n), rng.standard_normal(m)
    x, y = saddle_solve(
        K.tolist(),
        [sparse(b) for b in B],
        [sparse(g) for g in G],
        list(r),
        list(c),
        [Group(0, 1.0)] * m,
        [0.0] * m,
    )
    np.testing.assert_allclose(K @ x - B.T @ y, r, atol=1e-9)
    np.testing.assert_allclose(G @ x, c, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_depend_on_others_take_nothing(seed):
    rng = np.random.default_rng(seed)
    n = 5
    K = np.diag(rng.uniform(2.0, 3.0, n)) + 0.1 * rng.standard_normal((n, n))
    B = rng.standard_normal((2, n))
    B = np.vstack([B, B[0] - 2.0 * B[1]])
    r, c = rng.standard_normal(n), rng.standard_normal(2)
    c = np.append(c, c[0] - 2.0 * c[1])
    rows = [sparse(b) for b in B]
    x, y = saddle_solve(K.tolist(), rows, rows, list(r), list(c), [Group(0, 1.0)] * 3, [0.0] * 3)
    np.testing.assert_allclose(K @ x - B.T @ y, r, atol=1e-9)
    np.testing.assert_allclose(B @ x, c, atol=1e-9)
    assert 0.0 in y


@pytest.mark.parametrize("seed", range(10))
def test_weak_rows_come_last(seed):
    """The first row is nearly that of the second: eliminated first, rounding would be all that is left."""
    rng = np.random.default_rng(seed)
    n = 6
    K = np.diag(rng.uniform(2.0, 3.0, n))
    strong = rng.standard_normal((3, n))
    weak = 1e-7 * rng.standard_normal(n)
    # four rows of rank three but for rounding of numbers, the small one first
    B = np.vstack([weak, strong[:2], strong[0] - 2.0 * strong[1] + weak])
    r = rng.standard_normal(n)
    c = np.array([0.0, *rng.standard_normal(2), 0.0])
    c[3] = c[1] - 2.0 * c[2]
    rows = [sparse(b) for b in B]
    x, y = saddle_solve(K.tolist(), rows, rows, list(r), list(c), [Group(0, 1.0)] * 4, [0.0] * 4)
    np.testing.assert_allclose(K @ x - B.T @ y, r, atol=1e-9)
    np.testing.assert_allclose(B @ x, c, atol=1e-5)
    assert np.abs(y).max() < 1e3
