"""Data of hulls, meshes and height fields for the kernels: arrays of numbers behind an address.

All start with a count and, from place 3 on, corners; whole numbers are kept as floats.
"""

from __future__ import annotations

import numpy as np

from treadle.collision.height_field import HeightField
from treadle.collision.mesh import Mesh
from treadle.numerics.groups import connected_groups

__all__ = ["CELLS", "direction_cells", "field_block", "hull_block", "mesh_block"]

#: Cells of directions along the edge of a face of the cube that they lie on.
CELLS = 8

#: Most corners of a face that take part in contact.
_MOST_CORNERS = 8
#: Triangles with normals within this (1 - cosine) are one face; edges that bend less are flat.
_FLAT = 1e-10
#: Corners up to which all of a hull are looked at for its support.
_FEW = 40
#: Most triangles of a leaf of the tree.
_LEAF = 2


def field_block(field: HeightField) -> np.ndarray:
    """Columns, rows, and heights with x fastest."""
    return np.concatenate([field.heights.shape[::-1], field.heights.ravel()]).astype(float)


def hull_block(mesh: Mesh) -> np.ndarray:
    """Counts of corners and faces, place of the faces; corners; places of what follows the faces; faces.

    A face is its outward normal (3), the place of its corners' numbers, and how many it has. These numbers
    follow; then, of hulls with more than `_FEW` corners, for every corner where the list of its neighbours
    starts, and these lists; then for every cell of directions (`direction_cells`) the corner that supports
    its middle, and from where to where the faces are listed that may be the steepest along a direction of the
    cell; then these lists. Others have 0 for their places.
    """
    normals = _normals(mesh)
    first, second = _neighbours(mesh)[:2]
    alike = np.einsum("ij,ij->i", normals[first], normals[second]) > 1.0 - _FLAT
    count, group = connected_groups(len(normals), first[alike], second[alike])
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group, minlength=count))[:-1])
    loops = [_around(mesh, triangles, normals[triangles[0]]) for triangles in members]
    start = 3 + mesh.points.size + 2
    places = start + 5 * count + np.cumsum([0, *(len(loop) for loop in loops)])
    faces = [[*normals[t[0]], place, len(loop)] for t, place, loop in zip(members, places, loops)]
    head = [len(mesh.points), count, start]
    if len(mesh.points) <= _FEW:
        return np.concatenate([head, mesh.points.ravel(), [0, 0], np.ravel(faces), *loops]).astype(float)
    rings = _rings(mesh)
    cells = _cells(mesh.points, normals[[t[0] for t in members]])
    after = [places[-1], places[-1] + len(rings)]
    return np.concatenate([head, mesh.points.ravel(), after, np.ravel(faces), *loops, rings, cells]).astype(
        float
    )


def direction_cells() -> tuple[np.ndarray, float]:
    """Middles (n, 3) of the cells of directions, squares on the faces of a cube, and their angular radius.

    Cell ((2 k + s) N + i) N + j has its largest component along axis k, negative if s, and lies in column
    i and row j of the square that the components along the next two axes span as shares of that one.
    """
    ticks = (2.0 * np.arange(CELLS) + 1.0) / CELLS - 1.0
    i, j = (x.ravel() for x in np.meshgrid(ticks, ticks, indexing="ij"))
    middles = []
    for k in range(3):
        for sign in (1.0, -1.0):
            cell = np.zeros((len(i), 3))
            cell[:, k], cell[:, (k + 1) % 3], cell[:, (k + 2) % 3] = sign, i, j
            middles.append(cell / np.linalg.norm(cell, axis=1, keepdims=True))
    # in the middle of a square, where cells are widest
    return np.concatenate(middles), float(np.arctan(np.sqrt(2.0) / CELLS))


def _cells(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """The part of a hull's block about directions."""
    middles, radius = direction_cells()
    support = (middles @ points.T).argmax(axis=1)
    angles = np.arccos(np.clip(middles @ normals.T, -1.0, 1.0))
    # the steepest face of the middle is no further from any direction of the cell than the bound
    near = angles <= angles.min(axis=1, keepdims=True) + 2.0 * radius + 1e-6
    stops = np.cumsum(near.sum(axis=1))
    starts = np.concatenate([[0], stops[:-1]])
    return np.concatenate([np.column_stack([support, starts, stops]).ravel(), np.nonzero(near)[1]])


def mesh_block(mesh: Mesh) -> np.ndarray:
    """Count of corners (and two zeros); corners; places of what follows and whether it is closed.

    That is for every triangle (12) its corners, the corners across its edges (-1: none), whether the surface
    bends outward or ends there, and its normal; the nodes of a tree (8), see `_tree`; and for every corner
    where the list of its neighbours starts, then these lists.
    """
    normals = _normals(mesh)
    first, _, edge, across = _neighbours(mesh)
    table = np.zeros((len(normals), 12))
    table[:, :3], table[:, 3:6], table[:, 6:9], table[:, 9:] = mesh.triangles, -1, 1, normals
    table[first, 3 + edge] = across
    heights = np.einsum(
        "ij,ij->i", normals[first], mesh.points[across] - mesh.points[mesh.triangles[first, edge]]
    )
    lengths = np.linalg.norm(mesh.points[across] - mesh.points[mesh.triangles[first, edge]], axis=1)
    table[first, 6 + edge] = heights < -1e-6 * lengths
    order, nodes = _tree(mesh.points[mesh.triangles])
    place = 3 + mesh.points.size + 4
    rings = _rings(mesh)
    parts = [place, place + table.size, place + table.size + nodes.size, float(mesh.closed)]
    head = [len(mesh.points), 0, 0]
    return np.concatenate(
        [head, mesh.points.ravel(), parts, table[order].ravel(), nodes.ravel(), rings]
    ).astype(float)


def _normals(mesh: Mesh) -> np.ndarray:
    p, q, r = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _neighbours(mesh: Mesh) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of edges that triangles share: the one, the other, the edge in the one, the other's third corner."""
    T = mesh.triangles
    count = len(mesh.points)
    ends = np.concatenate([T[:, [0, 1]], T[:, [1, 2]], T[:, [2, 0]]])
    third = np.concatenate([T[:, 2], T[:, 0], T[:, 1]])
    owner, edge = np.tile(np.arange(len(T)), 3), np.repeat(np.arange(3), len(T))
    keys, back = ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]
    order = np.argsort(keys, kind="stable")
    found = np.minimum(np.searchsorted(keys[order], back), len(keys) - 1)
    shared = keys[order][found] == back
    other = order[found]
    return owner[shared], owner[other[shared]], edge[shared], third[other[shared]]


def _around(mesh: Mesh, triangles: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Numbers of the corners of a flat convex face, around it, without those that add little."""
    numbers = np.unique(mesh.triangles[triangles])
    points = mesh.points[numbers]
    u = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    u /= np.linalg.norm(u)
    flat = (points - points.mean(axis=0)) @ np.array([u, np.cross(normal, u)]).T
    order = np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
    loop, flat = numbers[order], flat[order]
    before, after = np.roll(flat, 1, axis=0) - flat, np.roll(flat, -1, axis=0) - flat
    bend = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    sharp = np.abs(bend) > 1e-9 * np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    loop = loop[sharp]
    if len(loop) > _MOST_CORNERS:
        loop = loop[np.linspace(0, len(loop), _MOST_CORNERS, endpoint=False).astype(int)]
    return loop


def _tree(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order of the triangles (n, 3, 3), and nodes (m, 8) of a tree of boxes over them, its root first.

    A node is its lowest and highest coordinates, then the number of its first child, which the other follows,
    and 0; or, of a leaf, its first triangle and how many it has.
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = 0.5 * (low + high)
    order = np.arange(len(corners))
    nodes: list[list[float]] = [[]]
    open_nodes = [(0, 0, len(corners))]
    while open_nodes:
        node, start, stop = open_nodes.pop()
        held = order[start:stop]
        box = [*low[held].min(axis=0), *high[held].max(axis=0)]
        if stop - start <= _LEAF:
            nodes[node] = [*box, start, stop - start]
            continue
        half = (stop - start) // 2
        widest = np.ptp(middle[held], axis=0).argmax()
        order[start:stop] = held[np.argpartition(middle[held, widest], half)]
        nodes[node] = [*box, len(nodes), 0]
        open_nodes += [(len(nodes), start, start + half), (len(nodes) + 1, start + half, stop)]
        nodes += [[], []]
    return order, np.array(nodes)


def _rings(mesh: Mesh) -> np.ndarray:
    """For every corner the place where its neighbours are listed, one more, and the lists."""
    T = mesh.triangles
    ends = np.concatenate([T[:, [0, 1]], T[:, [1, 2]], T[:, [2, 0]]])
    ends = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    counts = np.bincount(ends[:, 0], minlength=len(mesh.points))
    return np.concatenate([len(mesh.points) + 1 + np.concatenate([[0], np.cumsum(counts)]), ends[:, 1]])
