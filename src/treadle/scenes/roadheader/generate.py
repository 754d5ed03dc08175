"""Write the roadheader's files: `python -m treadle.scenes.roadheader.generate [FOLDER]`.

robot.toml is the robotics model, roadheader.3dt its geometry and tunnel.3dt the scenery. The files depend
on nothing but the source beside them; without a folder they replace those in this one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from treadle.formats.save import save
from treadle.geometry import threedt
from treadle.geometry.components import Component, Geometry, Part
from treadle.scenes.roadheader.checks import holding_table, mobility, stroke_table, working_envelope
from treadle.scenes.roadheader.components import Shape, components
from treadle.scenes.roadheader.dimensions import body_masses
from treadle.scenes.roadheader.machine import centers, machine
from treadle.scenes.roadheader.tunnel import tunnel

__all__ = ["generate", "geometry", "report", "scenery"]

FOLDER = Path(__file__).parent


def generate(folder: Path = FOLDER) -> None:
    """Write the three files."""
    threedt.write(geometry(), folder / "roadheader.3dt")
    threedt.write(scenery(), folder / "tunnel.3dt")
    save(machine(), folder / "robot.toml")


def geometry() -> Geometry:
    """The shapes of the machine: a component for each body, in the body's frame."""
    return _geometry("roadheader", components())


def scenery() -> Geometry:
    """The tunnel, in the frame of the world."""
    return _geometry("tunnel", tunnel())


def report() -> str:
    """The machine in numbers: masses, counts, strokes, holding pressures, mobility, working envelope."""
    model, shapes = geometry(), components()
    masses = body_masses()
    lines = [
        f"parts {model.part_count}, points {model.point_count}, faces {model.face_count}",
        f"mass {sum(masses.values()):.0f} kg in {len(masses)} bodies",
    ]
    count = mobility()
    lines.append(
        f"{count.bodies} moving bodies, {count.tree_freedoms} joint freedoms, {count.loops} loops with"
        f" {count.constraints} constraints: {count.freedoms} freedoms"
    )
    for stroke, holding in zip(stroke_table(), holding_table(centers(shapes))):
        cylinder = stroke.cylinder
        lines.append(
            f"{cylinder.name:<20} out {stroke.lowest:.3f} to {stroke.highest:.3f} of {cylinder.stroke:.3f} m,"
            f" lever {stroke.shortest_lever:.3f} to {stroke.longest_lever:.3f},"
            f" {holding.force / 1e3:+.0f} kN = {holding.pressure / 1e6:.1f} MPa ({holding.load})"
        )
    space = working_envelope()
    lines.append(
        f"cuts {space.height:.2f} m high, {space.undercut:.2f} m deep, {space.width:.2f} m wide"
        f" ({space.floor_width:.2f} m on the floor), {space.reach:.2f} m ahead of the slewing axis"
    )
    return "\n".join(lines)


def _geometry(name: str, shapes: Mapping[str, list[Shape]]) -> Geometry:
    return Geometry(
        name, [Component(key, [_part(shape) for shape in parts]) for key, parts in shapes.items()]
    )


def _part(shape: Shape) -> Part:
    # a hundredth of a millimetre; adding zero turns -0.0 into 0.0
    points = np.round(shape.solid.points, 5) + 0.0
    return Part.from_faces(shape.name, points, shape.solid.faces, shape.color)


if __name__ == "__main__":
    generate(*[Path(argument) for argument in sys.argv[1:2]])
    print(report())
