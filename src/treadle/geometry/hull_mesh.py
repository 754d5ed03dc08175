"""Meshes of hulls: read from files, and the added mass that a boundary-element code finds for them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.extras import require
from treadle.geometry.mesh import read_mesh

__all__ = ["hull_mesh", "mesh_added_mass"]

#: Rigid motions in the order of spatial vectors, as capytaine names them.
_MOTIONS = ("Roll", "Pitch", "Yaw", "Surge", "Sway", "Heave")


def hull_mesh(path: str | PathLike[str], scale: float | Sequence[float] = 1.0) -> dict[str, Any]:
    """Parameters `shape`, `points` and `triangles` of a hull, from a mesh file; equal points become one."""
    points, triangles = read_mesh(path, scale)
    size = np.abs(points).max() if len(points) else 1.0
    _, first, number = np.unique(
        np.round(points / (1e-9 * size)), axis=0, return_index=True, return_inverse=True
    )
    joined = np.asarray(number).reshape(-1)[triangles]
    whole = [row for row in joined.tolist() if len(set(row)) == 3]
    return {"shape": "mesh", "points": points[first].tolist(), "triangles": whole}


def mesh_added_mass(points: ArrayLike, triangles: ArrayLike, density: float = 1000.0) -> np.ndarray:
    """6 x 6 added mass (angular part first) of a closed mesh far below the surface, about its origin.

    By the boundary-element method of capytaine, which the extra `hydro` installs; it converges with the
    square root of the number of triangles, and needs far more of them than buoyancy does.
    """
    capytaine = require("capytaine", "added mass of a mesh")
    corners, faces = np.asarray(points, dtype=float), np.asarray(triangles, dtype=int)
    logging.getLogger("capytaine").setLevel(logging.ERROR)
    # its panels have four corners: that of a triangle comes twice
    panels = np.column_stack([faces, faces[:, 2]])
    body = capytaine.FloatingBody(
        mesh=capytaine.Mesh(vertices=corners, faces=panels),
        dofs=capytaine.rigid_body_dofs(rotation_center=(0.0, 0.0, 0.0)),
    )
    solver = capytaine.BEMSolver()
    matrix = np.empty((6, 6))
    for column, motion in enumerate(_MOTIONS):
        problem = capytaine.RadiationProblem(
            body=body, radiating_dof=motion, free_surface=np.inf, water_depth=np.inf, rho=float(density)
        )
        found = solver.solve(problem).added_masses
        matrix[:, column] = [found[name] for name in _MOTIONS]
    return 0.5 * (matrix + matrix.T)
