"""Numbers of the kinds of shapes, in the order in which a pair is put before its kernel, and their sizes.

| kind | three sizes (m) |
|---|---|
| plane | - ; solid below its z axis |
| sphere | radius |
| capsule | radius, half the length of the straight part along z |
| box | half lengths |
| cylinder | radius, half the length along z |
| ellipsoid | half axes |
| height field | half lengths along x and y, depth below the lowest point |
| mesh | - ; handled by coal |
"""

from __future__ import annotations

__all__ = [
    "BOX", "CAPSULE", "CYLINDER", "ELLIPSOID", "HEIGHT_FIELD", "KINDS", "MESH", "PLANE", "SPHERE",
]  # fmt: skip

PLANE, SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID, HEIGHT_FIELD, MESH = range(8)

#: Numbers by the names that a model uses.
KINDS = {
    "plane": PLANE,
    "sphere": SPHERE,
    "capsule": CAPSULE,
    "box": BOX,
    "cylinder": CYLINDER,
    "ellipsoid": ELLIPSOID,
    "height_field": HEIGHT_FIELD,
    "mesh": MESH,
    "part": MESH,
}
