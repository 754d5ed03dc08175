"""`treadle view`: look at a machine and drive it, in the browser."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treadle.cli.console import Debug, reported
from treadle.cli.machine import Contact, Floating, Meshes, Outside, Srdf, is_scene, open_machine
from treadle.errors import InputError
from treadle.formats.load import FORMATS
from treadle.integrators import INTEGRATORS
from treadle.sim import Simulation

if TYPE_CHECKING:
    from treadle.app import Live, Replay
    from treadle.model.model import Model
    from treadle.sim.recording import Recording

__all__ = ["has_display", "view"]

#: Seconds that Ctrl-C waits for the run to end, and for all else.
_PATIENCE, _LONGEST = 0.5, 3.0

#: How the name of a recording ends.
_RECORDINGS = (".mcap", ".parquet", ".partial")


@reported
def view(
    name: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_SCENE",
            help=f"A robot's file ({', '.join(FORMATS)}), a scene, or a recording (.mcap, .parquet).",
        ),
    ],
    port: Annotated[int, typer.Option(help="Port of the page; 0 takes any free one.")] = 8080,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; beyond this computer a token is needed, which is printed."),
    ] = "127.0.0.1",
    dt: Annotated[float | None, typer.Option(help="Time step in seconds; else the machine's own.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help=f"Method of integration: {', '.join(INTEGRATORS)}.")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Let it move by itself until someone drives.")] = False,
    contact: Contact = None,
    meshes: Meshes = None,
    srdf: Srdf = None,
    floating: Floating = False,
    outside: Outside = False,
    model: Annotated[
        str | None, typer.Option(metavar="FILE_OR_SCENE", help="The machine that a recording is of.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    debug: Debug = False,
) -> None:
    """Show and drive a machine in the browser.

    A recording (.mcap, .parquet) is replayed.

    \b
    Examples:
      treadle view roadheader
      treadle view robot.urdf --floating --port 9000
      treadle view run.mcap
      treadle view run.parquet --model robot.urdf
    """
    others = set(threading.enumerate())
    if Path(name).suffix.lower() in _RECORDINGS:
        from treadle.sim.recording import read_recording

        given = {"--dt": dt, "--integrator": integrator, "--contact": contact, "--meshes": meshes}
        _refuse_steps(given | {"--demo": demo or None, "--srdf": srdf})
        recording = read_recording(name)
        machine = open_machine(_machine_name(recording, model), floating, outside)
        app = _replay(recording, machine, host, port)
    elif model is not None:
        raise InputError("--model names the machine of a recording; here the machine is the argument itself")
    else:
        machine = open_machine(name, floating, outside, srdf, meshes)
        sim = Simulation(machine, dt=dt, integrator=integrator, contact=contact)
        app = _live(sim, host, port, demo)
    try:
        app.start()
        url = app.server.url
        if "token=" in url:
            # before the address: who reads that may interrupt at once
            typer.echo("Whoever has this address, token and all, can drive the machine:", err=True)
        typer.echo(f"{Path(name).name} is at {url} (Ctrl-C ends it)")
        if open_ and has_display():
            webbrowser.open(url)
        threading.Event().wait()
    except KeyboardInterrupt:
        # it may come as soon as there is anything to see
        pass
    finally:
        _leave(app, others)


def _leave(app: Live | Replay, others: set[threading.Thread]) -> None:
    """Close the page; what does not end soon, such as a thread that compiles, ends with the process.

    The other threads were there before.
    """
    closed: list[bool] = []
    closing = threading.Thread(target=lambda: closed.append(app.leave(_PATIENCE)), daemon=True)
    with contextlib.suppress(KeyboardInterrupt):
        closing.start()
        closing.join(_LONGEST)
        if closed == [True] and _ended(set(threading.enumerate()) - others):
            return
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _ended(threads: set[threading.Thread]) -> bool:
    """Whether the threads that Python would wait for end soon."""
    end = time.monotonic() + _LONGEST
    for thread in threads:
        if not thread.daemon:
            thread.join(max(end - time.monotonic(), 0.0))
            if thread.is_alive():
                return False
    return True


def _live(sim: Simulation, host: str, port: int, demo: bool) -> Live:
    # the page's libraries take their time: other mistakes are reported before
    from treadle.app import Live, open_server

    live = Live(open_server(host, port, sim.model.name), sim)
    if demo:
        live.demonstrate()
    return live


def _replay(recording: Recording, model: Model, host: str, port: int) -> Replay:
    from treadle.app import Replay, open_server

    return Replay(open_server(host, port, recording.path.name), model, recording)


def _refuse_steps(given: dict[str, object]) -> None:
    """InputError for options of steps, which a recording has none of."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} belongs to a machine that runs; a recording is replayed as it was")


def _machine_name(recording: Recording, model: str | None) -> str:
    """The machine that was asked for, or the one that the recording names."""
    if model is not None:
        return model
    if is_scene(recording.model) or Path(recording.model).is_file():
        return recording.model
    raise InputError(
        f"{recording.path} is of a machine {recording.model!r}, which is no scene; "
        "name its file with --model FILE"
    )


def has_display() -> bool:
    """Whether a browser would open in a window, and not in this terminal."""
    shown = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or any(os.environ.get(variable) for variable in shown)
