"""The browser application: a machine to look at and to drive, live or from a recording."""

from treadle.app.live import Live
from treadle.app.replay import Replay
from treadle.app.server import Server, open_server
from treadle.app.view import view

__all__ = ["Live", "Replay", "Server", "open_server", "view"]
