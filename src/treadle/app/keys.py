"""The keyboard: which keys are down on which page.

viser knows when a key was pressed but not when it was let go, so pages tell so over a line of their own
beside viser's, `/keys`, with a password that was given to each of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable
from importlib.resources import files

import viser
from viser import _messages
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from treadle.app.crew import Crew
from treadle.app.guard import Bucket
from treadle.app.server import Server

__all__ = ["PATH", "Keys"]

#: Where the line is.
PATH = "/keys"

#: Characters of a message, and seconds for the password to come.
_LONGEST, _PATIENCE = 200, 10.0


class Keys:
    """Keys of the one who drives: `on_down(client, key)`, `on_up(client, key)`, or None for all keys."""

    def __init__(self, server: Server, crew: Crew) -> None:
        self._server, self._crew = server, crew
        self._clients: dict[str, int] = {}
        self.on_down: Callable[[int, str], None] = lambda client, key: None
        self.on_up: Callable[[int, str | None], None] = lambda client, key: None
        server.guard.handlers[PATH] = self._listen
        crew.on_join.append(self._welcome)
        crew.on_release.append(lambda client: self.on_up(client, None))

    def _welcome(self, client: viser.ClientHandle) -> None:
        """Send the page its script."""
        password = secrets.token_urlsafe(12)
        live = self._server._websock_server._live_connections
        self._clients = {key: number for key, number in self._clients.items() if number in live}
        self._clients[password] = client.client_id
        home = files("treadle.app")
        script = home.joinpath("page.js").read_text() + home.joinpath("cameras.js").read_text()
        script = script.replace("PASSWORD", password).replace("PATH", PATH)
        client._websock_connection.queue_message(_messages.RunJavascriptMessage(script))

    async def _listen(self, connection: ServerConnection) -> None:
        client: int | None = None
        bucket, guard = Bucket(), self._server.guard
        with contextlib.suppress(ConnectionClosed, asyncio.TimeoutError):
            word = await asyncio.wait_for(connection.recv(), _PATIENCE)
            client = self._clients.get(word) if isinstance(word, str) else None
            while client is not None:
                raw = await connection.recv()
                if not bucket.take():
                    guard.dropped["too many"] += 1
                    continue
                if len(raw) > _LONGEST or not self._heard(client, raw):
                    guard.dropped["malformed"] += 1
        if client is not None:
            self.on_up(client, None)

    def _heard(self, client: int, raw: str | bytes) -> bool:
        """Act on a message such as {"down": "i"} or {"up": null}; whether it was one."""
        try:
            ((kind, key),) = json.loads(raw).items()
        except (ValueError, AttributeError):
            return False
        if kind == "up" and (key is None or isinstance(key, str)):
            self.on_up(client, key)
        elif kind == "down" and isinstance(key, str):
            if self._crew.may_drive(client):
                self.on_down(client, key)
        else:
            return False
        return True
