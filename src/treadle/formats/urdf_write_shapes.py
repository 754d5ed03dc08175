"""Elements of a URDF file: shapes, poses and numbers.

URDF has boxes, cylinders, spheres and meshes. A capsule becomes a cylinder and two spheres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.model import ModelSpec, ShapeSpec
from treadle.model.parts import IDENTITY
from treadle.model.values import plain, rotation_matrix

__all__ = ["SHAPES", "add_shapes", "add_tag", "angles", "numbers", "origin", "shapes_of"]

#: Shapes that are written.
SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")


def add_tag(parent: Any, tag: str, **attributes: str) -> Any:
    """A new element inside another one."""
    from lxml import etree  # type: ignore[reportAttributeAccessIssue]

    return etree.SubElement(parent, tag, attrib=attributes)


def numbers(values: Any) -> str:
    """Numbers so that they are read back exactly."""
    # adding zero turns -0.0 into 0.0
    return " ".join(repr(float(x) + 0.0) for x in np.atleast_1d(values))


def origin(parent: Any, position: Any, rotation: Any = IDENTITY) -> None:
    """The pose of an element, unless it is none."""
    attributes = {}
    if np.any(position):
        attributes["xyz"] = numbers(position)
    if plain(rotation) != IDENTITY:
        attributes["rpy"] = numbers(angles(rotation_matrix(rotation)))
    if attributes:
        add_tag(parent, "origin", **attributes)


def angles(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw with R = Rz(yaw) Ry(pitch) Rx(roll), to rounding also where pitch is upright."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    yaw = math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    # what is left of R once it is turned back by yaw: its second row is (0, cos(roll), -sin(roll))
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def shapes_of(spec: ModelSpec) -> list[ShapeSpec]:
    """All shapes, with those of the bodies that are solids and have no others."""
    shown = {shape.body for shape in spec.shapes}
    solids = [body for body in spec.bodies if body.type is not None and body.name not in shown]
    return spec.shapes + [
        ShapeSpec(body.name, body.name, str(body.type), body.size, position=body.center) for body in solids
    ]


def add_shapes(link: Any, shapes: Sequence[ShapeSpec]) -> None:
    """Those of a link's shapes that URDF has."""
    for shape in shapes:
        if shape.type == "capsule":
            for part in _capsule_parts(shape):
                _add_shape(link, part)
        elif shape.type in SHAPES:
            _add_shape(link, shape)


def _capsule_parts(shape: ShapeSpec) -> list[ShapeSpec]:
    radius, length = plain(shape.size)
    R = rotation_matrix(shape.rotation)
    common = {"role": shape.role, "rotation": shape.rotation, "color": shape.color}
    parts = [
        ShapeSpec(shape.name, shape.body, "cylinder", (radius, length), position=shape.position, **common)
    ]
    for sign, end in ((1.0, "top"), (-1.0, "bottom")):
        center = np.array(shape.position) + R[:, 2] * (sign * length / 2.0)
        name = f"{shape.name}_{end}"
        parts.append(ShapeSpec(name, shape.body, "sphere", (radius,), position=center, **common))
    return parts


def _add_shape(link: Any, shape: ShapeSpec) -> None:
    element = add_tag(link, shape.role, name=shape.name)
    origin(element, shape.position, shape.rotation)
    geometry, size = add_tag(element, "geometry"), plain(shape.size)
    match shape.type:
        case "box":
            add_tag(geometry, "box", size=numbers(size))
        case "sphere":
            add_tag(geometry, "sphere", radius=numbers(size))
        case "cylinder":
            add_tag(geometry, "cylinder", radius=numbers(size[0]), length=numbers(size[1]))
        case "mesh":
            scale = {} if plain(shape.scale) == (1.0, 1.0, 1.0) else {"scale": numbers(shape.scale)}
            add_tag(geometry, "mesh", filename=str(shape.file), **scale)
    if shape.role == "visual" and shape.color is not None:
        # a material of its own for each colour: some programs take the first colour of a name for all
        name = "color_" + "_".join(f"{x:g}" for x in plain(shape.color))
        add_tag(add_tag(element, "material", name=name), "color", rgba=numbers(shape.color))
