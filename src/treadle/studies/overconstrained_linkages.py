"""Linkages that move although their constraints outnumber their freedoms, with exact or rounded numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import acos, asin, cos, pi, sin
from typing import Any

import numpy as np

from treadle.model import ModelSpec, rpy

__all__ = ["LINKAGES", "Linkage", "four_bar", "in_frames_of_files", "scissors"]

#: A description, a position near to its closed ones, and a velocity.
Linkage = tuple[ModelSpec, list[float], list[float]]


def _rounded(values: Any, digits: int | None) -> np.ndarray:
    return np.array(values) if digits is None else np.round(values, digits)


def _skew_loop(
    lengths: Sequence[float], twists: Sequence[float], angles: Sequence[float], digits: int | None
) -> Linkage:
    """Hinges joined by links with a length along x and a twist about it; the last link is the ground."""
    lengths, twists = _rounded(lengths, digits).tolist(), _rounded(twists, digits).tolist()
    spec = ModelSpec("skew loop")
    count = len(lengths)
    for k in range(count - 1):
        spec.add_body(f"link{k}", 1.0, center=(lengths[k] / 2, 0, 0), inertia=(0.02, 0.1, 0.1))
        place: dict[str, Any] = {}
        if k:
            place = {"position": (lengths[k - 1], 0, 0), "rotation": rpy(twists[k - 1], 0, 0)}
        parent = f"link{k - 1}" if k else None
        spec.add_joint(f"hinge{k}", "revolute", parent, f"link{k}", axis=(0, 0, 1), **place)
    back = np.array(rpy(-twists[-1], 0, 0))
    spec.add_joint(
        "closing", "revolute", None, f"link{count - 2}", axis=(0, 0, 1), rotation=back,
        position=back @ (-lengths[-1], 0, 0), child_position=(lengths[-2], 0, 0),
        child_rotation=rpy(twists[-2], 0, 0),
    )  # fmt: skip
    return spec, list(angles[:-1]), [2.0] + [0.0] * (count - 2)


def bennett(rng: np.random.Generator, digits: int | None) -> Linkage:
    """Four hinges; opposite links are alike, and length over sine of the twist is one number."""
    first, second, angle = rng.uniform(0.4, 0.8), rng.uniform(0.9, 1.3), rng.uniform(-2.4, -1.6)
    lengths, twists = (1.0, sin(second) / sin(first)) * 2, (first, second) * 2
    ratio = sin((second + first) / 2) / sin((second - first) / 2)
    other = 2.0 * np.arctan2(ratio, np.tan(angle / 2))
    return _skew_loop(lengths, twists, (angle, other, -angle, -other), digits)


def bricard(rng: np.random.Generator, digits: int | None) -> Linkage:
    """Six hinges, each across the next, on links of one length."""
    length, angle = rng.uniform(0.5, 1.5), rng.uniform(0.9, 1.3)
    other = acos(-cos(angle) / (1.0 + cos(angle)))
    return _skew_loop([length] * 6, [pi / 2, -pi / 2] * 3, [angle, other] * 3, digits)


def sarrus(rng: np.random.Generator, digits: int | None) -> Linkage:
    """Two legs of three parallel hinges between the ground and a table that goes straight up and down."""
    spec = ModelSpec("sarrus")
    lower, upper, lean = rng.uniform(0.5, 0.9), rng.uniform(0.5, 0.9), rng.uniform(0.3, 0.8)
    other = asin(lower * sin(lean) / upper)
    feet = rng.uniform(0.2, 0.6, 2)
    turn = np.array(rpy(0, 0, float(_rounded([rng.uniform(0.8, 2.2)], digits)[0])))
    bases = _rounded([(-feet[0], 0, 0), turn @ (-feet[1], 0, 0)], digits)
    axes = _rounded([(0, 1, 0), turn @ (0, 1, 0)], digits)
    lower, upper = _rounded([lower, upper], digits)
    for leg in "ab":
        for part, length in (("lower", lower), ("upper", upper)):
            spec.add_body(f"{part}_{leg}", 1.0, center=(0, 0, length / 2), inertia=(0.05, 0.05, 0.01))
    spec.add_body("table", 2.0, inertia=(0.1, 0.1, 0.1))
    for leg, base, axis in zip("ab", bases, axes, strict=True):
        spec.add_joint(f"foot_{leg}", "revolute", None, f"lower_{leg}", axis=axis, position=base)
        spec.add_joint(
            f"knee_{leg}", "revolute", f"lower_{leg}", f"upper_{leg}", axis=axis, position=(0, 0, lower)
        )
        spec.add_joint(
            f"top_{leg}", "revolute", f"upper_{leg}", "table", axis=axis, position=(0, 0, upper),
            child_position=base,
        )  # fmt: skip
    start = {"foot": lean, "knee": -(lean + other), "top": other}
    names = [joint.name for joint in spec.compile().joints]
    return spec, [start[name.split("_")[0]] for name in names], [1.0] + [0.0] * (len(names) - 1)


def four_bar(rng: np.random.Generator, digits: int | None, plane: np.ndarray | None = None) -> Linkage:
    """A planar linkage of four hinges in any plane of space, or in the one whose axes are given."""
    spec = ModelSpec("four-bar in space")
    R = _random_rotation(rng) if plane is None else plane
    crank, coupler, rocker, ground = 0.4, rng.uniform(0.9, 1.1), rng.uniform(0.7, 0.9), rng.uniform(0.9, 1.1)
    axis = _rounded(R @ (0, 1, 0), digits)

    def place(x: float, z: float) -> np.ndarray:
        return _rounded(R @ (x, 0, z), digits)

    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        spec.add_body(name, 1.0, center=place(0, length / 2), inertia=(0.05, 0.05, 0.05))
    spec.add_joint("a", "revolute", None, "crank", axis=axis)
    spec.add_joint("b", "revolute", "crank", "coupler", axis=axis, position=place(0, crank))
    spec.add_joint("d", "revolute", None, "rocker", axis=axis, position=place(ground, 0))
    spec.add_joint(
        "c", "revolute", "coupler", "rocker", axis=axis, position=place(0, coupler),
        child_position=place(0, rocker),
    )  # fmt: skip
    return spec, [0.0, 1.2, 0.2], [2.0, 0.0, 0.0]


def scissors(
    rng: np.random.Generator, digits: int | None, cells: int = 4, lean: float | None = None
) -> Linkage:
    """A lift of crossed bars, held by a spring; the first foot is a hinge, the other slides."""
    spec = ModelSpec(f"scissors of {cells}")
    R = np.array(rpy(0, 0, float(_rounded([rng.uniform(-3.0, 3.0)], digits)[0])))
    length, lean = 1.0, rng.uniform(0.5, 1.0) if lean is None else lean
    axis = _rounded(R @ (0, 1, 0), digits)

    def place(x: float) -> np.ndarray:
        return _rounded(R @ (x, 0, 0), digits)

    for k in range(cells):
        for bar in "ab":
            spec.add_body(f"{bar}{k}", 1.0, center=place(length / 2), inertia=(0.05, 0.05, 0.05))
        parent, at = (f"b{k - 1}", place(length)) if k else (None, (0, 0, 0))
        spec.add_joint(f"end{k}", "revolute", parent, f"a{k}", axis=axis, position=at)
        spec.add_joint(
            f"middle{k}", "revolute", f"a{k}", f"b{k}", axis=axis, position=place(length / 2),
            child_position=place(length / 2),
        )  # fmt: skip
        if k == 0:
            spec.add_joint("foot", "point_on_plane", None, "b0", axis=(0, 0, 1), child_position=(0, 0, 0))
        else:
            spec.add_joint(f"close{k}", "revolute", f"a{k - 1}", f"b{k}", axis=axis, position=place(length))
    # bars a rise along x, bars b against it
    rise, back = -lean, pi + lean
    turns = {"end0": rise} | {f"end{k}": rise - back for k in range(1, cells)}
    q = [turns.get(joint.name, back - rise) for joint in spec.compile().joints]
    spec.joint("middle0").stiffness, spec.joint("middle0").reference = 60.0 * cells**2, back - rise
    return spec, q, [0.5] + [0.0] * (len(q) - 1)


LINKAGES: dict[str, Callable[[np.random.Generator, int | None], Linkage]] = {
    "bennett": bennett,
    "bricard": bricard,
    "sarrus": sarrus,
    "four-bar": four_bar,
    "scissors": scissors,
}


def in_frames_of_files(spec: ModelSpec, rng: np.random.Generator, digits: int | None) -> ModelSpec:
    """The same machine with every body in a frame anywhere, joints along z, and all numbers rounded."""
    X = {None: np.eye(4)} | {
        body.name: _pose(rng.uniform(-0.5, 0.5, 3), _random_rotation(rng)) for body in spec.bodies
    }
    other = ModelSpec(spec.name, gravity=spec.gravity)
    for body in spec.bodies:
        back = np.linalg.inv(X[body.name])
        R, center = back[:3, :3], (back @ [*body.center, 1.0])[:3]
        inertia = R @ np.diag(np.array(body.inertia)) @ R.T
        other.add_body(
            body.name, body.mass, center=_rounded(center, digits), inertia=_rounded(inertia, digits)
        )
    for joint in spec.joints:
        along = _pose((0, 0, 0), _with_axis(joint.axis))
        places = [
            np.linalg.inv(X[name]) @ _pose(place, rotation) @ along
            for name, place, rotation in (
                (joint.parent, joint.position, joint.rotation),
                (joint.child, joint.child_position, joint.child_rotation),
            )
        ]
        (place, turn), (child_place, child_turn) = (
            (_rounded(x[:3, 3], digits), rpy(*_rounded(_angles(x[:3, :3]), digits))) for x in places
        )
        other.add_joint(
            joint.name, joint.type, joint.parent, joint.child, axis=(0, 0, 1), position=place, rotation=turn,
            child_position=child_place, child_rotation=child_turn, stiffness=joint.stiffness,
            reference=joint.reference,
        )  # fmt: skip
    return other


def _random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation matrix, all being equally likely."""
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else Q[:, [1, 0, 2]]


def _pose(position: Any, rotation: Any) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation, position
    return X


def _with_axis(axis: Sequence[float] | None) -> np.ndarray:
    """A rotation that takes z to the axis."""
    z = np.array((0, 0, 1) if axis is None else axis, dtype=float)
    z /= np.linalg.norm(z)
    x = np.cross((1, 0, 0) if abs(z[0]) < 0.8 else (0, 1, 0), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _angles(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw."""
    level = float(np.hypot(R[0, 0], R[1, 0]))
    pitch = float(np.arctan2(-R[2, 0], level))
    if level < 1e-9:
        return float(np.arctan2(-R[1, 2], R[1, 1])), pitch, 0.0
    return float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))
