"""Collision queries by name: contact points, distance, ray cast and time of impact.

The first argument is a model, or a `Collider` of it where there is ground, meshes or many queries. A name is
that of a shape, of a link (all its shapes), or "world".
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.collision.collider import Collider
from treadle.collision.kinds import HEIGHT_FIELD, MESH
from treadle.dynamics.compiled import frame_jacobian
from treadle.errors import InputError
from treadle.model.model import Model, suggest

__all__ = [
    "ContactPoint", "Distance", "RayHit", "contact_points", "distance", "ray_cast", "ray_casts",
    "time_of_impact",
]  # fmt: skip


class ContactPoint(NamedTuple):
    """A point where two shapes touch, or are within the margin of each other."""

    first: str
    second: str
    #: on the first and on the second shape, in the world (m)
    first_position: np.ndarray
    second_position: np.ndarray
    #: unit vector from the first to the second shape
    normal: np.ndarray
    #: along the normal (m), negative where they overlap
    distance: float


class Distance(NamedTuple):
    """The least distance of two shapes or bodies (m), negative where they overlap, and where it is."""

    distance: float
    first: str
    second: str
    first_position: np.ndarray
    second_position: np.ndarray
    normal: np.ndarray


class RayHit(NamedTuple):
    """What a ray hit: the shape, how far away (m), where, and the surface's outward normal."""

    shape: str
    distance: float
    position: np.ndarray
    normal: np.ndarray


def contact_points(source: Model | Collider, q: ArrayLike, margin: float = 0.0) -> list[ContactPoint]:
    """All points at which shapes of the machine touch each other or the world, within a margin (m).

    Shapes of one body and of bodies that a joint connects do not touch, see `treadle.collision.rules`.
    """
    collider = _collider(source)
    if not 0.0 <= margin < inf:
        raise InputError(f"the margin must be zero or positive and finite, not {margin!r}")
    collider.place(q)
    collider.margins[:] = 0.5 * margin
    count = collider.collide()
    names = collider.names
    return [
        ContactPoint(names[a], names[b], row[:3], row[3:6], row[6:9], float(row[9]))
        for row, (a, b) in zip(collider.contacts.data[:count].copy(), collider.contacts.pairs[:count])
    ]


def distance(source: Model | Collider, q: ArrayLike, first: str, second: str) -> Distance:
    """The least distance between two shapes or bodies, whether or not they may touch."""
    collider = _collider(source)
    collider.locate(q)
    best = np.full(10, inf)
    names = ("", "")
    for a in _shapes(collider, first):
        for b in _shapes(collider, second):
            row = _least(collider, a, b)
            if row is not None and row[9] < best[9]:
                best, names = row, (collider.names[a], collider.names[b])
    if not np.isfinite(best[9]):
        raise InputError(f"there is no distance between {first!r} and {second!r}: both are ground")
    return Distance(float(best[9]), *names, best[:3], best[3:6], best[6:9])


def ray_cast(
    source: Model | Collider,
    q: ArrayLike,
    origin: ArrayLike,
    direction: ArrayLike,
    limit: float = inf,
    ignore: Iterable[str] = (),
) -> RayHit | None:
    """The first shape that a ray hits within the limit (m), None if there is none.

    A ray that starts inside a solid hits it at once. `ignore` are shapes and links that it passes through.
    """
    hits = ray_casts(source, q, np.reshape(origin, (1, -1)), np.reshape(direction, (1, -1)), limit, ignore)
    return hits[0]


def ray_casts(
    source: Model | Collider,
    q: ArrayLike,
    origins: ArrayLike,
    directions: ArrayLike,
    limit: float = inf,
    ignore: Iterable[str] = (),
) -> list[RayHit | None]:
    """As `ray_cast`, for many rays: origins and directions are (n, 3), or three numbers for all of them."""
    from treadle.collision import kernels

    collider = _collider(source)
    starts, ways = _rays(origins, directions)
    collider.locate(q)
    shapes, X = collider.shapes, collider.work.X
    skipped = np.zeros(len(shapes.kind), dtype=np.int64)
    for name in ignore:
        skipped[_shapes(collider, name)] = 1
    n = len(starts)
    far, hit, normals = np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros((n, 3))
    rays = (starts, ways, n, float(limit), skipped, far, hit, normals)
    kernels.run(kernels.cast_many, X, len(shapes.kind), *rays)
    return [
        None if s < 0 else RayHit(collider.names[s], float(t), o + t * d, m)
        for s, t, o, d, m in zip(hit.tolist(), far, starts, ways, normals)
    ]


def time_of_impact(
    source: Model | Collider,
    q: ArrayLike,
    v: ArrayLike,
    first: str,
    second: str,
    duration: float,
    tolerance: float = 1e-6,
) -> float | None:
    """Seconds until two shapes or bodies come within the tolerance (m), None if not within the duration.

    Every body keeps its velocity at q and v: its origin moves in a straight line, its angular velocity is
    constant. The search is conservative: nothing tunnels, however fast it is.
    """
    from treadle.collision import kernels

    collider = _collider(source)
    if not (duration >= 0.0 and tolerance > 0.0):
        raise InputError("the duration must not be negative, and the tolerance must be positive")
    collider.locate(q)
    X = collider.work.X
    motion = _motions(collider, q, v)
    scratch, contacts = X.copy(), kernels.make_contacts(1, least=True)
    earliest = inf
    for a in _shapes(collider, first):
        for b in _shapes(collider, second):
            if _needs_coal(collider, a, b):
                raise InputError(
                    f"{collider.names[a]!r} and {collider.names[b]!r} are meshes that are not convex, or "
                    "ground: use primitives, convex meshes or td.convex_parts for one of them"
                )
            collider.kernels_for(contacts, [(a, b)])
            window = min(duration, earliest)
            given = (a, b, float(window), float(tolerance), scratch, contacts.desk)
            t = kernels.run(kernels.time_of_impact, X, motion, *given)
            earliest = min(earliest, t)
    return None if earliest == inf else float(earliest)


def _collider(source: Model | Collider) -> Collider:
    """The collider itself, or that of a model, which is made once."""
    if isinstance(source, Collider):
        return source
    kept = source.__dict__.setdefault("_functions", {})
    if "collider" not in kept:
        kept["collider"] = Collider(source)
    return kept["collider"]


def _shapes(collider: Collider, name: str) -> list[int]:
    pieces = [i for i, known in enumerate(collider.names) if known == name]
    if pieces:
        return pieces
    links = {"world": 0, **{link.name: i + 1 for i, link in enumerate(collider.model.links)}}
    if name not in links:
        known = [*dict.fromkeys(collider.names), *links]
        model = collider.model.name
        raise InputError(f"{model!r} has no collision shape or link named {name!r}; {suggest(name, known)}")
    found = np.flatnonzero(collider.shapes.link == links[name]).tolist()
    if not found:
        raise InputError(f'{name!r} has no shapes for contact; give one the role "collision"')
    return found


def _least(collider: Collider, a: int, b: int) -> np.ndarray | None:
    """The row of contact data at the least distance of two shapes; None for two planes or fields."""
    from treadle.collision import kernels

    if _needs_coal(collider, a, b):
        return collider.mesh_pairs.distance(a, b, collider.work.X)
    least = collider.kernels_for(kernels.make_contacts(1, least=True), [(a, b)])
    kernels.run(kernels.touch, collider.work.X, a, b, inf, least.desk)
    return least.data[0] if least.total[0] else None


def _needs_coal(collider: Collider, a: int, b: int) -> bool:
    """Whether no kernel serves two shapes: meshes that are not convex, or one of these and a height field."""
    kinds = {int(collider.shapes.kind[a]), int(collider.shapes.kind[b])}
    return MESH in kinds and kinds <= {MESH, HEIGHT_FIELD}


def _rays(origins: ArrayLike, directions: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    try:
        starts, ways = np.broadcast_arrays(
            np.atleast_2d(np.asarray(origins, dtype=float)),
            np.atleast_2d(np.asarray(directions, dtype=float)),
        )
        lengths = np.linalg.norm(ways, axis=1, keepdims=True)
        fine = starts.shape[1:] == (3,) and np.isfinite(starts).all() and np.isfinite(ways).all()
    except (TypeError, ValueError):
        raise InputError("origins and directions of rays must be numbers (n, 3)") from None
    if not fine or not lengths.all():
        raise InputError("origins and directions of rays must be finite numbers (n, 3), no direction zero")
    return np.ascontiguousarray(starts), np.ascontiguousarray(ways / lengths)


def _motions(collider: Collider, q: ArrayLike, v: ArrayLike) -> np.ndarray:
    """Rows of motion of all shapes, see `continuous`."""
    motion = np.zeros((len(collider.names), 9))
    velocity = np.asarray(v, dtype=float)
    if velocity.shape != (collider.model.nv,) or not np.isfinite(velocity).all():
        raise InputError(f"v of {collider.model.name!r} must be {collider.model.nv} finite numbers")
    for i, body in enumerate(collider.model.bodies):
        held = np.flatnonzero(collider.shapes.body == i + 1)
        if len(held):
            twist = frame_jacobian(collider.model, q, body.name) @ velocity
            frame = collider.model.frame(body.name).placement.to_matrix()[:3, 3]
            X_WB = collider.bodies[i + 1]
            motion[held, :3] = X_WB[:9].reshape(3, 3) @ frame + X_WB[9:]
            motion[held, 3:6], motion[held, 6:] = twist[3:], twist[:3]
    return motion
