"""Who may open the page, and what a page may send: the door in front of viser's server.

viser answers everyone and reads whatever it is sent, so the door is put where it asks `websockets` for a
server. Requests need the token, if there is one, and must come from the page itself: else any page in the
user's browser could drive the machine. Messages that are too many, too large or malformed are dropped, and
counted.
"""

from __future__ import annotations

import contextlib
import hmac
import http
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets.asyncio.server
from websockets import Headers
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from treadle.app.log import spread
from treadle.app.transfers import Transfers
from treadle.app.viser_private import messages

__all__ = ["BURST", "LARGEST", "LOOPBACK", "RATE", "Guard"]

#: Names of this computer that reach it alone.
LOOPBACK = ("127.0.0.1", "localhost", "::1")

#: Messages per second that a page may send, and how many at once.
RATE, BURST = 200.0, 400.0

#: Bytes of a message, and of a picture that the page was asked for.
LARGEST, _PICTURE = 1 << 20, 50 << 20

#: Characters of a text, and numbers in a row, that a page may set.
_TEXT = 2000

#: Metres from the origin at which there is nothing to point at.
_FAR = 1e6

#: What pages say.
_SPOKEN = (
    messages.ViewerCameraMessage,
    messages.GuiUpdateMessage,
    messages.GuiButtonHoldMessage,
    messages.GuiFormSubmitMessage,
    messages.GuiFormDirtyMessage,
    messages.CommandTriggerMessage,
    messages.SceneNodeClickMessage,
    messages.SceneNodeDragMessage,
    messages.ScenePointerMessage,
    messages.TransformControlsDragStartMessage,
    messages.TransformControlsUpdateMessage,
    messages.TransformControlsDragEndMessage,
    messages.GetRenderResponseMessage,
    messages.LocalStorageGetItemResponseMessage,
    messages.FileTransferStartUpload,
    messages.FileTransferPart,
)

_starting = threading.Lock()


class Guard:
    """The door of one server; `dropped` counts what did not pass, by reason."""

    def __init__(self, host: str, token: str | None) -> None:
        self._token, self._local = token, host in LOOPBACK
        self.dropped: Counter[str] = Counter()
        #: pictures that pages were asked for and have not sent yet
        self.pictures = 0
        #: asked about every message with the connection it came by; one that is refused goes no further
        self.admits: Callable[[ServerConnection, Any], bool] = lambda connection, message: True
        #: files on their way here
        self.transfers = Transfers()
        #: what answers on further addresses of the server, by path
        self.handlers: dict[str, Callable[[ServerConnection], Awaitable[None]]] = {}
        #: files that pages may have, by path: their type and content
        self.files: dict[str, tuple[str, bytes]] = {}

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Have the server that viser starts meanwhile stand behind this door."""
        with _starting:
            serve = websockets.asyncio.server.serve

            def guarded(handler: Any, host: str, port: int, **options: Any) -> Any:
                return serve(self._handled(handler), host, port, **self._guarded(options))

            websockets.asyncio.server.serve = guarded  # type: ignore[assignment,misc]
            try:
                yield
            finally:
                websockets.asyncio.server.serve = serve  # type: ignore[misc]

    def refusal(self, request: Request) -> str | None:
        """Why a request is not answered, if it is not."""
        origin, name = request.headers.get("Origin"), request.headers.get("Host", "")
        if origin is not None and urlsplit(origin).netloc != name:
            return "another page"
        if self._local and self._token is None and urlsplit(f"//{name}").hostname not in LOOPBACK:
            return "another name"
        if self._token is not None and not any(_same(self._token, given) for given in _tokens(request)):
            return "no token"
        return None

    def passes(self, connection: ServerConnection, raw: Any, bucket: Bucket) -> bool:
        """Whether a message goes on to viser."""
        if not bucket.take():
            return self._drop("too many")
        if not isinstance(raw, bytes) or len(raw) > (_PICTURE if self.pictures > 0 else LARGEST):
            return self._drop("too large")
        try:
            message = messages.Message.deserialize(raw)
        except Exception:
            return self._drop("malformed")
        if not isinstance(message, _SPOKEN) or not _sound(message):
            return self._drop("malformed")
        if not self.admits(connection, message):
            return False
        return self.transfers.passes(connection, message) or self._drop("not asked for")

    def _drop(self, reason: str) -> bool:
        self.dropped[reason] += 1
        return False

    def _guarded(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options of viser's server, with requests looked at first."""
        answer = options["process_request"]

        def process(connection: ServerConnection, request: Request) -> Response | None:
            reason = self.refusal(request)
            if reason is not None:
                self._drop(reason)
                return Response(http.HTTPStatus.FORBIDDEN, "FORBIDDEN", Headers({"Content-Length": "0"}))
            response = self._file(request) or answer(connection, request)
            if response is not None and self._token is not None:
                cookie = f"{_cookie(request)}={self._token}; Path=/; HttpOnly; SameSite=Strict"
                response.headers["Set-Cookie"] = cookie
            return response

        return {**options, "process_request": process, "max_size": _PICTURE, "logger": _logger()}

    def _file(self, request: Request) -> Response | None:
        kind, content = self.files.get(request.path.partition("?")[0], (None, b""))
        if kind is None:
            return None
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), "Cache-Control": "max-age=3600"}
        return Response(http.HTTPStatus.OK, "OK", Headers(headers), content)

    def _handled(self, handler: Callable[[ServerConnection], Awaitable[None]]) -> Any:
        """viser's handler of connections, with messages looked at first."""

        async def handle(connection: ServerConnection) -> None:
            path = connection.request.path.partition("?")[0] if connection.request else "/"
            if path in self.handlers:
                await self.handlers[path](connection)
                return
            self._watch(connection)
            spread(connection)
            await handler(connection)

        return handle

    def _watch(self, connection: ServerConnection) -> None:
        """Let viser receive only what passes."""
        receive, bucket = connection.recv, Bucket()

        async def recv(*args: Any, **options: Any) -> Any:
            while True:
                raw = await receive(*args, **options)
                if self.passes(connection, raw, bucket):
                    return raw

        connection.recv = recv  # type: ignore[method-assign]


class Bucket:
    """A measure of how much one page sends: it fills at `RATE` per second, up to `BURST`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._level, self._seen = clock, BURST, clock()

    def take(self) -> bool:
        """Whether there is room for one more message."""
        now = self._clock()
        self._level = min(BURST, self._level + RATE * (now - self._seen))
        self._seen = now
        if self._level < 1.0:
            return False
        self._level -= 1.0
        return True


def _logger() -> logging.Logger:
    """A log without those who hang up before they ask for anything, as browsers do."""
    logger = logging.getLogger("treadle.app.connections")
    if not logger.filters:
        logger.addFilter(lambda record: record.getMessage() != "opening handshake failed")
    return logger


def _tokens(request: Request) -> list[str]:
    """The tokens that a request carries: in its address, or in the cookie that the page was given."""
    given = parse_qs(urlsplit(request.path).query).get("token", [])
    for part in request.headers.get("Cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == _cookie(request):
            given.append(value)
    return given


def _cookie(request: Request) -> str:
    # cookies do not tell ports apart
    return f"treadle-{urlsplit('//' + request.headers.get('Host', '')).port or 80}"


def _same(token: str, given: str) -> bool:
    return hmac.compare_digest(token.encode(), given.encode(errors="replace"))


def _sound(message: Any) -> bool:
    """Whether a message holds nothing but what the page could mean."""
    if isinstance(message, messages.GuiUpdateMessage):
        return _plain(message.updates)
    if isinstance(message, messages.GetRenderResponseMessage):
        return True
    return all(_near(value) for value in vars(message).values())


def _near(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_near(item) for item in value)
    return not isinstance(value, float) or abs(value) <= _FAR


def _plain(updates: dict[str, Any]) -> bool:
    """Whether it is the value of a control, of a size and kind that a control may have."""
    if set(updates) != {"value"}:
        return False
    value = updates["value"]
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(item, str):
            if len(item) > _TEXT:
                return False
        elif not isinstance(item, (bool, int, float)) or not math.isfinite(item):
            return False
    return not isinstance(value, (list, tuple)) or len(value) <= _TEXT
