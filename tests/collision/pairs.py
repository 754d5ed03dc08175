"""Pairs of shapes for the tests of the kernels."""

from __future__ import annotations

import numpy as np

from treadle.collision.contacts import make_contacts
from treadle.collision.kinds import KINDS
from treadle.collision.narrowphase import touch
from treadle.collision.shapes import Shapes, radius_of


def pair(first, second, X_first, X_second):
    """Two shapes, each (type, three half sizes), and their poses (2, 12)."""
    kind = np.array([KINDS[first[0]], KINDS[second[0]]], dtype=np.int64)
    size = np.array([np.resize([*first[1], 0, 0, 0], 3), np.resize([*second[1], 0, 0, 0], 3)], dtype=float)
    radius = np.array([radius_of(k, s) for k, s in zip(kind, size)])
    nothing = np.zeros(2, dtype=np.int64)
    grid = np.zeros((2, 3), dtype=np.int64)
    shapes = Shapes(kind, size, np.zeros((2, 12)), nothing, nothing, nothing, radius, grid, np.zeros(0))
    return shapes, np.array([pose(*X_first), pose(*X_second)])


def pose(position=(0, 0, 0), rotation=None):
    return np.concatenate([(np.eye(3) if rotation is None else rotation).ravel(), position]).astype(float)


def points_of(shapes, X, margin=np.inf, a=0, b=1):
    """The rows of contact data, with the features."""
    contacts = make_contacts(64)
    contacts.data[:] = np.inf
    touch(shapes, np.ascontiguousarray(X), a, b, float(margin), contacts)
    count = contacts.total[0]
    return contacts.data[:count], contacts.feature[:count]
