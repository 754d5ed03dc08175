"""The file that a recording grows in: one writer at a time, and only whole pieces."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from treadle.errors import RecordingError

__all__ = ["Outlet"]

try:
    import fcntl as _locks
except ImportError:
    # Windows has no such locks: there two recordings may write one file
    _locks: Any = None

#: Files are opened as they are, and not handed to child processes, where systems make a difference.
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Outlet:
    """A locked file to which everything written is added by `flush`, all of it or nothing.

    What was flushed is the operating system's: it stays when the process is killed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pending = bytearray()
        self._length = 0
        self._handle = _open_locked(path)
        try:
            os.ftruncate(self._handle, 0)
        except OSError as error:
            self.close()
            raise _refused(path, error) from None

    @property
    def closed(self) -> bool:
        return self._handle < 0

    def write(self, data: bytes) -> int:
        """Keep bytes for the next flush."""
        self._pending += data
        return len(data)

    def tell(self) -> int:
        """Where the next byte goes."""
        return self._length + len(self._pending)

    def flush(self) -> None:
        """Add what was written to the file; RecordingError, with the file as it was, where that fails."""
        rest = memoryview(bytes(self._pending))
        self._pending.clear()
        added = len(rest)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._length)
            raise RecordingError(
                f"{self.path}: the recording stops here ({error.strerror}); what was flushed before can be "
                "read, and the simulation can continue: make room, or record to another place"
            ) from error
        self._length += added

    def close(self) -> None:
        """Let go of the file and of its lock, without what was not flushed."""
        if not self.closed:
            os.close(self._handle)
            self._handle = -1


def _open_locked(path: Path) -> int:
    """A handle on the file, created if need be, that no other recording has."""
    while True:
        try:
            handle = os.open(path, _FLAGS, 0o666)
        except OSError as error:
            raise _refused(path, error) from None
        if _locks is None:
            return handle
        try:
            _locks.flock(handle, _locks.LOCK_EX | _locks.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise RecordingError(
                f"{path} is being recorded already: close that recording first, or record to another file"
            ) from None
        except OSError:
            # a file system without locks
            return handle
        # the recording that held the lock may have removed the file as it ended
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        os.close(handle)


def _refused(path: Path, error: OSError) -> RecordingError:
    if isinstance(error, FileNotFoundError):
        return RecordingError(f"{path}: there is no folder {path.parent} to record into; make it first")
    if isinstance(error, IsADirectoryError):
        return RecordingError(f"{path} is a folder; name a file inside it")
    return RecordingError(
        f"{path}: cannot record here ({error.strerror}); choose a folder that can be written to"
    )
