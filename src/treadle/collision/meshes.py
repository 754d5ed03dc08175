"""Meshes that are not convex against each other and against height fields, through coal.

Both are surfaces without thickness, whose triangles are found through trees of oriented boxes (Pan, Chitta
and Manocha, 2012; Montaut and others, 2024). This part runs in Python: all other pairs have kernels.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.collision.mesh import Mesh
from treadle.extras import require

if TYPE_CHECKING:
    from treadle.collision.contacts import Contacts

__all__ = ["MeshPairs"]

#: Most contact points of one pair.
_MOST = 64


class MeshPairs:
    """Meshes as coal knows them, by the number of the shape."""

    def __init__(self, meshes: dict[int, Mesh]) -> None:
        self._meshes = meshes
        self._geometries: dict[int, Any] = {}

    @cached_property
    def _coal(self) -> Any:
        return require("coal", "contact of meshes that are not convex")

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
        rows = [
            [*item.getNearestPoint1(), *item.getNearestPoint2(), *item.normal, item.penetration_depth]
            for item in found
        ]
        return _distinct(np.array(rows).reshape(-1, 10))

    def distance(self, a: int, b: int, X: np.ndarray) -> np.ndarray:
        """The row of contact data at the least distance."""
        coal = self._coal
        result = coal.DistanceResult()
        request = coal.DistanceRequest(True, True)
        value = coal.distance(
            self._geometry(a), self._pose(X, a), self._geometry(b), self._pose(X, b), request, result
        )
        return np.array([*result.getNearestPoint1(), *result.getNearestPoint2(), *result.normal, value])

    def _pose(self, X: np.ndarray, s: int) -> Any:
        return self._coal.Transform3s(X[s, :9].reshape(3, 3), X[s, 9:12])

    def _geometry(self, s: int) -> Any:
        if s not in self._geometries:
            self._geometries[s] = self._make(s)
        return self._geometries[s]

    def _make(self, s: int) -> Any:
        coal = self._coal
        mesh = self._meshes[s]
        points = coal.StdVec_Vec3s()
        points.extend([np.array(point) for point in mesh.points])
        triangles = coal.StdVec_Triangle()
        triangles.extend([coal.Triangle(*(int(i) for i in triangle)) for triangle in mesh.triangles])
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.triangles), len(mesh.points))
        model.addSubModel(points, triangles)
        model.endModel()
        return model


def _distinct(rows: np.ndarray) -> np.ndarray:
    """Without those that neighbouring triangles give twice."""
    kept: list[np.ndarray] = []
    for row in rows:
        if not any(np.abs(row - other).max() < 1e-7 for other in kept):
            kept.append(row)
    return np.array(kept).reshape(-1, 10)
