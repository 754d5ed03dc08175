"""Pictures and films of machines without a window."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import viser

from treadle.app.browser import Browser
from treadle.app.cameras import VIEWS, View, first_view, look, standard_view, traveller
from treadle.app.closing import Closing
from treadle.app.scene import Scene
from treadle.app.server import open_server
from treadle.errors import InputError
from treadle.model.model import Model

__all__ = ["FORMATS", "Studio", "film_writer", "picture_writer"]

#: What a film can be written as, by the end of its name.
FORMATS = (".mp4", ".webm", ".gif", ".webp")

#: Seconds for the browser to open the page, and to draw one picture.
_OPEN, _DRAW = 60.0, 60.0


class Studio(Closing):
    """A scene in a browser without a window: `show(q)`, then `picture()`."""

    def __init__(self, model: Model, width: int = 1280, height: int = 720, view: str | None = None) -> None:
        if not (64 <= width <= 4096 and 64 <= height <= 4096):
            raise InputError(f"a picture is 64 to 4096 pixels wide and high, not {width} x {height}")
        if view is not None and view not in VIEWS:
            raise InputError(f"there is no view {view!r}; there are {', '.join(VIEWS)}")
        self._size = width, height
        self._server = open_server(port=0)
        try:
            self.scene = Scene(self._server, model)
            self._browser = Browser(self._server.url, width, height + 100)
        except BaseException:
            self._server.stop()
            raise
        super().__init__()
        #: the body that a camera goes along with, and where it was at first
        self._travels = traveller(model, list(self.scene.nodes))
        self._home = np.zeros(3) if self._travels is None else self.scene.pose(self._travels)[:3, 3]
        try:
            self._page = self._opened()
            self._view = first_view(self._server) if view is None else standard_view(self.scene, view)
            self._look()
        except BaseException:
            self.close()
            raise

    def show(self, q: np.ndarray) -> None:
        """Put the machine where it is at q."""
        self.scene.show(q)

    def follow(self) -> None:
        """Move the camera as far as the machine has travelled, where it is free to."""
        if self._travels is not None:
            moved = self.scene.pose(self._travels)[:3, 3] - self._home
            moved[2] = 0.0
            view = self._view
            position, target = (tuple((x + moved).tolist()) for x in (view.position, view.look_at))
            look(self._page, View(position, target))

    def picture(self) -> np.ndarray:
        """What is seen now: height x width x 3, 8 bits."""
        width, height = self._size
        guard = self._server.guard
        guard.pictures += 1
        try:
            return self._page.get_render(height, width, transport_format="jpeg", timeout=_DRAW)[:, :, :3]
        except TimeoutError:
            raise InputError(f"the browser gave no picture within {_DRAW:g} s; try a smaller one") from None
        finally:
            guard.pictures -= 1

    def _close(self) -> None:
        """Close the browser and the server."""
        self._browser.close()
        self._server.stop()

    def _look(self) -> None:
        """Say where from; what the page itself says of its camera may be older than the scene."""
        self._page.camera.fov = self._server.initial_camera.fov
        look(self._page, self._view)
        time.sleep(0.5)

    def _opened(self) -> viser.ClientHandle:
        """The page, once it is there."""
        end = time.monotonic() + _OPEN
        while time.monotonic() < end and self._browser.alive:
            clients = self._server.get_clients()
            if clients:
                # the meshes follow the first word of the page
                time.sleep(1.0)
                return next(iter(clients.values()))
            time.sleep(0.05)
        raise InputError("the browser did not open the page; try whether chromium --headless=new runs")


def picture_writer(path: Path) -> tuple[Callable[[np.ndarray], None], Callable[[], None]]:
    """What writes a picture, and what ends it."""
    import imageio.v2 as imageio

    return lambda picture: imageio.imwrite(path, picture), lambda: None


def film_writer(path: Path, rate: float) -> tuple[Callable[[np.ndarray], None], Callable[[], None]]:
    """What takes the pictures of a film one by one, and what ends it."""
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise InputError(f"a film ends in {', '.join(FORMATS)}, not {path.suffix or path.name!r}")
    import imageio.v2 as imageio

    options: dict[str, Any] = {"duration": 1e3 / rate, "loop": 0}
    if kind in (".mp4", ".webm"):
        try:
            import imageio_ffmpeg  # noqa: F401  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise InputError(
                f"{kind} films need imageio-ffmpeg: pip install 'treadle[video]', or write a .gif or .webp"
            ) from None
        codec = "libx264" if kind == ".mp4" else "libvpx-vp9"
        options = {"fps": rate, "codec": codec, "quality": 7, "macro_block_size": 2}
    writer: Any = imageio.get_writer(path, **options)
    return writer.append_data, writer.close
