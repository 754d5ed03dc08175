"""Gamepads: which stick or button of the standard mapping does which move.

Moves that come in pairs, as forward and back, are on the sticks, the cross and the shoulder buttons, in the
order in which the machine has them; of a vehicle also the triggers are forward and back. Moves that are
switched are on the buttons B, X and Y.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.app.held_buttons import HeldButtons
from treadle.app.moves import opposites

__all__ = ["Gamepad"]

#: Numbers in the order of the standard mapping: four axes (right and down positive), then the buttons.
_LEFT_X, _LEFT_Y, _RIGHT_X, _RIGHT_Y = range(4)
_A, _B, _X, _Y, _LB, _RB, _LT, _RT, _BACK, _START, _, _, _UP, _DOWN, _WEST, _EAST = range(4, 20)

#: Ends of a stick by axis and sign.
_ENDS = {(0, -1): "left", (0, 1): "right", (1, -1): "up", (1, 1): "down"}

#: How many numbers there are.
_COUNT = 20

#: Where pairs of moves are, one after the other: (positive end, negative end) as (number, sign).
_PLACES = (
    ((_LEFT_Y, -1), (_LEFT_Y, 1)),
    ((_LEFT_X, -1), (_LEFT_X, 1)),
    ((_RIGHT_Y, -1), (_RIGHT_Y, 1)),
    ((_UP, 1), (_DOWN, 1)),
    ((_WEST, 1), (_EAST, 1)),
    ((_RB, 1), (_LB, 1)),
)

#: Where the third pair of a machine that moves sideways is, before the others.
_SIDEWAYS = ((_RIGHT_X, -1), (_RIGHT_X, 1))


class Gamepad:
    """The gamepads of a machine's pages; `take` holds the moves, and returns what else was pressed."""

    def __init__(self, held_buttons: HeldButtons) -> None:
        self._held_buttons = held_buttons
        moves = [move for move in held_buttons.moves.values() if not move.switch]
        # the stick's or button's number and sign by name of move
        self.places: dict[str, list[tuple[int, int]]] = {}
        vehicle = any("throttle" in move.commands for move in moves)
        places = list(_PLACES)
        if any(move.name.startswith("Sideways") for move in moves):
            places.insert(2, _SIDEWAYS)
        for (up, down), (positive, negative) in zip(opposites(moves), places, strict=False):
            self.places[up.name], self.places[down.name] = [positive], [negative]
        for move in moves:
            if vehicle and "throttle" in move.commands:
                self.places[move.name].append((_RT if move.commands["throttle"] > 0 else _LT, 1))
            elif "brake" in move.commands:
                self.places[move.name] = [(_A, 1)]
        switches = [move.name for move in held_buttons.moves.values() if move.switch]
        #: names of switched moves by number of the button
        self.switches = dict(zip((_B, _X, _Y), switches, strict=False))
        self._before: dict[int, list[float]] = {}

    @property
    def levers(self) -> list[dict[str, str]]:
        """Names of the moves at the ends of the left and of the right stick, for `levers.js`."""
        found: list[dict[str, str]] = [{}, {}]
        for name, places in self.places.items():
            for number, sign in places:
                if number <= _RIGHT_Y:
                    found[number // 2][_ENDS[number % 2, sign]] = name
        return found

    def take(self, client: int, values: Sequence[float]) -> list[str]:
        """Hold moves by how far sticks are pushed; names of switched moves, "start" or "back" pressed now."""
        now = list(values) or [0.0] * _COUNT
        now += [0.0] * (_COUNT - len(now))
        before = self._before.get(client, [0.0] * _COUNT)
        self._before[client] = now
        for name, places in self.places.items():
            share, last = (max(sign * row[k] for k, sign in places) for row in (now, before))
            if share > 0.0:
                self._held_buttons.press(client, name, min(share, 1.0))
            elif last > 0.0:
                self._held_buttons.lift(client, name)
        names = {**self.switches, _START: "start", _BACK: "back"}
        return [name for k, name in names.items() if now[k] > 0.5 >= before[k]]
