"""A machine on open pages: its title, its look, names under the pointer, and where cameras stand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from treadle.app.cameras import aim_task
from treadle.app.scene import Scene
from treadle.app.server import Server
from treadle.app.viser_private import button_hints, run_script

__all__ = ["Presenter"]


class Presenter:
    """Runs the page's scripts for one scene, on all pages or on some."""

    def __init__(self, server: Server, scene: Scene) -> None:
        self._server, self._scene = server, scene
        self._followed: str | None = None

    def script(self, source: str, clients: Sequence[int] | None = None) -> None:
        """Run a script on pages, all of them unless they are named."""
        for number, client in self._server.get_clients().items():
            if clients is None or number in clients:
                run_script(client, source)

    def call(self, name: str, arguments: Sequence[Any], clients: Sequence[int] | None = None) -> None:
        """Call a function of the page's scripts, such as "treadle.title"."""
        module, _, function = name.partition(".")
        values = ", ".join(json.dumps(value) for value in arguments)
        self.script(f"window.{module}?.{function}({values})", clients)

    def title(
        self, name: str, link: str | None, keys: Sequence[str], clients: Sequence[int] | None = None
    ) -> None:
        """The title, the scene in the address, tooltips of buttons, and keys that viser is not to use."""
        self.call("treadle.title", [name, link], clients)
        self.call("treadle.hints", [button_hints(self._server)], clients)
        self.call("treadle.keys", [list(keys)], clients)

    def look(self, cast: bool | None, clients: Sequence[int] | None = None) -> None:
        """The sky, the surfaces, and shadows and shading as someone has chosen (None: as the page can)."""
        scene = self._scene
        ground = "" if scene.ground is None else scene.ground.name
        self.call("treadleSky.show", [scene.sky, ground, scene.surfaces, cast], clients)
        low, high = scene.bounds
        self.call("treadleShading.show", [ground, float((high - low).max()), cast], clients)

    def names(self, titles: Mapping[str, str], clients: Sequence[int] | None = None) -> None:
        """What is said of bodies under the pointer, by the name of their frame."""
        table = {self._scene.nodes[body].name: title for body, title in titles.items()}
        self.call("treadleHover.show", [table, self._scene.under], clients)

    def view(self, name: str | None = None, heading: float = 0.0) -> dict[str, Any]:
        """What `cameras.js` needs to look at the machine where it is now, see `aim_task`."""
        task = aim_task(self._scene, name, self._server.initial_camera.fov, heading)
        return task | {"followed": None if self._followed is None else self._place(self._followed)}

    def aim(self, view: dict[str, Any], clients: Sequence[int] | None = None, opened: bool = False) -> None:
        """Have pages look from there; with `opened` those that look at it already stay as they are."""
        self.call("treadleCameras.aim", [view, opened], clients)

    def follow(self, body: str | None, turns: bool, clients: Sequence[int] | None = None) -> None:
        """Have pages go along with a body, and turn with it; with none they stay."""
        self._followed = body
        name = None if body is None else self._scene.nodes[body].name
        self.call("treadleCameras.follow", [name, turns, self._place(body or "")], clients)

    def _place(self, body: str) -> dict[str, Any]:
        """Where a body is now, below the machine's node: pages may be behind."""
        pose = self._scene.pose(body)
        return {"root": self._scene.under, "place": pose[:3, 3].tolist(), "front": pose[:3, 0].tolist()}
