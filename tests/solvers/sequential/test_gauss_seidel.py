"""Rows of random machines against dense matrices, and the laws that their impulses have to obey."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from treadle.solvers.sequential import (
    CONJUGATE,
    IN_TURN,
    PAIR,
    SECOND,
    TOGETHER,
    Tree,
    chain,
    correct,
    empty_rows,
    half_solve,
    prepare,
    solve,
    spread,
)
from treadle.solvers.sequential.tree import tree_pattern

WAYS = st.sampled_from([IN_TURN, CONJUGATE, TOGETHER])


def random_tree(rng, nv, held):
    """A tree, its factors and loop rows, with M and the loops' J as dense matrices."""
    parents = [-1, *[int(rng.integers(-1, k)) for k in range(1, nv)]]
    parent, start = tree_pattern(parents)
    L, D = np.eye(nv), rng.uniform(0.5, 2.0, nv)
    packed = rng.uniform(-0.5, 0.5, start[-1])
    for k in range(nv):
        above, entry = parent[k], start[k]
        while above >= 0:
            L[k, above] = packed[entry]
            above, entry = parent[above], entry + 1
    J = np.zeros((held, nv))
    for row in J:
        row[rng.integers(nv)] = 1.0
        row[rng.integers(nv)] += rng.standard_normal()
    Y = np.linalg.solve(L.T, J.T) / np.sqrt(D)[:, None]
    A = np.linalg.cholesky(Y.T @ Y + 0.0) if held else np.zeros((0, 0))
    F = A / np.diag(A)
    under = [(i, j) for i in range(held) for j in range(i)]
    tree = Tree(
        parent, start, packed, 1.0 / np.sqrt(D),
        nv * np.arange(held + 1), np.tile(np.arange(nv), held), np.ascontiguousarray(Y.T).ravel(),
        np.cumsum([0, *range(held)]), np.array([j for _, j in under], dtype=np.int64),
        np.array([F[i, j] for i, j in under]), 1.0 / np.diag(A), np.array([nv, held]),
    )  # fmt: skip
    M = L.T @ np.diag(D) @ L
    inverse = np.linalg.inv(M)
    if held:
        inverse -= inverse @ J.T @ np.linalg.solve(J @ inverse @ J.T, J @ inverse)
    return tree, inverse


def add_row(tree, rows, i, tips, rng, work, J):
    """A row with random entries on the way from two freedoms to the base."""
    chain(tree, rows, i, *tips)
    for k in rows.place[rows.first[i] : rows.loops[i]]:
        work[k] = J[i, k] = rng.standard_normal()
    half_solve(tree, rows, i, work)
    assert not work.any()


def problem(seed, count, held=1, nv=7, room=None):
    """Rows with random Jacobians at random velocities: rows, z, work, tree, J, response, v.

    So many rows are solved together at most, all of them if `room` is None.
    """
    rng = np.random.default_rng(seed)
    while True:
        tree, inverse = random_tree(rng, nv, held)
        if np.isfinite(tree.loop_root).all():
            break
    places, room = nv + held, count if room is None else room
    rows, J = empty_rows(count, count * places, places, room), np.zeros((count, nv))
    work, z, v = np.zeros(nv + held), np.zeros(nv + held), rng.standard_normal(nv)
    for i in range(count):
        add_row(tree, rows, i, (int(rng.integers(nv)), int(rng.integers(-1, nv))), rng, work, J)
    rows.velocity[:] = J @ v
    return rng, rows, z, work, tree, J, inverse, v


@given(st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_the_carried_vector_holds_what_impulses_do(seed):
    rng, rows, z, work, tree, J, inverse, v = problem(seed, 4, held=seed % 3)
    rows.impulse[:] = rng.standard_normal(4)
    prepare(rows, 4, z)
    np.testing.assert_allclose(rows.own, np.diag(J @ inverse @ J.T), atol=1e-9)
    new = v.copy()
    spread(tree, z, work, new)
    np.testing.assert_allclose(new, v + inverse @ J.T @ rows.impulse, atol=1e-9)


@given(st.integers(0, 2**31), st.integers(2, 40))
@settings(max_examples=60, deadline=None)
# rows that contradict each other, and one that has a part in it by rounding
@example(20000000, 6)
def test_what_is_carried_belongs_to_the_impulses_after_any_sweep(seed, sweeps):
    """Also where the rows that are free have room to be solved together after one sweep and not the next."""
    _, rows, z, *_ = problem(seed, 12, nv=10, room=6)
    rows.slowest[:], rows.low[:] = 0.0, 0.0
    prepare(rows, 12, z)
    solve(rows, 12, z, sweeps, 0.0, 0.0, TOGETHER)
    carried = z.copy()
    prepare(rows, 12, z)
    np.testing.assert_allclose(carried, z, rtol=0.0, atol=1e-9 * (1.0 + np.abs(z).max()))


@given(st.integers(0, 2**31), WAYS)
@settings(max_examples=60, deadline=None)
def test_bounded_rows_end_at_their_velocity_or_their_bound(seed, way):
    rng, rows, z, work, tree, J, _, v = problem(seed, 4)
    middle, spare = rng.standard_normal(4), np.where(rng.random(4) < 0.5, 0.0, 1.0)
    rows.slowest[:], rows.fastest[:] = middle - spare, middle + spare
    rows.low[:], rows.high[:] = -rng.uniform(0.01, 1.0, 4), rng.uniform(0.01, 1.0, 4)
    rows.impulse[:] = np.clip(rng.standard_normal(4), rows.low, rows.high)
    prepare(rows, 4, z)
    _, change = solve(rows, 4, z, 100_000, 1e-13, 0.0, way)
    assert change <= 1e-13
    new = v.copy()
    spread(tree, z, work, new)
    for p, w, low, high, slowest, fastest, own in zip(
        rows.impulse, J @ new, rows.low, rows.high, rows.slowest, rows.fastest, rows.own, strict=True
    ):
        if own < 1e-9:
            continue
        assert low <= p <= high
        assert w >= slowest - 1e-9 or p >= high - 1e-12
        assert w <= fastest + 1e-9 or p <= low + 1e-12
        # inside its range a row is left alone
        if slowest + 1e-9 < w < fastest - 1e-9:
            assert p == 0.0


@given(st.integers(0, 2**31), st.sampled_from([(0.5, 0.5), (0.3, 0.9), (0.0, 0.4)]), WAYS)
@settings(max_examples=80, deadline=None)
def test_friction_dissipates_the_most_that_its_cone_allows(seed, shares, way):
    _, rows, z, work, tree, J, inverse, v = problem(seed, 3)
    rows.kind[1:], rows.normal[1:], rows.share[1:] = (PAIR, SECOND), 0, shares
    rows.slowest[:], rows.fastest[1:], rows.low[0] = 0.0, 0.0, 0.0
    # a contact that its own friction presses on may wedge: then there is no impulse, or more than one
    G = J @ inverse @ J.T
    assume(np.dot(shares, abs(G[0, 1:])) < 0.7 * G[0, 0])
    prepare(rows, 3, z)
    _, change = solve(rows, 3, z, 100_000, 1e-11, 0.0, way)
    assert change <= 1e-11
    new = v.copy()
    spread(tree, z, work, new)
    normal, *slip = J @ new
    assert rows.impulse[0] >= 0.0
    if rows.own[0] > 1e-6:
        assert normal >= -1e-8
        assert abs(normal * rows.impulse[0]) < 1e-8
    q = [p / mu if mu else p for p, mu in zip(rows.impulse[1:], shares, strict=True)]
    pull = np.multiply(shares, slip)
    assert np.hypot(*q) <= rows.impulse[0] * (1.0 + 1e-12)
    if np.hypot(*q) < rows.impulse[0] * (1.0 - 1e-9):
        np.testing.assert_allclose(pull, 0.0, atol=1e-8)
    else:
        # on the cone: against the slip, and nowhere else in it would more be dissipated
        assert q @ pull == pytest.approx(-np.hypot(*q) * np.hypot(*pull), abs=1e-8)


def test_rolling_resistance_is_bounded_by_the_normal_impulse():
    _, rows, z, _, _, J, _, v = problem(3, 2, held=0)
    v[:] = -v * np.sign(rows.velocity[0])
    rows.velocity[:] = J @ v
    rows.low[0], rows.slowest[0] = 0.0, 0.0
    rows.normal[1], rows.share[1], rows.slowest[1], rows.fastest[1] = 0, 1e-3, 0.0, 0.0
    prepare(rows, 2, z)
    solve(rows, 2, z, 1000, 1e-14, 0.0)
    assert rows.impulse[0] > 0.0
    assert abs(rows.impulse[1]) == pytest.approx(1e-3 * rows.impulse[0])


@pytest.mark.parametrize("way", [IN_TURN, CONJUGATE, TOGETHER])
def test_warm_start_needs_one_look(way):
    *_, rows, z, _, _, _, _, _ = problem(5, 3, held=1)
    rows.slowest[:] = rows.fastest[:] = 0.0
    prepare(rows, 3, z)
    cold, _ = solve(rows, 3, z, 100_000, 1e-13, 0.0, way)
    impulse = rows.impulse.copy()
    prepare(rows, 3, z)
    warm, _ = solve(rows, 3, z, 100_000, 1e-12, 0.0, way)
    assert warm == 1
    assert cold > 1
    np.testing.assert_allclose(rows.impulse, impulse, atol=1e-12)


@pytest.mark.parametrize("way", [IN_TURN, CONJUGATE, TOGETHER])
def test_split_impulses_close_rows_and_push_contacts_one_way(way):
    _, rows, z, work, tree, J, _, _ = problem(11, 3, held=0)
    rows.closes[:], rows.closing[:] = (True, True, False), (0.3, -0.2, 9.0)
    rows.low[1] = 0.0
    prepare(rows, 3, z)
    correct(rows, 3, z, 100_000, 1e-14, 0.0, way)
    moved = np.zeros(7)
    spread(tree, z, work, moved)
    rates = J @ moved
    assert rates[0] == pytest.approx(0.3, abs=1e-10)
    assert rates[1] >= -0.2 - 1e-10
    assert rows.pseudo[1] >= 0.0
    assert rows.pseudo[1] * (rates[1] + 0.2) == pytest.approx(0.0, abs=1e-10)
    assert rows.pseudo[2] == 0.0


def test_other_ways_need_fewer_sweeps():
    sweeps = []
    for way in (IN_TURN, CONJUGATE, TOGETHER):
        *_, rows, z, _, _, _, _, _ = problem(2, 6, nv=9)
        rows.slowest[:] = rows.fastest[:] = 0.0
        prepare(rows, 6, z)
        sweeps.append(solve(rows, 6, z, 100_000, 1e-9, 0.0, way)[0])
    assert sweeps[1] < 0.5 * sweeps[0]
    assert sweeps[2] <= 3


def test_a_contradiction_ends_at_the_first_bound():
    # five rows over four freedoms: the last wants what the others forbid, and has only so much strength
    sweeps = {}
    for way in (IN_TURN, TOGETHER):
        *_, rows, z, _, _, J, inverse, v = problem(5, 5, held=0, nv=4)
        rows.slowest[:] = rows.fastest[:] = 0.0
        rows.slowest[4] = rows.fastest[4] = 1.0
        rows.low[4], rows.high[4] = -300.0, 300.0
        prepare(rows, 5, z)
        sweeps[way], _ = solve(rows, 5, z, 1_000_000, 1e-9, 0.0, way)
        rates = J @ (v + inverse @ J.T @ rows.impulse)
        assert abs(rows.impulse[4]) == 300.0
        assert rates[:4] == pytest.approx(0.0, abs=1e-7)
    assert sweeps[TOGETHER] <= 5
    assert sweeps[IN_TURN] > 100


@pytest.mark.parametrize("deaf", [0, 1])
def test_a_pair_of_which_one_row_answers_is_solved_with_the_others(deaf):
    # as of a planar machine, which friction across its plane cannot move
    *_, rows, z, _, _, J, inverse, v = problem(4, 7, held=0)
    rows.slowest[:] = rows.fastest[:] = 0.0
    for i, normal in ((1, 0), (4, 3)):
        rows.kind[i : i + 2], rows.normal[i : i + 2], rows.share[i : i + 2] = (PAIR, SECOND), normal, 0.5
        rows.impulse[normal] = rows.low[normal] = rows.high[normal] = 100.0
        for k in (i + deaf, normal):
            rows.y[rows.first[k] : rows.first[k + 1]], J[k] = 0.0, 0.0
    rows.velocity[:] = J @ v
    prepare(rows, 7, z)
    sweeps, _ = solve(rows, 7, z, 1000, 0.0, 1e-11, TOGETHER)
    assert sweeps <= 3
    np.testing.assert_allclose(J @ (v + inverse @ J.T @ rows.impulse), 0.0, atol=1e-10)
