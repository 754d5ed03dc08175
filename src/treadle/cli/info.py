"""`treadle info`: what a machine is made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from treadle.cli.console import Debug, Json, console, print_json, reported
from treadle.cli.findings import print_findings
from treadle.cli.machine import Floating, MachineName, Outside, is_scene, open_machine
from treadle.model.model import WORLD, Body, Model
from treadle.scenes.facts import Fact, scene_facts

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["info"]

#: Columns for the lines of the tree.
_WIDEST_GUIDE = 32

#: Columns that a name keeps.
_NARROWEST_NAME = 12

_HEADS = ["joint", "type", "axis", "limits", "links", "mass"]


@reported
def info(
    machine: MachineName,
    floating: Floating = False,
    outside: Outside = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the links, joints and size of a machine.

    \b
    Examples:
      treadle info arm
      treadle info robot.urdf --floating
      treadle info robot.urdf --json
    """
    from treadle.formats.shape_boxes import measured_summary

    model = open_machine(machine, floating, outside)
    summary = measured_summary(model)
    facts = scene_facts(machine) if is_scene(machine) else []
    if json:
        told = [fact._asdict() for fact in facts]
        print_json({**_record(model), "summary": summary.to_dict(), "facts": told})
        return
    out = console(width=160)
    out.print(_tree(model, out))
    if model.loops:
        out.print()
        out.print(_loops(model))
    out.print()
    out.print(str(summary), markup=False, soft_wrap=True)
    _print_facts(out, facts)
    out.print(f"\nnq = {model.nq} positions, nv = {model.nv} velocities; ", end="")
    out.print(f"gravity {', '.join(f'{x:g}' for x in model.gravity)} m/s2")
    if model.report:
        out.print("\n[bold]Import report[/bold]")
        print_findings(out, model.report)


def _tree(model: Model, out: Console) -> Table:
    """Joints under the joints that carry them, each with the links that it moves."""
    from rich.table import Table

    heads, rows = _HEADS, _rows(model, digits=3)
    if _narrowest(rows, heads) > out.width:
        heads, rows = _without("axis", heads, _rows(model, digits=2))
    if _narrowest(rows, heads) > out.width:
        heads, rows = _without("links", heads, rows)

    table = Table(box=None, header_style="dim", pad_edge=False)
    widths = _widths(rows, heads)
    if "links" in heads:
        # the links' names are cut where there is no room; the joints' are what users have to type
        excess = sum(widths) + 2 * (len(widths) - 1) - out.width
        widths[-2] = max(_NARROWEST_NAME, widths[-2] - max(0, excess))
    for head, needed in zip(heads, widths, strict=True):
        table.add_column(head, no_wrap=True, width=needed, justify="right" if head == "mass" else "left")
    for row in rows:
        table.add_row(*row)
    return table


def _rows(model: Model, digits: int) -> list[list[str]]:
    """Joint, type, axis, limits, links and mass, line by line."""
    from rich.markup import escape

    rows = []
    if any(link.body == WORLD for link in model.links):
        rows.append(["world", "", "", "", *_links(model, WORLD)])
    for index, guide in _branches(model):
        body = model.bodies[index]
        # a chain is as deep as it is long
        name = f"[dim]{guide[-_WIDEST_GUIDE:]}[/dim][cyan]{escape(body.joint.name)}[/cyan]"
        axes = " ".join(_axis(axis) for axis in _axes(body))
        rows.append([name, _kind(body), axes, _limits(body, digits), *_links(model, index)])
    return rows


def _without(head: str, heads: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The table without a column."""
    k = heads.index(head)
    return heads[:k] + heads[k + 1 :], [row[:k] + row[k + 1 :] for row in rows]


def _narrowest(rows: list[list[str]], heads: list[str]) -> int:
    """Columns that the table needs with the names of links cut."""
    widths = dict(zip(heads, _widths(rows, heads), strict=True))
    if "links" in widths:
        widths["links"] = min(widths["links"], _NARROWEST_NAME)
    return sum(widths.values()) + 2 * (len(widths) - 1)


def _widths(rows: list[list[str]], heads: list[str]) -> list[int]:
    from rich.cells import cell_len
    from rich.markup import render

    return [max(cell_len(render(row[k]).plain) for row in [*rows, heads]) for k in range(len(heads))]


def _loops(model: Model) -> Table:
    """The joints that close loops, and which links they connect."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    for head in ("closes a loop", "type", "between", "and"):
        table.add_column(head, no_wrap=True)
    for loop in model.loops:
        kind = "fixed" if loop.type is None else "continuous" if loop.continuous else loop.type.kind
        ends = (loop.predecessor_link or "world", loop.successor_link)
        table.add_row(f"[cyan]{escape(loop.name)}[/cyan]", kind, *map(escape, ends))
    return table


def _print_facts(out: Console, facts: list[Fact]) -> None:
    width = max((len(fact.name) for fact in facts), default=0)
    for index, fact in enumerate(facts):
        out.print(f"{'' if index else chr(10)}{fact.name:<{width}}  {fact}", markup=False)


def _kind(body: Body) -> str:
    return "continuous" if body.joint.continuous else body.joint.type.kind


def _branches(model: Model) -> list[tuple[int, str]]:
    """The bodies in the order of a tree that is read from the top, with the lines drawn before each."""
    children: dict[int, list[int]] = {}
    for index, body in enumerate(model.bodies):
        children.setdefault(body.parent, []).append(index)
    order: list[tuple[int, str]] = []
    stack = [(WORLD, "", "")]
    while stack:
        index, guide, below = stack.pop()
        if index != WORLD:
            order.append((index, guide))
        own = children.get(index, [])
        for child in reversed(own):
            last = child == own[-1]
            stack.append((child, below + ("└ " if last else "├ "), below + ("  " if last else "│ ")))
    return order


def _links(model: Model, body: int) -> tuple[str, str]:
    """The first link of a body, how many others are fixed to it, and the mass of all."""
    from rich.markup import escape

    own = [link for link in model.links if link.body == body]
    more = f" [dim]+ {len(own) - 1}[/dim]" if len(own) > 1 else ""
    mass = sum(float(link.mass) for link in own)  # type: ignore[arg-type]
    return f"{escape(own[0].name)}{more}", f"{mass:.0f} kg" if mass >= 1e3 else f"{mass:.4g} kg"


def _limits(body: Body, digits: int) -> str:
    """Lower and upper limits, freedom by freedom, with the unit of each."""
    joint, parts = body.joint, []
    units = [unit.removesuffix("/s") for unit in joint.type.velocity_units]
    for low, high, unit in zip(joint.lower, joint.upper, units, strict=True):
        if math.isfinite(low) or math.isfinite(high):
            parts.append(f"{low:.{digits}f} to {high:.{digits}f} {unit}")
    return ", ".join(parts)


def _axes(body: Body) -> list[Any]:
    return [
        getattr(body.joint.type, name) for name in ("axis", "second_axis") if hasattr(body.joint.type, name)
    ]


def _axis(axis: Any) -> str:
    """x, -y and so on for coordinate axes."""
    values = [float(x) for x in axis]
    for k, name in enumerate("xyz"):
        if abs(values[k]) == 1.0:
            return name if values[k] > 0.0 else f"-{name}"
    return f"({', '.join(f'{x:.3g}' for x in values)})"


def _record(model: Model) -> dict[str, Any]:
    parents = {WORLD: None} | {index: body.name for index, body in enumerate(model.bodies)}
    return {
        "command": "info",
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "gravity": list(model.gravity),
        "joints": [
            {
                "name": body.joint.name,
                "type": _kind(body),
                "parent": parents[body.parent],
                "child": body.name,
                "axes": [[float(x) for x in axis] for axis in _axes(body)],
                "lower": list(body.joint.lower),
                "upper": list(body.joint.upper),
                "effort": list(body.joint.effort),
                "speed": list(body.joint.speed),
                "damping": list(body.joint.damping),
                "stiffness": list(body.joint.stiffness),
                "armature": list(body.joint.armature),
            }
            for body in model.bodies
        ],
        "links": [
            {
                "name": link.name,
                "body": parents[link.body],
                "mass": link.mass,
                "center": [float(x) for x in link.center],  # type: ignore[arg-type]
                "inertia": [[float(x) for x in row] for row in link.rotational.to_rows()],  # type: ignore[arg-type]
            }
            for link in model.links
        ],
        "loops": [
            {
                "name": loop.name,
                "type": "fixed" if loop.type is None else loop.type.kind,
                "predecessor": loop.predecessor_link,
                "successor": loop.successor_link,
                "constraints": loop.constraints,
            }
            for loop in model.loops
        ],
        "report": list(model.report),
    }
