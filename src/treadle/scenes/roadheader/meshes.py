"""The vocabulary of shapes that the roadheader is drawn with: closed solids of flat, convex faces.

Lengths in m. Shapes that are turned or extruded run along x unless said otherwise; `Solid.turned` and
`Solid.moved` put them where they belong.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin, tau

import numpy as np
from numpy.typing import ArrayLike

from treadle.scenes.roadheader.solid import Face, Solid, joined

__all__ = [
    "band", "bolt_circle", "box", "cylinder", "flange", "hose", "lathe", "loft", "lug", "pick",
    "pick_holder", "prism", "rod", "round_bar", "sprocket", "track_shoe", "tube",
]  # fmt: skip

Profile = Sequence[tuple[float, float]]

#: Faces with more corners are cut into triangles.
_MOST_CORNERS = 7


def box(size: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0), chamfer: float = 0.0) -> Solid:
    """A block with edges (x, y, z), all of them chamfered if asked for."""
    half = np.asarray(size, dtype=float) / 2
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    if not chamfer:
        faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        return Solid(signs * half + np.asarray(center, dtype=float), faces)
    # each corner becomes three points: point 3 i + k lies on the face across axis k
    points = [sign * (half - chamfer * (np.arange(3) != axis)) for sign in signs for axis in range(3)]
    corner = {tuple(sign): index for index, sign in enumerate(signs)}

    def point(sign: np.ndarray, axis: int) -> int:
        return 3 * corner[tuple(sign)] + axis

    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            square = [_signs(axis, side, u, a, v, b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            faces.append(_turn([point(sign, axis) for sign in square], side))
            # the chamfers along v, between the faces across axis and u
            for other in (-1.0, 1.0):
                low, high = (_signs(axis, side, u, other, v, b) for b in (-1, 1))
                edge = [point(low, axis), point(low, u), point(high, u), point(high, axis)]
                faces.append(_turn(edge, side * other))
    faces += [_turn([3 * i, 3 * i + 1, 3 * i + 2], float(np.prod(sign))) for i, sign in enumerate(signs)]
    return Solid(np.array(points) + np.asarray(center, dtype=float), tuple(faces))


def prism(profile: Profile, start: float, end: float, along: str = "y") -> Solid:
    """A flat outline pulled from `start` to `end`: of (x, z) along y, (x, y) along z or (y, z) along x."""
    outline = np.asarray(profile, dtype=float)
    if _area(outline) < 0:
        outline = outline[::-1]
    slots = {"x": (1, 2, 0), "y": (0, 2, 1), "z": (0, 1, 2)}[along]
    rings = []
    for value in (start, end):
        ring = np.empty((len(outline), 3))
        ring[:, slots[0]], ring[:, slots[1]], ring[:, slots[2]] = outline[:, 0], outline[:, 1], value
        rings.append(ring)
    # (x, z, y) is left-handed: pull it the other way round
    if along == "y":
        rings.reverse()
    return loft(rings)


def loft(rings: Sequence[ArrayLike]) -> Solid:
    """A skin over cross-sections of equally many points, counter-clockwise seen from the last one's side.

    A ring of one point is a tip. Ends are single faces where they are convex and have few corners, triangles
    otherwise, and so are sides that are not flat.
    """
    sections = [np.atleast_2d(np.asarray(ring, dtype=float)) for ring in rings]
    starts = np.cumsum([0, *(len(section) for section in sections)])
    faces: list[Face] = []
    for low, high, a, b in zip(sections, sections[1:], starts, starts[1:]):
        count = max(len(low), len(high))
        for i in range(count):
            j = (i + 1) % count
            if len(low) == 1:
                faces.append((a, b + j, b + i))
            elif len(high) == 1:
                faces.append((a + i, a + j, b))
            else:
                flat = _flat(low[i], low[j], high[j], high[i])
                quad = (a + i, a + j, b + j, b + i)
                faces += [quad] if flat else [quad[:3], (quad[0], *quad[2:])]
    if len(sections[0]) > 1:
        faces += [face[::-1] for face in _cap(sections[0], 0)]
    if len(sections[-1]) > 1:
        faces += _cap(sections[-1], int(starts[-2]))
    return Solid(np.vstack(sections), tuple(tuple(int(i) for i in face) for face in faces))


def band(rings: Sequence[ArrayLike]) -> Solid:
    """A skin over rings as in `loft`, the last joined to the first instead of closed by ends."""
    sections = [np.asarray(ring, dtype=float) for ring in rings]
    count = len(sections[0])
    faces = []
    for k in range(len(sections)):
        a, b = k * count, (k + 1) % len(sections) * count
        faces += [(a + i, a + (i + 1) % count, b + (i + 1) % count, b + i) for i in range(count)]
    return Solid(np.vstack(sections), tuple(faces))


def lathe(profile: Profile, segments: int = 16, phase: float = 0.0) -> Solid:
    """A profile (x, radius), x not falling, turned about the x axis; radius 0 at an end is a tip."""
    angles = tau * np.arange(segments) / segments + phase
    circle = np.stack([np.zeros(segments), np.cos(angles), np.sin(angles)], axis=1)
    return loft([np.array([[x, 0, 0]]) if r == 0 else circle * r + (x, 0, 0) for x, r in profile])


def tube(outer: float, inner: float, start: float, end: float, segments: int = 16) -> Solid:
    """A pipe along x."""
    return _ring_solid([(start, inner), (start, outer), (end, outer), (end, inner)], segments)


def cylinder(radius: float, start: float, end: float, segments: int = 16, bevel: float = 0.0) -> Solid:
    """A round bar along x with bevelled rims."""
    if not bevel:
        return lathe([(start, radius), (end, radius)], segments)
    inside = radius - bevel
    profile = [(start, inside), (start + bevel, radius), (end - bevel, radius), (end, inside)]
    return lathe(profile, segments)


def round_bar(first: ArrayLike, last: ArrayLike, radius: float, segments: int = 8) -> Solid:
    """A straight round bar between two points."""
    return hose([first, last], radius, segments)


def rod(axis: str, radius: float, start: float, end: float, segments: int = 12, bevel: float = 0.0) -> Solid:
    """A pin or shaft along the axis "x", "y" or "z"."""
    solid = cylinder(radius, start, end, segments, bevel)
    return {"x": solid, "y": solid.across(), "z": solid.upright()}[axis]


def hose(path: Sequence[ArrayLike], radius: float, segments: int = 6) -> Solid:
    """A round bar along a path of points, without twist."""
    points = np.asarray(path, dtype=float)
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    across = np.cross(tangents[0], np.eye(3)[np.argmin(np.abs(tangents[0]))])
    angles = tau * np.arange(segments) / segments
    rings = []
    for point, tangent in zip(points, tangents):
        across = across - tangent * (across @ tangent)
        across /= np.linalg.norm(across)
        second = np.cross(tangent, across)
        rings.append(point + radius * (np.outer(np.cos(angles), across) + np.outer(np.sin(angles), second)))
    return loft(rings)


def lug(length: float, radius: float, foot: float, thickness: float, segments: int = 8) -> Solid:
    """An ear plate in the x-z plane: a round end about the origin, its foot at x = -length."""
    angles = np.linspace(-pi / 2, pi / 2, segments + 1)
    outline = [(radius * cos(a), radius * sin(a)) for a in angles]
    outline += [(-length, foot / 2), (-length, -foot / 2)]
    return prism(outline, -thickness / 2, thickness / 2)


def bolt_circle(radius: float, count: int, size: float, height: float) -> Solid:
    """Hexagon heads, `size` from corner to corner, on a circle in the y-z plane, standing up along x."""
    head = lathe([(0.0, size / 2), (height, size / 2)], 6)
    angles = tau * (np.arange(count) + 0.5) / count
    return joined([head.moved(0.0, radius * cos(a), radius * sin(a)) for a in angles])


def flange(outer: float, bore: float, thickness: float, segments: int = 24) -> Solid:
    """A flange with a raised rim, along x from 0."""
    step = 0.35 * thickness
    middle = 0.5 * (outer + bore)
    profile = [
        (0.0, bore), (0.0, outer), (thickness - step, outer), (thickness - step, middle + step),
        (thickness, middle), (thickness, bore),
    ]  # fmt: skip
    return _ring_solid(profile, segments)


def sprocket(radius: float, root: float, teeth: int, width: float) -> Solid:
    """A chain wheel about y with `teeth` blunt teeth."""
    outline = []
    for tooth in range(teeth):
        for share, r in ((0.0, root), (0.3, root), (0.5, radius), (0.8, radius)):
            angle = tau * (tooth + share) / teeth
            outline.append((r * cos(angle), r * sin(angle)))
    return prism(outline, -width / 2, width / 2)


def track_shoe(pitch: float, width: float, thickness: float, grouser: float) -> Solid:
    """A crawler's plate across y with one bar to grip the floor; chain side at z = 0, bar upward."""
    half, foot, crown = 0.46 * pitch, 0.16 * pitch, 0.08 * pitch
    outline = [
        (-half, 0.0), (half, 0.0), (half, thickness), (foot, thickness), (crown, thickness + grouser),
        (-crown, thickness + grouser), (-foot, thickness), (-half, thickness),
    ]  # fmt: skip
    return prism(outline, -width / 2, width / 2)


def pick(length: float, radius: float, segments: int = 8) -> Solid:
    """A conical cutting tool along x: collar at 0, slender body, hard tip at `length`."""
    profile = [(0.0, 1.0), (0.15, 1.0), (0.22, 0.78), (0.72, 0.44), (0.76, 0.28), (1.0, 0.0)]
    return lathe([(x * length, r * radius) for x, r in profile], segments)


def pick_holder(length: float, radius: float, foot: float) -> Solid:
    """The block that a pick is held in: from its foot at x = -length to a narrower round mouth at 0."""
    angles = tau * (np.arange(6) + 0.5) / 6
    circle = np.stack([np.zeros(6), np.cos(angles), np.sin(angles)], axis=1)
    return loft([circle * foot * (1.0, 1.0, 1.35) + (-length, 0, 0), circle * radius])


def _ring_solid(profile: Profile, segments: int) -> Solid:
    """A closed profile (x, radius) turned about the x axis without touching it."""
    outline = np.asarray(profile, dtype=float)
    if _area(outline) < 0:
        outline = outline[::-1]
    angles = tau * np.arange(segments) / segments
    return band(
        [np.column_stack([outline[:, 0], outline[:, 1] * cos(a), outline[:, 1] * sin(a)]) for a in angles]
    )


def _signs(axis: int, side: float, u: int, a: float, v: int, b: float) -> np.ndarray:
    sign = np.empty(3)
    sign[axis], sign[u], sign[v] = side, a, b
    return sign


def _turn(face: list[int], side: float) -> Face:
    return tuple(face if side > 0 else face[::-1])


def _flat(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Whether d lies in the plane of the others, to a hundredth of a millimetre."""
    normal = np.cross(b - a, c - a)
    return float(abs(normal @ (d - a))) <= 1e-5 * float(np.linalg.norm(normal))


def _area(outline: np.ndarray) -> float:
    x, y = outline.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def _cap(ring: np.ndarray, start: int) -> list[Face]:
    """The faces that close a flat ring, counter-clockwise as the ring is."""
    normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
    drop = int(np.argmax(np.abs(normal)))
    flat = ring[:, [(drop + 1) % 3, (drop + 2) % 3]] * ((1, 1) if normal[drop] > 0 else (-1, 1))
    remaining = list(range(len(ring)))
    if all(_corner(flat, i, j, k) > -1e-12 for i, j, k in _corners(remaining)):
        if len(ring) <= _MOST_CORNERS and all(
            _flat(ring[0], ring[1], ring[2], corner) for corner in ring[3:]
        ):
            return [tuple(start + i for i in remaining)]
        return [(start, start + i, start + i + 1) for i in remaining[1:-1]]
    faces = []
    while len(remaining) > 3:
        for i, j, k in _corners(remaining):
            others = [n for n in remaining if n not in (i, j, k)]
            if _corner(flat, i, j, k) > 1e-12 and not any(_within(flat, n, i, j, k) for n in others):
                faces.append((start + i, start + j, start + k))
                remaining.remove(j)
                break
        else:
            raise ValueError("the outline of an end face crosses itself")
    return [*faces, tuple(start + i for i in remaining)]


def _corners(indices: list[int]) -> list[tuple[int, int, int]]:
    return list(zip([indices[-1], *indices[:-1]], indices, [*indices[1:], indices[0]]))


def _corner(flat: np.ndarray, i: int, j: int, k: int) -> float:
    """Twice the area of the triangle i j k, positive if it turns left."""
    (ax, ay), (bx, by) = flat[j] - flat[i], flat[k] - flat[j]
    return float(ax * by - ay * bx)


def _within(flat: np.ndarray, n: int, i: int, j: int, k: int) -> bool:
    return min(_corner(flat, i, j, n), _corner(flat, j, k, n), _corner(flat, k, i, n)) > -1e-12
