"""Contact points of shapes in nearly degenerate poses; `make test-fuzz COUNT=100000` draws more of them."""

import os

import numpy as np
import pytest

from tests.collision.fuzz import PAIRS, accuracy, faults, jump, scene

COUNT = int(os.environ.get("TREADLE_FUZZ_COUNT", "150"))
SEED = int(os.environ.get("TREADLE_FUZZ_SEED", "0"))


def drawn(names, k):
    return np.random.default_rng([SEED, PAIRS.index(names), k])


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_points_prove_themselves(names):
    wrong = []
    for k in range(COUNT):
        solids, X = scene(drawn(names, k), *names)
        found = faults(solids, X)
        if found:
            wrong.append((k, found))
    assert not wrong, f"{len(wrong)} of {COUNT} are wrong, such as {wrong[:3]}"


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_distance_is_continuous(names):
    wrong = []
    for k in range(COUNT // 5):
        rng = drawn(names, k)
        solids, X = scene(rng, *names)
        found = jump(rng, solids, X)
        if found > accuracy(solids):
            wrong.append((k, found))
    assert not wrong, f"{len(wrong)} of {COUNT // 5} jump, such as {wrong[:3]}"
