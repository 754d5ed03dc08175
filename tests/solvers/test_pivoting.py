"""Rows of loops are ordered on the way only where some of them are redundant."""

import numpy as np
import pytest

import treadle as td
from treadle.constraints.rows import closure_rows, usual_rank
from treadle.graph import trace
from treadle.solvers.closure import closure_factor
from treadle.studies.overconstrained_linkages import LINKAGES


def swaps_of(model: td.Model) -> int:
    found = []

    def look(q):
        found.append(len(closure_factor(model, q, closure_rows(model, q)).swaps))
        return []

    trace(look, model.nq)
    return found[0]


@pytest.mark.parametrize("scene", ["four-bar-chain", "squeezer", "roadheader", "slider-crank"])
def test_independent_rows_keep_a_fixed_order(scene):
    """Choosing an order made steps of the roadheader, whose loops have three rows each, 20 % slower."""
    assert swaps_of(td.scene(scene)) == 0


@pytest.mark.parametrize("name", ["bennett", "bricard", "sarrus"])
def test_redundant_rows_are_pivoted(name):
    spec, _, _ = LINKAGES[name](np.random.default_rng(0), None)
    model = spec.compile()
    # where no closed position is known, the count of independent rows is not either
    assert usual_rank(model) in (0, model.nv - 1)
    assert swaps_of(model) > 0
