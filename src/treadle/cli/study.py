"""`treadle study`: run a published experiment again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported

if TYPE_CHECKING:
    from treadle.studies import Findings

__all__ = ["study"]


@reported
def study(
    name: Annotated[str | None, typer.Argument(help="The study; without it, all are listed.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A short run: rough numbers.")] = False,
    only: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these parts of the study, with commas.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a study that draws its cases.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the plot.")] = Path(),
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Repeat a published experiment.

    Prints a table and checks, and draws a plot.
    Methods and peers run in the same process on the same machine. Peers that are not installed are left
    out with a note: pip install 'treadle[peers]'.

    \b
    Examples:
      treadle study
      treadle study roadheader-accuracy
      treadle study chain-scaling --quick --out plots
      treadle study roadheader-energy --json
      treadle study contact-gauntlet --quick --only towers,robots
    """
    if name is None:
        _list(json)
        return
    from treadle.bench.peers import busy, computer
    from treadle.studies import description, find_study_parts

    names = None if only is None else [part.strip() for part in only.split(",") if part.strip()]
    run = find_study_parts(name, names, seed)
    picture = _picture(out, name)
    load = busy()
    with progress(shown=not json, steady=False) as bar:
        shown = bar.add_task(name, total=1.0)
        findings = run(
            quick, lambda done, what: bar.update(shown, completed=done, description=what, refresh=True)
        )
    findings.notes += load if findings.timed else []
    findings.draw().savefig(picture)
    if json:
        record = {"command": f"study {name}", "quick": quick, "computer": computer(), **findings.record()}
        print_json({**record, "files": [str(picture)]})
        return
    _print(findings, description(name))
    typer.echo(f"\nThe plot is in {picture}.")


def _list(json: bool) -> None:
    from treadle.studies import STUDIES, description

    rows = [{"name": name, "description": description(name)} for name in STUDIES]
    if json:
        print_json({"command": "study", "rows": rows})
        return
    from rich.table import Table

    table = Table("study", "what it shows", box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(row["name"], row["description"])
    console().print(table)


def _picture(folder: Path, name: str) -> Path:
    """Where the plot goes; the folder is made, before anything is computed for nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    with path.open("ab"):
        return path


def _print(findings: Findings, title: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim", box=None)
    for column in findings.columns:
        words = any(isinstance(row.get(column.key), str) for row in findings.rows)
        table.add_column(column.head, justify="left" if words else "right")
    for row in findings.rows:
        table.add_row(*[escape(column.text(row)) for column in findings.columns])
    out.print(table)
    if findings.checks:
        out.print()
    for check in findings.checks:
        word = "[green]holds[/green]" if check.holds else "[red]fails[/red]"
        value = "not measured" if check.value is None else f"{check.value:.3g}"
        out.print(f"{word}  {escape(check.name)} {check.limit:g}: {value}")
    for note in findings.notes:
        out.print(f"note: {note}", markup=False)
