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

__all__ = ["TendonPull", "tendon_coordinate", "tendon_lines", "tendon_pulls"]

#: Square of the least distance (m2): points that coincide have no line between them.
_NEAREST = 1e-30


class TendonPull(NamedTuple):
    """Where a tendon pulls: the part of its path, the point, and dl/dpoint, in the axes of the base."""

    part: PathPart
    point: Vec3
    slope: Vec3


class _Way(NamedTuple):
    """A part of the length, its moment arms by degree of freedom, and where it pulls."""

    length: Scalar
    arms: dict[int, Scalar]
    pulls: tuple[TendonPull, ...]


class _End(NamedTuple):
    """A point of a frame, on a part of the path."""

    part: PathPart
    frame: FrameMotion
    point: Vec3


def tendon_coordinate(model: Model, tendon: Tendon, q: Sequence[Scalar]) -> tuple[Scalar, dict[int, Scalar]]:
    """Length (m, or the units of the joints of a fixed tendon), and moment arms by place in v."""
    if not tendon.path:
        length: Scalar = sum((c * q[place] for place, _, c in tendon.joints), 0.0)
        return length, {v: c for _, v, c in tendon.joints}
    ways = _ways(_Space(model, tendon, q), tendon)
    total: dict[int, Scalar] = {}
    for way in ways:
        for k, arm in way.arms.items():
            total[k] = total[k] + arm if k in total else arm
    return sum((way.length for way in ways), 0.0), {k: total[k] for k in sorted(total)}


def tendon_pulls(model: Model, tendon: Tendon, q: Sequence[Scalar]) -> list[TendonPull]:
    """Where a tendon pulls on what, in world axes: the force there is the slope times that along its length.

    A tendon of joints pulls on nothing.
    """
    space = _Space(model, tendon, q, WORLD)
    return [pull for way in _ways(space, tendon) for pull in way.pulls]


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
    """Frames of a tendon, seen from a base: unless given, the last body that carries all of it."""

    def __init__(self, model: Model, tendon: Tendon, q: Sequence[Scalar], base: int | None = None) -> None:
        self.model, self.q = model, q
        bodies = [part.body for part in tendon.path if part.kind != "pulley"]
        bodies += [part.side_body for part in tendon.path if part.side is not None]
        self.base = common_body(model, bodies) if base is None else base
        self.rest: list[Scalar] = [0.0] * model.nv

    def frame(self, body: int, placement: Transform) -> FrameMotion:
        return frame_motion(self.model, self.q, self.rest, self.base, body, placement)

    def arms(self, frame: FrameMotion, point: Vec3, direction: Vec3, scale: float) -> dict[int, Scalar]:
        """scale n . v of a point of a frame, by degree of freedom."""
        columns = frame.columns(self.model, self.q, point)
        return {k: scale * direction.dot(column.linear) for k, column in columns.items()}


def _ways(space: _Space, tendon: Tendon) -> list[_Way]:
    ways: list[_Way] = []
    share = 1.0
    last: _End | None = None
    around: PathPart | None = None
    for part in tendon.path:
        if part.kind == "pulley":
            share, last, around = 1.0 / part.divisor, None, None
        elif part.kind == "point":
            frame = space.frame(part.body, part.placement)
            here = _End(part, frame, frame.position)
            if last is not None:
                straight = _straight(space, last, here, share)
                ways.append(
                    straight if around is None else _wrapped(space, last, around, here, straight, share)
                )
            last, around = here, None
        else:
            around = part
    return ways


def _straight(space: _Space, a: _End, b: _End, share: float) -> _Way:
    """Between points of two frames."""
    r = b.point - a.point
    length = sqrt(maximum(r.dot(r), _NEAREST))
    n = r * (1.0 / length)
    arms = space.arms(b.frame, b.point, n, share)
    for k, arm in space.arms(a.frame, a.point, n, share).items():
        arms[k] = arms[k] - arm if k in arms else -arm
    pulls = TendonPull(a.part, a.point, n * -share), TendonPull(b.part, b.point, n * share)
    return _Way(share * length, arms, pulls)


def _wrapped(space: _Space, a: _End, part: PathPart, b: _End, straight: _Way, share: float) -> _Way:
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
    wrap = wrap_around(part.kind, _local(pose, a.point), _local(pose, b.point), part.radius, side, fixed)
    first, last = pose.apply_point(wrap.first), pose.apply_point(wrap.last)
    ways = (
        _straight(space, a, _End(part, frame, first), share),
        _straight(space, _End(part, frame, last), b, share),
    )
    arms: dict[int, Scalar] = {}
    for k in sorted({*ways[0].arms, *ways[1].arms, *straight.arms}):
        around = ways[0].arms.get(k, 0.0) + ways[1].arms.get(k, 0.0)
        arms[k] = where(wrap.touches, around, straight.arms.get(k, 0.0))
    length = ways[0].length + share * wrap.length + ways[1].length
    touching = where(wrap.touches, 1.0, 0.0)
    given = [(pull, touching) for way in ways for pull in way.pulls]
    given += [(pull, 1.0 - touching) for pull in straight.pulls]
    pulls = tuple(pull._replace(slope=pull.slope * active) for pull, active in given)
    return _Way(where(wrap.touches, length, straight.length), arms, pulls)


def _local(pose: Transform, point: Vec3) -> Vec3:
    return pose.rotation.apply_transposed(point - pose.translation)
