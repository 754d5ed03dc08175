"""`treadle render`: a film of a machine, without a window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported
from treadle.cli.machine import Contact, Floating, Meshes, Outside, Srdf, open_machine
from treadle.errors import InputError
from treadle.formats.load import FORMATS
from treadle.sim import Routine, Simulation

__all__ = ["render"]


@reported
def render(
    name: Annotated[
        str,
        typer.Argument(metavar="FILE_OR_SCENE", help=f"A robot's file ({', '.join(FORMATS)}) or a scene."),
    ],
    out: Annotated[Path, typer.Option(help="The film (.mp4, .webm, .gif, .webp) or a picture (.png, .jpg).")],
    seconds: Annotated[float, typer.Option(help="Simulated time.")] = 5.0,
    fps: Annotated[float, typer.Option(help="Pictures per second.")] = 30.0,
    size: Annotated[str, typer.Option(help="Width x height in pixels.")] = "1280x720",
    view: Annotated[
        str | None, typer.Option(help="Oblique, Front, Rear, Left, Right or Top; else the scene's own.")
    ] = None,
    commands: Annotated[
        list[str] | None,
        typer.Option("--command", metavar="ACTUATOR=VALUE", help="Hold a command; repeatable."),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Play the routine of the machine.")] = False,
    dt: Annotated[float | None, typer.Option(help="Time step in seconds; else the machine's own.")] = None,
    contact: Contact = None,
    meshes: Meshes = None,
    srdf: Srdf = None,
    floating: Floating = False,
    outside: Outside = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Render a film or picture of a machine.

    Drawn by Chromium without a window, in simulated time, however long the drawing takes.

    \b
    Examples:
      treadle render roadheader --out raise.mp4 --command lift_left=1 --command lift_right=1
      treadle render robot.urdf --out robot.png --view Front --seconds 0
      treadle render pendulum --out swing.gif --size 480x360 --fps 15
      treadle render torso --out torso.mp4 --demo --seconds 15
    """
    width, height = _size(size)
    still = out.suffix.lower() in (".png", ".jpg", ".jpeg")
    if not (0.0 <= seconds <= 3600.0 and 1.0 <= fps <= 120.0):
        raise InputError("--seconds must be from 0 to 3600, and --fps from 1 to 120")
    if not out.parent.is_dir():
        raise InputError(f"there is no folder {str(out.parent)!r} to write {out.name} into")
    sim = Simulation(open_machine(name, floating, outside, srdf, meshes), dt=dt, contact=contact)
    for text in commands or []:
        _command(sim, text)
    routine = Routine(sim.model)
    if demo and not len(routine):
        raise InputError(f"{sim.model.name!r} has no routine to show; give its drives a --command instead")
    # the page's libraries take their time: other mistakes are reported before
    from treadle.app.studio import Studio, film_writer, picture_writer

    count = 1 if still else max(1, round(seconds * fps))
    take, end = picture_writer(out) if still else film_writer(out, fps)
    try:
        with Studio(sim.model, width, height, view) as studio, progress(shown=not json, steady=False) as bar:
            task = bar.add_task("drawing", total=count)
            for number in range(count):
                goal = seconds if still else number / fps
                if demo:
                    routine.run(sim, max(0.0, goal - sim.time), start=sim.time)
                else:
                    sim.step(max(0, round((goal - sim.time) / sim.dt)))
                studio.show(sim.q)
                take(studio.picture())
                bar.update(task, completed=number + 1, refresh=True)
    finally:
        end()
    if json:
        print_json({"command": "render", "machine": sim.model.name, "pictures": count, "files": [str(out)]})
    else:
        console().print(f"wrote {out}: {count} picture{'s' if count > 1 else ''} of {width} x {height}")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise InputError(f"--size must be like 1280x720, not {text!r}")
    # encoders want even numbers
    return int(width) // 2 * 2, int(height) // 2 * 2


def _command(sim: Simulation, text: str) -> None:
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        raise InputError(f"--command must be like lift=1, not {text!r}") from None
    sim.actuator(name).command = number
