"""Files that a description names: looked for in its own folder, and nowhere else unless that is allowed."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from pathlib import Path

from treadle.errors import ModelError

__all__ = ["Folder"]

_HINT = "put the file next to the description, or load it with allow_outside=True"


@dataclass(frozen=True)
class Folder:
    """The folder of a description."""

    path: Path
    #: whether files may also lie elsewhere
    allow_outside: bool = False

    def locate(self, name: str, *, line: int | None = None, element: str | None = None) -> Path:
        """Where a file of this name is, or would be; ModelError if that is outside the folder.

        Links are followed, so that a name cannot lead out through one.
        """

        def error(problem: str, hint: str = _HINT) -> ModelError:
            return ModelError(
                f"the file {reprlib.repr(name)} {problem}", line=line, element=element, hint=hint
            )

        if "\0" in name or "://" in name:
            raise error("is not a path", "give a path from the folder of the description")
        try:
            folder = self.path.resolve()
            target = (folder / name).resolve()
            # raises what a later look at it would raise, such as for a name that is too long
            target.exists()
        except (OSError, RuntimeError, ValueError):
            raise error("cannot be found", "check its path") from None
        if not self.allow_outside:
            if Path(name).is_absolute():
                raise error("has an absolute path")
            if not target.is_relative_to(folder):
                raise error("is outside the folder of the description")
        return target
