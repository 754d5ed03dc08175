"""A measuring tape: distances, angles and clearances between what is clicked, followed while bodies move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.app.clearance import clearance
from treadle.app.overlays import size

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["KINDS", "Tape", "angle", "hit"]

#: What is measured, and the clicks that it takes.
KINDS = {"distance": 2, "angle": 3, "clearance": 2}

#: What is said before each click, by what is measured.
_ASKED = {
    "distance": ("click a point on a body", "click the other point"),
    "angle": ("click the end of a leg", "click the corner", "click the end of the other leg"),
    "clearance": ("click a body", "click the other body"),
}


class Tape:
    """Points that were clicked, each on its body, and a line with a number between them."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        #: what clicks are for; None where they select
        self.kind: str | None = None
        #: bodies, and points in the axes of their nodes
        self.ends: list[tuple[str, np.ndarray]] = []
        # nearest points of two bodies (2, 3), as they were found last
        self._nearest = np.zeros((0, 3))
        self._line: Any = None
        self._label: Any = None

    def switch(self, kind: str | None) -> None:
        """Begin to measure something, or take the tape away."""
        self.kind, self.ends = kind, []
        self._remove()

    def touch(self, body: str, place: np.ndarray) -> None:
        """Put a point on a body, at a place in the world (m); after the last one it begins again."""
        assert self.kind is not None
        if len(self.ends) == KINDS[self.kind]:
            self.ends = []
            self._remove()
        point = np.linalg.inv(self._stage.scene.pose(body)) @ np.array([*place, 1.0])
        self.ends.append((body, point[:3]))
        if self._complete:
            server, path = self._stage.server.scene, f"{self._stage.scene.under}/overlay/tape"
            self._line = server.add_line_segments(
                path,
                np.zeros((KINDS[self.kind] - 1, 2, 3)),
                colors=(200, 30, 120),
                thickness=3.0,
                thickness_units="screen",
            )
            self._label = server.add_label(f"{path} label", "")
        self.numbers()

    def places(self) -> np.ndarray:
        """The points of the line now (n, 3), in the world (m)."""
        if self.kind == "clearance" and self._complete:
            return self._nearest
        poses = [(self._stage.scene.pose(body), point) for body, point in self.ends]
        return np.array([(X @ np.array([*point, 1.0]))[:3] for X, point in poses]).reshape(-1, 3)

    @property
    def text(self) -> str:
        """What is measured, or what to click next."""
        if self.kind is None:
            return ""
        if not self._complete:
            return _ASKED[self.kind][len(self.ends)]
        places = self.places()
        if self.kind == "angle":
            return f"angle {np.degrees(angle(places)):.4g} degrees"
        x, y, z = way = places[1] - places[0]
        name = "clearance " if self.kind == "clearance" else ""
        return f"{name}{np.linalg.norm(way):.4g} m (x {x:+.4g}, y {y:+.4g}, z {z:+.4g})"

    def frame(self) -> None:
        """Go along with the bodies."""
        line, label = self._line, self._label
        if line is None or not self._complete:
            return
        places = self.places()
        segments = np.stack([places[:-1], places[1:]], axis=1)
        if np.allclose(line.points, segments, rtol=0.0, atol=1e-6 * size(self._stage.scene)):
            return
        line.points = segments.astype(np.float32)
        if self.kind == "angle":
            label.position, label.text = places[1], f"{np.degrees(angle(places)):.4g}\u00b0"
        else:
            length = float(np.linalg.norm(places[1] - places[0]))
            label.position, label.text = places.mean(axis=0), f"{length:.4g} m"

    def numbers(self) -> None:
        """Find the clearance, which takes longer than a frame has."""
        if self.kind == "clearance" and self._complete:
            self._nearest = clearance(*(self._surface(body) for body, _ in self.ends))
        self.frame()

    @property
    def _complete(self) -> bool:
        return self.kind is not None and len(self.ends) == KINDS[self.kind]

    def _surface(self, body: str) -> np.ndarray:
        """Triangles (n, 3, 3) of what is seen of a body, where it is shown."""
        scene = self._stage.scene
        X = scene.pose(body)
        found = [np.asarray(mesh.vertices, dtype=float)[mesh.faces] for mesh in scene.meshes[body]]
        return np.vstack(found) @ X[:3, :3].T + X[:3, 3]

    def _remove(self) -> None:
        for node in (self._line, self._label):
            if node is not None:
                node.remove()
        self._line = self._label = None


def angle(places: np.ndarray) -> float:
    """The angle (rad) at the second of three places, exact for small and for flat ones, too."""
    one, other = places[0] - places[1], places[2] - places[1]
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def hit(
    points: np.ndarray, triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray
) -> np.ndarray | None:
    """Where a ray first meets triangles (Moeller and Trumbore, 1997); None where it does not."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    one, other = b - a, c - a
    across = np.cross(direction, other)
    volume = (one * across).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = ((origin - a) * across).sum(axis=1) / volume
        turned = np.cross(origin - a, one)
        v = turned @ direction / volume
        t = (turned * other).sum(axis=1) / volume
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9) & (t > 0.0) & np.isfinite(t)
    return origin + t[inside].min() * direction if inside.any() else None
