"""A machine as free bodies and the joints between them, in arrays that compiled kernels read.

The bodies are those of the model, and after them, as the last one, the world, which has no inverse mass.
Points and axes are in the axes of their body, points count from its centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from treadle.errors import ModelError
from treadle.joints import Joint
from treadle.model.model import WORLD, Model
from treadle.spatial import Mat3, Quaternion, Transform

__all__ = ["SLIDE", "TURN", "Bodies", "Couplings", "Dofs", "Joints", "Mechanism", "mechanism"]

#: Kinds of degrees of freedom.
SLIDE, TURN = 0, 1


class Bodies(NamedTuple):
    """n bodies and the world: masses, inertias about the centres of mass, and where those are."""

    inverse_mass: np.ndarray  # (n + 1)
    inertia: np.ndarray  # (n + 1, 3, 3)
    inverse_inertia: np.ndarray  # (n + 1, 3, 3)
    center: np.ndarray  # (n + 1, 3) in the body's frame
    gravity: np.ndarray  # (3)


class Joints(NamedTuple):
    """Constraints of each joint between a body A, the one that carries it, and a body B.

    `slides` directions of A in which B may not slide away, and `turns` about which it may not turn: 3
    (of A), 2 (across the axis), 1 (across both axes of a universal joint) or none.
    """

    body: np.ndarray  # (joints, 2)
    point: np.ndarray  # (joints, 2, 3)
    slides: np.ndarray  # (joints)
    slide: np.ndarray  # (joints, 3, 3) directions in A, one per row
    turns: np.ndarray  # (joints)
    turn: np.ndarray  # (joints, 3, 3) directions in A, one per row
    axes: np.ndarray  # (joints, 2, 3) in A and in B: the same of a hinge, the two of a universal joint
    neutral: np.ndarray  # (joints, 4) orientation of B in A with the joint at its neutral position


class Dofs(NamedTuple):
    """Degrees of freedom (dof) of the joints, with springs, dampers, dry friction and motors.

    A turn is measured about the axis from the direction `start` of A to the direction `end` of B, which
    coincide at zero; those of ball and free joints are not measured. A motor holds the position `position`,
    which moves at `rate`, where `servo` is 1, and the rate alone where it is 2.
    """

    joint: np.ndarray  # (dofs)
    kind: np.ndarray  # (dofs)
    side: np.ndarray  # (dofs) whose axes the axis is given in: 0 for A, 1 for B
    axis: np.ndarray  # (dofs, 3)
    start: np.ndarray  # (dofs, 3)
    end: np.ndarray  # (dofs, 3)
    measured: np.ndarray  # (dofs)
    damping: np.ndarray  # (dofs)
    stiffness: np.ndarray  # (dofs)
    reference: np.ndarray  # (dofs)
    friction: np.ndarray  # (dofs)
    servo: np.ndarray  # (dofs)
    position: np.ndarray  # (dofs)
    rate: np.ndarray  # (dofs)
    effort: np.ndarray  # (dofs)


class Couplings(NamedTuple):
    """Degrees of freedom whose position is a polynomial of that of a source (-1: of nothing, a constant)."""

    dof: np.ndarray  # (couplings)
    source: np.ndarray  # (couplings)
    coefficients: np.ndarray  # (couplings, terms) from the constant up


class Mechanism(NamedTuple):
    """A whole machine, and which dofs belong to a joint by its name."""

    bodies: Bodies
    joints: Joints
    dofs: Dofs
    couplings: Couplings
    places: dict[str, slice]


def mechanism(model: Model) -> Mechanism:
    """The machine in arrays; ModelError where it has something that maximal coordinates do not know."""
    bodies = _bodies(model)
    joints: dict[str, list] = {name: [] for name in Joints._fields}
    dofs: dict[str, list] = {name: [] for name in Dofs._fields}
    places = {}
    for index, (name, kind, A, X_AJ, B, X_BJ, passive) in enumerate(_all_joints(model)):
        frames = (X_AJ[:3, :3], X_BJ[:3, :3])
        if kind is not None and kind.kind not in _LOCKED:
            known = ", ".join(_LOCKED)
            raise ModelError(
                f"maximal coordinates do not support {kind.kind} joints",
                element=f"joint {name!r}",
                hint=f"use one of {known}",
            )
        slides, turns = _LOCKED[kind.kind](kind) if kind else (np.eye(3), (3, np.eye(3), np.zeros((2, 3))))
        joints["body"].append((A, B))
        joints["point"].append((X_AJ[:3, 3] - bodies.center[A], X_BJ[:3, 3] - bodies.center[B]))
        joints["slides"].append(len(slides))
        joints["slide"].append(_rows(slides @ frames[0].T))
        joints["turns"].append(turns[0])
        joints["turn"].append(_rows(turns[1] @ frames[0].T))
        joints["axes"].append((frames[0] @ turns[2][0], frames[1] @ turns[2][1]))
        joints["neutral"].append(_quaternion(frames[0] @ frames[1].T))
        first = len(dofs["joint"])
        for number, dof in enumerate(_dofs(kind) if kind else []):
            _add_dof(dofs, index, dof, frames, {key: values[number] for key, values in passive.items()})
        places[name] = slice(first, len(dofs["joint"]))
    return Mechanism(bodies, _arrays(Joints, joints), _arrays(Dofs, dofs), _couplings(model), places)


def _bodies(model: Model) -> Bodies:
    count = len(model.bodies)
    inertia = np.zeros((count + 1, 3, 3))
    center, gravity = np.zeros((count + 1, 3)), np.array(model.gravity)
    bodies = Bodies(np.zeros(count + 1), inertia, inertia.copy(), center, gravity)
    for i, body in enumerate(model.bodies):
        mass = float(body.inertia.mass)  # type: ignore[arg-type]
        moment = np.array(list(body.inertia.moment), dtype=float)
        center = moment / mass if mass > 0.0 else np.zeros(3)
        I = np.array(body.inertia.rotational.to_rows(), dtype=float)
        I -= np.dot(moment, center) * np.eye(3) - np.outer(moment, center)
        if not (mass > 0.0 and np.linalg.eigvalsh(I).min() > 1e-12 * mass):
            raise ModelError(
                "in maximal coordinates every body needs mass and inertia about all axes",
                element=f"body {body.name!r}",
                hint="give it some, or fix it to its neighbour",
            )
        if any(body.joint.armature):
            raise ModelError(
                "maximal coordinates do not support rotor inertia",
                element=f"joint {body.joint.name!r}",
                hint="set its armature to zero",
            )
        bodies.inverse_mass[i], bodies.center[i] = 1.0 / mass, center
        bodies.inertia[i], bodies.inverse_inertia[i] = I, np.linalg.inv(I)
    return bodies


def _all_joints(model: Model) -> Iterator[tuple[str, Joint | None, int, np.ndarray, int, np.ndarray, dict]]:
    """Joints of the tree and those that close loops: name, type, body A, frame in A, body B, frame in B."""
    world = len(model.bodies)
    for index, body in enumerate(model.bodies):
        parent = world if body.parent == WORLD else body.parent
        yield (
            body.joint.name, body.joint.type, parent, body.placement.to_matrix(), index,
            Transform.identity().to_matrix(), _passive(body.joint),
        )  # fmt: skip
    for loop in model.loops:
        A = world if loop.predecessor == WORLD else loop.predecessor
        B = world if loop.successor == WORLD else loop.successor
        yield (
            loop.name, loop.type, A, loop.predecessor_placement.to_matrix(), B,
            loop.successor_placement.to_matrix(), _passive(loop),
        )  # fmt: skip


def _passive(joint: Any) -> dict[str, tuple[float, ...]]:
    return {name: getattr(joint, name) for name in ("damping", "stiffness", "reference", "friction")}


def _couplings(model: Model) -> Couplings:
    """The dofs of the tree come first, in the order of its velocities."""
    terms = max((len(coupling.coefficients) for coupling in model.couplings), default=1)
    coefficients = np.zeros((len(model.couplings), terms))
    for values, coupling in zip(coefficients, model.couplings, strict=True):
        values[: len(coupling.coefficients)] = coupling.coefficients
    dof = [coupling.v for coupling in model.couplings]
    source = [-1 if coupling.source_v is None else coupling.source_v for coupling in model.couplings]
    return Couplings(np.array(dof, dtype=np.int64), np.array(source, dtype=np.int64), coefficients)


def _axis(kind: Any) -> np.ndarray:
    return np.array(list(kind.axis), dtype=float)


def _across(axis: np.ndarray) -> np.ndarray:
    """Two unit vectors across an axis and across each other, one per row."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first)])


def _hinge(axis: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    return 2, _across(axis), np.array([axis, axis])


def _universal(kind: Any) -> tuple[int, np.ndarray, np.ndarray]:
    axes = np.array([list(kind.axis), list(kind.second_axis)], dtype=float)
    if abs(axes[0] @ axes[1]) > 1e-9:
        raise ModelError(
            "in maximal coordinates the axes of a universal joint must be at right angles",
            hint="turn one of them",
        )
    return 1, np.zeros((0, 3)), axes


_NONE = (0, np.zeros((0, 3)), np.zeros((2, 3)))
_ALL = (3, np.eye(3), np.zeros((2, 3)))

#: By kind of joint: directions of the joint's frame that it locks, and which turns.
_LOCKED = {
    "revolute": lambda kind: (np.eye(3), _hinge(_axis(kind))),
    "prismatic": lambda kind: (_across(_axis(kind)), _ALL),
    "cylindrical": lambda kind: (_across(_axis(kind)), _hinge(_axis(kind))),
    "universal": lambda kind: (np.eye(3), _universal(kind)),
    "planar": lambda kind: (_axis(kind)[None, :], _hinge(_axis(kind))),
    "ball": lambda kind: (np.eye(3), _NONE),
    "free": lambda kind: (np.zeros((0, 3)), _NONE),
}


_Dof: TypeAlias = tuple[int, int, np.ndarray, np.ndarray | None]


def _dofs(kind: Any) -> list[_Dof]:
    """In the order of the joint's velocities: kind, side, axis, and a direction that shows the turn."""
    turns: list[_Dof] = [(TURN, 1, axis, None) for axis in np.eye(3)]
    match kind.kind:
        case "revolute":
            return [(TURN, 0, _axis(kind), _across(_axis(kind))[0])]
        case "prismatic":
            return [(SLIDE, 0, _axis(kind), None)]
        case "cylindrical":
            return [(TURN, 0, _axis(kind), _across(_axis(kind))[0]), (SLIDE, 0, _axis(kind), None)]
        case "universal":
            first, second = _universal(kind)[2]
            return [(TURN, 0, first, second), (TURN, 1, second, first)]
        case "planar":
            plane = [np.array(list(axis), dtype=float) for axis in (kind.u, kind.w)]
            return [(TURN, 0, _axis(kind), plane[0]), *[(SLIDE, 0, axis, None) for axis in plane]]
        case "ball":
            return turns
    return [*turns, *[(SLIDE, 0, axis, None) for axis in np.eye(3)]]


def _add_dof(
    dofs: dict[str, list],
    joint: int,
    dof: _Dof,
    frames: tuple[np.ndarray, np.ndarray],
    passive: dict[str, float],
) -> None:
    kind, side, axis, shown = dof
    direction = np.zeros(3) if shown is None else shown
    values = {
        "joint": joint, "kind": kind, "side": side, "axis": frames[side] @ axis,
        "start": frames[0] @ direction, "end": frames[1] @ direction,
        "measured": kind == SLIDE or shown is not None, **passive,
        "servo": 0, "position": 0.0, "rate": 0.0, "effort": np.inf,
    }  # fmt: skip
    for name, value in values.items():
        dofs[name].append(value)


def _rows(matrix: np.ndarray) -> np.ndarray:
    """Three rows, those that are missing zero."""
    return np.vstack([matrix, np.zeros((3 - len(matrix), 3))])


def _quaternion(R: np.ndarray) -> list[Any]:
    return list(Quaternion.from_matrix(Mat3.of(R.tolist())))


#: Of one entry of every array; a number where it is not here.
_SHAPES = {
    "body": (2,), "point": (2, 3), "slide": (3, 3), "turn": (3, 3), "axes": (2, 3), "neutral": (4,),
    "axis": (3,), "start": (3,), "end": (3,),
}  # fmt: skip
_WHOLE = {"body", "slides", "turns", "joint", "kind", "side", "measured", "servo"}


def _arrays(kind: Any, values: dict[str, list]) -> Any:
    return kind(
        **{
            name: np.array(value, dtype=np.int64 if name in _WHOLE else np.float64).reshape(
                len(value), *_SHAPES.get(name, ())
            )
            for name, value in values.items()
        }
    )
