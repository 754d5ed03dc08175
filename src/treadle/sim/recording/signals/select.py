"""From the names that a user wants to signals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from treadle.errors import InputError
from treadle.model.model import Model, suggest
from treadle.sim.recording.signals import DEFAULT_SIGNALS, SIGNAL_KINDS, Signal, available

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["UserSignal", "Wanted", "matching", "select"]

#: A name, a pattern with * and ?, or functions of the simulation by name.
Wanted = str | Mapping[str, Callable[["Simulation"], Any]]

_NAME_AND_UNIT = re.compile(r"(?P<name>.*?)\s*\[(?P<unit>[^\[\]]*)\]")


@dataclass(frozen=True)
class UserSignal:
    """A user's own function of the simulation, which gives a number or several."""

    name: str
    unit: str
    function: Callable[[Simulation], Any]


def select(model: Model, wanted: Sequence[Wanted] | None) -> tuple[list[Signal], list[UserSignal]]:
    """The signals that are meant, each once, and the user's own; InputError where a name means nothing."""
    if wanted is None:
        return matching(model, DEFAULT_SIGNALS, strict=False), []
    if isinstance(wanted, (str, Mapping)):
        wanted = [wanted]
    own: list[UserSignal] = []
    patterns: list[str] = []
    for item in wanted:
        if isinstance(item, str):
            patterns.append(item)
        elif isinstance(item, Mapping):
            own += [_user_signal(name, function) for name, function in item.items()]
        else:
            raise InputError(f"a signal is a name or {{name: function}}, not {item!r}")
    signals = matching(model, patterns, strict=True)
    _check_names([signal.layout.name for signal in signals], [signal.name for signal in own])
    return signals, own


def matching(model: Model, patterns: Sequence[str], strict: bool) -> list[Signal]:
    """The signals that patterns mean, each once; InputError if `strict` and one of them means none."""
    known = available(model)
    chosen: dict[str, Signal] = {}
    for pattern in patterns:
        # a name may have brackets in it, which mean something else in a pattern
        names = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, pattern)]
        if strict and not names:
            names = list(dict.fromkeys([*SIGNAL_KINDS, *known]))
            raise InputError(f"{model.name!r} has no signal {pattern!r}; {suggest(pattern, names)}")
        chosen |= {name: known[name] for name in names}
    return list(chosen.values())


def _user_signal(name: object, function: Any) -> UserSignal:
    """A signal from "name" or "name [unit]"."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"a signal of your own needs a name, not {name!r}")
    if not callable(function):
        raise InputError(f"signal {name!r} needs a function of the simulation, not {function!r}")
    match = _NAME_AND_UNIT.fullmatch(name.strip())
    return (
        UserSignal(match["name"], match["unit"], function)
        if match
        else UserSignal(name.strip(), "", function)
    )


def _check_names(names: Sequence[str], own: Sequence[str]) -> None:
    taken = {*names, "time"}
    for name in own:
        if name in taken:
            raise InputError(f"two signals are called {name!r}; give yours another name")
        taken.add(name)
