"""Entries that a wheel brings compiled: object files beside a manifest, made by `build_kernels`.

The manifest gives the SHA-256 of every file by the key of its entry, which names sources and processor (see
`Entry.key`): an entry of other sources or for another processor is not found, a file that was altered or cut
short is not used. The wheel's own record vouches for the manifest, as it does for the sources.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

__all__ = ["folder", "read", "write"]

_MANIFEST = "manifest.json"


def folder() -> Path:
    """Where the package keeps them; there is no such folder in an editable installation."""
    return Path(__file__).resolve().parent / "compiled"


def read(key: str) -> bytes | None:
    """The object file of an entry, or None where the package has no valid one."""
    digest = _manifest(folder()).get(key)
    if digest is None:
        return None
    try:
        content = (folder() / f"{key}.o").read_bytes()
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest() == digest else None


def write(place: Path, files: dict[str, bytes]) -> None:
    """Write object files, by the keys of their entries, and their manifest into a new folder."""
    place.mkdir(parents=True)
    for key, content in files.items():
        (place / f"{key}.o").write_bytes(content)
    manifest = {key: hashlib.sha256(content).hexdigest() for key, content in files.items()}
    (place / _MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True))


@cache
def _manifest(place: Path) -> dict[str, str]:
    try:
        found = json.loads((place / _MANIFEST).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
