"""What pages may upload: to the button for it, one file at a time, and no more than was announced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from websockets.asyncio.server import ServerConnection

from treadle.app.viser_private import messages

__all__ = ["LARGEST_UPLOAD", "Transfers"]

#: Bytes of a file, characters of its name, and the bytes that a part of a file has at least, but the last.
LARGEST_UPLOAD, _NAME, _PART = 20_000_000, 255, 1024


class Transfers:
    """Keeps count of the files that are on their way."""

    def __init__(self) -> None:
        #: the button on the page that files are for
        self.button: str | None = None
        #: told of a file that is not taken, as it was announced
        self.refused: Callable[[messages.FileTransferStartUpload], None] = lambda message: None
        # by connection: number of its file, and the bytes that are still to come
        self._open: WeakKeyDictionary[ServerConnection, tuple[str, int]] = WeakKeyDictionary()

    def passes(self, connection: ServerConnection, message: Any) -> bool:
        """Whether a message goes on to viser; those that are about no files do."""
        if isinstance(message, messages.FileTransferStartUpload):
            return self._begins(connection, message)
        if isinstance(message, messages.FileTransferPart):
            return self._goes_on(connection, message)
        return True

    def _begins(self, connection: ServerConnection, message: messages.FileTransferStartUpload) -> bool:
        size, parts = message.size_bytes, message.part_count
        if not all(isinstance(text, str) for text in (message.filename, message.transfer_uuid)):
            return False
        sound = isinstance(size, int) and isinstance(parts, int) and 0 < parts <= 1 + size // _PART
        if message.source_component_uuid != self.button or connection in self._open:
            return False
        if not sound or size > LARGEST_UPLOAD or len(message.filename) > _NAME:
            self.refused(message)
            return False
        self._open[connection] = message.transfer_uuid, size
        return True

    def _goes_on(self, connection: ServerConnection, message: messages.FileTransferPart) -> bool:
        number, left = self._open.get(connection, ("", 0))
        if message.transfer_uuid != number or not isinstance(message.content, bytes):
            return False
        left -= len(message.content)
        if left <= 0:
            self._open.pop(connection)
        else:
            self._open[connection] = number, left
        return left >= 0
