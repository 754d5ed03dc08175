"""The oracle of `fuzz_oracle` once more, in numpy and a case at a time: the two have to agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.collision.fuzz_cases import Cases, Hulls
from tests.collision.fuzz_oracle import (
    ALONG,
    CHECKS,
    CURVED,
    CURVED_HULL,
    DEPTH,
    DIRECTIONS,
    FURTHER_POINT,
    FURTHER_SURFACE,
    GAP,
    NORMAL,
    NUMBER,
    PARALLEL,
    PLACES,
    POINT,
    ROOM,
    ROUNDING,
    SEARCHED,
    SMOOTH,
    SURFACE,
    UNIT,
)
from treadle.collision.kinds import KIND, KINDS, REACH, SIZE

_NAMES = {number: name for name, number in KINDS.items() if name not in ("part", "mesh")}


@dataclass
class Solid:
    """A shape, its half sizes (m) and its pose, of a hull its points, the planes of its faces, and edges."""

    kind: str
    size: np.ndarray
    A: np.ndarray
    place: np.ndarray
    points: np.ndarray
    planes: np.ndarray
    edges: np.ndarray

    @property
    def reach(self) -> float:
        r = self.size
        match self.kind:
            case "plane":
                return 0.0
            case "hull":
                return float(np.linalg.norm(self.points, axis=1).max())
            case "sphere":
                return r[0]
            case "capsule":
                return r[0] + r[1]
            case "cylinder":
                return float(np.hypot(r[0], r[1]))
        return float(np.linalg.norm(r))

    def support(self, N: np.ndarray) -> np.ndarray:
        """h(n) for directions N (k, 3) in the shape's own axes."""
        flat = np.hypot(N[:, 0], N[:, 1])
        match self.kind:
            case "sphere":
                return self.size[0] * np.linalg.norm(N, axis=1)
            case "capsule":
                return self.size[0] * np.linalg.norm(N, axis=1) + self.size[1] * np.abs(N[:, 2])
            case "box":
                return np.abs(N) @ self.size
            case "cylinder":
                return self.size[0] * flat + self.size[1] * np.abs(N[:, 2])
            case "ellipsoid":
                return np.linalg.norm(N * self.size, axis=1)
            case "plane":
                return np.zeros(len(N))
        return (N @ self.points.T).max(axis=1)

    def outside(self, p: np.ndarray) -> np.ndarray:
        """How far points (k, 3) in the shape's own axes are outside it; negative inside."""
        flat = np.hypot(p[:, 0], p[:, 1])
        match self.kind:
            case "sphere":
                return np.linalg.norm(p, axis=1) - self.size[0]
            case "capsule":
                beyond = np.maximum(np.abs(p[:, 2]) - self.size[1], 0.0)
                return np.hypot(flat, beyond) - self.size[0]
            case "box":
                return (np.abs(p) - self.size).max(axis=1)
            case "cylinder":
                return np.maximum(flat - self.size[0], np.abs(p[:, 2]) - self.size[1])
            case "ellipsoid":
                return (np.linalg.norm(p / self.size, axis=1) - 1.0) * self.size.min()
            case "plane":
                return p[:, 2]
        return (p @ self.planes[:, :3].T + self.planes[:, 3]).max(axis=1)

    def inside(self, p: np.ndarray, N: np.ndarray) -> np.ndarray:
        """How far points (k, 3) are from the surface, inside; N point outward.

        A point of a capsule may lie on any of the balls that it consists of.
        """
        depth = -self.outside(p)
        if self.kind == "capsule":
            center = p - self.size[0] * N
            center[:, 2] = np.maximum(np.abs(center[:, 2]) - self.size[1], 0.0)
            depth = np.minimum(depth, np.linalg.norm(center, axis=1))
        return depth

    def normal(self, p: np.ndarray, tolerance: float) -> tuple[np.ndarray, float] | None:
        """Outward normal of a curved surface at a point, and the least radius of its curvature."""
        r = self.size
        match self.kind:
            case "sphere":
                return p, r[0]
            case "capsule":
                return p - (0.0, 0.0, np.clip(p[2], -r[1], r[1])), r[0]
            case "cylinder" if abs(p[2]) <= r[1] - 1e3 * tolerance:
                return p * (1.0, 1.0, 0.0), r[0]
            case "ellipsoid":
                return p / r**2, r.min() ** 2 / r.max()
        return None

    def directions(self) -> np.ndarray:
        """Normals of faces and axes, in the world."""
        return np.vstack([np.eye(3), self.planes[:, :3]]) @ self.A.T

    def ways(self) -> np.ndarray:
        """Directions of edges, of what has none its axes, in the world."""
        return (self.edges if self.kind == "hull" else np.eye(3)) @ self.A.T


def solids_of(cases: Cases, hulls: Hulls, i: int) -> list[Solid]:
    """The two shapes of a case."""
    out = []
    for row, h, scale in zip(cases.rows[i], cases.hull[i], cases.scale[i]):
        kind = _NAMES[int(row[KIND])]
        start, stop = hulls.starts[h : h + 2] if kind == "hull" else np.zeros((2, 5), dtype=int)
        points, _, planes, edges = (hulls[k][start[k] : stop[k]] for k in range(4))
        scaled = planes * (1.0, 1.0, 1.0, scale)
        A = row[:9].reshape(3, 3)
        out.append(Solid(kind, row[SIZE:REACH], A, row[9:12], points * scale, scaled, edges))
    return out


def accuracy(solids: list[Solid]) -> float:
    """The error that is allowed, as a share of the larger shape."""
    kinds = {solid.kind for solid in solids}
    if not kinds & {"cylinder", "ellipsoid"}:
        return SEARCHED if "hull" in kinds or (kinds <= {"capsule", "box"} and "box" in kinds) else ROUNDING
    return CURVED_HULL if "hull" in kinds else SEARCHED


def gaps(solids: list[Solid], N: np.ndarray) -> np.ndarray:
    """The gap between the two shapes along each of the directions N (k, 3)."""
    a, b = solids
    return N @ (b.place - a.place) - a.support(N @ a.A) - b.support(-N @ b.A)


def errors(solids: list[Solid], data: np.ndarray, count: int) -> np.ndarray:
    """Errors (checks,) of contact points (n, 10), as shares of those allowed."""
    found = np.zeros(len(CHECKS))
    if not 1 <= count <= ROOM or not np.isfinite(data[:count]).all():
        found[NUMBER] = np.inf
        return found
    data = data[:count]
    plane = solids[0].kind == "plane"
    small = min(solid.reach for solid in solids if solid.kind != "plane")
    farthest = max(np.abs(solid.place).max() for solid in solids)
    tolerance = accuracy(solids) * max(solid.reach for solid in solids) + PLACES * farthest
    deepest = data[:, 9].argmin()
    others = np.arange(count) != deepest
    N, s = data[:, 6:9], data[deepest, 9]
    loose = PARALLEL if count > 1 else SMOOTH
    found[NORMAL] = np.abs(np.linalg.norm(N, axis=1) - 1.0).max() / UNIT
    if plane:
        found[NORMAL] = max(found[NORMAL], np.linalg.norm(N - solids[0].A[:, 2], axis=1).max() / UNIT)
    apart = np.linalg.norm(data[:, 3:6] - data[:, :3] - data[:, 9:] * N, axis=1)
    found[ALONG] = (apart / (ROUNDING * (small + np.abs(data[:, 9])) + PLACES * farthest)).max()
    # along this normal the gap is what it says: a bound from below
    found[GAP] = abs(gaps(solids, N[deepest][None])[0] - s) / tolerance
    # the points belong to the shapes: a bound from above
    for j, solid in enumerate(solids):
        p = (data[:, 3 * j : 3 * j + 3] - solid.place) @ solid.A
        out, inside = solid.outside(p), solid.inside(p, (1 - 2 * j) * N @ solid.A)
        if normal := solid.normal(p[deepest], tolerance):
            length = np.linalg.norm(normal[0])
            across = np.linalg.norm(np.cross(normal[0], N[deepest] @ solid.A)) / length if length else np.inf
            found[CURVED] = max(found[CURVED], across / (loose + 3.0 * tolerance / normal[1]))
        found[POINT] = max(found[POINT], out[deepest] / tolerance)
        found[SURFACE] = max(found[SURFACE], inside[deepest] / tolerance)
        if others.any():
            allowed = tolerance + PARALLEL * small
            found[FURTHER_POINT] = max(found[FURTHER_POINT], out[others].max() / allowed)
            allowed = tolerance + PARALLEL * max(small, solid.reach)
            found[FURTHER_SURFACE] = max(found[FURTHER_SURFACE], inside[others].max() / allowed)
    if s < 0.0 and not plane:
        found[DEPTH] = (_best(solids, N[deepest]) - s) / tolerance
    return found


def _best(solids: list[Solid], normal: np.ndarray) -> float:
    """The largest gap along directions of faces, across edges, and many others, refined beside the best."""
    a, b = solids
    across = np.cross(a.ways()[:, None], b.ways()[None]).reshape(-1, 3)
    lengths = np.linalg.norm(across, axis=1)
    across = across[lengths > 1e-6] / lengths[lengths > 1e-6, None]
    N = np.vstack([a.directions(), b.directions(), across, DIRECTIONS])
    N = np.vstack([N, -N])
    best = -np.inf
    for start in (normal, N[gaps(solids, N).argmax()]):
        top = start
        for k in range(60):
            near = np.vstack([top, top + 10.0 ** -(0.7 + 0.1 * k) * DIRECTIONS[:60]])
            near /= np.linalg.norm(near, axis=1, keepdims=True)
            top = near[gaps(solids, near).argmax()]
        best = max(best, float(gaps(solids, top[None])[0]))
    return best
