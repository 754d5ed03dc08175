"""Where the meshes of a URDF lie: paths from its folder, and `package://NAME/path`."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path, PurePosixPath

from treadle.errors import ModelError
from treadle.formats.folder import Folder
from treadle.formats.packages import Packages
from treadle.geometry import SUFFIXES
from treadle.model import ModelSpec, ShapeSpec
from treadle.model.finding import Finding

__all__ = ["find_meshes"]


def find_meshes(spec: ModelSpec, folder: Folder) -> None:
    """Replace the names of meshes by paths from the folder; report those that are missing.

    Shapes whose meshes are of a kind that cannot be read are left out. ModelError if a mesh is outside the
    folder, or the package, and that is not allowed.
    """
    finder = _Finder(folder)
    missing: dict[str, None] = {}
    unreadable: dict[str, list[str]] = defaultdict(list)
    for shape in [shape for shape in spec.shapes if shape.type == "mesh" and shape.file]:
        kind = PurePosixPath(str(shape.file).replace("\\", "/")).suffix
        known = kind.lower() in SUFFIXES
        # the address of a file that nobody would open need not be a good one
        if known or "://" not in str(shape.file):
            shape.file, there = finder.find(shape)
            if known and not there:
                missing[shape.file] = None
        if not known:
            spec.shapes.remove(shape)
            unreadable[kind].append(shape.name)
    for kind, names in unreadable.items():
        what = f"shapes left out, for meshes that end in {kind!r} cannot be read"
        hint = f"convert them to one of {', '.join(SUFFIXES)}"
        spec.report.append(Finding(what, names, "warning", hint))
    if finder.packages.lost:
        hint = "put their folders next to the description, or search more with allow_outside=True"
        spec.report.append(
            Finding("packages that are not found", list(finder.packages.lost), "warning", hint)
        )
    if missing:
        hint = "put the files there, or correct their paths"
        spec.report.append(Finding("meshes that are missing", list(missing), "warning", hint))


class _Finder:
    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.packages = Packages(folder)
        self.found: dict[str, tuple[str, bool]] = {}
        #: folders without the links in their paths, which take long to follow
        self.real: dict[Path, Path] = {}

    def find(self, shape: ShapeSpec) -> tuple[str, bool]:
        """The path of a mesh from the folder, and whether it is there."""
        name = str(shape.file)
        if name not in self.found:
            path = self._locate(name.replace("\\", "/"), shape)
            relative = os.path.relpath(path, self.packages.home).replace(os.sep, "/")
            self.found[name] = relative, os.path.isfile(path)
        return self.found[name]

    def _locate(self, name: str, shape: ShapeSpec) -> Path:
        scheme, separator, rest = name.partition("://")
        if separator and scheme == "package":
            return self._in_package(name, rest, shape)
        if separator and scheme == "file":
            name = "/" + rest.lstrip("/")
        if "://" not in name and not PurePosixPath(name).is_absolute():
            # a description that is part of a package may name all of its files
            target = self._resolved(self.packages.home / name)
            if self.packages.allows(target):
                return target
        return self.folder.locate(name, line=shape.line, element=f'shape "{shape.name}"')

    def _in_package(self, name: str, rest: str, shape: ShapeSpec) -> Path:
        """The file in a package; the mistake `package:///NAME/path` is common and understood."""
        package, _, inner = rest.lstrip("/").partition("/")
        root = self.packages.find(package)
        if root is None:
            raise self._refused(name, "names no package", "write package://NAME/path", shape)
        target = self._resolved(root / inner)
        if not self.packages.allows(target):
            hint = "put the file into the package, or load it with allow_outside=True"
            raise self._refused(name, "is outside its package", hint, shape)
        return target

    def _resolved(self, path: Path) -> Path:
        """The path without links and dots."""
        if path.parent not in self.real:
            self.real[path.parent] = Path(os.path.realpath(path.parent))
        target = self.real[path.parent] / path.name
        return Path(os.path.realpath(target)) if path.name == ".." or os.path.islink(target) else target

    def _refused(self, name: str, problem: str, hint: str, shape: ShapeSpec) -> ModelError:
        element = f'shape "{shape.name}"'
        return ModelError(f"the file {name!r} {problem}", line=shape.line, element=element, hint=hint)
