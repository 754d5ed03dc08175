"""A scene for rays: a machine, its surroundings and the ground, as seen by range sensors, cameras and GPS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from treadle.collision.ray_primitives import BOX, CAPSULE, CYLINDER, ELLIPSOID, GROUND, PLANE, TRIANGLE
from treadle.dynamics.compiled import frame_poses
from treadle.errors import InputError
from treadle.model.model import Model, suggest
from treadle.sensors.rays.surfaces import (
    GROUND_COLOR,
    Piece,
    Surface,
    grid_of,
    link_pieces,
    plane_piece,
    scenery_pieces,
    shape_pieces,
)
from treadle.terrain import Plane, Terrain

if TYPE_CHECKING:
    from treadle.sensors.rays.casting import Geometry

__all__ = ["Hits", "RayScene"]

_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

#: Boxes are larger by this share of a body's size, so that rounding hides nothing.
_PAD = 1e-9


class Hits:
    """What n rays hit: `distance` (n,), infinite without a hit, and `surface` (n,), -1 without one."""

    def __init__(self, scene: RayScene, rays: tuple[np.ndarray, ...], found: tuple[np.ndarray, ...]) -> None:
        self._scene, self._rays = scene, rays
        self.distance, self.item, self.body = found

    @cached_property
    def surface(self) -> np.ndarray:
        """Indices into `scene.surfaces` (n,), -1 without a hit."""
        surfaces = self._scene.geometry.items[:, 10].astype(np.int64)
        return np.where(self.item >= 0, surfaces[self.item], -1) if len(surfaces) else self.item.copy()

    @cached_property
    def normal(self) -> np.ndarray:
        """Unit normals (n, 3) in the world on the side that the rays come from; zero without a hit."""
        from treadle.sensors.rays.casting import hit_normals

        poses, starts, origins, directions = self._rays
        normals = np.empty((len(self.distance), 3))
        hit_normals(
            self._scene.geometry,
            poses,
            starts,
            origins,
            directions,
            self.distance,
            self.item,
            self.body,
            normals,
        )
        return normals

    def smooth(self, corners: np.ndarray) -> np.ndarray:
        """The same, interpolated between normals (items, 9) at the corners of triangles."""
        from treadle.sensors.rays.shading import smooth_normals

        poses, starts, origins, directions = self._rays
        normals = np.empty((len(self.distance), 3))
        smooth_normals(
            self._scene.geometry, poses, starts, origins, directions, self.distance, self.item, self.body,
            corners, normals,
        )  # fmt: skip
        return normals

    @property
    def origins(self) -> np.ndarray:
        """Origins of the rays (n, 3)."""
        return self._rays[2]

    @property
    def directions(self) -> np.ndarray:
        """Unit vectors (n, 3) along the rays."""
        return self._rays[3]

    @property
    def point(self) -> np.ndarray:
        """Points (n, 3) in the world (m), infinite or nan without a hit."""
        _, _, origins, directions = self._rays
        with np.errstate(invalid="ignore"):
            return origins + self.distance[:, None] * directions


class RayScene:
    """Shapes of a machine at a position `q`, its surroundings and its terrain, ready for rays.

    Rays meet what the page shows: the shapes with the role "visual", or those for contact with
    `role="collision"`, or both with "all". Spheres, cylinders and other primitives are exact; meshes are
    triangles, seen from both sides. Elevation grids are bilinear and end at their border. With `links` only
    these are there, such as ("world",) for what does not move. With `boxes` a machine that has no shapes is
    seen as boxes with the inertia of its links.
    """

    def __init__(
        self,
        model: Model,
        q: ArrayLike | None = None,
        terrain: Terrain | None = None,
        surroundings: bool = True,
        role: str = "visual",
        links: Iterable[str] | None = None,
        boxes: bool = False,
    ) -> None:
        if role not in ("visual", "collision", "all"):
            raise InputError(f'rays see shapes with the role "visual", "collision" or "all", not {role!r}')
        self.model, self.terrain = model, terrain
        around = scenery_pieces(model) if surroundings else []
        #: whether surroundings stand around the machine instead of the open sky
        self.enclosed = bool(around)
        pieces = shape_pieces(model, role) + around + (link_pieces(model) if boxes else [])
        if links is not None:
            kept = set(links)
            self._check_links(kept)
            pieces = [piece for piece in pieces if piece.surface.link in kept]
        if isinstance(terrain, Plane):
            pieces.append(plane_piece(terrain))
        #: what rays can hit, in the order of `Hits.surface`
        self.surfaces: list[Surface] = [piece.surface for piece in pieces]
        self.pieces = pieces
        grid = None if terrain is None or isinstance(terrain, Plane) else terrain
        if grid is not None:
            self.surfaces.append(Surface("terrain", "world", GROUND_COLOR))
        #: piece of every item but the ground, and its number within the piece
        self.geometry, self.sources = _geometry(pieces, len(model.bodies) + 1, grid)
        # poses of the bodies follow from those of a frame of each
        first = {frame.body: k for k, frame in reversed(list(enumerate(model.frames))) if frame.body >= 0}
        self._frames = [(body + 1, k, _inverse(model, k)) for body, k in sorted(first.items())]
        self.poses = np.tile(_IDENTITY, (1, len(model.bodies) + 1, 1))
        self._pool: ThreadPoolExecutor | None = None
        self.place(model.initial()[0] if q is None else q)

    def place(self, q: ArrayLike) -> None:
        """Move the bodies to where they are at a position of the machine."""
        self.poses = self.body_poses(q)[None]

    def body_poses(self, q: ArrayLike) -> np.ndarray:
        """Poses (bodies, 12) of the world and all bodies: rotation by rows, position."""
        poses = np.tile(_IDENTITY, (len(self.model.bodies) + 1, 1))
        frames = frame_poses(self.model, q)
        for body, number, X_FB in self._frames:
            X = frames[number] @ X_FB
            poses[body, :9], poses[body, 9:] = X[:3, :3].ravel(), X[:3, 3]
        return poses

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        limit: ArrayLike = np.inf,
        ignore: Iterable[str] = (),
        poses: np.ndarray | None = None,
        threads: int = 1,
    ) -> Hits:
        """The first hit of rays (n, 3) within a limit (m), one for all or one each.

        Rays pass through the links `ignore` ("world": the surroundings and the ground). With `poses` (k,
        bodies, 12) the rays are k groups of equal size, each cast when the bodies are at these poses.
        """
        return Hits(self, *self._cast(origins, directions, limit, ignore, poses, threads, False))

    def occluded(
        self, origins: ArrayLike, directions: ArrayLike, limit: ArrayLike = np.inf, ignore: Iterable[str] = ()
    ) -> np.ndarray:
        """Whether rays (n, 3) hit anything before their limit (m): quicker than `cast`."""
        _, (_, item, _) = self._cast(origins, directions, limit, ignore, None, 1, True)
        return item >= 0

    @cached_property
    def brightness(self) -> np.ndarray:
        """Of all surfaces, from 0 to 1: the luminance of their colours."""
        colors = np.array([surface.color[:3] for surface in self.surfaces]).reshape(-1, 3)
        return colors @ np.array([0.2126, 0.7152, 0.0722])

    def fixed_triangles(self) -> np.ndarray:
        """Corners (m, 3, 3) of the flat faces fixed to the world: triangles, and sides of boxes."""
        found = [np.zeros((0, 3, 3))]
        for piece in self.pieces:
            if piece.body == 0 and piece.triangles is not None:
                found.append(piece.triangles)
            elif piece.body == 0 and piece.kind == BOX:
                X = np.array(piece.pose)
                found.append((_BOX_CORNERS * np.array(piece.size)) @ X[:9].reshape(3, 3).T + X[9:])
        return np.concatenate(found)

    def _cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        limit: ArrayLike,
        ignore: Iterable[str],
        poses: np.ndarray | None,
        threads: int,
        any_hit: bool,
    ) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        from treadle.sensors.rays.casting import cast

        o, d, far = _rays(origins, directions, limit)
        n, groups = len(o), 1 if poses is None else len(poses)
        if groups == 0 or n % groups:
            raise InputError(f"{n} rays do not divide into {groups} groups of equal size")
        X = self.poses if poses is None else np.ascontiguousarray(poses, dtype=float)
        starts = np.arange(groups + 1) * (n // groups)
        skipped = self._skipped(ignore)
        distance, item, body = np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        out = (distance, item, body)
        if threads <= 1 or n < 2:
            cast(self.geometry, X, starts, o, d, far, skipped, any_hit, *out)
        else:
            jobs = _shares(X, starts, n, threads)
            if self._pool is None:
                self._pool = ThreadPoolExecutor(threads)
            list(
                self._pool.map(
                    lambda job: cast(self.geometry, job[0], job[1], o, d, far, skipped, any_hit, *out), jobs
                )
            )
        return (X, starts, o, d), out

    def _skipped(self, ignore: Iterable[str]) -> np.ndarray:
        skipped = np.zeros(len(self.model.bodies) + 1, dtype=np.int64)
        bodies = {"world": 0} | {link.name: link.body + 1 for link in self.model.links}
        for name in self._check_links(ignore):
            skipped[bodies[name]] = 1
        return skipped

    def _check_links(self, names: Iterable[str]) -> list[str]:
        """The names; InputError if one is not that of a link or "world"."""
        known, names = ["world", *(link.name for link in self.model.links)], list(names)
        for name in names:
            if name not in known:
                raise InputError(f"{self.model.name!r} has no link {name!r} for rays; {suggest(name, known)}")
        return names


def _shares(X: np.ndarray, starts: np.ndarray, n: int, threads: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Poses and starts of the part of each thread."""
    groups = len(starts) - 1
    if groups == 1:
        borders = np.linspace(0, n, threads + 1).astype(np.int64)
        return [(X, borders[k : k + 2].copy()) for k in range(threads)]
    borders = np.linspace(0, groups, threads + 1).astype(np.int64)
    return [(X[a:b], starts[a : b + 1]) for a, b in pairwise(borders.tolist()) if b > a]


def _inverse(model: Model, number: int) -> np.ndarray:
    return model.frames[number].placement.inverse().to_matrix()


def _rays(
    origins: ArrayLike, directions: ArrayLike, limit: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Origins, unit directions and limits of rays."""
    try:
        o = np.atleast_2d(np.asarray(origins, dtype=float))
        d = np.atleast_2d(np.asarray(directions, dtype=float))
        squares = np.einsum("ij,ij->i", d, d)
        fine = o.shape[1:] == (3,) and np.isfinite(o).all() and np.isfinite(squares).all() and squares.all()
        if fine and np.abs(squares - 1.0).max(initial=0.0) > 1e-15:
            d = d / np.sqrt(squares)[:, None]
        o, d = np.broadcast_arrays(o, d)
        far = np.broadcast_to(np.asarray(limit, dtype=float), (len(o),))
    except (TypeError, ValueError):
        raise InputError(
            "origins and directions of rays must be numbers (n, 3), limits one or (n,)"
        ) from None
    if not fine:
        raise InputError("origins and directions of rays must be finite numbers (n, 3), no direction zero")
    return np.ascontiguousarray(o), np.ascontiguousarray(d), np.ascontiguousarray(far)


def _geometry(
    pieces: Sequence[Piece], bodies: int, terrain: Terrain | None
) -> tuple[Geometry, tuple[np.ndarray, np.ndarray]]:
    """The arrays of the kernels; and for every item its piece and its number therein."""
    from treadle.sensors.rays.bvh import tree_over
    from treadle.sensors.rays.casting import Geometry
    from treadle.sensors.rays.ground import height_pyramid

    solids = np.array(
        [(*piece.pose, *np.maximum(piece.size, 1e-12)) for piece in pieces if piece.triangles is None]
    ).reshape(-1, 15)
    numbers = {k: i for i, k in enumerate(k for k, piece in enumerate(pieces) if piece.triangles is None)}
    nodes, roots, items, planes = [np.zeros((0, 8))], np.full(bodies, -1), [np.zeros((0, 11))], []
    sources = [np.zeros((0, 2), dtype=np.int64)]
    node_count = item_count = 0
    for body in range(bodies):
        chosen = [k for k, piece in enumerate(pieces) if piece.body == body and piece.kind != PLANE]
        rows, low, high, source = _body_items(pieces, chosen, numbers)
        if not len(rows):
            continue
        tree, order = tree_over(low, high)
        leaves = tree[:, 7] > 0.0
        tree[:, 6] += np.where(leaves, item_count, node_count)
        nodes.append(tree)
        items.append(rows[order])
        sources.append(source[order])
        roots[body] = node_count
        node_count, item_count = node_count + len(tree), item_count + len(rows)
    for k, piece in enumerate(pieces):
        if piece.kind == PLANE and piece.triangles is None:
            planes.append((item_count, piece.body))
            items.append(_solid_row(PLANE, numbers[k], k))
            sources.append(np.array([[k, 0]]))
            item_count += 1
    heights, frame = np.zeros((0, 0)), np.zeros(4)
    highest, table = np.zeros(0), np.zeros((0, 3), dtype=np.int64)
    if terrain is not None:
        grid = grid_of(terrain)
        heights = np.ascontiguousarray(grid.heights)
        frame = np.array([*grid.origin, *grid.spacing])
        highest, table = height_pyramid(heights)
        items.append(_solid_row(GROUND, 0, len(pieces)))
    geometry = Geometry(
        nodes=np.concatenate(nodes),
        roots=roots.astype(np.int64),
        items=np.concatenate(items),
        solids=solids,
        planes=np.array(planes, dtype=np.int64).reshape(-1, 2),
        heights=heights,
        frame=frame,
        highest=highest,
        table=table,
    )
    source = np.concatenate(sources)
    return geometry, (source[:, 0], source[:, 1])


def _solid_row(kind: int, number: int, surface: int) -> np.ndarray:
    row = np.zeros((1, 11))
    row[0, 0], row[0, 1], row[0, 10] = kind, number, surface
    return row


def _body_items(
    pieces: Sequence[Piece], chosen: Sequence[int], numbers: dict[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Items (n, 11) of a body, their boxes (n, 3) in its axes, their pieces and numbers therein (n, 2)."""
    rows, low, high = [np.zeros((0, 11))], [np.zeros((0, 3))], [np.zeros((0, 3))]
    source = [np.zeros((0, 2), dtype=np.int64)]
    for k in chosen:
        triangles = pieces[k].triangles
        if triangles is None:
            rows.append(_solid_row(pieces[k].kind, numbers[k], k))
            middle, half = _solid_box(pieces[k])
            low.append((middle - half)[None])
            high.append((middle + half)[None])
            source.append(np.array([[k, 0]]))
            continue
        area = np.linalg.norm(
            np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1
        )
        kept = np.flatnonzero(area > 0.0)
        triangles = triangles[kept]
        row = np.zeros((len(triangles), 11))
        row[:, 0], row[:, 10] = TRIANGLE, k
        row[:, 1:4] = triangles[:, 0]
        row[:, 4:7], row[:, 7:10] = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
        rows.append(row)
        low.append(triangles.min(axis=1))
        high.append(triangles.max(axis=1))
        source.append(np.column_stack([np.full(len(kept), k), kept]))
    lowest, highest = np.concatenate(low), np.concatenate(high)
    reach = max(np.abs(lowest).max(initial=0.0), np.abs(highest).max(initial=0.0))
    pad = _PAD * (1e-3 + reach)
    return np.concatenate(rows), lowest - pad, highest + pad, np.concatenate(source)


def _solid_box(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half lengths of the box around a primitive, in the body's axes."""
    X = np.array(piece.pose)
    a, b, c = piece.size
    half = {
        BOX: (a, b, c),
        ELLIPSOID: (a, b, c),
        CYLINDER: (a, a, b),
        CAPSULE: (a, a, a + b),
    }[piece.kind]
    return X[9:], np.abs(X[:9].reshape(3, 3)) @ np.array(half)


def _box_triangles() -> np.ndarray:
    """The twelve triangles of the box with half lengths 1."""
    triangles = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign
            corners[:, (axis + 1) % 3] = (-1.0, 1.0, 1.0, -1.0)
            corners[:, (axis + 2) % 3] = (-1.0, -1.0, 1.0, 1.0)
            triangles += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return np.array(triangles)


_BOX_CORNERS = _box_triangles()
