"""What a machine can be told to do at the press of a button or key, by name: raise, lower, swing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treadle.app.controls import Control
from treadle.model.model import Model

__all__ = ["Move", "moves"]


@dataclass(frozen=True)
class Move:
    """Commands that hold while a button or key is held, or that are switched on and off by it.

    `commands` are values by name of control; those in `rates` change by so much per second instead.
    """

    name: str
    key: str
    commands: Mapping[str, float]
    switch: bool = False
    rates: bool = False
    #: whether values are commands as they are, and not shares of the controls' ranges
    absolute: bool = False
    #: a second key for the same
    other_key: str = ""

    @property
    def hint(self) -> str:
        """What it does, for the tooltip."""
        way = "press for on and off" if self.switch else "hold to move"
        unit = " per second" if self.rates else ""
        parts = ", ".join(f"{name} {value:+.3g}{unit}" for name, value in self.commands.items())
        return f"{way} (key {self.key.upper()}): {parts}"


def moves(model: Model, controls: Sequence[Control]) -> list[Move]:
    """The moves of a known machine; else two for each of the first controls whose range has ends.

    All others have their sliders: nobody finds a move among dozens of buttons.
    """
    known = {control.name: control for control in controls}
    named = [move for move in _NAMED.get(model.name, ()) if set(move.commands) <= set(known)]
    if named:
        return [move if move.absolute else _scaled(move, known) for move in named]
    found: list[Move] = []
    ranged = [c for c in controls if math.isfinite(c.lower) and math.isfinite(c.upper) and c.lower < c.upper]
    for (ups, downs), control in zip(_KEYS, ranged, strict=False):
        step = 0.25 * (control.upper - control.lower)
        up, down = (step, -step) if control.held else (control.upper, control.lower)
        for key, sign, value in ((downs, "-", down), (ups, "+", up)):
            found.append(Move(f"{control.name} {sign}", key, {control.name: value}, rates=control.held))
    return found


def _scaled(move: Move, known: Mapping[str, Control]) -> Move:
    """A move whose shares of the range are made commands."""
    commands = {
        name: share * (known[name].upper if share > 0.0 else -known[name].lower)
        for name, share in move.commands.items()
    }
    return Move(move.name, move.key, commands, move.switch, move.rates)


#: Keys for up and down; W, A, S, D, Q, E and the arrows move the camera.
_KEYS = (("r", "f"), ("t", "g"), ("y", "h"), ("u", "j"), ("i", "k"), ("o", "l"))


def _both(name: str, share: float) -> dict[str, float]:
    return {f"{name}_left": share, f"{name}_right": share}


#: Moves of a roadheader.
_ROADHEADER = (
    Move("Raise", "i", _both("lift", 1.0)),
    Move("Lower", "k", _both("lift", -1.0)),
    Move("Swing left", "j", {"slew_left": -1.0, "slew_right": 1.0}),
    Move("Swing right", "l", {"slew_left": 1.0, "slew_right": -1.0}),
    Move("Extend", "o", {"extend": 1.0}),
    Move("Retract", "u", {"extend": -1.0}),
    Move("Cutter on/off", "c", {"cutter": 1.0}, switch=True),
    Move("Shovel up", "r", _both("shovel", 1.0)),
    Move("Shovel down", "f", _both("shovel", -1.0)),
    Move("Gathering arms on/off", "g", {"gather_left": 1.0, "gather_right": 1.0}, switch=True),
    Move("Rear support down", "y", _both("rear_support", 1.0)),
    Move("Rear support up", "h", _both("rear_support", -1.0)),
)

#: Moves by name of machine; values are shares of the controls' ranges unless they are absolute.
_NAMED: dict[str, tuple[Move, ...]] = {
    "roadheader": _ROADHEADER,
    "roadheader-cutting": (
        *_ROADHEADER[:10],
        Move("Advance", "y", {"advance": 1.0}),
        Move("Back", "h", {"advance": -1.0}),
    ),
}
