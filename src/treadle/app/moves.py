"""What a machine can be told to do at the press of a button or key, by name: raise, lower, swing."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from treadle.app.controls import Control
from treadle.model.model import Model

__all__ = ["Move", "moves", "opposites"]


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


def moves(model: Model, controls: Sequence[Control], taken: Collection[str] = ()) -> list[Move]:
    """The moves of a known machine; else two for each of the first controls whose range has ends.

    All others have their sliders: nobody finds a move among dozens of buttons. Keys that are `taken` are left
    out.
    """
    known = {control.name: control for control in controls}
    named = [move for move in _NAMED.get(model.name, ()) if set(move.commands) <= set(known)]
    if named:
        return [move if move.absolute else _scaled(move, known) for move in named]
    found: list[Move] = []
    ranged = [c for c in controls if math.isfinite(c.lower) and math.isfinite(c.upper) and c.lower < c.upper]
    free = [pair for pair in _KEYS if not set(pair) & set(taken)][:_MOST]
    for (ups, downs), control in zip(free, ranged, strict=False):
        step = 0.25 * (control.upper - control.lower)
        up, down = (step, -step) if control.held else (control.upper, control.lower)
        for key, sign, value in ((downs, "-", down), (ups, "+", up)):
            found.append(Move(f"{control.name} {sign}", key, {control.name: value}, rates=control.held))
    return found


def opposites(moves: Sequence[Move]) -> list[tuple[Move, Move]]:
    """Neighbours that command the same to opposite ways; the one that is called + comes first."""
    found: list[tuple[Move, Move]] = []
    for one, other in pairwise(moves):
        taken = found and one in found[-1]
        opposite = one.commands.keys() == other.commands.keys() and all(
            value * other.commands[name] < 0.0 for name, value in one.commands.items()
        )
        if opposite and not taken:
            found.append((other, one) if one.name.endswith(" -") else (one, other))
    return found


def _scaled(move: Move, known: Mapping[str, Control]) -> Move:
    """A move whose shares of the range are made commands."""
    commands = {
        name: share * (known[name].upper if share > 0.0 else -known[name].lower)
        for name, share in move.commands.items()
    }
    return replace(move, commands=commands)


#: Keys for up and down; W, A, S, D, Q, E and the arrows move the camera. How many pairs there are at most.
_KEYS = (("r", "f"), ("t", "g"), ("y", "h"), ("u", "j"), ("i", "k"), ("o", "l"), ("x", "z"), (".", ","))
_MOST = 6


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

#: Moves of a wheel loader's boom and bucket, beside those of its wheels.
_LOADER = (
    Move("Raise", "r", _both("lift", 1.0)),
    Move("Lower", "f", _both("lift", -1.0)),
    Move("Tilt back", "t", _both("tilt", -1.0)),
    Move("Dump", "g", _both("tilt", 1.0)),
)


def _level(left: float, right: float, sideways: float = 0.0) -> dict[str, float]:
    """Level thrusters of a vehicle that has them at its four corners, at 45 degrees."""
    return {
        "front_left": left - sideways,
        "front_right": right + sideways,
        "rear_left": left + sideways,
        "rear_right": right - sideways,
    }


def _upright(share: float) -> dict[str, float]:
    return {f"up_{end}_{side}": share for end in ("front", "rear") for side in ("left", "right")}


#: Moves of a vehicle with eight thrusters.
_THRUSTERS = (
    Move("Forward", "i", _level(0.5, 0.5), other_key="arrowup"),
    Move("Back", "k", _level(-0.5, -0.5), other_key="arrowdown"),
    Move("Left", "j", _level(-0.15, 0.15), other_key="arrowleft"),
    Move("Right", "l", _level(0.15, -0.15), other_key="arrowright"),
    Move("Sideways left", "u", _level(0.0, 0.0, 0.6)),
    Move("Sideways right", "o", _level(0.0, 0.0, -0.6)),
    Move("Up", "r", _upright(0.6)),
    Move("Down", "f", _upright(-0.6)),
)

#: Moves of an arm of two links below it.
_LINKS = (
    Move("Upper arm up", "t", {"upper": -0.2}, rates=True),
    Move("Upper arm down", "g", {"upper": 0.2}, rates=True),
    Move("Forearm up", "y", {"lower": -0.2}, rates=True),
    Move("Forearm down", "h", {"lower": 0.2}, rates=True),
)

#: Moves of a vehicle with a propeller, a rudder and planes at its stern.
_STERN = (
    Move("Forward", "i", {"propeller": 0.7}, other_key="arrowup"),
    Move("Back", "k", {"propeller": -0.7}, other_key="arrowdown"),
    Move("Left", "j", {"rudder": 0.5}, other_key="arrowleft"),
    Move("Right", "l", {"rudder": -0.5}, other_key="arrowright"),
    Move("Up", "r", {"planes": 0.3}),
    Move("Down", "f", {"planes": -0.3}),
)

#: Moves by name of machine; values are shares of the controls' ranges unless they are absolute.
_NAMED: dict[str, tuple[Move, ...]] = {
    "bluerov2": _THRUSTERS,
    "bluerov2-arm": (*_THRUSTERS, *_LINKS),
    "loader": _LOADER,
    "remus": _STERN,
    "roadheader": _ROADHEADER,
    "roadheader-ground": _ROADHEADER,
    "roadheader-cutting": (
        *_ROADHEADER[:10],
        Move("Advance", "y", {"advance": 1.0}),
        Move("Back", "h", {"advance": -1.0}),
    ),
}
