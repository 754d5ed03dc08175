"""The people at the page: one drives, the others watch.

Whoever first does something has the seat, until they leave or another one takes over. What a watcher does to
the shared controls is undone on their page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import viser
from websockets.asyncio.server import ServerConnection

from treadle.app.server import Server
from treadle.app.viser_private import connection_numbers, control, is_button, messages, send_message, uuid_of

__all__ = ["DriverLock"]

#: What only the one in the seat may send; cameras are everyone's own.
_DRIVING = (
    messages.GuiUpdateMessage,
    messages.GuiButtonHoldMessage,
    messages.GuiFormSubmitMessage,
    messages.GuiFormDirtyMessage,
    messages.CommandTriggerMessage,
    messages.SceneNodeDragMessage,
    messages.SceneNodeClickMessage,
    messages.TransformControlsDragStartMessage,
    messages.TransformControlsUpdateMessage,
    messages.TransformControlsDragEndMessage,
    messages.FileTransferStartUpload,
    messages.FileTransferPart,
)

#: Where the button to take over stands: above everything.
_TOP = -100.0


class DriverLock:
    """Who is at the page and who drives; all of it happens on the server's own loop."""

    def __init__(self, server: Server) -> None:
        self._server = server
        #: number of the client in the seat
        self.driver: int | None = None
        #: called with the number of a client that left the seat
        self.on_release: list[Callable[[int], None]] = []
        #: called with every client that comes
        self.on_join: list[Callable[[viser.ClientHandle], None]] = []
        self._buttons: dict[int, viser.GuiButtonHandle] = {}
        server.guard.admits = self.admits
        server.on_client_connect(self._joined)
        server.on_client_disconnect(self._left)

    def __len__(self) -> int:
        """Pages that are open."""
        return len(self._buttons)

    def may_drive(self, client: int) -> bool:
        """Whether a client has the seat; an empty one is theirs now, if their page is connected."""
        # scripts of a page that lost its connection may still send: nobody would ever release the seat
        if self.driver is None and client in connection_numbers(self._server):
            self._seat(client)
        return self.driver == client

    def take_over(self, client: int) -> None:
        """Give the seat to a client."""
        if self.driver != client:
            self._release()
            self._seat(client)

    def admits(self, connection: ServerConnection, message: Any) -> bool:
        """Whether a message goes on: watchers send nothing but where they look from."""
        if not isinstance(message, _DRIVING):
            return True
        uuid = getattr(message, "uuid", None)
        client = self._number(connection)
        handle = control(self._server, str(uuid))
        if client is None or (isinstance(message, messages.GuiUpdateMessage) and handle is None):
            # what belongs to one page alone is theirs
            return True
        if self.may_drive(client):
            return True
        self._undo(client, handle)
        return False

    def _number(self, connection: ServerConnection) -> int | None:
        live = connection_numbers(self._server)
        return next((number for number, one in live.items() if one is connection), None)

    def _undo(self, client: int, handle: Any) -> None:
        page = self._server.get_clients().get(client)
        if page is None:
            return
        if handle is not None and not is_button(handle):
            send_message(page, messages.GuiUpdateMessage(uuid_of(handle), {"value": handle.value}))
        page.add_notification("Someone else drives", "Press “Take over” to drive.", auto_close_seconds=4.0)

    async def _joined(self, client: viser.ClientHandle) -> None:
        button = client.gui.add_button(
            "Take over", order=_TOP, visible=False, color="orange", hint="Drive instead of the one who does"
        )
        self._buttons[client.client_id] = button

        async def pressed(_: Any) -> None:
            self.take_over(client.client_id)

        button.on_click(pressed)
        self._show_seat()
        for call in self.on_join:
            _safely(call, client)

    async def _left(self, client: viser.ClientHandle) -> None:
        self._buttons.pop(client.client_id, None)
        if self.driver == client.client_id:
            self._release()
        self._show_seat()

    def _seat(self, client: int) -> None:
        self.driver = client
        self._show_seat()

    def _release(self) -> None:
        before, self.driver = self.driver, None
        if before is not None:
            for call in self.on_release:
                _safely(call, before)

    def _show_seat(self) -> None:
        for number, button in self._buttons.items():
            button.visible = self.driver not in (None, number)


def _safely(call: Callable[[Any], None], argument: Any) -> None:
    try:
        call(argument)
    except Exception:
        logging.getLogger(__name__).exception("what follows a page's coming or going failed")
