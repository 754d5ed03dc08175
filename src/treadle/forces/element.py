"""Force elements: functions of the poses and velocities of the frames that they name, and of the time.

A type of element is a class with the parameters of `model.elements` (see `forces.elements`). It returns
wrenches on its frames, split into what has a potential energy and what has none; the sum of all elements
joins the loads on the bodies. It is traced into the step, so that implicit methods have exact derivatives.
Elements along the line between two points with few degrees of freedom between them (LINE_FREEDOMS) join the
joint forces instead, which takes a third of the arithmetic: tension times dl/dq.

Methods that take dampers at the end of the step h take elements there too that may be stiff for it, with
their stiffness K >= 0 and damping D >= 0 against the relative motion x = J v of their frames:

    (M + h J^T D J + h^2 J^T K J) a = J^T (f - h K x) - C

All of these are taken at q (linear-implicit), with the motion as it is seen from the first frame: what the
frames get is a force and its reaction on one line, which leaves the momentum of the machine as it is. Where
the stiffness is not high for the step (h^2 K |J M^-1 J^T| below STIFF) the step does without K: symplectic
Euler keeps the energy of such springs, which an implicit step would take away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from treadle.forces.frames import (
    FrameMotion,
    about_base,
    common_body,
    frame_motion,
    freedoms_between,
    on_body,
)
from treadle.graph import Scalar, where
from treadle.model.attach_elements import STIFF
from treadle.model.elements import Element
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Motion

__all__ = [
    "LINE_FREEDOMS", "NEAREST", "BoundElement", "ForceElement", "Linear", "Matrix6",
    "element_energy", "element_inertia", "element_kick", "element_loads", "elements_of",
    "is_line", "link_loads", "pair_wrenches", "relative_motion",
]  # fmt: skip

#: Square of the least distance (m2): points that coincide have no line between them.
NEAREST = 1e-30

#: Degrees of freedom between two frames up to which an element along their line is a joint force.
LINE_FREEDOMS = 10

#: Rows of a 6 x 6 matrix, angular part first.
Matrix6 = Sequence[Sequence[Scalar]]


class Linear(NamedTuple):
    """Stiffness and damping against the motion of the last frame as seen from the first, or alone."""

    stiffness: Matrix6 | None
    damping: Matrix6 | None


class ForceElement:
    """What every type of element answers; wrenches are (moment about a frame's origin, force)."""

    #: whether it depends on how its frames lie and move relative to each other alone
    relative: ClassVar[bool] = False

    def __init__(self, **parameters: Any) -> None:
        self.__dict__.update(parameters)

    def energy(self, *frames: FrameMotion) -> Scalar:
        """Potential energy (J)."""
        return 0.0

    def conservative(self, *frames: FrameMotion) -> Sequence[Force]:
        """Wrenches on the frames that the energy has: its negative gradient."""
        return ()

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        """Wrenches on the frames without a potential."""
        return ()

    def tension(self, length: Scalar, rate: Scalar, springs: bool) -> Scalar | None:
        """Tension (N) of an element that pulls along the line between its frames and does nothing else.

        Without `springs` it is the part that has no potential energy. None for all other elements.
        """
        return None

    def linear(self, *frames: FrameMotion) -> Linear | None:
        """Stiffness and damping at the state of the frames, neither with a negative eigenvalue."""
        return None


class BoundElement(NamedTuple):
    """An element of a model with the motion of its frames."""

    record: Element
    law: ForceElement
    base: int
    frames: list[FrameMotion]


def elements_of(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], implicit: bool | None = None
) -> Iterator[BoundElement]:
    """The elements of a model at a state: all, or those that a step may take implicitly, or the others."""
    from treadle.forces.elements import ELEMENTS

    shared = _shared_base(model)
    for record in model.elements:
        if implicit is not None and record.implicit != implicit:
            continue
        law = ELEMENTS[record.type](**record.parameters)
        base = WORLD
        if law.relative:
            base = shared if _is_long(model, record) else common_body(model, record.bodies)
        places = zip(record.bodies, record.placements, strict=True)
        yield BoundElement(record, law, base, [frame_motion(model, q, v, base, *place) for place in places])


def _shared_base(model: Model) -> int:
    """The body that all elements with many degrees of freedom between their frames are seen from.

    The poses of the bodies in it are then computed once for all of them.
    """
    bodies = [body for record in model.elements if _is_long(model, record) for body in record.bodies]
    return common_body(model, bodies) if bodies else WORLD


def _is_long(model: Model, record: Element) -> bool:
    return len(freedoms_between(model, record.bodies)) > LINE_FREEDOMS


def element_loads(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    springs: bool = True,
    implicit: bool | None = None,
    lines: bool = True,
) -> dict[int, Force]:
    """Forces of elements (see `elements_of`) on the bodies, each in the body's frame.

    Without `springs` it is the part that has no potential energy, without `lines` those of
    `line.line_forces` are left out.
    """
    # summed up about the origin of the base, and carried to the body at last
    sums: dict[tuple[int, int], tuple[FrameMotion, Force]] = {}
    for bound in elements_of(model, q, v, implicit):
        if not lines and is_line(model, bound):
            continue
        for frame, wrench in zip(bound.frames, _wrenches(bound, time, springs), strict=True):
            if frame.body != WORLD:
                key, moved = (bound.base, frame.body), about_base(frame, wrench)
                sums[key] = frame, sums[key][1] + moved if key in sums else moved
    loads: dict[int, Force] = {}
    for (_, body), (frame, wrench) in sums.items():
        own = on_body(frame, wrench)
        loads[body] = loads[body] + own if body in loads else own
    return loads


def link_loads(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar
) -> Iterator[tuple[str | None, Force]]:
    """Links that elements act on, and the forces, each in the frame of the body that the link belongs to."""
    for bound in elements_of(model, q, v):
        wrenches = _wrenches(bound, time, springs=True)
        for link, frame, wrench in zip(bound.record.links, bound.frames, wrenches, strict=True):
            yield link, on_body(frame, about_base(frame, wrench))


def is_line(model: Model, bound: BoundElement) -> bool:
    """Whether an element is among the `line.line_forces`."""
    if type(bound.law).tension is ForceElement.tension:
        return False
    return len(freedoms_between(model, bound.record.bodies)) <= LINE_FREEDOMS


def element_kick(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    step: Scalar,
    springs: bool = True,
) -> list[Scalar]:
    """Joint forces (nv) of the elements that a step takes implicitly, at the velocity v."""
    total: list[Scalar] = [0.0] * model.nv
    for bound in elements_of(model, q, v, True):
        frames, linear = bound.frames, bound.law.linear(*bound.frames)
        wrenches = _wrenches(bound, time, springs)
        if springs and linear is not None and linear.stiffness is not None:
            # what the spring gains on the way to the end of the step
            gained = _times(linear.stiffness, relative_motion(frames))
            span = where(_is_stiff(bound.record, step), step, 0.0)
            wrenches = _added(wrenches, pair_wrenches(frames, Force.of([-(span * x) for x in gained])))
        for frame, wrench in zip(frames, wrenches, strict=True):
            for k, column in frame.columns(model, q).items():
                total[k] = total[k] + column.dot(wrench)
    return total


def element_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """Potential energy (J) of all elements."""
    rest: list[Scalar] = [0.0] * model.nv
    return sum((law.energy(*frames) for _, law, _, frames in elements_of(model, q, rest)), 0.0)


def element_inertia(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], step: Scalar
) -> dict[tuple[int, int], Scalar]:
    """h J^T D J + h^2 J^T K J of the elements that a step h takes implicitly, row by column."""
    total: dict[tuple[int, int], Scalar] = {}
    for bound in elements_of(model, q, v, True):
        linear = bound.law.linear(*bound.frames)
        if linear is None:
            continue
        square = where(_is_stiff(bound.record, step), step * step, 0.0)
        matrix = _scaled_sum((linear.damping, step), (linear.stiffness, square))
        _add_projected(total, matrix, _columns(model, q, bound.frames))
    return total


def _is_stiff(record: Element, step: Scalar) -> Any:
    return step * step * record.stiffness_rate > STIFF


def _wrenches(bound: BoundElement, time: Scalar, springs: bool) -> list[Force]:
    """What an element does to its frames."""
    wrenches = _added([Force.zero()] * len(bound.frames), bound.law.other(*bound.frames, time=time))
    return _added(wrenches, bound.law.conservative(*bound.frames)) if springs else wrenches


def _added(wrenches: Sequence[Force], part: Sequence[Force]) -> list[Force]:
    """The wrenches with a part that may be none."""
    return [a + b for a, b in zip(wrenches, part, strict=True)] if part else list(wrenches)


def _scaled_sum(*parts: tuple[Matrix6 | None, Scalar]) -> list[list[Scalar]]:
    matrix: list[list[Scalar]] = [[0.0] * 6 for _ in range(6)]
    for part, scale in parts:
        if part is not None:
            matrix = [
                [a + scale * b for a, b in zip(row, other, strict=True)]
                for row, other in zip(matrix, part, strict=True)
            ]
    return matrix


def relative_motion(frames: Sequence[FrameMotion]) -> Motion:
    """Motion of the last frame as seen from the first: angular, and linear of its origin; base axes."""
    last = frames[-1]
    if len(frames) == 1:
        return Motion(last.angular_velocity, last.velocity)
    first = frames[0]
    carried = first.velocity + first.angular_velocity.cross(last.position - first.position)
    linear = last.velocity - carried
    return Motion(last.angular_velocity - first.angular_velocity, linear)


def pair_wrenches(frames: Sequence[FrameMotion], wrench: Force, own_points: bool = False) -> list[Force]:
    """A wrench on the last frame, and the opposite on the first.

    With `own_points` the force on the first acts at its own origin, which only one along the line between
    both may do; else at that of the last.
    """
    if len(frames) == 1:
        return [wrench]
    moment = -wrench.angular
    if not own_points:
        moment = moment - (frames[-1].position - frames[0].position).cross(wrench.linear)
    nothing = [Force.zero()] * (len(frames) - 2)
    return [Force(moment, -wrench.linear), *nothing, wrench]


def _columns(model: Model, q: Sequence[Scalar], frames: Sequence[FrameMotion]) -> dict[int, Motion]:
    """Relative motion per velocity of each degree of freedom."""
    columns = frames[-1].columns(model, q)
    if len(frames) > 1:
        for k, column in frames[0].columns(model, q, frames[-1].position).items():
            columns[k] = columns[k] - column if k in columns else -column
    return columns


def _add_projected(
    total: dict[tuple[int, int], Scalar], matrix: Matrix6, columns: Mapping[int, Motion]
) -> None:
    """Add J^T A J of a symmetric matrix A."""
    ordered = sorted(columns)
    for i in ordered:
        response = _times(matrix, columns[i])
        for j in ordered:
            if j > i:
                break
            value = _dot(list(columns[j]), response)
            if _zero(value):
                continue
            for key in {(i, j), (j, i)}:
                total[key] = total[key] + value if key in total else value


def _times(matrix: Matrix6, motion: Motion) -> list[Scalar]:
    values = list(motion)
    return [_dot(row, values) for row in matrix]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True) if not (_zero(x) or _zero(y))), 0.0)


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
