"""Disk cache of compiled code and imported models, with checksums.

An entry is a file `kind/digest` that starts with a magic word and the SHA-256 of kind, digest and
content. What fails that check (cut short, altered, copied under another name) counts as absent.
Entries appear by an atomic rename, so any number of processes may write the same one. Nothing is
ever unpickled. A folder that cannot be written only costs the time to compute again.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["folder", "read", "source_digest", "write"]

_MAGIC = b"TREADLE1"

#: Least recently used entries are evicted when a kind takes more than this (bytes).
_LARGEST_FOLDER = 1 << 30

#: Entries that a process writes between two evictions.
_BETWEEN = 50


def read(kind: str, digest: str) -> bytes | None:
    """The entry's content, or None where there is no valid one."""
    try:
        path = folder() / kind / digest
        content = path.read_bytes()
    except (OSError, RuntimeError):
        return None
    header, payload = content[: len(_MAGIC) + 32], content[len(_MAGIC) + 32 :]
    if header != _header(kind, digest, payload):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return payload


def write(kind: str, digest: str, payload: bytes) -> None:
    """Store an entry; silently does without when the folder cannot be written."""
    try:
        target = folder() / kind / digest
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_header(kind, digest, payload))
                file.write(payload)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _prune_sometimes(target.parent)
    except (OSError, RuntimeError):
        return


def folder() -> Path:
    """Where entries are kept: $TREADLE_CACHE, else the user's cache folder (RuntimeError: no home)."""
    chosen = os.environ.get("TREADLE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "treadle"


@cache
def source_digest() -> str:
    """Hash of Treadle's own source: entries made by other source are invalid."""
    package = os.path.dirname(__file__)
    total = hashlib.sha256()
    # every process reads all of it before its first step: Path objects would take half the time
    for name in sorted(_sources(package)):
        total.update(name.encode())
        with open(f"{package}/{name}", "rb", buffering=0) as file:
            total.update(file.read())
    return total.hexdigest()


def _sources(package: str, prefix: str = "") -> Iterator[str]:
    """Names of the source files in a folder and those below it."""
    with os.scandir(f"{package}/{prefix}") as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield prefix + entry.name
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(package, f"{prefix}{entry.name}/")


def _header(kind: str, digest: str, payload: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(f"{kind}/{digest}/".encode() + payload).digest()


@cache
def _writes() -> itertools.count:
    return itertools.count()


def _prune_sometimes(path: Path) -> None:
    """Evict only once per so many entries: a scan of the folder takes long."""
    if next(_writes()) % _BETWEEN == 0:
        _prune(path)


def _prune(path: Path) -> None:
    """Evict the least recently used entries until the folder is within its size."""
    entries = []
    for entry in os.scandir(path):
        with contextlib.suppress(OSError):
            status = entry.stat()
            entries.append((status.st_mtime, status.st_size, entry.path))
    excess = sum(size for _, size, _ in entries) - _LARGEST_FOLDER
    for _, size, name in sorted(entries):
        if excess <= 0:
            return
        with contextlib.suppress(OSError):
            os.unlink(name)
        excess -= size
