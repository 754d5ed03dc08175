"""The members of viser that are not part of its public interface: used here, and in no other file.

Each function says why it is needed and what viser would have to offer for it to go. `tests/app` fails where
an update of viser changes what is relied on. What the page's scripts use is in `viser_private.js`; `guard.py`
looks at requests before viser does, by way of `websockets` alone.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import viser

# the types of messages: pages are guarded and driven message by message; wanted: `viser.messages`, public
from viser import _messages as messages
from viser.infra import Message, WebsockServer
from websockets.asyncio.server import ServerConnection

__all__ = [
    "broadcast", "broadcast_log", "button_hints", "client_buffers", "collect_garbage", "connection_numbers",
    "control", "is_button", "line_of", "messages", "note_pose", "records", "run_script", "send_message",
    "send_value", "sender_thread", "uuid_of",
]  # fmt: skip


def run_script(client: viser.ClientHandle, source: str) -> None:
    """Run JavaScript on one page.

    Held keys, cameras that know the window, plots below the picture and tooltips are in no part of viser.
    Wanted: a public `client.run_javascript`.
    """
    send_message(client, messages.RunJavascriptMessage(source))


def send_message(client: viser.ClientHandle, message: Message) -> None:
    """Send a message to one page. Wanted: a public `client.queue_message`."""
    client._websock_connection.queue_message(message)


def broadcast(server: viser.ViserServer, message: Message) -> None:
    """Send a message to all pages. Wanted: a public `server.queue_message`."""
    server.gui._websock_interface.queue_message(message)


def line_of(server: viser.ViserServer) -> WebsockServer:
    """The line to all pages, for poses: handles cost more than the simulation. Wanted: batched poses."""
    return server._websock_server


def sender_thread(server: viser.ViserServer) -> threading.Thread | None:
    """The thread that sends, whose processor time is part of a frame's. Wanted: none, it is for measuring."""
    return server._websock_server._server_thread


def connection_numbers(server: viser.ViserServer) -> dict[int, ServerConnection]:
    """Connections by number of client: the one who drives is found by it. Wanted: it on `ClientHandle`."""
    return server._websock_server._live_connections


def control(server: viser.ViserServer, uuid: str) -> Any:
    """The control of a number, or None: messages name controls so. Wanted: a public lookup."""
    return server.gui._gui_input_handle_from_uuid.get(uuid)


def button_hints(server: viser.ViserServer) -> dict[str, str]:
    """Tooltips of buttons by number. Wanted: viser shows `hint` on buttons, as it does on fields."""
    handles = list(server.gui._gui_input_handle_from_uuid.values())
    return {
        handle._impl.uuid: hint
        for handle in handles
        if handle._impl.is_button and (hint := getattr(handle._impl.props, "hint", None))
    }


def uuid_of(handle: Any) -> str:
    """The number of a control, which is also its element's on the page. Wanted: a public `handle.uuid`."""
    return handle._impl.uuid


def is_button(handle: Any) -> bool:
    """Whether a control is a button, which has no value to be set back. Wanted: a common base class."""
    return handle._impl.is_button


def send_value(field: Any, value: Any) -> None:
    """Show a value in a field without calling its `on_update`. Wanted: `field.set_value(x, silent=True)`."""
    field._impl.value = value
    update = messages.GuiUpdateMessage(field._impl.uuid, {"value": value})
    field._impl.gui_api._websock_interface.queue_message(update)


def note_pose(node: viser.SceneNodeHandle, position: Any = None, wxyz: Any = None) -> None:
    """Have a handle know the pose that was sent past it. Wanted: batched poses."""
    if position is not None:
        node._impl.position = position
    if wxyz is not None:
        node._impl.wxyz = wxyz


def broadcast_log(line: WebsockServer) -> Any:
    """All that was ever broadcast, for pages that come later. Wanted: one of present values only."""
    return line._broadcast_buffer


def client_buffers(line: WebsockServer) -> Iterator[tuple[int, Any]]:
    """What waits to be sent, by number of client. Wanted: as for `broadcast_log`."""
    for number, state in tuple(line._client_state_from_id.items()):
        yield number, state.message_buffer


def records(line: WebsockServer) -> bool:
    """Whether viser records the messages, which then go through it. Wanted: as for `broadcast_log`."""
    return bool(line._record_handles)


def collect_garbage(server: viser.ViserServer) -> None:
    """Take read removals out of the log. Wanted: viser does so when things are removed, not by a timer."""
    server._run_garbage_collector()
