"""Routines: commands over time, which show what a machine is for.

A routine is a list of moves [seconds, {actuator: command}]. Each takes so many seconds, in which the commands
it names go smoothly from what they were to what it says, and all others stay; they go straight where the move
ends with "straight", as samples of a motion do. A machine's own is in its settings, as
`settings={"routine": [[2.0, {"lift": -0.1}], [1.0, {"grip": 0.6}]]}`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from treadle.errors import InputError
from treadle.model.model import Model, suggest
from treadle.sim.simulation import Simulation

__all__ = ["Routine"]


class Routine:
    """Commands over time; `moves` are those of the model's settings unless they are given."""

    def __init__(self, model: Model, moves: Sequence[Sequence[Any]] | None = None) -> None:
        rows = model.settings.get("routine", ()) if moves is None else moves
        named = _named(model, rows)
        self._rows = [(float(row[0]), dict(row[1]), len(row) == 3) for row in rows]
        #: duration (s) of the whole
        self.seconds = sum(row[0] for row in self._rows)
        # commands begin at zero, and the second time around where the first one ended
        self._first = dict.fromkeys(named, 0.0)
        self._again = self._first | {
            name: float(x) for _, goals, _ in self._rows for name, x in goals.items()
        }

    def __len__(self) -> int:
        """How many moves there are."""
        return len(self._rows)

    def commands(self, time: float) -> dict[str, float]:
        """Commands by actuator at a time (s) since the beginning; after the end it begins again."""
        now = dict(self._first if time < self.seconds else self._again)
        left = math.fmod(time, self.seconds) if self._rows else 0.0
        for seconds, goals, straight in self._rows:
            share = min(left / seconds, 1.0)
            share = share if straight else _smooth(share)
            for name, goal in goals.items():
                now[name] += share * (goal - now[name])
            left -= seconds
            if left <= 0.0:
                break
        return now

    def run(self, sim: Simulation, seconds: float | None = None, start: float = 0.0) -> None:
        """Advance a simulation through the routine, or so many `seconds` of it from `start` (s) on."""
        count = round((self.seconds - start if seconds is None else seconds) / sim.dt)
        for step in range(count):
            # a command holds for the whole step: that of its end
            for name, value in self.commands(start + (step + 1) * sim.dt).items():
                sim.actuator(name).command = value
            sim.step()


def _smooth(share: float) -> float:
    """From 0 to 1 without a jump of the acceleration: 10 s^3 - 15 s^4 + 6 s^5."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share * share)


def _named(model: Model, rows: Sequence[Sequence[Any]]) -> list[str]:
    """The actuators that a routine commands; InputError where it is wrong."""
    known, found = [actuator.name for actuator in model.actuators], []
    for number, row in enumerate(rows):
        which = f"move {number + 1} of the routine of {model.name!r}"
        listed = isinstance(row, Sequence) and len(row) in (2, 3) and isinstance(row[1], Mapping)
        if not listed or (len(row) == 3 and row[2] != "straight"):
            raise InputError(f"{which} must be [seconds, {{actuator: command}}], not {row!r}")
        for value in (row[0], *row[1].values()):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise InputError(f"{which} must hold finite numbers, not {value!r}")
        if row[0] <= 0.0:
            raise InputError(f"{which} must take more than {row[0]:g} seconds")
        for name in row[1]:
            if name not in known:
                raise InputError(f"{which} names no actuator {name!r}; {suggest(name, known)}")
            found.append(name)
    return found
