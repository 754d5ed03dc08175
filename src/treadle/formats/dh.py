"""Serial arms from tables of Denavit and Hartenberg, and the table of an arm.

A row has the four numbers a (m), alpha (rad), d (m), theta (rad) and the type of its joint. The pose of frame
i in frame i - 1 is, with Rz a rotation about z and Tx a translation along x,

    standard  (Denavit and Hartenberg 1955; Spong)    Rz(theta) Tz(d) Tx(a) Rx(alpha)
    modified  (Khalil and Kleinfinger 1986; Craig)    Rx(alpha) Tx(a) Rz(theta) Tz(d)

The coordinate of a revolute joint adds to theta, that of a prismatic one to d: both are then offsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.model.describe import describe
from treadle.model.model import Model
from treadle.model.spec import ModelSpec
from treadle.model.values import real_array, real_numbers
from treadle.spatial import Transform

__all__ = ["CONVENTION_KEYS", "DHRow", "DHTable", "dh_arm", "dh_table", "row_placement"]

#: The conventions, and the key of a row in robot.toml.
CONVENTION_KEYS = {"standard": "dh", "modified": "dh_modified"}
CONVENTIONS = tuple(CONVENTION_KEYS)

#: Fields of a joint that its row says.
_PLACED = {
    "name", "type", "parent", "child", "position", "rotation", "child_position", "child_rotation", "axis",
    "line",
}  # fmt: skip

#: Sines of angles (and lengths in m) below this are zero.
_NONE = 1e-9


@dataclass(frozen=True)
class DHRow:
    """A row of the table; further arguments of the joint and the link go into `joint` and `body`."""

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    type: str = "revolute"
    name: str | None = None
    #: such as {"lower": -1.0, "upper": 1.0, "friction": 0.5}, see `JointSpec`
    joint: Mapping[str, Any] = field(default_factory=dict)
    #: such as {"mass": 3.0, "center": (0, 0, 0.1), "inertia": ...} in the link's frame, see `BodySpec`
    body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        real_numbers(
            "a row of Denavit and Hartenberg", a=self.a, alpha=self.alpha, d=self.d, theta=self.theta
        )
        if self.type not in ("revolute", "prismatic"):
            raise InputError(f"a joint of Denavit and Hartenberg is revolute or prismatic, not {self.type!r}")
        for name, given in (("joint", self.joint), ("body", self.body)):
            if not isinstance(given, Mapping):
                raise InputError(f"{name} of a row must be a dict of its fields, not {given!r}")

    def matrices(self, convention: str) -> tuple[np.ndarray, np.ndarray]:
        """Pose of the joint's frame in the parent, and of the link's frame in the joint's (4 x 4)."""
        about_z = _about_z(self.theta) @ _along(2, self.d)
        along_x = _about_x(self.alpha) @ _along(0, self.a)
        return (about_z, along_x) if convention == "standard" else (along_x @ about_z, np.eye(4))


@dataclass(frozen=True)
class DHTable:
    """Rows in one convention; `base` is the pose of frame 0 in the world, `tool` that of it in frame n."""

    rows: tuple[DHRow, ...]
    convention: str
    base: np.ndarray
    tool: np.ndarray

    def pose(self, q: Sequence[float]) -> np.ndarray:
        """Pose of the tool in the world (4 x 4) at the joint coordinates q."""
        values = _numbers(q)
        if values is None or values.shape != (len(self.rows),):
            raise InputError(f"q must have a number for each of the {len(self.rows)} rows, not {q!r}")
        pose = self.base
        for row, x in zip(self.rows, values.tolist(), strict=True):
            before, after = row.matrices(self.convention)
            pose = pose @ before @ (_about_z(x) if row.type == "revolute" else _along(2, x)) @ after
        return pose @ self.tool

    def spec(self, name: str = "arm") -> ModelSpec:
        """The description of the arm, see `dh_arm`."""
        return dh_arm(self.rows, self.convention, name, self.base, self.tool)

    def toml(self, name: str = "arm") -> str:
        """The arm as the text of a robot.toml, whose joints are placed by the rows."""
        from treadle.formats.toml_write import text

        spec, key = self.spec(name), CONVENTION_KEYS[self.convention]
        numbers = [(row.a, row.alpha, row.d, row.theta) for row in self.rows]
        rows = {joint.name: (key, row) for joint, row in zip(spec.joints, numbers, strict=True)}
        return text(spec, rows, self.base)

    def __str__(self) -> str:
        lines = [f"{self.convention:<12} {'a (m)':>10} {'alpha':>10} {'d (m)':>10} {'theta':>10}  (rad)"]
        for k, row in enumerate(self.rows, start=1):
            name = row.name or f"joint{k}"
            lines.append(
                f"{name:<12} {row.a:10.5g} {row.alpha:10.5g} {row.d:10.5g} {row.theta:10.5g}  {row.type}"
            )
        return "\n".join(lines)


def dh_arm(
    rows: Iterable[DHRow | Mapping[str, Any] | Sequence[float]],
    convention: str = "standard",
    name: str = "arm",
    base: np.ndarray | None = None,
    tool: np.ndarray | None = None,
) -> ModelSpec:
    """The description of a serial arm on the world, from rows or from (a, alpha, d, theta).

    Links are "link1", "link2" and so on, joints have the names of their rows, or "joint1" and so on; the
    frame "tool" is on the last link, whose frame is that of the table. Links without a mass get none: give
    them one before their dynamics are computed.
    """
    check_convention(convention)
    if not isinstance(rows, Iterable):
        raise InputError(f"the rows of a table must be a list, not {rows!r}")
    table = [_row(row) for row in rows]
    if not table:
        raise InputError("a table of Denavit and Hartenberg needs at least one row")
    spec = ModelSpec(name)
    parent, start = None, _pose("base", base)
    for k, row in enumerate(table, start=1):
        link = f"link{k}"
        spec.add_body(link, **row.body)
        placed = row_placement(row, convention, start if parent is None else np.eye(4))
        spec.add_joint(row.name or f"joint{k}", row.type, parent, link, **{**placed, **row.joint})
        parent = link
    spec.add_frame("tool", parent, **_placed(_pose("tool", tool)))
    return spec


def row_placement(row: DHRow, convention: str, start: np.ndarray) -> dict[str, Any]:
    """Where a joint lies in its two links and its axis, as fields of a joint; `start` is frame i - 1."""
    before, after = row.matrices(convention)
    back = _placed(np.linalg.inv(after))
    return {
        "axis": (0.0, 0.0, 1.0),
        **_placed(start @ before),
        **{f"child_{key}": value for key, value in back.items()},
    }


def dh_table(model: Model, tool: str | None = None, convention: str = "standard") -> DHTable:
    """The table of a chain of revolute and prismatic joints from the world to a link or frame.

    Without `tool` that is the last body. Frames are placed along the common normals of the axes; where axes
    are parallel or coincide, d is as small as it can be.
    """
    check_convention(convention)
    if not isinstance(model, Model):
        raise InputError(f"dh_table needs a Model, not {type(model).__name__}")
    axes, end = _axes(model, tool)
    normals = _normals(axes)
    frames = [(axes[0][2], normals[0][0], normals[0][1])] if normals else [_alone(axes[0])]
    rows: list[DHRow] = []
    for k, (joint, _, z) in enumerate(axes):
        x_before, at = (frames[0][1], frames[0][2]) if k == 0 else (normals[k - 1][0], normals[k - 1][2])
        last = k == len(axes) - 1
        x_after, foot = (x_before, at) if last else (normals[k][0], normals[k][1])
        around: dict[str, Any] = {"theta": _angle(x_before, x_after, z), "d": float((foot - at) @ z)}
        if convention == "standard":
            across: dict[str, Any] = {} if last else _across(axes, normals, k)
        else:
            across = {} if k == 0 else _across(axes, normals, k - 1)
        rows.append(DHRow(**across, **around, type=joint.type.kind, name=joint.name))
    start = _frame(*frames[0])
    rows = _furnished(model, rows, convention, start)
    reached = DHTable(tuple(rows), convention, start, np.eye(4)).pose([0.0] * len(rows))
    return DHTable(tuple(rows), convention, start, np.linalg.inv(reached) @ end)


def _furnished(model: Model, rows: Sequence[DHRow], convention: str, start: np.ndarray) -> list[DHRow]:
    """The rows with the masses of the links, in their new frames, and with what the joints have."""
    from treadle.dynamics.kinematics import world_transforms

    poses = world_transforms(model, [0.0] * model.nq)
    joints = {joint.name: joint for joint in describe(model).joints}
    found, frame = [], start
    for row in rows:
        before, after = row.matrices(convention)
        frame = frame @ before @ after
        (body,) = [k for k, each in enumerate(model.bodies) if each.joint.name == row.name]
        seen = Transform.of(np.linalg.inv(frame)) @ poses[body]
        joint = joints[row.name or ""]
        own = {
            item.name: getattr(joint, item.name)
            for item in fields(joint)
            if item.name not in _PLACED and getattr(joint, item.name) != item.default
        }
        found.append(replace(row, joint=own, body=_inertial(model.bodies[body].inertia.to_parent(seen))))
    return found


def _inertial(inertia: Any) -> dict[str, Any]:
    """Mass, centre and inertia about it, as fields of a body."""
    mass = float(inertia.mass)
    if mass == 0.0:
        return {}
    c = np.array(list(inertia.moment), dtype=float) / mass
    about = np.array(inertia.rotational.to_rows(), dtype=float) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    matrix = 0.5 * (about + about.T)
    return {"mass": mass, "center": tuple(c.tolist()), "inertia": tuple(map(tuple, matrix.tolist()))}


def check_convention(convention: str) -> None:
    """InputError for one that is not known."""
    if convention not in CONVENTIONS:
        raise InputError(f"the convention must be 'standard' or 'modified', not {convention!r}")


def _row(row: Any) -> DHRow:
    if isinstance(row, DHRow):
        return row
    try:
        return DHRow(**row) if isinstance(row, Mapping) else DHRow(*row)
    except TypeError:
        raise InputError(
            f"a row of Denavit and Hartenberg is (a, alpha, d, theta) or a DHRow, not {row!r}"
        ) from None


def _axes(model: Model, tool: str | None) -> tuple[list[tuple[Any, np.ndarray, np.ndarray]], np.ndarray]:
    """Joint, a point and the direction of each axis of the chain at q = 0, and the tool's pose."""
    from treadle.dynamics.kinematics import world_transforms

    q = [0.0] * model.nq
    poses = [X.to_matrix() for X in world_transforms(model, q)]
    frame = model.frame(tool) if tool is not None else None
    body = len(model.bodies) - 1 if frame is None else frame.body
    end = poses[body] if frame is None else poses[body] @ frame.placement.to_matrix()
    chain = []
    while body >= 0:
        joint: Any = model.bodies[body].joint
        if joint.type.kind not in ("revolute", "prismatic"):
            raise InputError(
                f"joint {joint.name!r} is {joint.type.kind}: a table has revolute and prismatic ones"
            )
        direction = poses[body][:3, :3] @ np.array(list(joint.type.axis), dtype=float)
        chain.append((joint, poses[body][:3, 3], direction))
        body = model.bodies[body].parent
    if not chain:
        raise InputError("the tool is fixed to the world: there is no chain of joints to it")
    return chain[::-1], end


def _normals(
    axes: Sequence[tuple[Any, np.ndarray, np.ndarray]],
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Direction of the common normal of every two axes that follow each other, and its feet on both."""
    normals: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for (_, p, z), (_, r, w) in pairwise(axes):
        near = normals[-1][2] if normals else p
        across, gap = np.cross(z, w), r - p
        size = float(np.linalg.norm(across))
        if size > _NONE:
            x = across / size
            # where the lines come nearest to each other
            s, t, _ = np.linalg.solve(np.column_stack([z, -w, x]), gap)
            foot, other = p + s * z, r + t * w
            if np.linalg.norm(other - foot) > _NONE and (other - foot) @ x < 0.0:
                x = -x
        else:
            foot = near
            other = r + ((foot - r) @ w) * w
            length = float(np.linalg.norm(other - foot))
            previous = normals[-1][0] if normals else _perpendicular(z)
            x = (other - foot) / length if length > _NONE else previous
        normals.append((x, foot, other))
    return normals


def _across(axes: Sequence[Any], normals: Sequence[Any], k: int) -> dict[str, Any]:
    """a and alpha between axis k and the next."""
    x, foot, other = normals[k]
    return {"a": float((other - foot) @ x), "alpha": _angle(axes[k][2], axes[k + 1][2], x)}


def _alone(axis: tuple[Any, np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return axis[2], _perpendicular(axis[2]), axis[1]


def _perpendicular(z: np.ndarray) -> np.ndarray:
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    return x / np.linalg.norm(x)


def _angle(a: np.ndarray, b: np.ndarray, about: np.ndarray) -> float:
    angle = math.atan2(float(np.cross(a, b) @ about), float(a @ b))
    return 0.0 if abs(angle) < 1e-15 else angle


def _frame(z: np.ndarray, x: np.ndarray, origin: np.ndarray) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = x, np.cross(z, x), z, origin
    return pose


def _pose(what: str, value: Any) -> np.ndarray:
    pose = np.eye(4) if value is None else _numbers(value)
    if pose is None or pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise InputError(f"the {what} of an arm must be a pose, a 4 x 4 matrix")
    turn = pose[:3, :3]
    if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) or np.linalg.det(turn) < 0.0:
        raise InputError(f"the {what} of an arm has no rotation in its first three rows and columns")
    return pose


def _numbers(value: Any) -> np.ndarray | None:
    try:
        return real_array(value)
    except (TypeError, ValueError):
        return None


def _placed(pose: np.ndarray) -> dict[str, Any]:
    return {"position": tuple(pose[:3, 3]), "rotation": tuple(tuple(row) for row in pose[:3, :3])}


def _about_z(angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    return pose


def _about_x(angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[1:3, 1:3] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    return pose


def _along(axis: int, length: float) -> np.ndarray:
    pose = np.eye(4)
    pose[axis, 3] = length
    return pose
