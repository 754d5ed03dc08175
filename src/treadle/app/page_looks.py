"""What a page says about itself: whether it is dark, and whether a graphics card draws it."""

from __future__ import annotations

from typing import Any

from treadle.app.page_line import PageLine
from treadle.app.server import Server, configure_theme

__all__ = ["connect_looks"]


def connect_looks(server: Server, line: PageLine) -> None:
    """Give every page the colours and reflections that it asks for."""

    def darken(client: int, dark: Any) -> None:
        """A page is to be dark, or light again."""
        page = server.get_clients().get(client)
        if page is not None:
            configure_theme(page.gui, _flag(dark))

    def reflect(client: int, card: Any) -> None:
        """Give a page with a graphics card something to reflect; it would quarter the rate of others."""
        page = server.get_clients().get(client)
        if _flag(card) and page is not None:
            page.scene.configure_environment_map("warehouse", environment_intensity=0.3)

    line.on("dark", darken, drives=False)
    line.on("graphics", reflect, drives=False)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value
