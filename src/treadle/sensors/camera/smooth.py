"""Normals at the corners of triangles, smooth over faces that meet at a small angle."""

from __future__ import annotations

import numpy as np

from treadle.sensors.rays import RayScene

__all__ = ["corner_normals"]

#: Edges that are sharper than this (rad) stay sharp, as on the page.
_SHARP = 0.5

#: Corners that are closer than this (m) are one point.
_MERGED = 1e-6


def corner_normals(scene: RayScene) -> np.ndarray:
    """Normals (items, 9) at the three corners of every triangle of a scene, in body axes; zero for others.

    The normal at a corner is the mean of the normals of the faces that it shares with no sharp edge between,
    weighted by area.
    """
    found = np.zeros((len(scene.geometry.items), 9))
    pieces, numbers = scene.sources
    smooth = {k: _smooth(p.triangles) for k, p in enumerate(scene.pieces) if p.triangles is not None}
    for k, normals in smooth.items():
        rows = np.flatnonzero(pieces == k)
        found[rows] = normals[numbers[rows]].reshape(-1, 9)
    return found


def _smooth(triangles: np.ndarray) -> np.ndarray:
    """Normals (n, 3, 3) at the corners of triangles (n, 3, 3)."""
    import trimesh

    points, faces = np.unique(
        np.round(triangles.reshape(-1, 3) / _MERGED).astype(np.int64), axis=0, return_inverse=True
    )
    faces = faces.reshape(-1, 3)
    solid = trimesh.Trimesh(points * _MERGED, faces, process=False)
    areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    near = solid.face_adjacency[solid.face_adjacency_angles < _SHARP]
    patch = trimesh.graph.connected_component_labels(near, node_count=len(faces))
    # one normal for each point in each patch of smoothly joined faces
    keys = patch[:, None].astype(np.int64) * len(points) + faces
    _, group = np.unique(keys, return_inverse=True)
    group = group.reshape(-1, 3)
    total = np.zeros((group.max() + 1, 3))
    for corner in range(3):
        np.add.at(total, group[:, corner], areas)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return (total / np.where(length > 0.0, length, 1.0))[group]
