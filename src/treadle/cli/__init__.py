"""The `treadle` command. A new subcommand is its file and a line here."""

from __future__ import annotations

from typing import Annotated

import typer

from treadle._version import __version__
from treadle.cli.bench import bench
from treadle.cli.check import check
from treadle.cli.console import Debug
from treadle.cli.convert import convert
from treadle.cli.demo import demo
from treadle.cli.export import export
from treadle.cli.info import info
from treadle.cli.plan import plan
from treadle.cli.render import render
from treadle.cli.run import run
from treadle.cli.scenes import scenes
from treadle.cli.study import study
from treadle.cli.sweep import sweep
from treadle.cli.train import train
from treadle.cli.view import view

__all__ = ["app", "main"]

app = typer.Typer(
    name="treadle",
    no_args_is_help=True,
    # plain text: examples keep their lines, and help needs no further imports
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (info, check, convert, export, run, scenes, demo, study, sweep, train, plan, view, render):
    app.command()(command)
app.add_typer(bench)


def main() -> None:
    """Entry point of the `treadle` command."""
    app()


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"treadle {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Simulate articulated machines and robots, each compiled into machine code of its own.

    \b
    Examples:
      treadle demo                          the roadheader at work in the browser
      treadle info robot.urdf               what is in a robot's file
      treadle check robot.urdf              what its import ignored, repaired or guessed
      treadle convert robot.urdf robot.xml  write it in another format
      treadle export robot.urdf out         its step as a C library, C source or FMU
      treadle run robot.urdf --seconds 10   simulate it
      treadle view roadheader               drive it in the browser
      treadle render roadheader --out a.mp4 film it
      treadle sweep arm --vary NAME=VALUES  simulate all combinations of some constants
      treadle train CartPole                learn a task on many worlds at once
      treadle plan Reacher                  drive a task by the best of many simulated candidates
      treadle COMMAND --help                more about a command
    """
