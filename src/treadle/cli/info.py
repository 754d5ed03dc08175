"""`treadle info`: what a machine is made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.cli.console import Debug, Json, console, print_json, reported
from treadle.cli.machine import Floating, MachineName, open_machine
from treadle.dynamics.kinematics import frame_placements
from treadle.model.model import WORLD, Body, Link, Model

if TYPE_CHECKING:
    from rich.tree import Tree

__all__ = ["info"]


@reported
def info(machine: MachineName, floating: Floating = False, json: Json = False, debug: Debug = False) -> None:
    """Show the links and joints of a machine, its size and what its import left out.

    \b
    Examples:
      treadle info arm
      treadle info robot.urdf --floating
      treadle info robot.urdf --json
    """
    model = open_machine(machine, floating)
    if json:
        print_json(_record(model))
        return
    out = console()
    out.print(_tree(model))
    out.print()
    for name, value in _summary(model).items():
        out.print(f"[bold]{name:<14}[/bold] {value}")
    if model.report:
        out.print("\n[bold]Import report[/bold]")
        for line in model.report:
            out.print(f"- {line}", markup=False)


def _summary(model: Model) -> dict[str, str]:
    size = " x ".join(f"{length:.3g}" for length in _size(model))
    return {
        "machine": model.name,
        "moving joints": f"{len(model.joints)}",
        "links": f"{len(model.links)} in {len(model.bodies)} moving bodies",
        "coordinates": f"nq = {model.nq} positions, nv = {model.nv} velocities",
        "mass": f"{model.mass:.6g} kg that moves",
        "size": f"{size} m (x, y, z) around the links' origins and centres of mass, joints at neutral",
        "gravity": f"{', '.join(f'{x:g}' for x in model.gravity)} m/s2",
    }


def _size(model: Model) -> list[float]:
    """Edges of the box around all links' origins and centres of mass, at the neutral position."""
    poses = dict(zip(model.frames, frame_placements(model, model.neutral()), strict=True))
    points = [pose.translation for pose in poses.values()]
    for link in model.links:
        points.append(poses[model.frame(link.name)].apply_point(link.center))
    return np.ptp(np.array([[float(x) for x in point] for point in points]), axis=0).tolist()  # type: ignore[arg-type]


def _tree(model: Model) -> Tree:
    """Bodies under the bodies that carry them; links joined by fixed joints are in one line."""
    from rich.markup import escape
    from rich.tree import Tree

    root = Tree(f"[bold]{escape(model.name)}[/bold]")
    world = root.add(f"[dim]world[/dim]  {_links(model, WORLD)}".rstrip())
    branches: dict[int, Any] = {WORLD: world}
    for index, body in enumerate(model.bodies):
        text = f"[cyan]{escape(body.joint.name)}[/cyan]  {escape(_joint_text(body))}  {_links(model, index)}"
        branches[index] = branches[body.parent].add(text)
    return root


def _links(model: Model, body: int) -> str:
    """The links of a body: those with mass by name, the others by their number."""
    from rich.markup import escape

    own = [link for link in model.links if link.body == body]
    heavy = [link for link in own if link.mass > 0.0] or own[:1]
    names = ", ".join(f"[bold]{escape(link.name)}[/bold] {_mass(link)}" for link in heavy[:3])
    hidden = len(own) - min(len(heavy), 3)
    return f"{names} [dim]and {hidden} more[/dim]" if hidden else names


def _mass(link: Link) -> str:
    return f"{link.mass:.4g} kg"


def _joint_text(body: Body) -> str:
    """Type, axes and limits of a joint."""
    joint = body.joint
    parts = ["continuous" if joint.continuous else joint.type.kind]
    parts += [f"axis {_axis(axis)}" for axis in _axes(body)]
    units = [unit.removesuffix("/s") for unit in joint.type.velocity_units]
    for low, high, unit in zip(joint.lower, joint.upper, units, strict=True):
        if math.isfinite(low) or math.isfinite(high):
            parts.append(f"{low:.4g} to {high:.4g} {unit}")
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
        "mass": model.mass,
        "size": _size(model),
        "gravity": list(model.gravity),
        "joints": [
            {
                "name": body.joint.name,
                "type": "continuous" if body.joint.continuous else body.joint.type.kind,
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
        "report": list(model.report),
    }
