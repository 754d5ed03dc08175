"""The machine that a command is about: a file, or a built-in scene."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treadle.errors import InputError
from treadle.formats import load
from treadle.formats.load import FORMATS
from treadle.model.model import Model, suggest
from treadle.scenes import scene, scene_names

__all__ = ["Contact", "Floating", "MachineName", "Meshes", "Outside", "Srdf", "is_scene", "open_machine"]

MachineName = Annotated[
    str,
    typer.Argument(
        metavar="FILE_OR_SCENE",
        help=f"A robot's file ({', '.join(FORMATS)}), or a scene that `treadle scenes` lists.",
    ),
]
Floating = Annotated[bool, typer.Option("--floating", help="Let the file's root link move freely.")]
Contact = Annotated[
    bool | None,
    typer.Option(
        "--contact/--no-contact",
        help="Contact between collision shapes; by default between separate objects, without self-collision.",
    ),
]
Meshes = Annotated[
    str | None,
    typer.Option(
        help="Collision geometry of meshes that move: hull (convex hull), parts (convex decomposition) "
        "or mesh (triangles). By default the machine's own setting, or hull."
    ),
]
Outside = Annotated[
    bool, typer.Option("--allow-outside", help="Also read files that lie outside the machine's own folder.")
]


Srdf = Annotated[Path | None, typer.Option(help="SRDF file with pairs of links that do not collide.")]


def open_machine(
    name: str,
    floating: bool = False,
    outside: bool = False,
    srdf: Path | None = None,
    meshes: str | None = None,
) -> Model:
    """The machine of this name; a file that exists comes before a scene."""
    path = Path(name).expanduser()
    if is_scene(name):
        if floating:
            raise InputError(f"--floating is for files; the base of the scene {name!r} cannot be changed")
        if srdf is not None:
            raise InputError(f"--srdf is for files, and {name!r} is a scene")
        if meshes is not None:
            raise InputError(f"--meshes is for files, and {name!r} is a scene")
        return scene(name)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return load(path, floating_base=floating, allow_outside=outside, srdf=srdf, meshes=meshes)
    raise InputError(f"there is no file and no scene named {name!r}; {suggest(name, scene_names())}")


def is_scene(name: str) -> bool:
    """Whether the name is that of a scene and of no file."""
    return name in scene_names() and not Path(name).expanduser().is_file()
