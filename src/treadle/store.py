"""Disk cache of compiled code and imported models, private to one user and authenticated.

An entry is a file `kind/digest` that starts with a magic word and an HMAC-SHA-256 of kind, digest and content
under the key of the user, which lies outside the cache. What fails that check (cut short, altered, copied
under another name, planted by someone else) counts as absent. Folders have mode 0700; folders, entries and
key of another owner are not used. Entries appear by an atomic rename, so any number of processes may write
the same one. Nothing is ever unpickled. A folder that cannot be used only costs the time to compute again.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import itertools
import os
import secrets
import stat
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["folder", "key_file", "read", "source_digest", "write"]

_MAGIC = b"TREADLE2"

#: Bytes of the magic word and of the HMAC.
_HEADER = len(_MAGIC) + 32

#: Least recently used entries are evicted when a kind takes more than this (bytes).
_LARGEST_FOLDER = 1 << 30

#: Entries that a process writes between two evictions.
_BETWEEN = 50


def read(kind: str, digest: str) -> bytes | None:
    """The entry's content, or None where there is no valid one."""
    try:
        key = _key()
        path = folder() / kind / digest
        if not _is_private(path.parent):
            return None
        content = _read_own(path, 0o022)
    except (OSError, RuntimeError):
        return None
    if content is None:
        return None
    header, payload = content[:_HEADER], content[_HEADER:]
    if not hmac.compare_digest(header, _header(key, kind, digest, payload)):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return payload


def write(kind: str, digest: str, payload: bytes) -> None:
    """Store an entry; silently does without when the folder cannot be written."""
    try:
        key = _key()
        target = folder() / kind / digest
        _make_private(target.parent)
        if not _is_private(target.parent):
            return
        _write_whole(target, _header(key, kind, digest, payload) + payload)
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


def key_file() -> Path:
    """The user's key: $TREADLE_CACHE_KEY, else in the user's settings folder (RuntimeError: no home)."""
    chosen = os.environ.get("TREADLE_CACHE_KEY")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "treadle" / "cache.key"


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


def _header(key: bytes, kind: str, digest: str, payload: bytes) -> bytes:
    code = hmac.new(key, f"{kind}/{digest}/".encode(), hashlib.sha256)
    code.update(payload)
    return _MAGIC + code.digest()


def _key() -> bytes:
    """The user's key, made on first use (OSError: it cannot be, or is not the user's alone)."""
    return _key_at(key_file())


@cache
def _key_at(path: Path) -> bytes:
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # the first of several processes wins
        _write_whole(path, secrets.token_bytes(32), keep=True)
    key = _read_own(path, 0o077)
    if key is None or len(key) != 32:
        raise OSError(f"{path} is no key of this user")
    return key


def _write_whole(target: Path, content: bytes, keep: bool = False) -> None:
    """Write a file under its name at once; with `keep`, one that is there already stays."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if keep:
            with contextlib.suppress(FileExistsError):
                os.link(name, target)
        else:
            os.replace(name, target)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)


def _read_own(path: Path, forbidden: int) -> bytes | None:
    """A file's content, or None if it is no plain file of this user or has one of these permissions."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not _is_own(status, forbidden):
            _warn_once(path)
            return None
        return file.read()


def _make_private(path: Path) -> None:
    """Make a folder, with those above it, that only this user may enter."""
    for part in (path.parent, path):
        part.mkdir(mode=0o700, parents=True, exist_ok=True)


def _is_private(path: Path) -> bool:
    """Whether a folder is this user's alone; one of this user that others may enter is closed to them."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode) or not _is_own(status, 0):
        _warn_once(path)
        return False
    if not _is_own(status, 0o077):
        os.chmod(path, 0o700)
    return True


def _is_own(status: os.stat_result, forbidden: int) -> bool:
    """Whether this user owns a file that has none of these permissions; True where files have no owners."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & forbidden


@cache
def _warn_once(path: Path) -> None:
    warnings.warn(
        f"{path} is not used as a cache, for it is not this user's alone; remove it, or choose another "
        "folder with TREADLE_CACHE (and another key with TREADLE_CACHE_KEY).",
        RuntimeWarning,
        stacklevel=4,
    )


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
