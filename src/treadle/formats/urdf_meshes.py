"""Where the meshes of a URDF lie: paths from its folder, and `package://NAME/path`.

A package is a folder of that name that holds the description: the folder of the description, the one
above it, or one further up with a `package.xml` in it. Else it is taken to lie beside the description.
Nothing outside the package is looked at, unless that is allowed; then packages are also searched for in all
folders above and where ROS_PACKAGE_PATH and AMENT_PREFIX_PATH say.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

from treadle.errors import ModelError
from treadle.formats.folder import Folder
from treadle.formats.mesh import SUFFIXES
from treadle.model import ModelSpec, ShapeSpec
from treadle.model.finding import Finding

__all__ = ["find_meshes"]

_MANIFEST = "package.xml"


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
    if finder.lost:
        hint = "put their folders beside the description, or search more with allow_outside=True"
        spec.report.append(Finding("packages that are not found", list(finder.lost), "warning", hint))
    if missing:
        hint = "put the files there, or correct their paths"
        spec.report.append(Finding("meshes that are missing", list(missing), "warning", hint))


class _Finder:
    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.home = folder.path.resolve()
        #: packages by name, and those that were not found
        self.packages: dict[str, Path] = {}
        self.lost: dict[str, None] = {}
        self.found: dict[str, tuple[str, bool]] = {}

    def find(self, shape: ShapeSpec) -> tuple[str, bool]:
        """The path of a mesh from the folder, and whether it is there."""
        name = str(shape.file)
        if name not in self.found:
            path = self._locate(name.replace("\\", "/"), shape)
            self.found[name] = os.path.relpath(path, self.home).replace(os.sep, "/"), path.is_file()
        return self.found[name]

    def _locate(self, name: str, shape: ShapeSpec) -> Path:
        scheme, separator, rest = name.partition("://")
        if separator and scheme == "package":
            return self._in_package(name, rest, shape)
        if separator and scheme == "file":
            name = "/" + rest.lstrip("/")
        try:
            return self.folder.locate(name, line=shape.line, element=f'shape "{shape.name}"')
        except ModelError:
            # a description that is part of a package may name all of its files
            target = self._resolved(self.home / name, shape)
            if separator or PurePosixPath(name).is_absolute() or not target.is_relative_to(self.own_package):
                raise
            return target

    def _in_package(self, name: str, rest: str, shape: ShapeSpec) -> Path:
        """The file in a package; talk of `package:///NAME/path` is common and understood."""
        package, _, inner = rest.lstrip("/").partition("/")
        if package in ("", ".", ".."):
            raise self._refused(name, "names no package", "write package://NAME/path", shape)
        if package not in self.packages:
            self.packages[package] = next(self._places(package), self.home / package)
            if not self.packages[package].is_dir():
                self.lost[package] = None
        root = self.packages[package]
        target = self._resolved(root / inner, shape)
        if not self.folder.allow_outside and not target.is_relative_to(root.resolve()):
            hint = "put the file into the package, or load it with allow_outside=True"
            raise self._refused(name, "is outside its package", hint, shape)
        return target

    def _places(self, package: str) -> Iterator[Path]:
        """Folders that may be the package of this name, the likeliest first."""
        above = [self.home, *self.home.parents]
        for level, path in enumerate(above):
            if path.name == package and (level < 2 or (path / _MANIFEST).is_file()):
                yield path
        if (self.home / package).is_dir() or not self.folder.allow_outside:
            yield self.home / package
            return
        paths = [path / package for path in above]
        paths += [Path(path) / package for path in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)]
        ament = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        paths += [Path(path) / "share" / package for path in ament]
        yield from (path for path in paths if path.is_dir())

    @cached_property
    def own_package(self) -> Path:
        """The package that the description is part of, or its folder."""
        above = [self.home, *self.home.parents]
        return next((path for path in above if (path / _MANIFEST).is_file()), self.home)

    def _resolved(self, path: Path, shape: ShapeSpec) -> Path:
        try:
            target = path.resolve()
            target.exists()
            return target
        except (OSError, RuntimeError, ValueError):
            raise self._refused(str(shape.file), "cannot be found", "check its path", shape) from None

    def _refused(self, name: str, problem: str, hint: str, shape: ShapeSpec) -> ModelError:
        element = f'shape "{shape.name}"'
        return ModelError(f"the file {name!r} {problem}", line=shape.line, element=element, hint=hint)
