"""Lengths and moment arms of tendons.

The moment arm of a tendon about a degree of freedom is dl/dq, exactly: of the length between two points it is
the unit vector between them times the difference of their velocities per velocity of that dof. Where a tendon
leaves an object that it wraps around, its way is the shortest, so that the point there counts as fixed to the
object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treadle.forces.frames import FrameMotion, common_body, frame_motion
from treadle.forces.wrapping import wrap_around
from treadle.graph import Scalar, maximum, sqrt, where
from treadle.model.model import WORLD, Model
from treadle.model.tendons import PathPart, Tendon
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["tendon_coordinate", "tendon_lines"]

#: Square of the least distance (m2): points that coincide have no line between them.
_NEAREST = 1e-30


class _Way(NamedTuple):
    """A part of the length, and its moment arms by degree of freedom."""

    length: Scalar
    arms: dict[int, Scalar]


def tendon_coordinate(model: Model, tendon: Tendon, q: Sequence[Scalar]) -> tuple[Scalar, dict[int, Scalar]]:
    """Length (m, or the units of the joints of a fixed tendon), and moment arms by place in v."""
    if not tendon.path:
        length: Scalar = sum((c * q[place] for place, _, c in tendon.joints), 0.0)
        return length, {v: c for _, v, c in tendon.joints}
    ways = _ways(model, tendon, q)
    total: dict[int, Scalar] = {}
    for way in ways:
        for k, arm in way.arms.items():
            total[k] = total[k] + arm if k in total else arm
    return sum((way.length for way in ways), 0.0), {k: total[k] for k in sorted(total)}


def tendon_lines(model: Model, tendon: Tendon, q: Sequence[float], arc: int = 8) -> list[list[Vec3]]:
    """Points of the cable in the world, a list per branch; `arc` of them are around an object."""
    branches: list[list[Vec3]] = [[]]
    around: PathPart | None = None
    for part in tendon.path:
        if part.kind == "pulley":
            branches.append([])
        elif part.kind == "point":
            here = _placed(model, part, q).position
            if around is not None and branches[-1]:
                branches[-1] += _arc_points(model, around, (branches[-1][-1], here), q, arc)
            branches[-1].append(here)
        around = part if part.kind not in ("pulley", "point") else None
    return [branch for branch in branches if len(branch) > 1]


def _placed(model: Model, part: PathPart, q: Sequence[float]) -> FrameMotion:
    return frame_motion(model, q, [0.0] * model.nv, WORLD, part.body, part.placement)


def _arc_points(
    model: Model, part: PathPart, ends: tuple[Vec3, Vec3], q: Sequence[float], count: int
) -> list[Vec3]:
    """Where the cable lies on an object, if it touches it."""
    frame = _placed(model, part, q)
    pose = Transform(frame.rotation, frame.position)
    side = None
    if part.side is not None:
        at = frame_motion(
            model, q, [0.0] * model.nv, WORLD, part.side_body, Transform(Mat3.identity(), part.side)
        )
        side = _local(pose, at.position)
    start, end = (_local(pose, place) for place in ends)
    wrap = wrap_around(part.kind, start, end, part.radius, side, False)
    if not wrap.touches:
        return []
    points = []
    for k in range(count):
        share = k / (count - 1.0)
        point = wrap.first * (1.0 - share) + wrap.last * share
        flat = Vec3(point.x, point.y) if part.kind == "cylinder" else point
        size = sqrt(maximum(flat.dot(flat), _NEAREST))
        on = flat * (part.radius / size)
        points.append(pose.apply_point(Vec3(on.x, on.y, point.z) if part.kind == "cylinder" else on))
    return points


class _Space:
    """Frames of a tendon, seen from the last body that carries all of it."""

    def __init__(self, model: Model, tendon: Tendon, q: Sequence[Scalar]) -> None:
        self.model, self.q = model, q
        bodies = [part.body for part in tendon.path if part.kind != "pulley"]
        bodies += [part.side_body for part in tendon.path if part.side is not None]
        self.base = common_body(model, bodies)
        self.rest: list[Scalar] = [0.0] * model.nv

    def frame(self, body: int, placement: Transform) -> FrameMotion:
        return frame_motion(self.model, self.q, self.rest, self.base, body, placement)

    def arms(self, frame: FrameMotion, point: Vec3, direction: Vec3, scale: float) -> dict[int, Scalar]:
        """scale n . v of a point of a frame, by degree of freedom."""
        columns = frame.columns(self.model, self.q, point)
        return {k: scale * direction.dot(column.linear) for k, column in columns.items()}


def _ways(model: Model, tendon: Tendon, q: Sequence[Scalar]) -> list[_Way]:
    space = _Space(model, tendon, q)
    ways: list[_Way] = []
    share = 1.0
    last: FrameMotion | None = None
    around: PathPart | None = None
    for part in tendon.path:
        if part.kind == "pulley":
            share, last, around = 1.0 / part.divisor, None, None
        elif part.kind == "point":
            here = space.frame(part.body, part.placement)
            if last is not None:
                straight = _straight(space, (last, last.position), (here, here.position), share)
                ways.append(
                    straight if around is None else _wrapped(space, last, around, here, straight, share)
                )
            last, around = here, None
        else:
            around = part
    return ways


def _straight(space: _Space, a: tuple[FrameMotion, Vec3], b: tuple[FrameMotion, Vec3], share: float) -> _Way:
    """Between points of two frames."""
    r = b[1] - a[1]
    length = sqrt(maximum(r.dot(r), _NEAREST))
    n = r * (1.0 / length)
    arms = space.arms(*b, n, share)
    for k, arm in space.arms(*a, n, share).items():
        arms[k] = arms[k] - arm if k in arms else -arm
    return _Way(share * length, arms)


def _wrapped(
    space: _Space, a: FrameMotion, part: PathPart, b: FrameMotion, straight: _Way, share: float
) -> _Way:
    """Between the origins of two frames around an object, or straight where it does not touch that."""
    frame = space.frame(part.body, part.placement)
    pose = Transform(frame.rotation, frame.position)
    side = None
    fixed = part.side_body == part.body
    if part.side is not None and fixed:
        side = part.placement.inverse().apply_point(part.side)
    elif part.side is not None:
        at = space.frame(part.side_body, Transform(Mat3.identity(), part.side))
        side = _local(pose, at.position)
    wrap = wrap_around(
        part.kind, _local(pose, a.position), _local(pose, b.position), part.radius, side, fixed
    )
    first, last = pose.apply_point(wrap.first), pose.apply_point(wrap.last)
    ways = (
        _straight(space, (a, a.position), (frame, first), share),
        _straight(space, (frame, last), (b, b.position), share),
    )
    arms: dict[int, Scalar] = {}
    for k in sorted({*ways[0].arms, *ways[1].arms, *straight.arms}):
        around = ways[0].arms.get(k, 0.0) + ways[1].arms.get(k, 0.0)
        arms[k] = where(wrap.touches, around, straight.arms.get(k, 0.0))
    length = ways[0].length + share * wrap.length + ways[1].length
    return _Way(where(wrap.touches, length, straight.length), arms)


def _local(pose: Transform, point: Vec3) -> Vec3:
    return pose.rotation.apply_transposed(point - pose.translation)
