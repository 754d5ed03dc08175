"""What the commands share: errors in one sentence, JSON, tables and progress bars."""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from treadle.errors import SimulationDiverged, TreadleError
from treadle.extras import PACKAGES, missing_package

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["FAILED", "MISTAKEN", "Debug", "Json", "busy", "console", "print_json", "progress", "reported"]

F = TypeVar("F", bound=Callable[..., Any])

#: Exit codes: a run that failed, and a mistake in what was asked for.
FAILED, MISTAKEN = 1, 2


class _Options:
    debug = False


def _set_debug(value: bool) -> bool:
    # given before or after the command's name, it counts
    _Options.debug = _Options.debug or value
    return value


Debug = Annotated[bool, typer.Option("--debug", callback=_set_debug, help="Show the traceback of an error.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def reported(command: F) -> F:
    """The command, with errors as one sentence on stderr and an exit code."""

    @functools.wraps(command)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if _Options.debug:
                raise
            code = MISTAKEN if isinstance(error, (TreadleError, OSError)) else FAILED
            if isinstance(error, SimulationDiverged):
                code = FAILED
            typer.echo(f"treadle: {_sentence(error)}", err=True)
            raise typer.Exit(code) from None
        finally:
            _Options.debug = False

    return wrapper  # type: ignore[return-value]


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    if isinstance(error, (TreadleError, OSError)):
        return " ".join(str(error).split())
    if isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] in PACKAGES:
        return str(missing_package(str(error.name), "this command"))
    kind = type(error).__name__
    return f"internal error ({kind}: {' '.join(str(error).split())}); run it again with --debug and report it"


def print_json(record: dict[str, Any]) -> None:
    """One JSON object on stdout; what is not a finite number becomes null."""
    typer.echo(json.dumps(_plain(record), indent=2, ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def console(width: int = 100) -> Console:
    """Where tables go: stdout, of this width where it is not a terminal."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else width)


@contextmanager
def busy(text: str, shown: bool) -> Iterator[None]:
    """A line on stderr while something takes its time, shown only if that is a terminal."""
    from rich.console import Console

    if not (shown and sys.stderr.isatty()):
        yield
        return
    with Console(stderr=True).status(text):
        yield


@contextmanager
def progress(shown: bool, steady: bool = True) -> Iterator[Progress]:
    """A progress bar on stderr, shown only if that is a terminal.

    Without `steady` it moves only when it is told to, and no thread of its own disturbs what is measured.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        auto_refresh=steady,
        disable=not (shown and sys.stderr.isatty()),
    ) as bar:
        yield bar
