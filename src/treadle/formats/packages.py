"""ROS packages around a description, by name: `package://NAME/path` and `$(find NAME)`.

A package is a folder of that name that holds the description: the folder of the description, the one
above it, or one further up with a `package.xml` in it. Else it is taken to lie beside the description.
Where files elsewhere are allowed, packages are also searched for in all folders above and where
ROS_PACKAGE_PATH and AMENT_PREFIX_PATH say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from treadle.formats.folder import Folder

__all__ = ["Packages"]

_MANIFEST = "package.xml"


class Packages:
    """The packages that the description in a folder may use, and the files in them."""

    def __init__(self, folder: Folder) -> None:
        self.home = folder.path.resolve()
        self.allow_outside = folder.allow_outside
        self._above = [self.home, *self.home.parents]
        # the package that the description is part of, or its folder
        own = next((path for path in self._above if (path / _MANIFEST).is_file()), self.home)
        self._roots = {"": own}
        #: names of packages that were asked for and not found
        self.lost: dict[str, None] = {}

    def find(self, name: str) -> Path | None:
        """The folder of a package; where it would be if it is not found, None for what is not a name."""
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            return None
        if name not in self._roots:
            root = next(self._places(name), self.home / name)
            self._roots[name] = root
            if not root.is_dir():
                self.lost[name] = None
        return self._roots[name]

    def allows(self, path: Path) -> bool:
        """Whether a file may be looked at: in a package that was found, or anywhere if that is allowed."""
        return self.allow_outside or any(path.is_relative_to(root) for root in self._roots.values())

    def _places(self, name: str) -> Iterator[Path]:
        """Folders that may be the package of this name, the likeliest first."""
        for level, path in enumerate(self._above):
            if path.name == name and (level < 2 or (path / _MANIFEST).is_file()):
                yield path
        if (self.home / name).is_dir() or not self.allow_outside:
            yield self.home / name
            return
        ros = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
        ament = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        paths = [*self._above, *(Path(path) for path in ros), *(Path(path, "share") for path in ament)]
        yield from (path / name for path in paths if (path / name).is_dir())
