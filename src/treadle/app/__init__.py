"""The browser application: a machine to look at and to drive, live or from a recording.

Its modules are imported when one of these names is first asked for: the page's libraries take their time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treadle.app.live import Live
    from treadle.app.replay import Replay
    from treadle.app.server import Server, open_server
    from treadle.app.worlds import Worlds

__all__ = ["Live", "Replay", "Server", "Worlds", "open_server"]

_HOMES = {"Live": "live", "Replay": "replay", "Server": "server", "Worlds": "worlds", "open_server": "server"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'treadle.app' has no attribute {name!r}")
    value = getattr(import_module(f"treadle.app.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
