"""Points of neighbouring triangles and edges: their names, each point once."""

from __future__ import annotations

from treadle.collision.contacts import DATA, FEATURES, LEAST, ROOM, TOTAL
from treadle.native.calling import integers, reals
from treadle.native.pieces import helper

__all__ = ["settle"]


@helper
def settle(desk, start, fresh, number, names):
    """Name the points from `fresh` on, and drop those that a neighbour has given before.

    A name is the number of a triangle or an edge, times so many names, and what the point is called there.
    """
    if desk[LEAST] != 0:
        return
    data, features = reals(desk[DATA]), integers(desk[FEATURES])
    kept = fresh
    for k in range(fresh, min(desk[TOTAL], desk[ROOM])):
        twin = False
        for m in range(start, kept):
            x, y = 10 * k, 10 * m
            apart = abs(data[x] - data[y]) + abs(data[x + 1] - data[y + 1]) + abs(data[x + 2] - data[y + 2])
            same = data[x + 6] * data[y + 6] + data[x + 7] * data[y + 7] + data[x + 8] * data[y + 8]
            if apart < 1e-9 and same > 1.0 - 1e-9:
                twin = True
        if not twin:
            for m in range(10):
                data[10 * kept + m] = data[10 * k + m]
            features[kept] = number * names + features[k] % names
            kept += 1
    if desk[TOTAL] <= desk[ROOM]:
        desk[TOTAL] = kept
