"""Pairs of boxes, and islands across borders."""

import numpy as np
import pytest

from tests.distributed.threads import Threads
from treadle.collision.kinds import BOX, CAPSULE, CYLINDER, SPHERE
from treadle.distributed.borders import half_sizes, overlaps, shared_islands, swept_boxes


@pytest.mark.parametrize("seed", range(5))
def test_overlaps_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    first, second = (rng.normal(size=(n, 3)) for n in (60, 90))
    first, second = (np.hstack([p - 0.3, p + rng.uniform(0.0, 0.5, p.shape)]) for p in (first, second))
    meets = (first[:, None, :3] <= second[None, :, 3:]).all(2) & (
        second[None, :, :3] <= first[:, None, 3:]
    ).all(2)
    assert {tuple(pair) for pair in overlaps(first, second).tolist()} == set(
        zip(*np.nonzero(meets), strict=True)
    )
    assert len(overlaps(first, second[:0])) == 0


def test_boxes_hold_their_shapes():
    kind = np.array([BOX, SPHERE, CAPSULE, CYLINDER])
    size = np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 0.0]])
    half = half_sizes(kind, size)
    assert half.tolist() == [[1, 2, 3], [1, 1, 1], [1, 1, 3], [1, 1, 2]]
    boxes = swept_boxes(np.tile(np.eye(3), (4, 1, 1)), np.zeros((4, 3)), half, np.full(4, 0.5))
    assert boxes[0, 3:] == pytest.approx(half[0] + 0.5, abs=1e-4)


def test_a_chain_through_all_processes_is_one_island():
    # balls in a row, two apart from the rest, of which each process has a third
    x = np.concatenate([np.arange(9.0), [30.0, 40.0]])
    boxes = np.stack([x - 0.6, 0 * x, 0 * x, x + 0.6, 0 * x + 1, 0 * x + 1], axis=1)
    owner = np.concatenate([np.arange(9) // 3, [0, 2]])

    def part(comm):
        own, far = np.flatnonzero(owner == comm.rank), np.flatnonzero(owner != comm.rank)
        return shared_islands(comm, boxes[own], own, boxes[far], far)

    found = Threads(3).run(part)
    together = {unit: rank for each in found for unit, rank in each.items()}
    assert sorted(together) == list(range(9))
    assert len(set(together.values())) == 1
