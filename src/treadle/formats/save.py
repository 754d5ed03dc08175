"""Write a machine to a file, by its suffix, together with the files that it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from treadle.errors import InputError, ModelError
from treadle.geometry import SUFFIXES
from treadle.model import Model, ModelSpec
from treadle.model.finding import Finding
from treadle.model.model import suggest
from treadle.model.values import path_of
from treadle.plugins import Registry

__all__ = ["WRITERS", "Saved", "Writer", "save", "save_files"]


@dataclass(frozen=True)
class Writer:
    """A kind of file: `write(model, path)` makes it and returns what it cannot say.

    The path is in the folder of the file, but may not have its name yet. `meshes` are the endings that
    mesh files may have.
    """

    write: Callable[[Any, Path], list[Finding]]
    meshes: tuple[str, ...] = SUFFIXES
    #: whether it is Treadle's own, which takes descriptions as they are, and geometry files
    own: bool = False


def _writer(module: str) -> Callable[[Any, Path], list[Finding]]:
    """The function `write` of a module of this package, imported when it is first called."""

    def write(machine: Any, path: Path) -> list[Finding]:
        return import_module(f"treadle.formats.{module}").write(machine, path)

    return write


#: Writers by suffix.
WRITERS: Registry[Writer] = Registry("treadle.writers", {
    ".toml": Writer(_writer("toml_write"), own=True),
    ".xml": Writer(_writer("mjcf_write"), meshes=(".stl", ".obj")),
    ".urdf": Writer(_writer("urdf_write")),
})  # fmt: skip


@dataclass(frozen=True)
class Saved:
    """What was written: files by their paths, and what they cannot say."""

    files: tuple[Path, ...]
    findings: tuple[Finding, ...]


def save(machine: Model | ModelSpec, path: str | PathLike[str]) -> tuple[Finding, ...]:
    """Write a machine, and return what the format cannot represent, one sentence each.

    Meshes and geometry are copied, unless they are in the folder of the file already: a mesh into the
    folder "<name>_meshes", the geometry as "<name>.3dt". The file appears whole or not at all.
    """
    return save_files(machine, path).findings


def save_files(
    machine: Model | ModelSpec, path: str | PathLike[str], replace: bool = True, gather: bool = False
) -> Saved:
    """As `save`; without `replace` it is an error if one of the files is there already.

    With `gather`, Treadle's own format gets all meshes in one geometry file.
    """
    if not isinstance(machine, (Model, ModelSpec)):
        raise InputError(f"save needs a Model or a ModelSpec, not {type(machine).__name__}")
    path = path_of(path)
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        hint = suggest(path.suffix, list(WRITERS))
        raise ModelError(f"cannot write a file that ends in {path.suffix!r}", file=path, hint=hint)
    if not writer.own and isinstance(machine, ModelSpec):
        machine = machine.compile(strict=False)
    # reading and writing geometry takes long to import
    from treadle.formats.atomic_write import AtomicFiles
    from treadle.formats.carry import carry

    try:
        with AtomicFiles(path.parent, replace) as files:
            carried = carry(machine, path, writer.meshes, parts=not writer.own, gather=gather and writer.own)
            for name, content in carried.files.items():
                files.add(name, content)
            findings = writer.write(carried.machine, files.place(path.name))
    except ModelError as error:
        error.file = error.file or str(path)
        raise
    except FileExistsError as error:
        raise ModelError("exists already", file=error.filename, hint="choose another name") from None
    except OSError as error:
        message = f"cannot be written ({error.strerror or error})"
        raise ModelError(message, file=path, hint="check the folder and its permissions") from None
    return Saved(tuple(files.paths()), (*carried.findings, *findings))
