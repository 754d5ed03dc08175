"""Numbers of the shape kinds, in the order in which a kernel takes the two of a pair, and their sizes.

| kind | three sizes (m) |
|---|---|
| plane | - ; solid below its z axis |
| sphere | radius |
| capsule | radius, half the length of the straight part along z |
| box | half lengths |
| cylinder | radius, half the length along z |
| ellipsoid | half axes |
| hull, a mesh that bounds a convex solid | half lengths of the box around it |
| height field | half lengths along x and y, depth below the lowest point |
| mesh, any other | half lengths of the box around it |

To the kernels a shape is a row of numbers: rotation by rows and position in the world, then from `SIZE` on
its three sizes, the radius of the bounding sphere around its origin, its kind, and the address of the data of
a hull, a field or a mesh (see `blocks`).
"""

from __future__ import annotations

__all__ = [
    "BLOCK", "BOX", "CAPSULE", "COUNT", "CYLINDER", "ELLIPSOID", "HEIGHT_FIELD", "HULL", "KIND", "KINDS",
    "MESH", "PLANE", "REACH", "ROW", "SIZE", "SPHERE",
]  # fmt: skip

PLANE, SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID, HULL, HEIGHT_FIELD, MESH = range(9)

#: Number of kinds.
COUNT = 9

#: Places in a row of a shape, and its length.
SIZE, REACH, KIND, BLOCK, ROW = 12, 15, 16, 17, 18

#: Numbers by the names that a model uses; a mesh is a hull if it bounds a convex solid.
KINDS = {
    "plane": PLANE,
    "sphere": SPHERE,
    "capsule": CAPSULE,
    "box": BOX,
    "cylinder": CYLINDER,
    "ellipsoid": ELLIPSOID,
    "hull": HULL,
    "height_field": HEIGHT_FIELD,
    "mesh": MESH,
    "part": MESH,
}
