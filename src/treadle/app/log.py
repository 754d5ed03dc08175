"""What is broadcast again and again, on its way to the pages.

viser keeps a log of everything that was ever broadcast, and reads it from the beginning for every page that
comes: poses at 60 frames per second would stop all pages for a moment after some minutes, and numbers that
people read after some hours. So what changes is one message in the log, which always holds the present
values, for those who come later; the pages that are there are sent it one by one. And a page that comes reads
the log in small pieces, with rests in which the simulation and the frames of the others go on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import viser
from viser.infra import Message, WebsockServer
from websockets.asyncio.server import ServerConnection

from treadle.app.viser_private import broadcast_log, client_buffers, collect_garbage, records

__all__ = ["collect", "keep_short", "send_to_pages", "spread"]

#: Messages of the log in a piece, seconds of rest after each, and for which a page counts as coming.
_PIECE, _REST, _COMING = 48, 5e-3, 1.0


def keep_short(line: WebsockServer) -> None:
    """Have a server's log grow with what there is, not with how often it changes, and be read in pieces."""
    broadcast_log(line).max_window_size = _PIECE
    queue = line.queue_message

    def queue_message(message: Message) -> None:
        if message.lifecycle_phase == "remove":
            _forget(line, message)
        if records(line) or not _renew(line, message):
            queue(message)

    line.queue_message = queue_message  # type: ignore[method-assign]


def collect(server: viser.ViserServer) -> None:
    """Take removals that every page has read out of the log, with what else it has of the removed things.

    Those that a page has not read stay, however slow it is: it would keep what was removed.
    """
    collect_garbage(server)


def send_to_pages(
    line: WebsockServer, messages: Sequence[Message], past: int = -1, flush: bool = False
) -> None:
    """Send messages, all at once, to each page that has read the log so far.

    viser waits a sixtieth of a second for more to send with them, unless they are flushed.
    """
    cursors = broadcast_log(line).generator_cursors
    for number, buffer in client_buffers(line):
        if buffer.done or cursors.get(number, -1) < past:
            continue
        # a page may leave at any moment
        with buffer.sanctioned_dead_writes():
            buffer.atomic_start()
            try:
                for message in messages:
                    buffer.push(message)
            finally:
                buffer.atomic_end()
        if flush:
            buffer.flush()


def spread(connection: ServerConnection) -> None:
    """Let a page that comes have the scene piece by piece."""
    deliver, came = connection.send, time.monotonic()

    async def send(*args: Any, **options: Any) -> None:
        await deliver(*args, **options)
        # packing a piece keeps the simulation waiting for Python's lock
        await asyncio.sleep(_REST if time.monotonic() - came < _COMING else 0.0)

    connection.send = send  # type: ignore[method-assign]


def _renew(line: WebsockServer, message: Message) -> bool:
    """Put new values into the message that the log has of the same thing; whether it has one."""
    # what one page sent itself is not for that page
    if message.lifecycle_phase not in ("update_dict", "update_simple") or _excludes(message):
        return False
    log = broadcast_log(line)
    if log.atomic_counter:
        # with the rest of what is sent at once, of which it may be taken out again
        return False
    with log.buffer_lock:
        number = log.id_from_redundancy_key.get(message.redundancy_key(), -1)
        old = log.message_from_id.get(number)
        if old is None or type(old) is not type(message) or _excludes(old):
            return False
        # pages that have not come so far will read these values
        vars(old).update(vars(message))
    send_to_pages(line, [old], number)
    return True


def _forget(line: WebsockServer, removal: Message) -> None:
    """Drop updates of a removed thing that wait for a page: they could come after its removal."""
    assert removal.entity_type is not None and removal.entity_id_field is not None
    name = getattr(removal, removal.entity_id_field)
    for _, buffer in client_buffers(line):
        buffer.remove_entity_state_from_buffer(removal.entity_type, name)


def _excludes(message: Message) -> bool:
    return message.excluded_self_client is not None
