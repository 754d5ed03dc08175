"""The collision shapes of a model as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treadle.collision.blocks import field_block, hull_block, mesh_block
from treadle.collision.height_field import HeightField
from treadle.collision.kinds import (
    BLOCK,
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    HEIGHT_FIELD,
    HULL,
    KIND,
    KINDS,
    MESH,
    PLANE,
    REACH,
    ROW,
    SIZE,
    SPHERE,
)
from treadle.collision.mesh import Mesh
from treadle.errors import InputError, ModelError
from treadle.model.attachments import Shape
from treadle.model.model import Model

__all__ = ["Pieces", "Shapes", "collision_shapes", "radius_of", "rows_of", "shapes_of"]


#: Groups of shapes for contact that there may be.
_MOST_GROUPS = 62


#: A collision shape and what it touches with: its mesh or one of the meshes that it consists of, or None.
Pieces = Sequence[tuple[Shape, Mesh | None]]


class Shapes(NamedTuple):
    """Arrays of n shapes for the kernels. The world is body 0, body i of the model is i + 1.

    A mesh of several convex pieces is several shapes of one name.
    """

    #: (n,) numbers of `kinds`
    kind: np.ndarray
    #: (n, 3) half lengths and radii, see `kinds`
    size: np.ndarray
    #: (n, 12) pose in the body: rotation by rows, position
    placement: np.ndarray
    #: (n,)
    body: np.ndarray
    #: (n,) 0 for the world's links, i + 1 for link i of the model
    link: np.ndarray
    #: (n,) place in `model.materials`, -1 without one
    material: np.ndarray
    #: (n,) radius of the bounding sphere around the shape's origin, infinite for a plane
    radius: np.ndarray
    #: (n,) one bit each: the group that the shape is in; and the bits of those that it meets
    group: np.ndarray
    meets: np.ndarray
    #: what else is known of hulls, fields and meshes, by the number of the shape, see `blocks`
    blocks: dict[int, np.ndarray]
    #: (n, 3) where the middle of a mesh, which is the origin of its placement, lies in the shape's frame (m)
    middle: np.ndarray


def shapes_of(model: Model, pieces: Pieces, fields: Sequence[HeightField] = ()) -> Shapes:
    """The pieces of the collision shapes in their order, then the height fields.

    ModelError for a shape without a size.
    """
    chosen = [shape for shape, _ in pieces]
    n = len(chosen) + len(fields)
    materials = {material.name: i for i, material in enumerate(model.materials)}
    links = {link.name: i + 1 for i, link in enumerate(model.links)}
    kind = np.array([KINDS[shape.type] for shape in chosen] + [HEIGHT_FIELD] * len(fields), dtype=np.int64)
    size, radius, blocks = np.zeros((n, 3)), np.zeros(n), {}
    placement, middle = np.zeros((n, 12)), np.zeros((n, 3))
    for i, (shape, mesh) in enumerate(pieces):
        size[i] = _half_sizes(shape)
        placement[i] = [float(x) for x in shape.placement.to_list()]  # type: ignore[arg-type]
        if mesh is not None:
            radius[i], size[i], middle[i] = mesh.radius, mesh.half, mesh.middle
            placement[i, 9:] += placement[i, :9].reshape(3, 3) @ mesh.middle
            kind[i] = HULL if mesh.convex else MESH
            blocks[i] = hull_block(mesh) if mesh.convex else mesh_block(mesh)
        else:
            radius[i] = radius_of(kind[i], size[i])
    for i, field in enumerate(fields, start=len(chosen)):
        size[i] = (0.5 * field.size[0], 0.5 * field.size[1], np.abs(field.heights).max() + field.depth)
        placement[i] = field.pose
        radius[i] = radius_of(HEIGHT_FIELD, size[i])
        blocks[i] = field_block(field)
    held = [*chosen, *fields]
    return Shapes(
        kind,
        size,
        placement,
        np.array([shape.body + 1 for shape in chosen] + [0] * len(fields), dtype=np.int64),
        np.array(
            [0 if shape.link is None else links[shape.link] for shape in chosen] + [0] * len(fields),
            dtype=np.int64,
        ),
        np.array([materials.get(shape.material or "", -1) for shape in held], dtype=np.int64),
        radius,
        *_groups(chosen, len(fields)),
        blocks,
        middle,
    )


def _groups(shapes: Sequence[Shape], fields: int) -> tuple[np.ndarray, np.ndarray]:
    """The group of every shape as a bit, and the bits of those that it meets; fields are in "default"."""
    names = sorted({"default", *(shape.group for shape in shapes)})
    if len(names) > _MOST_GROUPS:
        raise InputError(f"shapes are in {len(names)} groups: use up to {_MOST_GROUPS}")
    bits = {name: 1 << i for i, name in enumerate(names)}
    group = [bits[shape.group] for shape in shapes] + [bits["default"]] * fields
    meets = [
        -1 if shape.meets is None else sum(bits.get(name, 0) for name in set(shape.meets)) for shape in shapes
    ] + [-1] * fields
    return np.array(group, dtype=np.int64), np.array(meets, dtype=np.int64)


def rows_of(shapes: Shapes) -> np.ndarray:
    """The shapes as rows of numbers (n, 18), see `kinds`, without their poses."""
    rows = np.zeros((len(shapes.kind), ROW))
    rows[:, SIZE:REACH], rows[:, REACH], rows[:, KIND] = shapes.size, shapes.radius, shapes.kind
    for i, block in shapes.blocks.items():
        rows[i, BLOCK] = block.ctypes.data
    return rows


def collision_shapes(model: Model) -> list[Shape]:
    """The shapes that take part in contact."""
    return [shape for shape in model.shapes if shape.role == "collision"]


def _half_sizes(shape: Shape) -> tuple[float, float, float]:
    size = tuple(float(x) for x in shape.size)
    if any(not np.isfinite(x) or x < 0.0 for x in size) or (size and not any(size)):
        raise _fault(shape, f"its size {size} leaves nothing to touch")
    match shape.type:
        case "plane" | "mesh" | "part":
            return (0.0, 0.0, 0.0)
        case "sphere":
            return (size[0], 0.0, 0.0)
        case "capsule" | "cylinder":
            if size[0] == 0.0 and shape.type == "capsule":
                raise _fault(shape, "its radius is zero")
            return (size[0], 0.5 * size[1], 0.0)
        case "box":
            return (0.5 * size[0], 0.5 * size[1], 0.5 * size[2])
    return (size[0], size[1], size[2])


def _fault(shape: Shape, message: str) -> ModelError:
    hint = 'give it a positive size, or the role "visual"'
    return ModelError(message, element=f'shape "{shape.name}"', hint=hint)


def radius_of(kind: int, size: np.ndarray) -> float:
    """Radius of the bounding sphere around the origin of a primitive with these half sizes."""
    if kind == PLANE:
        return np.inf
    if kind in (SPHERE, ELLIPSOID):
        return float(size.max())
    if kind == CAPSULE:
        return float(size[0] + size[1])
    if kind in (BOX, CYLINDER, HEIGHT_FIELD):
        return float(np.linalg.norm(size))
    return 0.0
