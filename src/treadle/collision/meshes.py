"""Pairs with meshes, through coal (Pan, Chitta and Manocha, 2012; Montaut and others, 2024).

A closed mesh that is convex is a solid; any other mesh is a surface without thickness, whose triangles are
found through a tree of oriented boxes. This part runs in Python: a machine without meshes never comes here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.collision.kinds import HEIGHT_FIELD, MESH, PLANE
from treadle.collision.mesh import Mesh
from treadle.collision.shapes import Shapes
from treadle.errors import InputError

if TYPE_CHECKING:
    from treadle.collision.contacts import Contacts

__all__ = ["MeshPairs"]

#: Most contact points of one pair.
_MOST = 64


class MeshPairs:
    """The shapes of a collider as coal knows them; `meshes` are those that are meshes, by number."""

    def __init__(self, shapes: Shapes, meshes: dict[int, Mesh]) -> None:
        self._shapes = shapes
        self._meshes = meshes
        self._geometries: dict[int, Any] = {}

    @cached_property
    def _coal(self) -> Any:
        try:
            import coal  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise InputError("meshes collide through coal: install treadle[meshes]") from None
        return coal

    def append(self, a: int, b: int, X: np.ndarray, margin: float, contacts: Contacts) -> bool:
        """Append the contact points of shapes a and b; whether there was room for them."""
        rows = self.points(a, b, X, margin)
        start = int(contacts.total[0])
        contacts.total[0] = start + len(rows)
        if contacts.total[0] > len(contacts.data):
            return False
        contacts.data[start : start + len(rows)] = rows
        contacts.pairs[start : start + len(rows)] = (a, b)
        contacts.feature[start : start + len(rows)] = np.arange(len(rows))
        return True

    def points(self, a: int, b: int, X: np.ndarray, margin: float) -> np.ndarray:
        """Rows (n, 10) of contact data, see `contacts`."""
        kind = self._shapes.kind
        if PLANE in (kind[a], kind[b]):
            return self._on_plane(a, b, X, margin)
        coal = self._coal
        request = coal.CollisionRequest()
        request.num_max_contacts = _MOST
        request.enable_contact = True
        request.security_margin = float(margin)
        result = coal.CollisionResult()
        first, second = self._geometry(a), self._geometry(b)
        poses = self._pose(X, a), self._pose(X, b)
        coal.collide(first, poses[0], second, poses[1], request, result)
        found = [result.getContact(i) for i in range(result.numContacts())]
        if len(found) == 1 and self._is_solid(a) and self._is_solid(b):
            patches = coal.ContactPatchResult()
            coal.computeContactPatch(
                first, poses[0], second, poses[1], result, coal.ContactPatchRequest(), patches
            )
            rows = self._patch_rows(patches, margin)
            if len(rows) > 1:
                return rows
        rows = [
            [*item.getNearestPoint1(), *item.getNearestPoint2(), *item.normal, item.penetration_depth]
            for item in found
        ]
        return _distinct(np.array(rows).reshape(-1, 10))

    def distance(self, a: int, b: int, X: np.ndarray) -> np.ndarray:
        """The row of contact data at the least distance."""
        if PLANE in (self._shapes.kind[a], self._shapes.kind[b]):
            rows = self._on_plane(a, b, X, np.inf)
            return rows[rows[:, 9].argmin()]
        coal = self._coal
        result = coal.DistanceResult()
        request = coal.DistanceRequest(True, True)
        value = coal.distance(
            self._geometry(a), self._pose(X, a), self._geometry(b), self._pose(X, b), request, result
        )
        return np.array([*result.getNearestPoint1(), *result.getNearestPoint2(), *result.normal, value])

    def _on_plane(self, a: int, b: int, X: np.ndarray, margin: float) -> np.ndarray:
        """The corners of the mesh near the plane; the outermost eight and the lowest if there are more."""
        swapped = self._shapes.kind[b] == PLANE
        plane, other = (b, a) if swapped else (a, b)
        R, n = X[plane, :9].reshape(3, 3), X[plane, [2, 5, 8]]
        points = self._meshes[other].points @ X[other, :9].reshape(3, 3).T + X[other, 9:12]
        heights = (points - X[plane, 9:12]) @ n
        near = np.flatnonzero(heights <= margin)
        if len(near) > 8:
            flat = (points[near] - points[near].mean(axis=0)) @ R[:, :2]
            turns = np.arange(8) * np.pi / 4.0
            outer = (flat @ np.array([np.cos(turns), np.sin(turns)])).argmax(axis=0)
            near = near[np.unique([*outer, heights[near].argmin()])]
        rows = np.zeros((len(near), 10))
        rows[:, 3:6] = points[near]
        rows[:, :3] = points[near] - heights[near, None] * n
        rows[:, 6:9] = n
        rows[:, 9] = heights[near]
        return rows[:, [3, 4, 5, 0, 1, 2, 6, 7, 8, 9]] * _FLIP if swapped else rows

    def _patch_rows(self, patches: Any, margin: float) -> np.ndarray:
        rows = []
        for i in range(patches.numContactPatches()):
            patch = patches.getContactPatch(i)
            for k in range(patch.size()):
                first, second = np.array(patch.getPointShape1(k)), np.array(patch.getPointShape2(k))
                n = np.array(patch.getNormal())
                distance = float((second - first) @ n)
                if distance <= margin:
                    rows.append([*first, *second, *n, distance])
        return np.array(rows).reshape(-1, 10)

    def _is_solid(self, s: int) -> bool:
        kind = self._shapes.kind[s]
        return kind < HEIGHT_FIELD or (kind == MESH and self._meshes[s].convex)

    def _pose(self, X: np.ndarray, s: int) -> Any:
        return self._coal.Transform3s(X[s, :9].reshape(3, 3), X[s, 9:12])

    def _geometry(self, s: int) -> Any:
        if s not in self._geometries:
            self._geometries[s] = self._make(s)
        return self._geometries[s]

    def _make(self, s: int) -> Any:
        coal, size = self._coal, self._shapes.size[s]
        match self._shapes.kind[s]:
            case 1:
                return coal.Sphere(size[0])
            case 2:
                return coal.Capsule(size[0], 2.0 * size[1])
            case 3:
                return coal.Box(*(2.0 * size))
            case 4:
                return coal.Cylinder(size[0], 2.0 * size[1])
            case 5:
                return coal.Ellipsoid(*size)
        mesh = self._meshes[s]
        points = coal.StdVec_Vec3s()
        points.extend([np.array(point) for point in mesh.points])
        triangles = coal.StdVec_Triangle()
        triangles.extend([coal.Triangle(*(int(i) for i in triangle)) for triangle in mesh.triangles])
        if mesh.convex:
            return coal.Convex(points, triangles)
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.triangles), len(mesh.points))
        model.addSubModel(points, triangles)
        model.endModel()
        return model


#: Turns the normal around.
_FLIP = np.array([1.0] * 6 + [-1.0] * 3 + [1.0])


def _distinct(rows: np.ndarray) -> np.ndarray:
    """Without those that neighbouring triangles give twice."""
    kept: list[np.ndarray] = []
    for row in rows:
        if not any(np.abs(row - other).max() < 1e-7 for other in kept):
            kept.append(row)
    return np.array(kept).reshape(-1, 10)
