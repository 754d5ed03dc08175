"""Zones of touch sensors: the normal impulses of contacts whose line meets a zone, summed over a step.

The line of a contact starts at its point and runs away from the link that the zone is on, along the normal; a
point inside the zone always counts.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from treadle.collision.collider import Collider
from treadle.collision.ray_primitives import crossing, primitive
from treadle.model.model import Model
from treadle.native.frames import IntegerList, IntegerTable, RealList, RealTable
from treadle.native.kernels import inner
from treadle.sensors.contact import touch_zones

__all__ = ["TouchZones", "add_to_zones", "make_zones"]


class TouchZones(NamedTuple):
    """The zones of a machine, and what they felt in the step so far."""

    kind: IntegerList  # (n) see `collision.ray_primitives`
    size: RealTable  # (n, 3)
    body: IntegerList  # (n) of the bodies of points
    placement: RealTable  # (n, 12) in that body
    feels: IntegerTable  # (n, shapes) 1: a shape of the link that the zone is on
    impulse: RealList  # (n) N s


def make_zones(model: Model, collider: Collider) -> TouchZones:
    """The zones of a machine whose shapes are those of a collider."""
    zones = touch_zones(model)
    links = {shape.name: shape.link for shape in model.shapes}
    feels = [[int(links.get(name) == zone.link) for name in collider.names] for zone in zones]
    n, forms = len(zones), [primitive(zone.type, zone.size) for zone in zones]
    return TouchZones(
        kind=np.array([kind for kind, _ in forms], np.int64),
        size=np.array([size for _, size in forms]).reshape(n, 3),
        body=np.array([zone.body + 1 for zone in zones], np.int64),
        placement=np.array([zone.placement.to_list() for zone in zones]).reshape(n, 12),
        feels=np.array(feels, np.int64).reshape(n, len(collider.names)),
        impulse=np.zeros(n),
    )


@inner()
def add_to_zones(zones, bodies, point, impulse):
    """Add the normal impulse of a point to the zones that it is felt in."""
    if impulse <= 0.0:
        return
    for i in range(len(zones.impulse)):
        if zones.feels[i, point.a] > 0:
            sign = 1.0
        elif zones.feels[i, point.b] > 0:
            sign = -1.0
        else:
            continue
        x = (point.x, point.y, point.z)
        d = (sign * point.nx, sign * point.ny, sign * point.nz)
        for X in (bodies[zones.body[i]], zones.placement[i]):
            x, d = _inside(X, (x[0] - X[9], x[1] - X[10], x[2] - X[11])), _inside(X, d)
        size = zones.size[i]
        if crossing(zones.kind[i], size[0], size[1], size[2], *x, *d) < inf:
            zones.impulse[i] += impulse


@inner()
def _inside(X, r):
    """A vector in the axes of a frame."""
    return (
        X[0] * r[0] + X[3] * r[1] + X[6] * r[2],
        X[1] * r[0] + X[4] * r[1] + X[7] * r[2],
        X[2] * r[0] + X[5] * r[1] + X[8] * r[2],
    )
