"""Friction cones at the contacts: a force inside its cone sticks, one on the cone slides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser

from treadle.app.scene import Scene
from treadle.sim.contacts.points import ContactPoint

__all__ = ["FrictionCones", "cone_mesh", "slides"]

#: Corners of the rim of a cone, and how many cones are drawn.
_RIM, _MOST = 20, 200

#: Share of the cone beyond which a force counts as sliding.
_EDGE = 0.98

#: Colours of cones whose contact sticks, and of those whose contact slides.
_STICKS, _SLIDES = (40, 160, 220), (235, 130, 30)


class FrictionCones:
    """Cones of all contacts with friction, as tall as the normal force on the scale of the arrows."""

    def __init__(self, server: viser.ViserServer, scene: Scene) -> None:
        #: whether they are drawn
        self.visible = False
        #: of contacts that stick (False) and that slide (True)
        self.meshes = {
            sliding: server.scene.add_mesh_simple(
                f"{scene.under}/overlay/friction cones, {'sliding' if sliding else 'sticking'}",
                np.zeros((3, 3), dtype=np.float32),
                np.array([[0, 1, 2]]),
                color=color,
                opacity=0.3,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
                visible=False,
            )
            for sliding, color in ((False, _STICKS), (True, _SLIDES))
        }

    @property
    def legend(self) -> str:
        """What the colours mean; nothing where there are no cones."""
        return "friction cones: blue sticks, orange slides" if self.visible else ""

    def frame(self, points: Sequence[ContactPoint], scale: float) -> None:
        """Show the cones of contact points; `scale` is in metres per newton."""
        rubbing = [point for point in points if point.friction > 0.0][:_MOST] if self.visible else []
        for sliding, mesh in self.meshes.items():
            cones = [point for point in rubbing if slides(point) == sliding]
            mesh.visible = bool(cones)
            if cones:
                vertices, faces = cone_mesh(cones, scale)
                if len(faces) != len(mesh.faces):
                    mesh.faces = faces
                mesh.vertices = vertices


def slides(point: ContactPoint) -> bool:
    """Whether the force of a point is on its friction cone."""
    along = float(point.force @ point.normal)
    across = float(np.linalg.norm(point.force - along * point.normal))
    return across >= _EDGE * point.friction * max(along, 0.0) and across > 0.0


def cone_mesh(points: Sequence[ContactPoint], scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of the cones of points, their tips where these touch."""
    angles = np.linspace(0.0, 2.0 * np.pi, _RIM, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    vertices, faces = [], []
    near, next_ = np.arange(_RIM), np.roll(np.arange(_RIM), -1)
    for number, point in enumerate(points):
        height = scale * max(float(point.force @ point.normal), 0.0)
        helper = np.eye(3)[int(np.argmin(np.abs(point.normal)))]
        first = np.cross(point.normal, helper)
        first /= np.linalg.norm(first)
        axes = np.stack([first, np.cross(point.normal, first)])
        rim = point.position + height * (point.normal + point.friction * circle @ axes)
        vertices.append(np.vstack([point.position, rim]))
        start = number * (_RIM + 1)
        faces.append(start + np.column_stack([np.zeros(_RIM, dtype=int), 1 + near, 1 + next_]))
    return np.vstack(vertices).astype(np.float32), np.vstack(faces).astype(np.uint32)
