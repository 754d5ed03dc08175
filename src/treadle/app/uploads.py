"""Machines that people bring along: files that come through the page, read as files on disk are.

Each is put into an empty folder of its own. What it names is looked for there and nowhere else.
"""

from __future__ import annotations

import io
import shutil
import stat
import tempfile
import zipfile
from collections import deque
from pathlib import Path, PurePosixPath

from treadle.app.closing import Closing
from treadle.errors import InputError, ModelError
from treadle.formats.load import load
from treadle.geometry import SUFFIXES
from treadle.model.model import Model

__all__ = ["DESCRIPTIONS", "KINDS", "Uploads"]

#: What can be opened: descriptions, and archives of one with its meshes.
DESCRIPTIONS = (".urdf", ".xml", ".toml")
KINDS = (*DESCRIPTIONS, ".zip")

#: Bytes of a description, and of an archive once it is unpacked, and files in it.
_TEXT, _UNPACKED, _FILES = 5_000_000, 200_000_000, 2000

#: Freedoms of a machine, and folders that are kept.
_FREEDOMS, _KEPT = 400, 2

#: What is unpacked of an archive.
_WANTED = (*DESCRIPTIONS, ".3dt", *SUFFIXES)


class Uploads(Closing):
    """The folders of uploaded machines, which are removed when the page is closed."""

    def __init__(self) -> None:
        self._folders: deque[Path] = deque()
        super().__init__()

    def open(self, name: str, content: bytes) -> Model:
        """The machine of an uploaded file; InputError or ModelError that name the file as its owner does."""
        name = PurePosixPath(name.replace("\\", "/")).name
        kind = PurePosixPath(name).suffix.lower()
        if kind not in KINDS:
            raise InputError(f"{name[:80]!r} cannot be opened here; files that can end in {', '.join(KINDS)}")
        folder = self._new_folder()
        try:
            path = (
                _unpacked(content, folder) if kind == ".zip" else _written(content, folder / f"machine{kind}")
            )
            model = load(path)
        except ModelError as error:
            # where it lies on the server is nobody's business
            error.file = name
            raise
        if model.nv > _FREEDOMS:
            raise InputError(f"{name!r} has {model.nv} degrees of freedom; a page takes at most {_FREEDOMS}")
        return model

    def _new_folder(self) -> Path:
        while len(self._folders) >= _KEPT:
            shutil.rmtree(self._folders.popleft(), ignore_errors=True)
        self._folders.append(Path(tempfile.mkdtemp(prefix="treadle-upload-")))
        # nothing lies beside the description, and the search for packages ends at its own folder
        folder = self._folders[-1] / "files"
        folder.mkdir()
        (folder / "package.xml").write_bytes(b"<package/>")
        return folder

    def _close(self) -> None:
        while self._folders:
            shutil.rmtree(self._folders.popleft(), ignore_errors=True)


def _written(content: bytes, path: Path) -> Path:
    if len(content) > _TEXT:
        raise InputError(f"a description has at most {_TEXT / 1e6:g} MB; put its meshes into a .zip with it")
    path.write_bytes(content)
    return path


def _unpacked(content: bytes, folder: Path) -> Path:
    """Unpack an archive, and give the description in it that lies highest."""
    found: list[Path] = []
    left = _UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > _FILES:
                raise InputError(f"the archive holds {len(entries)} files, and {_FILES} are the most")
            for entry in entries:
                place = _place(entry)
                if place is None:
                    continue
                # what an archive says of its sizes may be wrong
                with archive.open(entry) as file:
                    data = file.read(left + 1)
                left -= len(data)
                if left < 0:
                    raise InputError(f"the archive unpacks to more than {_UNPACKED / 1e6:g} MB")
                path = folder / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                if place.suffix.lower() in DESCRIPTIONS and place.name != "package.xml":
                    found.append(path)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("the archive is damaged or encrypted; pack it again as a plain .zip") from None
    if not found:
        raise InputError(f"the archive holds no description; put a {' or '.join(DESCRIPTIONS)} into it")
    highest = min(len(path.parts) for path in found)
    best = [path for path in found if len(path.parts) == highest]
    if len(best) > 1:
        names = ", ".join(sorted(path.name for path in best)[:5])
        raise InputError(f"the archive holds several descriptions ({names}); leave one of them at the top")
    _written(best[0].read_bytes(), best[0])
    return best[0]


def _place(entry: zipfile.ZipInfo) -> PurePosixPath | None:
    """Where a file of an archive goes, inside its folder; None for what is not needed."""
    place = PurePosixPath(entry.filename.replace("\\", "/"))
    if place.is_absolute() or ".." in place.parts or ":" in entry.filename:
        raise InputError(f"the archive holds a file outside itself, {entry.filename[:80]!r}; pack it again")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise InputError(f"the archive holds a link, {entry.filename[:80]!r}; put the file itself into it")
    if entry.is_dir() or place.suffix.lower() not in _WANTED:
        return None
    return place
