"""Pairs of shapes for the tests of the kernels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from treadle.collision.blocks import hull_block, mesh_block
from treadle.collision.kernels import fill, make_contacts, run, touch
from treadle.collision.kinds import HULL, KINDS, MESH
from treadle.collision.mesh import Mesh
from treadle.collision.shapes import Shapes, radius_of, rows_of


def pair(first, second, X_first, X_second):
    """Two shapes, each (type, three half sizes) or a `Mesh`, and their rows."""
    kinds, sizes, radii, blocks = [], [], [], {}
    for i, shape in enumerate((first, second)):
        if isinstance(shape, Mesh):
            kinds.append(HULL if shape.convex else MESH)
            sizes.append(shape.half)
            radii.append(shape.radius)
            blocks[i] = _hull_block(shape) if shape.convex else mesh_block(shape)
        else:
            kinds.append(KINDS[shape[0]])
            sizes.append(np.resize([*shape[1], 0, 0, 0], 3).astype(float))
            radii.append(radius_of(kinds[-1], sizes[-1]))
    nothing = np.zeros(2, dtype=np.int64)
    shapes = Shapes(
        np.array(kinds),
        np.array(sizes),
        np.zeros((2, 12)),
        nothing,
        nothing,
        nothing,
        np.array(radii),
        nothing,
        nothing,
        blocks,
        np.zeros((2, 3)),
    )
    return shapes, np.array([pose(*X_first), pose(*X_second)])


@lru_cache(maxsize=8)
def _hull_block(mesh):
    return hull_block(mesh)


def pose(position=(0, 0, 0), rotation=None):
    return np.concatenate([(np.eye(3) if rotation is None else rotation).ravel(), position]).astype(float)


def points_of(shapes, X, margin=np.inf, a=0, b=1, least=False):
    """The rows of contact data, with the features."""
    contacts = make_contacts(256, least)
    contacts.data[:] = np.inf
    rows = rows_of(shapes)
    rows[:, :12] = X
    fill(contacts.desk, [(shapes.kind[a], shapes.kind[b])])
    run(touch, rows, a, b, float(margin), contacts.desk)
    count = contacts.total[0]
    return contacts.data[:count], contacts.feature[:count]
