"""Write a machine to a file, by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from treadle.errors import InputError, ModelError
from treadle.formats import toml_write
from treadle.model import Model, ModelSpec, describe
from treadle.model.model import suggest
from treadle.model.values import listed

__all__ = ["WRITERS", "Writer", "save"]

#: From a description to the text of a file, and what that file does not say, one sentence each.
Writer: TypeAlias = Callable[[ModelSpec], tuple[str, list[str]]]


def _toml(spec: ModelSpec) -> tuple[str, list[str]]:
    return toml_write.text(spec), []


#: Writers by suffix.
WRITERS: dict[str, Writer] = {".toml": _toml}


def save(machine: Model | ModelSpec, path: str | PathLike[str]) -> tuple[str, ...]:
    """Write a machine, and return what the file does not say or what lies elsewhere, one sentence each.

    A description is written as it is; a model is turned into one first, see `describe`.
    """
    if not isinstance(machine, (Model, ModelSpec)):
        raise InputError(f"save needs a Model or a ModelSpec, not {type(machine).__name__}")
    path = Path(path).expanduser()
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        hint = suggest(path.suffix, list(WRITERS))
        raise ModelError(f"cannot write a file that ends in {path.suffix!r}", file=path, hint=hint)
    spec = describe(machine) if isinstance(machine, Model) else machine
    try:
        text, notes = writer(spec)
        path.write_bytes(text.encode())
    except ModelError as error:
        error.file = str(path)
        raise
    except OSError as error:
        message = f"cannot be written ({error.strerror or error})"
        raise ModelError(message, file=path, hint="check the folder and its permissions") from None
    return (*notes, *_left_behind(spec, path))


def _left_behind(spec: ModelSpec, path: Path) -> list[str]:
    """Files that the machine names and that are not in its new folder."""
    names = [spec.geometry, *(shape.file for shape in spec.shapes if shape.type == "mesh")]
    missing = [name for name in dict.fromkeys(names) if name and not (path.parent / name).is_file()]
    return [f"files that are not beside it and have to be copied: {listed(missing)}"] if missing else []
