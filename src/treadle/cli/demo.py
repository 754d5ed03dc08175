"""`treadle demo`: the roadheader at work on a page of the browser."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import webbrowser
from typing import TYPE_CHECKING, Annotated, Any
from urllib.request import urlopen

import typer

from treadle.cli.console import FAILED, Debug, Json, busy, print_json, reported
from treadle.cli.run import print_quality, quality_record
from treadle.cli.view import has_display
from treadle.errors import InputError
from treadle.scenes import scene
from treadle.sim import Simulation

if TYPE_CHECKING:
    from treadle.app import Live

__all__ = ["demo"]

#: The port that is taken unless another program has it.
_PORT = 8080

#: Seconds to wait for a machine that does not move.
_LONGEST = 120.0


@reported
def demo(
    seconds: Annotated[float, typer.Option(min=0.5, max=600.0, help="Simulated time to measure.")] = 3.0,
    port: Annotated[
        int | None, typer.Option(help=f"Port of the page; else {_PORT}, or any free one.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the roadheader at work in the browser.

    It moves by itself until someone at the page drives it. In a terminal the page stays until Ctrl-C;
    elsewhere the command ends once it has seen that the page answers and the machine moves.

    \b
    Examples:
      treadle demo
      treadle demo --port 9000 --no-open
      treadle demo --json
    """
    stays = not json and sys.stdin.isatty() and sys.stdout.isatty()
    started = time.monotonic()
    with contextlib.suppress(KeyboardInterrupt), _roadheader(port, not json) as live:
        _await(live, live.sim.dt)
        if not json:
            typer.echo(f"The roadheader moves at {live.url} after {time.monotonic() - started:.1f} s.")
        if open_ and stays and has_display():
            webbrowser.open(live.url)
        proof = _proof(live, seconds)
        quality = live.send(lambda sim: sim.quality()).result()
        if json:
            print_json({"command": "demo", "machine": "roadheader", "page": proof, **quality_record(quality)})
            return
        print_quality(quality)
        if stays:
            typer.echo(f"Watch and drive it at {live.url} (Ctrl-C ends it).")
            threading.Event().wait()
        typer.echo(
            f"The page answered with {proof['bytes'] / 1e6:.1f} MB. This is no terminal, so the "
            "demonstration ends here; `treadle view roadheader --demo` keeps it open."
        )


def _roadheader(port: int | None, shown: bool) -> Live:
    """The roadheader on a page, about to move."""
    with busy("compiling the roadheader", shown):
        sim = Simulation(scene("roadheader"))
        from treadle.app import Live, open_server

        try:
            server = open_server(port=_PORT if port is None else port, title="roadheader")
        except InputError:
            if port is not None:
                raise
            server = open_server(port=0, title="roadheader")
        live = Live(server, sim)
    live.demonstrate()
    live.start()
    return live


def _await(live: Live, seconds: float) -> None:
    """Wait until so much time is simulated."""
    end = time.monotonic() + _LONGEST + 10.0 * seconds
    while live.sim.time < seconds:
        if time.monotonic() > end:
            typer.echo("treadle: the roadheader does not move; run `treadle run roadheader`", err=True)
            raise typer.Exit(FAILED)
        time.sleep(0.01)


def _proof(live: Live, seconds: float) -> dict[str, Any]:
    """That the page answers and the machine moves: what the page sent, and what was simulated."""
    _await(live, seconds)
    with urlopen(live.url, timeout=30.0) as answer:
        sent = len(answer.read())
    return {"address": live.url, "bytes": sent, "simulated": live.sim.time, "factor": live.pace.factor}
