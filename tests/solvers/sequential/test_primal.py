"""Free rows over the places that they move: the same impulses as over the rows, for every kind of row."""

import numpy as np
import pytest

from tests.solvers.sequential.test_gauss_seidel import problem
from treadle.bench.row_problems import Boxes
from treadle.solvers.row_solver import PAIR, residuals, solve_rows
from treadle.solvers.sequential import AT_ONCE, Rows, empty_rows, prepare, solve


def standing(seed: int, softness: float, push: float = 0.0) -> Rows:
    """Two boxes on the ground, six points each, that yield and creep, or are rigid; some are pushed along."""
    rng = np.random.default_rng(seed)
    boxes = Boxes(step=2e-3, friction=0.6)
    for k in range(2):
        box = boxes.body(
            rng.uniform(1.0, 30.0), rng.uniform(0.2, 0.6, 3), (2.0 * k, 0.0, 0.2), (push, 0.0, 0.0)
        )
        points = np.column_stack(
            [2.0 * k + rng.uniform(-0.3, 0.3, 6), rng.uniform(-0.3, 0.3, 6), np.zeros(6)]
        )
        # the corners around the centre, so that it stands
        points[:4, :2] = [2.0 * k, 0.0] + 0.3 * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
        boxes.touch(-1, box, points, (0.0, 0.0, 1.0), softness=softness)
    found = boxes.table()
    if softness > 0.0:
        pairs = np.flatnonzero(found.kind == PAIR)
        found.softness[pairs], found.softness[pairs + 1] = 1e-2 * softness, 3e-2 * softness
    rows = empty_rows(len(found.kind), len(found.y), int(found.places[0]), 128)
    return rows._replace(**{name: getattr(found, name) for name in found._fields if name in rows._fields})


def solved(rows: Rows, limit: int = 150) -> tuple[int, float]:
    """Sweeps, and the largest natural residual (m/s) that they leave."""
    count, z = len(rows.kind), np.zeros(int(rows.places[0]))
    prepare(rows, count, z)
    sweeps, _ = solve(rows, count, z, limit, 0.0, 1e-11, AT_ONCE)
    return sweeps, residuals(rows, count, z, np.zeros(count))


@pytest.mark.parametrize("softness", [0.02, 0.0])
@pytest.mark.parametrize("seed", range(6))
def test_one_sweep_where_the_rows_stay_free(seed, softness):
    """From the impulses of the step before, the solve of the free rows leaves nothing for a second sweep."""
    rows = standing(seed, softness)
    assert solved(rows)[1] < 1e-10
    rows.velocity[:] += 1e-6 * np.sin(np.arange(len(rows.velocity))) * (softness > 0.0)
    rows.velocity[:] *= 1.02
    sweeps, left = solved(rows)
    assert sweeps == 1
    assert left < 1e-10
    assert rows.held[0] == len(rows.kind)
    assert rows.held[1] == 12


@pytest.mark.parametrize("seed", range(6))
def test_friction_that_slides(seed):
    """Boxes that slide, with friction that yields differently along its two rows."""
    rows = standing(seed, 0.02, push=0.5)
    assert solved(rows)[1] < 1e-10
    rows.velocity[:] *= 1.01
    sweeps, left = solved(rows)
    assert sweeps <= 2
    assert left < 1e-10
    assert rows.held[1] == 12


@pytest.mark.parametrize("held", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_redundant_rows_share_what_they_change(seed, held):
    """Rigid rows, by far more than places: the least impulses, in their own units, of either solve."""
    count = 40
    rng, rows, z, _, _, J, inverse, v = problem(seed, count, held=held, room=64)
    A, start = J @ inverse @ J.T, 1e-3 * rng.standard_normal(count)
    rows.slowest[:] = rows.fastest[:] = J @ (v + inverse @ J.T @ rng.standard_normal(count))
    rows.impulse[:] = start
    prepare(rows, count, z)
    solve(rows, count, z, 1, 0.0, 1e-11, AT_ONCE)
    assert (rows.held[1] > 0) == (held == 0)
    missed = rows.slowest - rows.velocity - A @ start
    root = np.sqrt(rows.own)
    least = np.linalg.lstsq(A / root, missed, rcond=1e-11)[0] / root
    np.testing.assert_allclose(rows.velocity + A @ rows.impulse, rows.slowest, atol=1e-8)
    np.testing.assert_allclose(rows.impulse - start, least, atol=1e-5 * np.abs(least).max())


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_contradict_each_other_are_left_to_the_dense_solve(seed):
    """Targets that no motion meets do not blow up impulses of rigid rows."""
    count = 40
    rng, rows, z, *_ = problem(seed, count, held=0, room=64)
    rows.slowest[:] = rows.fastest[:] = rng.standard_normal(count)
    rows.low[:], rows.high[:] = -10.0, 10.0
    rows.impulse[:] = 1e-3
    prepare(rows, count, z)
    solve(rows, count, z, 1, 0.0, 1e-11, AT_ONCE)
    assert rows.held[1] == 0
    assert np.abs(rows.impulse).max() <= 10.0


@pytest.mark.parametrize("seed", range(4))
def test_proximal_points_where_friction_yields_differently_along_its_rows(seed):
    rows = standing(seed, 0.02, push=0.05)
    count, z = len(rows.kind), np.zeros(int(rows.places[0]))
    _, left = solve_rows(rows, count, z, np.zeros(count), 200, 1e-11, 4)
    assert left < 1e-10
