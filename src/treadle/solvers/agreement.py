"""Agreement: what decides how a step goes on, over all processes that share one world.

A substep ends where the first contact of the world begins or ends, and is computed again where any part of it
was off. Each such decision is made from a largest value; where a world is split (see `distributed`), it is
the largest of all processes, so that they take the same substeps as one process with the whole world.
What asks is a record with the field `agreement`: the context of a step, or the frame of the solver.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.calling import call
from treadle.native.frames import IntegerList, Reals
from treadle.native.kernels import part

__all__ = ["Agreement", "agreed", "largest", "least", "one_process", "total"]


class Agreement(NamedTuple):
    """The processes of a world as a kernel sees them."""

    entry: int  # combines `values` over all processes, 0: there is one
    values: Reals  # (2) replaced by the largest of all processes, and by their sum
    frame: int  # address of the values
    bodies: int  # of the whole world
    counted: IntegerList  # (bodies + 1) 1: those of this process; others only keep a place


def one_process(bodies: int) -> Agreement:
    """A world of so many bodies in one process."""
    return Agreement(0, np.zeros(2), 0, bodies, np.ones(bodies + 1, np.int64))


@part()
def largest(asking, value):
    """The largest value of all processes."""
    agreement = asking.agreement
    if agreement.entry == 0:
        return value
    agreement.values[0], agreement.values[1] = value, 0.0
    call(agreement.entry, agreement.frame)
    return agreement.values[0]


@part()
def total(asking, value):
    """The sum of the values of all processes."""
    agreement = asking.agreement
    if agreement.entry == 0:
        return value
    agreement.values[0], agreement.values[1] = 0.0, value
    call(agreement.entry, agreement.frame)
    return agreement.values[1]


@part()
def least(asking, value):
    """The least value of all processes."""
    return -largest(asking, -value)


@part()
def agreed(asking, holds):
    """Whether something holds in all processes."""
    return largest(asking, 0.0 if holds else 1.0) == 0.0
