"""The least distance of two surfaces of triangles, and where it is."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

__all__ = ["clearance"]

#: Pairs of triangles that are measured at once.
_BLOCK = 20_000


def clearance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The nearest points (2, 3) of two surfaces of triangles (n, 3, 3); the same point twice where they meet.

    A corner and the corner nearest to it give an upper bound, by which most pairs of triangles are too far
    apart; the others are measured: two triangles that do not meet are nearest at two edges, or at a corner
    and a face (Ericson, Real-Time Collision Detection, 2005, section 5.1).
    """
    corners, others = first.reshape(-1, 3), second.reshape(-1, 3)
    tree = KDTree(others)
    lengths, numbers = (np.asarray(x) for x in tree.query(corners))
    near = int(np.argmin(lengths))
    best, bound = np.array([corners[near], others[numbers[near]]]), float(lengths[near])
    for a, b in _candidates(first, second, bound):
        if bound == 0.0:
            break
        points = _nearest(first[a], second[b])
        apart = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
        k = int(np.argmin(apart))
        if apart[k] < bound:
            best, bound = points[k], float(apart[k])
    return best


def _candidates(first: np.ndarray, second: np.ndarray, bound: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Numbers of triangles whose boxes are within the bound of each other, in blocks."""
    low, high = second.min(axis=1), second.max(axis=1)
    floor, roof = low.min(axis=0), high.max(axis=0)
    blocks, pairs, count = [], [], 0
    for number, triangle in enumerate(first):
        near, far = triangle.min(axis=0) - bound, triangle.max(axis=0) + bound
        if (near > roof).any() or (far < floor).any():
            continue
        found = np.flatnonzero((low <= far).all(axis=1) & (high >= near).all(axis=1))
        pairs.append((np.full(len(found), number), found))
        count += len(found)
        if count > _BLOCK:
            blocks.append(pairs)
            pairs, count = [], 0
    blocks.append(pairs)
    return [
        (np.concatenate([a for a, _ in block]), np.concatenate([b for _, b in block]))
        for block in blocks
        if block
    ]


def _nearest(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Nearest points (n, 2, 3) of pairs of triangles (n, 3, 3)."""
    found = []
    for i in range(3):
        for j in range(3):
            found.append(_edges(one[:, i], one[:, (i + 1) % 3], other[:, j], other[:, (j + 1) % 3]))
        found.append(np.stack([one[:, i], _on_face(one[:, i], other)], axis=1))
        found.append(np.stack([_on_face(other[:, i], one), other[:, i]], axis=1))
        found.append(_pierced(one[:, i], one[:, (i + 1) % 3], other))
        found.append(_pierced(other[:, i], other[:, (i + 1) % 3], one))
    points = np.stack(found)
    apart = np.linalg.norm(points[:, :, 1] - points[:, :, 0], axis=-1)
    return points[np.argmin(apart, axis=0), np.arange(len(one))]


def _edges(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Nearest points of edges a b and c d."""
    u, w, r = b - a, d - c, a - c
    uu, ww, uw = _dot(u, u), _dot(w, w), _dot(u, w)
    ur, wr = _dot(u, r), _dot(w, r)
    slant = uu * ww - uw * uw
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(slant > 1e-12 * uu * ww, np.clip((uw * wr - ur * ww) / slant, 0.0, 1.0), 0.0)
        t = np.where(ww > 0.0, np.clip((uw * s + wr) / ww, 0.0, 1.0), 0.0)
        s = np.where(uu > 0.0, np.clip((uw * t - ur) / uu, 0.0, 1.0), 0.0)
    return np.stack([a + s[:, None] * u, c + t[:, None] * w], axis=1)


def _on_face(p: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """The foot of points on the planes of triangles, if it is inside; else a corner."""
    a, u, w = triangle[:, 0], triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0]
    r = p - a
    uu, ww, uw, ur, wr = _dot(u, u), _dot(w, w), _dot(u, w), _dot(u, r), _dot(w, r)
    area = uu * ww - uw * uw
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (ww * ur - uw * wr) / area, (uu * wr - uw * ur) / area
        inside = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0) & (area > 1e-12 * uu * ww)
    foot = a + np.nan_to_num(s)[:, None] * u + np.nan_to_num(t)[:, None] * w
    return np.where(inside[:, None], foot, a)


def _pierced(a: np.ndarray, b: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """Where edges a b go through triangles, twice; else the edge's end and a corner."""
    o, u, w = triangle[:, 0], triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0]
    normal = np.cross(u, w)
    way, height = _dot(b - a, normal), _dot(o - a, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = height / way
        crosses = (np.abs(way) > 0.0) & (share >= 0.0) & (share <= 1.0)
    at = a + np.where(crosses, np.nan_to_num(share, posinf=0.0, neginf=0.0), 0.0)[:, None] * (b - a)
    scale = np.maximum(_dot(u, u), _dot(w, w))
    crosses &= _dot(_on_face(at, triangle) - at, _on_face(at, triangle) - at) <= 1e-20 * scale
    return np.stack([at, np.where(crosses[:, None], at, o)], axis=1)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=1)
