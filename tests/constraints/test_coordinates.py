"""The coordinates of joints that close loops, on random machines."""

import numpy as np
from hypothesis import given, settings

from tests.loops import loop_machines
from treadle.constraints.coordinates import loop_coordinates
from treadle.graph import through_graph


def measured(model, q, v) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rates of the freedoms of all loop joints but those that turn in space."""

    def values(x):
        found = [c for c in loop_coordinates(model, x, model.loops) if c.position is not None]
        return [*[c.position for c in found], *[c.rate(v) for c in found]]

    positions, rates = np.array(through_graph(values, list(q)), dtype=float).reshape(2, -1)
    return positions, rates


def moved(model, q, v, h) -> list[float]:
    return [x for j in model.joints for x in j.type.integrate(q[j.q], [h * y for y in v[j.v]])]


@given(loop_machines())
@settings(max_examples=15)
def test_rates_are_those_of_the_positions(machine):
    """Whether the loop stays closed or not: the difference of positions over a short time is the rate."""
    model, q, rng = machine
    q, v, h = list(q), rng.uniform(-1.0, 1.0, model.nv).tolist(), 1e-6
    _, rates = measured(model, q, v)
    (before, _), (after, _) = (measured(model, moved(model, q, v, s * h), v) for s in (-1.0, 1.0))
    way = after - before
    # an angle that is half a turn from its middle jumps there by a whole one
    way -= 2.0 * np.pi * np.round(way / (2.0 * np.pi))
    np.testing.assert_allclose(way / (2.0 * h), rates, atol=1e-5)
