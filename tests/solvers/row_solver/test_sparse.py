"""Sparse factors of islands against dense ones, on random patterns."""

from typing import NamedTuple

import numpy as np
import pytest

from treadle.native.kernels import njit
from treadle.solvers.row_solver.sparse import (
    add_blocks,
    eliminate,
    factor_panels,
    lay_out_panels,
    solve_panels,
)


class Blocks(NamedTuple):
    """What `add_blocks` reads of an island."""

    sizes: np.ndarray
    sign: np.ndarray
    rows: np.ndarray
    touched: np.ndarray
    entry: np.ndarray
    square: np.ndarray
    y: np.ndarray
    G: np.ndarray


@njit
def ordered(touched, local, blocks, n, held):
    of_place, order, starts, behind = eliminate(touched, local, blocks, n, held)
    return lay_out_panels(of_place, order, starts, behind, touched, local, blocks)


@njit
def solved(factor, island, symmetric, x):
    add_blocks(factor, island, symmetric)
    factor_panels(factor, symmetric)
    solve_panels(factor, x)


def random_island(rng, bodies, contacts, held, symmetric):
    """Bodies of one to seven places, blocks of one to three rows on one to three of them, loops on a few."""
    widths = rng.integers(1, 8, bodies)
    starts = np.concatenate([[0], np.cumsum(widths)])
    n = int(starts[-1]) + held
    blocks = []
    for _ in range(contacts):
        chosen = rng.choice(bodies, size=min(int(rng.integers(1, 4)), bodies), replace=False)
        places = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in chosen])
        if held and rng.random() < 0.3:
            places = np.append(places, n - 1 - rng.integers(held))
        m = int(rng.integers(1, 4))
        G = rng.normal(size=(m, m))
        G = G @ G.T + (0.0 if symmetric else 0.3) * rng.normal(size=(m, m))
        blocks.append((rng.permutation(places), rng.normal(size=(m, len(places))), G))
    return n, blocks


@pytest.mark.parametrize("seed", range(24))
def test_sparse_factors_solve_as_dense_ones(seed):
    rng = np.random.default_rng(seed)
    symmetric, held = bool(seed % 2), int(rng.integers(0, 4)) if seed % 3 == 0 else 0
    n, blocks = random_island(rng, int(rng.integers(1, 60)), int(rng.integers(1, 150)), held, symmetric)
    touched = np.concatenate([[0], np.cumsum([len(places) for places, _, _ in blocks])])
    local = np.concatenate([places for places, _, _ in blocks])
    factor, to = ordered(touched, local, len(blocks), n, held)
    assert sorted(to) == list(range(n))
    assert (to[n - held :] >= n - held).all()
    sign = np.ones(n)
    sign[n - held :] = -1.0
    matrix, entries = np.diag(sign), []
    for places, Y, G in blocks:
        at = to[places]
        matrix[np.ix_(at, at)] += Y.T @ G @ Y
        entries.append(Y[:, np.argsort(at)].ravel())
    rows = [len(G) for _, _, G in blocks]
    island = Blocks(
        sizes=np.array([n, len(blocks), sum(rows)]),
        sign=sign,
        rows=np.concatenate([[0], np.cumsum(rows)]),
        touched=touched,
        entry=np.concatenate([[0], np.cumsum([len(x) for x in entries])]),
        square=np.concatenate([[0], np.cumsum(np.square(rows))]),
        y=np.concatenate(entries),
        G=np.concatenate([G.ravel() for _, _, G in blocks]),
    )
    b = rng.normal(size=n)
    x = b.copy()
    solved(factor, island, symmetric, x)
    exact = np.linalg.solve(matrix, b)
    scale = np.linalg.cond(matrix) * np.abs(exact).max()
    assert np.abs(x - exact).max() < 1e-11 * scale


def test_order_keeps_the_factors_of_a_grid_small():
    """A grid of bodies: far fewer entries than a band has."""
    side = 20
    pairs = [(side * i + j, side * i + j + 1) for i in range(side) for j in range(side - 1)]
    pairs += [(side * i + j, side * (i + 1) + j) for i in range(side - 1) for j in range(side)]
    local = np.concatenate([np.concatenate([np.arange(6 * a, 6 * a + 6) for a in pair]) for pair in pairs])
    touched = 12 * np.arange(len(pairs) + 1)
    factor, _ = ordered(touched, local, len(pairs), 6 * side * side, 0)
    assert len(factor.first) == side * side + 1
    band = side * side * side
    assert len(factor.node) < 0.6 * band
