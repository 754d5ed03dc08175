"""The body that was clicked, with a box around it and its name."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.app.overlays import size

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["Selection"]

_COLOR = (255, 150, 20)


class Selection:
    """One body at most; `changed` is called with its name, or with None."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        #: the name of the body, as that of its node
        self.body: str | None = None
        #: where it was clicked, in its own axes (m); its origin where nobody has
        self.place = (0.0, 0.0, 0.0)
        self.changed: list[Callable[[str | None], None]] = []
        self._nodes: list[Any] = []

    def choose(self, body: str | None, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        """Select a body, clicked at a place, instead of the one that is selected; the same again: none."""
        body = None if body == self.body else body
        self.body, self.place = body, place
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
