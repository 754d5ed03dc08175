"""`treadle check`: what an import ignored, repaired or guessed, and what looks wrong."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treadle.cli.console import FAILED, MISTAKEN, Debug, Json, busy, console, print_json, reported
from treadle.cli.findings import count_line, print_findings, rows
from treadle.cli.machine import Floating, MachineName, Outside, open_machine
from treadle.errors import ModelError, TreadleError
from treadle.model.finding import Finding, as_finding
from treadle.model.model import Model
from treadle.model.summary import Summary

__all__ = ["check"]

Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 1 if there are warnings.")]


@reported
def check(
    machine: MachineName,
    floating: Floating = False,
    outside: Outside = False,
    strict: Strict = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Check a machine: import report, and what looks wrong.

    Lists what the import ignored, repaired or guessed. Meshes and geometry are opened too. Exits with 0 if
    there is nothing worse than notes, or than warnings without --strict; with 1 for
    warnings under --strict; with 2 for errors.

    \b
    Examples:
      treadle check robot.urdf
      treadle check robot.xml --strict
      treadle check roadheader --json
    """
    try:
        model = open_machine(machine, floating, outside)
    except ModelError as error:
        if not json:
            raise
        print_json({"command": "check", "machine": machine, **_refusal(error)})
        raise typer.Exit(MISTAKEN) from None

    with busy("opening meshes and geometry", shown=not json):
        findings = _findings(model)
        summary = _summary(model)
    counts = {kind: sum(item.severity == kind for item in findings) for kind in ("error", "warning")}
    if json:
        checks = [_check(f"{kind}s", count) for kind, count in counts.items()]
        record = {"command": "check", "machine": machine, "rows": rows(findings)}
        print_json({**record, "summary": summary.to_dict(), "checks": checks})
    else:
        _print(findings, summary)
    if counts["error"]:
        raise typer.Exit(MISTAKEN)
    if counts["warning"] and strict:
        raise typer.Exit(FAILED)


def _findings(model: Model) -> list[Finding]:
    """The model's own report, and what its geometry and meshes show once they are opened."""
    from treadle.formats.geometry_findings import geometry_findings
    from treadle.formats.mesh_findings import mesh_findings

    lines = [*model.report, *geometry_findings(model)]
    lines += [
        line if isinstance(line, Finding) else Finding(line, severity="warning")
        for line in mesh_findings(model)
        if line not in lines
    ]
    return [as_finding(line) for line in (*lines, *_overlap_findings(model))]


def _overlap_findings(model: Model) -> list[Finding]:
    """Shapes of one machine that overlap in its initial posture: they do not touch until they were apart."""
    if sum(shape.role == "collision" for shape in model.shapes) < 2:
        return []
    # the kernels of collision take long to import
    import numpy as np

    from treadle.collision.collider import Collider
    from treadle.sim.meshes import contact_meshes
    from treadle.sim.step.overlap import start_overlaps

    try:
        collider = Collider(model, meshes=contact_meshes(model, None))
        found = start_overlaps(model, collider, np.array(model.initial()[0]))
    except TreadleError:
        # what is wrong with the meshes is among the findings already
        return []
    return [
        Finding(
            f"the shapes {item.first!r} and {item.second!r} overlap by {1e3 * item.depth:.3g} mm in the "
            "initial posture: they do not touch each other until they have been apart",
            severity="note",
        )
        for item in found
    ]


def _summary(model: Model) -> Summary:
    from treadle.formats.shape_boxes import measured_summary

    return measured_summary(model)


def _check(name: str, count: int) -> dict[str, Any]:
    return {"name": f"{name}, at most", "value": count, "limit": 0, "holds": count == 0}


def _refusal(error: ModelError) -> dict[str, Any]:
    """The record of a machine that cannot be loaded."""
    place = {"file": error.file, "line": error.line}
    row = {"severity": "error", "element": error.element, "what": error.message, "hint": error.hint, **place}
    return {"rows": [row], "summary": None, "checks": [_check("errors", 1)]}


def _print(findings: list[Finding], summary: Summary) -> None:
    out = console()
    out.print(str(summary), markup=False, soft_wrap=True)
    out.print()
    if findings:
        print_findings(out, findings)
        out.print()
    out.print(count_line(findings))
