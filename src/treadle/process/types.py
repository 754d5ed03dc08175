"""The types of processes, and the processes of a machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.errors import InputError
from treadle.model.model import Model, suggest
from treadle.model.values import plain_json
from treadle.process.grinding_tool import GrindingTool
from treadle.process.process import Process
from treadle.process.rock_cutting import RockCutting

__all__ = ["PROCESS_TYPES", "processes_of"]

#: Processes by the type that settings name.
PROCESS_TYPES: dict[str, Callable[..., Process]] = {"grinding": GrindingTool, "rock_cutting": RockCutting}


def processes_of(model: Model) -> dict[str, Process]:
    """The processes that a machine's settings name, fresh."""
    stated: Any = plain_json(model.settings.get("processes", {}))
    if not isinstance(stated, dict):
        raise InputError("the setting 'processes' needs names with their processes")
    return {name: _made(model, name, given) for name, given in stated.items()}


def _made(model: Model, name: str, given: Any) -> Process:
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in PROCESS_TYPES:
        hint = suggest(str(kind), list(PROCESS_TYPES))
        raise InputError(f"the process {name!r} needs a known type, not {kind!r}; {hint}")
    options = {key: value for key, value in given.items() if key != "type"}
    try:
        return PROCESS_TYPES[kind](model, **options)
    except (TypeError, KeyError) as error:
        raise InputError(f"the process {name!r}: {error}") from None
