"""A line between the page's own scripts and this application, beside viser's.

viser knows neither when a key is let go, nor gamepads, nor plots below the picture. So the scripts of a page
have a connection of their own, `/line`, with a password that was given to each page. Either side sends
messages of one kind with a value, {"down": "i"}; this side may also send rows of numbers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from importlib.resources import files
from typing import Any

import numpy as np
import viser
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from treadle.app.driver_lock import DriverLock
from treadle.app.guard import Bucket
from treadle.app.server import Server
from treadle.app.viser_private import connection_numbers, run_script

__all__ = ["PATH", "PageLine"]

#: Where the line is.
PATH = "/line"

#: Characters of a message, and seconds for the password to come.
_LONGEST, _PATIENCE = 500, 60.0

#: The page's scripts, in the order in which they run.
_SCRIPTS = (
    "viser_private.js",
    "page.js",
    "cameras.js",
    "sky.js",
    "shading.js",
    "guidance.js",
    "hover.js",
    "dock.js",
    "gamepad.js",
    "levers.js",
    "timeline.js",
    "progress.js",
    "dust.js",
)


class PageLine:
    """Calls what is registered by `on` for the messages of pages; `send` is the other way."""

    def __init__(self, server: Server, driver_lock: DriverLock) -> None:
        self._server, self._driver_lock = server, driver_lock
        # passwords, open lines, and what is on its way to each, by number of client
        self._clients: dict[str, int] = {}
        self._lines: dict[int, tuple[ServerConnection, asyncio.AbstractEventLoop]] = {}
        self._sending: dict[int, Future[Any]] = {}
        self._handlers: dict[str, tuple[Callable[[int, Any], None], bool]] = {}
        #: called with the number of a client whose line was closed, or who left the seat
        self.on_leave: list[Callable[[int], None]] = []
        #: called with the number of a client whose line is open
        self.on_open: list[Callable[[int], None]] = []
        server.guard.handlers[PATH] = self._listen
        driver_lock.on_join.append(self._welcome)
        driver_lock.on_release.append(self._left)

    def on(self, kind: str, call: Callable[[int, Any], None], drives: bool = True) -> None:
        """Have `call(client, value)` called for messages of a kind; with `drives`, of the one who drives.

        A value that makes no sense is answered by a ValueError.
        """
        self._handlers[kind] = call, drives

    @property
    def clients(self) -> list[int]:
        """Numbers of the clients whose line is open."""
        return list(self._lines)

    def send(
        self, message: dict[str, Any], clients: Sequence[int] | None = None, rows: np.ndarray | None = None
    ) -> None:
        """Send a message, and rows (n, m) of numbers if there are any, to all pages or to some."""
        text = json.dumps(message)
        data: str | bytes = text
        if rows is not None:
            head = text.encode()
            head += b" " * (-len(head) % 8)
            data = struct.pack("<II", len(head), rows.shape[1]) + head + rows.astype("<f8").tobytes()
        for number, (connection, loop) in tuple(self._lines.items()):
            if clients is None or number in clients:
                with contextlib.suppress(RuntimeError):
                    self._sending[number] = asyncio.run_coroutine_threadsafe(_send(connection, data), loop)

    def idle(self, client: int) -> bool:
        """Whether all that was sent to a page is on its way: one that is slow is sent more later."""
        sending = self._sending.get(client)
        return sending is None or sending.done()

    def invite(self, client: int) -> str:
        """A password with which a client's scripts may open the line."""
        password = secrets.token_urlsafe(12)
        live = connection_numbers(self._server)
        self._clients = {key: number for key, number in self._clients.items() if number in live}
        self._clients[password] = client
        return password

    def _welcome(self, client: viser.ClientHandle) -> None:
        """Send the page its scripts."""
        home = files("treadle.app")
        script = "".join(home.joinpath(name).read_text() for name in _SCRIPTS)
        password = self.invite(client.client_id)
        run_script(client, script.replace("PASSWORD", password).replace("PATH", PATH))

    async def _listen(self, connection: ServerConnection) -> None:
        client: int | None = None
        bucket, guard = Bucket(), self._server.guard
        with contextlib.suppress(ConnectionClosed, asyncio.TimeoutError):
            word = await asyncio.wait_for(connection.recv(), _PATIENCE)
            client = self._clients.get(word) if isinstance(word, str) else None
            if client is not None:
                self._lines[client] = connection, asyncio.get_running_loop()
                for call in self.on_open:
                    call(client)
            while client is not None:
                raw = await connection.recv()
                if not bucket.take():
                    guard.dropped["too many"] += 1
                    continue
                if len(raw) > _LONGEST or not self._heard(client, raw):
                    guard.dropped["malformed"] += 1
        if client is not None:
            if self._lines.get(client, (None,))[0] is connection:
                del self._lines[client]
                self._sending.pop(client, None)
            self._left(client)

    def _heard(self, client: int, raw: str | bytes) -> bool:
        """Act on a message such as {"down": "i"} or {"up": null}; whether it was one."""
        try:
            ((kind, value),) = json.loads(raw).items()
            call, drives = self._handlers[kind]
        except (ValueError, AttributeError, KeyError):
            return False
        if drives and not self._driver_lock.may_drive(client):
            return True
        try:
            call(client, value)
        except ValueError:
            return False
        return True

    def _left(self, client: int) -> None:
        for call in self.on_leave:
            call(client)


async def _send(connection: ServerConnection, data: str | bytes) -> None:
    with contextlib.suppress(ConnectionClosed):
        await connection.send(data)
