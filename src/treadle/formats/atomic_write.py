"""Atomic writing of several files: all of them appear in a folder, or none."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType

__all__ = ["AtomicFiles"]


class AtomicFiles:
    """Files are written to a hidden temporary folder inside theirs, and moved when all of them are complete.

    Without `replace`, FileExistsError is raised before any is moved if one of them is there already.
    """

    def __init__(self, folder: Path, replace: bool = True) -> None:
        self.folder = folder
        self.replace = replace
        self.names: list[str] = []

    def __enter__(self) -> AtomicFiles:
        self.temporary = Path(tempfile.mkdtemp(prefix=".treadle-", dir=self.folder))
        return self

    def paths(self) -> list[Path]:
        """The final paths of the files."""
        return [self.folder / name for name in self.names]

    def place(self, name: str) -> Path:
        """Where to write the file of this name, which may lie in subfolders."""
        self.names.append(name)
        path = self.temporary / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def add(self, name: str, content: Path | bytes) -> None:
        """Write a file with this content, or copy another one."""
        path = self.place(name)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            shutil.copyfile(content, path)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._refuse()
                for name in self.names:
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    os.replace(self.temporary / name, self.folder / name)
        finally:
            shutil.rmtree(self.temporary, ignore_errors=True)

    def _refuse(self) -> None:
        for path in () if self.replace else self.paths():
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
