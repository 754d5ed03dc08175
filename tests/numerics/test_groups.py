"""Groups of linked things against scipy's connected components."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from treadle.numerics.groups import connected_groups


@pytest.mark.parametrize("seed", range(20))
def test_random_links(seed):
    rng = np.random.default_rng(seed)
    count, links = int(rng.integers(1, 300)), int(rng.integers(0, 300))
    first, second = rng.integers(0, count, (2, links))
    number, group = connected_groups(count, first, second)
    expected, labels = connected_components(
        coo_array((np.ones(links), (first, second)), shape=(count, count)), directed=False
    )
    assert number == expected
    assert np.array_equal(group, labels)


def test_a_long_chain_in_a_bad_order():
    order = np.random.default_rng(0).permutation(5000)
    number, group = connected_groups(5000, order[:-1], order[1:])
    assert number == 1
    assert not group.any()
