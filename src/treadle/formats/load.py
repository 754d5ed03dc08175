"""Read a machine from a file, by its suffix, and remember what was read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from treadle import store
from treadle.errors import ModelError
from treadle.extras import missing_package
from treadle.formats.folder import Folder
from treadle.formats.srdf import add_disabled_collisions
from treadle.model import Model, ModelSpec
from treadle.model.values import path_of, plain
from treadle.plugins import Registry

__all__ = ["FORMATS", "Format", "load", "load_spec"]


@dataclass(frozen=True)
class Format:
    """A kind of file: its reader (content, name, floating_base) and the package that the reader uses.

    What is read is kept on disk, under the version of the package; not so without a package. A reader
    that looks at other files gets their `Folder` as a fourth argument. What depends on other files but
    is quick to find out is left to `finish` (description, folder), which is called every time.
    """

    read: Callable[..., ModelSpec]
    package: str | None = None
    takes_folder: bool = False
    finish: Callable[[ModelSpec, Folder], None] | None = None


def _function(module: str, name: str) -> Callable[..., Any]:
    """A function of a module of this package, imported when it is first called."""

    def function(*arguments: Any) -> Any:
        return getattr(import_module(f"treadle.formats.{module}"), name)(*arguments)

    return function


_find_meshes = _function("urdf_meshes", "find_meshes")

#: Formats by suffix.
FORMATS: Registry[Format] = Registry("treadle.formats", {
    ".toml": Format(_function("toml", "read"), takes_folder=True),
    ".urdf": Format(_function("urdf", "read"), "yourdfpy", finish=_find_meshes),
    ".xacro": Format(_function("xacro", "read"), takes_folder=True, finish=_find_meshes),
    ".xml": Format(_function("mjcf", "read"), takes_folder=True),
})  # fmt: skip

_LARGEST_FILE = 50_000_000


def load(
    path: str | PathLike[str],
    floating_base: bool = False,
    gravity: Sequence[float] | None = None,
    allow_outside: bool = False,
    srdf: str | PathLike[str] | None = None,
    meshes: str | None = None,
) -> Model:
    """The machine that a file describes; `model.report` says what was ignored, repaired or guessed.

    Where the format does not say how the machine stands in the world (URDF), its root link is fixed to
    it, or moves freely with `floating_base`. Gravity (m/s2) is the file's, or (0, 0, -9.81), unless given.
    Files that the description names are read from its own folder only, unless `allow_outside`. The pairs of
    links in an `srdf` file do not touch. Meshes that move touch as `meshes`: "hull", the solid around them;
    "parts", convex ones that fill them; or "mesh", as they are. It becomes the setting of that name.
    """
    spec = load_spec(path, floating_base, allow_outside)
    if srdf is not None:
        add_disabled_collisions(spec, srdf)
    if gravity is not None:
        spec.gravity = plain(gravity)
    if meshes is not None:
        spec.settings["meshes"] = meshes
    return spec.compile(strict=False)


def load_spec(
    path: str | PathLike[str], floating_base: bool = False, allow_outside: bool = False
) -> ModelSpec:
    """The same as an editable description: compiled, it is the model that `load` gives, report included."""
    path = path_of(path)
    content = _content(path)
    kind = FORMATS[path.suffix.lower()]
    folder = Folder(path.parent, bool(allow_outside))
    digest = _digest(content, path, kind, bool(floating_base), folder)
    stored = None if digest is None else store.read("import", digest)
    try:
        if stored is not None:
            spec = ModelSpec.from_dict(json.loads(stored))
        else:
            arguments = (content, path.stem, bool(floating_base), *([folder] if kind.takes_folder else []))
            spec = kind.read(*arguments)
            if digest is not None:
                store.write("import", digest, json.dumps(spec.to_dict()).encode())
        if kind.finish is not None:
            kind.finish(spec, folder)
    except ModelError as error:
        error.file = str(path)
        raise
    spec.file = str(path)
    return spec


def _digest(content: bytes, path: Path, kind: Format, floating_base: bool, folder: Folder) -> str | None:
    """Under what a file's description is kept; None if it is not."""
    if kind.package is None:
        return None
    key = [hashlib.sha256(content).hexdigest(), path.suffix.lower(), path.stem, floating_base]
    try:
        key += [store.source_digest(), version(kind.package)]
    except PackageNotFoundError:
        raise missing_package(kind.package, f"reading {path.suffix} files") from None
    if kind.takes_folder:
        key += [str(folder.path.absolute()), folder.allow_outside]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()


def _content(path: Path) -> bytes:
    """The bytes of the file; ModelError if there is none of a known kind."""
    if path.is_dir():
        raise ModelError("is a folder, not a file", file=path, hint="name the robot's file inside it")
    if path.suffix.lower() not in FORMATS:
        hint = f"files that can be read end in {', '.join(FORMATS)}"
        raise ModelError(f"unknown kind of file {path.suffix!r}", file=path, hint=hint)
    if not path.exists():
        raise ModelError("there is no such file", file=path, hint="check the path")
    if not path.is_file():
        raise ModelError("is not a file", file=path, hint="check the path")
    try:
        size = path.stat().st_size
        if size > _LARGEST_FILE:
            message = (
                f"is {size / 1e6:.0f} MB large, and {_LARGEST_FILE / 1e6:.0f} MB is the most that is read"
            )
            raise ModelError(
                message, file=path, hint="a robot's description is text; meshes are files of their own"
            )
        return path.read_bytes()
    except OSError as error:
        message = f"cannot be read ({error.strerror or error})"
        raise ModelError(message, file=path, hint="check the file and its permissions") from None
