"""`treadle convert`: a machine in another format."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.console import Debug, Json, busy, console, print_json, reported
from treadle.cli.findings import count_line, print_findings, rows
from treadle.cli.machine import Floating, MachineName, Outside, open_machine
from treadle.errors import ModelError
from treadle.model.finding import as_finding

__all__ = ["convert"]

Target = Annotated[
    str,
    typer.Argument(metavar="OUT", help="The file to write; its ending is the format: .urdf, .xml, .toml."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]


@reported
def convert(
    machine: MachineName,
    target: Target,
    floating: Floating = False,
    outside: Outside = False,
    force: Force = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a machine in another format.

    Reports what that format cannot represent. The suffix of OUT is the format: .urdf, .xml (MJCF), or .toml
    (Treadle's own, which represents everything). Meshes are copied into the folder OUT_meshes; for .toml all
    shapes are written into one .3dt file. Existing files are kept without --force, and files are written
    completely or not at all.

    \b
    Examples:
      treadle convert robot.urdf robot.toml
      treadle convert roadheader roadheader.xml
      treadle convert robot.xml out/robot.urdf --force
    """
    from treadle.formats.save import save_files

    model = open_machine(machine, floating, outside)
    try:
        with busy(f"writing {target}", shown=not json):
            saved = save_files(model, target, replace=force, gather=True)
    except ModelError as error:
        if error.message == "exists already":
            error.hint = "use --force to replace it"
        raise
    if json:
        files = [{"file": str(path), "bytes": path.stat().st_size} for path in saved.files]
        told = [{"stage": "reading", **row} for row in rows(model.report)]
        told += [{"stage": "writing", **row} for row in rows(saved.findings)]
        print_json({"command": "convert", "machine": machine, "files": files, "rows": told})
        return
    from rich.markup import escape

    out = console()
    for name, size in _listing(Path(target).expanduser(), saved.files):
        out.print(f"[green]wrote[/green]  {name}  [dim]{size}[/dim]", soft_wrap=True)
    lost = [line for line in model.report if as_finding(line).severity != "note"]
    if lost:
        out.print(f"\n[bold]Already when {escape(Path(machine).name)} was read[/bold]")
        print_findings(out, lost)
    if len(lost) < len(model.report):
        noted = count_line(model.report).rpartition(", ")[2]
        out.print(
            f"\n{noted} about reading it: treadle check {machine}", style="dim", markup=False, soft_wrap=True
        )
    if saved.findings:
        out.print("\n[bold]What is not carried over as it was[/bold]")
        print_findings(out, saved.findings)
        out.print()
        out.print(count_line(saved.findings))
    else:
        out.print(f"\nEverything{' else' if lost else ''} was carried over.")


def _listing(target: Path, files: tuple[Path, ...]) -> list[tuple[str, str]]:
    """The file itself, then the others, folder by folder."""
    from rich.markup import escape

    lines = [(str(target), _amount(target.stat().st_size))]
    folders: dict[Path, list[Path]] = defaultdict(list)
    for path in files:
        if path != target and path.parent == target.parent:
            lines.append((str(path), _amount(path.stat().st_size)))
        elif path != target:
            folders[path.parent].append(path)
    for folder, inside in folders.items():
        total = _amount(sum(path.stat().st_size for path in inside))
        count = f"{len(inside)} file{'s' if len(inside) > 1 else ''}"
        lines.append((f"{folder}/", f"{count}, {total}"))
    return [(escape(name), size) for name, size in lines]


def _amount(size: int) -> str:
    for unit, factor in (("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
