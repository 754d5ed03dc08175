"""`treadle scenes`: the built-in machines."""

from __future__ import annotations

import inspect
import sys

from treadle.cli.console import Debug, Json, console, print_json, reported
from treadle.scenes import SCENES, scene_names

__all__ = ["scenes"]


@reported
def scenes(json: Json = False, debug: Debug = False) -> None:
    """List the built-in machines.

    \b
    Examples:
      treadle scenes
      treadle run pendulum --set shoulder=1.5
    """
    rows = [
        {"name": name, "description": _description(name), "options": _options(name)} for name in scene_names()
    ]
    if json:
        print_json({"command": "scenes", "rows": rows})
        return
    from rich.table import Table

    table = Table("scene", "what it is", "options (in Python)", box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(row["name"], row["description"], row["options"])
    console().print(table)


def _description(name: str) -> str:
    """The first sentence of the file that describes the scene."""
    text = sys.modules[SCENES[name].__module__].__doc__ or ""
    return " ".join(text.split("\n\n")[0].split()).rstrip(".")


def _options(name: str) -> str:
    parameters = inspect.signature(SCENES[name]).parameters.values()
    return ", ".join(f"{parameter.name}={parameter.default}" for parameter in parameters)
