"""`treadle sweep`: simulate a machine with all combinations of some constants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported
from treadle.cli.machine import open_machine
from treadle.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["sweep"]

#: Combinations and columns that are printed; the file has all.
_ROWS, _COLUMNS = 10, 6


@reported
def sweep(
    machine: Annotated[str, typer.Argument(help="A scene, or a robot's file.")],
    vary: Annotated[
        list[str], typer.Option(metavar="NAME=VALUES", help="Values with commas, or first:last:count.")
    ],
    seconds: Annotated[float, typer.Option(help="How long to simulate (s).")] = 1.0,
    signal: Annotated[list[str] | None, typer.Option(metavar="NAME", help="What to keep at the end.")] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Parquet file for the table.")] = Path(
        "sweep.parquet"
    ),
    folder: Annotated[Path | None, typer.Option(help="Keep finished blocks here, and continue.")] = None,
    block: Annotated[int, typer.Option(help="Worlds per block.")] = 1024,
    backend: Annotated[str, typer.Option(help="local, or ray.")] = "local",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Simulate all combinations of some constants.

    Constants are those of td.parameter_names; signals those of recordings. A sweep with a folder that was
    interrupted continues.

    \b
    Examples:
      treadle sweep pendulum --vary upper.mass=0.5:2:20 --seconds 2
      treadle sweep arm --vary bend.damping=0.1,1,10 --signal "body.*.pose" --out arm.parquet
    """
    import pyarrow.parquet as pq

    from treadle.batch.sweep import sweep as run

    model = open_machine(machine)
    parameters = dict(_values(text) for text in vary)
    with progress(shown=not json, steady=False) as bar:
        shown = bar.add_task("sweep", total=1.0)
        table = run(
            model,
            parameters,
            seconds,
            signal or ["energy.total"],
            block=block,
            folder=folder,
            backend=backend,
            report=lambda done: bar.update(shown, completed=done),
        )
    pq.write_table(table, out)
    if json:
        print_json({"rows": table.to_pylist(), "checks": []})
        return
    _show(table)
    console().print(f"{table.num_rows} combinations, {len(table.column_names)} columns: {out}")


def _show(table: pa.Table) -> None:
    """The first combinations, and of each the first columns."""
    from rich.table import Table

    names = table.column_names[:_COLUMNS]
    shown = Table(*names, box=None, header_style="dim", pad_edge=False)
    for row in table.slice(0, _ROWS).select(names).to_pylist():
        shown.add_row(*[f"{value:.6g}" if isinstance(value, float) else str(value) for value in row.values()])
    if table.num_rows > _ROWS or len(table.column_names) > _COLUMNS:
        shown.add_row(*["..." for _ in names])
    console().print(shown)


def _values(text: str) -> tuple[str, list[float]]:
    """A constant and its values, from NAME=1,2,3 or NAME=first:last:count."""
    import numpy as np

    name, equals, values = text.partition("=")
    try:
        if not equals:
            raise ValueError
        if ":" in values:
            first, last, count = values.split(":")
            return name, np.linspace(float(first), float(last), int(count)).tolist()
        return name, [float(x) for x in values.split(",")]
    except ValueError:
        raise InputError(f"--vary needs NAME=1,2,3 or NAME=first:last:count, not {text!r}") from None
