"""The body that was clicked, with a box around it and its name; and a measuring tape."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.app.overlays import size

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["Selection", "Tape", "hit"]

_COLOR = (255, 150, 20)


class Selection:
    """One body at most; `changed` is called with its name, or with None."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        #: the name of the body, as that of its node
        self.body: str | None = None
        self.changed: list[Callable[[str | None], None]] = []
        self._nodes: list[Any] = []

    def choose(self, body: str | None) -> None:
        """Select a body instead of the one that is selected; the same one again: none."""
        body = None if body == self.body else body
        self.body = body
        for node in self._nodes:
            node.remove()
        self._nodes = [] if body is None else self._marked(body)
        for call in self.changed:
            call(body)

    def title(self, body: str) -> str:
        """The name of a body, with the joint that moves it."""
        model = self._stage.sim.model
        frame = next((frame for frame in model.frames if frame.name == body), None)
        return body if frame is None or frame.body < 0 else f"{body} on joint {model.joints[frame.body].name}"

    def _marked(self, body: str) -> list[Any]:
        stage = self._stage
        scene = stage.scene
        corners = scene.body_corners(body)
        if not len(corners):
            return []
        low, high = corners.min(axis=0), corners.max(axis=0)
        pad = 0.01 * size(scene)
        edges = _edges(low - pad, high + pad)
        # on its node, which moves; that of the world's own body stands still
        path = scene.nodes[body].name if body in scene.nodes else scene.root.name
        server = stage.server.scene
        top = np.array([*(0.5 * (low + high))[:2], high[2] + pad])
        return [
            server.add_line_segments(
                f"{path}/selected", edges, colors=_COLOR, thickness=2.5, thickness_units="screen"
            ),
            server.add_label(
                f"{path}/name of selected", self.title(body), position=top, anchor="bottom-center"
            ),
        ]


class Tape:
    """The distance of two points that were clicked, each on its body."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        #: whether clicks are for the tape
        self.on = False
        # bodies and points in the axes of their nodes
        self.ends: list[tuple[str, np.ndarray]] = []
        self._line: Any = None
        self._label: Any = None

    def switch(self, on: bool) -> None:
        """Begin to measure, or take the tape away."""
        self.on, self.ends = on, []
        self._remove()

    def touch(self, body: str, place: np.ndarray) -> None:
        """Put an end on a body, at a place in the world (m); after two ends it begins again."""
        scene = self._stage.scene
        if len(self.ends) == 2:
            self.ends = []
            self._remove()
        point = np.linalg.inv(scene.pose(body)) @ np.array([*place, 1.0])
        self.ends.append((body, point[:3]))
        if len(self.ends) == 2:
            server, path = self._stage.server.scene, f"{scene.under}/overlay/tape"
            self._line = server.add_line_segments(
                path, np.zeros((1, 2, 3)), colors=(200, 30, 120), thickness=3.0, thickness_units="screen"
            )
            self._label = server.add_label(f"{path} label", "")
        self.frame()

    def places(self) -> np.ndarray:
        """Where the ends are now (n, 3), in the world (m)."""
        poses = [(self._stage.scene.pose(body), point) for body, point in self.ends]
        return np.array([(X @ np.array([*point, 1.0]))[:3] for X, point in poses]).reshape(-1, 3)

    @property
    def text(self) -> str:
        """What is measured."""
        if not self.on:
            return ""
        if len(self.ends) < 2:
            return (
                "click a point on a body, and then another one" if not self.ends else "click the other point"
            )
        x, y, z = way = np.subtract(*self.places()[::-1])
        return f"{np.linalg.norm(way):.4g} m (x {x:+.4g}, y {y:+.4g}, z {z:+.4g})"

    def frame(self) -> None:
        """Go along with the bodies."""
        line, label = self._line, self._label
        if line is not None and len(self.ends) == 2:
            places = self.places()
            if not np.allclose(line.points[0], places, rtol=0.0, atol=1e-6 * size(self._stage.scene)):
                line.points = places[None].astype(np.float32)
                label.position, label.text = (
                    places.mean(axis=0),
                    f"{np.linalg.norm(places[1] - places[0]):.4g} m",
                )

    def _remove(self) -> None:
        for node in (self._line, self._label):
            if node is not None:
                node.remove()
        self._line = self._label = None


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


def _edges(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The edges (12, 2, 3) of a box."""
    ends = np.array([low, high])
    found = []
    for along in range(3):
        first, second = (k for k in range(3) if k != along)
        for i, j in itertools.product((0, 1), repeat=2):
            a, b = low.copy(), high.copy()
            a[first] = b[first] = ends[i, first]
            a[second] = b[second] = ends[j, second]
            found.append([a, b])
    return np.array(found)
