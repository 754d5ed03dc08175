"""Several files that appear in a folder together, whole, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType

__all__ = ["WholeFiles"]


class WholeFiles:
    """Files are made in a hidden folder inside theirs and moved out of it when all of them are complete.

    Without `replace`, FileExistsError is raised before any is moved if one of them is there already.
    """

    def __init__(self, folder: Path, replace: bool = True) -> None:
        self.folder = folder
        self.replace = replace
        self.names: list[str] = []

    def __enter__(self) -> WholeFiles:
        self.workshop = Path(tempfile.mkdtemp(prefix=".treadle-", dir=self.folder))
        return self

    def paths(self) -> list[Path]:
        """Where the files are in the end."""
        return [self.folder / name for name in self.names]

    def place(self, name: str) -> Path:
        """Where to make the file that is to have this name, which may lie in folders below."""
        self.names.append(name)
        path = self.workshop / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def add(self, name: str, content: Path | bytes) -> None:
        """A file of this content, or the copy of another one."""
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
                    os.replace(self.workshop / name, self.folder / name)
        finally:
            shutil.rmtree(self.workshop, ignore_errors=True)

    def _refuse(self) -> None:
        for path in () if self.replace else self.paths():
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
