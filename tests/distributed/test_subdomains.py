"""Recursive bisection: equal shares of the work, and one owner for every point."""

import numpy as np
import pytest

from tests.distributed.threads import Threads
from treadle.distributed import Subdomains


def cut(points, work, size):
    def part(comm):
        mine = slice(comm.rank, None, comm.size)
        return Subdomains.of(comm, points[mine], work[mine])

    return Threads(size).run(part)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8])
def test_shares_are_equal(size):
    rng = np.random.default_rng(size)
    points, work = rng.normal(size=(2000, 3)) * (3.0, 1.0, 0.2), rng.uniform(0.5, 2.0, 2000)
    found = cut(points, work, size)
    owner = found[0].owners(points)
    assert all((each.owners(points) == owner).all() for each in found)
    shares = np.bincount(owner, work, minlength=size)
    assert shares == pytest.approx(work.sum() / size, abs=2.0 * size)


def test_all_points_in_one_place():
    points = np.ones((100, 3))
    owner = cut(points, np.ones(100), 4)[0].owners(points)
    assert len(set(owner.tolist())) == 1


def test_no_points():
    assert len(cut(np.zeros((0, 3)), np.zeros(0), 4)[0].owners(np.zeros((3, 3)))) == 3
