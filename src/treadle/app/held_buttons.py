"""Buttons and keys that are held: what they command, and that it ends when they are let go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from treadle.app.controls import Control
from treadle.app.moves import Move
from treadle.sim.simulation import Simulation

__all__ = ["HeldButtons"]

#: Seconds after which a button counts as let go if its page says no more of it.
_LEASE = 0.4


class HeldButtons:
    """What is held by whom; `apply` commands it and is called by the simulation's loop, once per frame."""

    def __init__(
        self,
        moves: Sequence[Move],
        controls: Mapping[str, Control],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.moves = {move.name: move for move in moves}
        self._controls, self._clock = controls, clock
        self._lock = threading.Lock()
        # until when each move is held by whom, and how far: (client, move) -> (time, share)
        self._until: dict[tuple[int, str], tuple[float, float]] = {}
        self._acting: set[str] = set()
        self._before = clock()

    def renew(self, client: int, move: str) -> None:
        """A page says that a button is still down."""
        with self._lock:
            self._until[client, move] = self._clock() + _LEASE, 1.0

    def press(self, client: int, move: str, share: float = 1.0) -> None:
        """A key went down, or a stick was moved by a share of its way; it holds until `lift`."""
        with self._lock:
            self._until[client, move] = float("inf"), share

    def lift(self, client: int, move: str | None = None) -> None:
        """A key went up, or all of a client's."""
        with self._lock:
            for held in [key for key in self._until if key[0] == client and move in (None, key[1])]:
                del self._until[held]

    @property
    def held(self) -> set[str]:
        """Names of the moves that are held now."""
        return set(self._shares())

    def apply(self, sim: Simulation) -> bool:
        """Command what is held, and bring to rest what is no longer; whether anything was commanded."""
        now = self._clock()
        passed, self._before = min(now - self._before, 0.1), now
        shares = self._shares()
        held = set(shares)
        if not held and not self._acting:
            return False
        wanted: dict[str, float] = {}
        for name in held:
            move = self.moves[name]
            for control, full in move.commands.items():
                value = shares[name] * full
                if move.rates:
                    value = self._controls[control].read(sim) + value * passed
                # two moves at once: forward and to the left
                wanted[control] = wanted.get(control, 0.0) + value
        for name in self._acting - held:
            move = self.moves[name]
            for control in move.commands:
                if not move.rates:
                    wanted.setdefault(control, 0.0)
        for name, value in wanted.items():
            control = self._controls[name]
            control.write(sim, min(max(value, control.lower), control.upper))
        self._acting = held
        return True

    def _shares(self) -> dict[str, float]:
        """How far each move is held that is."""
        now, found = self._clock(), dict[str, float]()
        with self._lock:
            self._until = {key: held for key, held in self._until.items() if held[0] > now}
            for (_, move), (_, share) in self._until.items():
                found[move] = max(share, found.get(move, 0.0))
        return found

    def switch(self, sim: Simulation, move: str) -> None:
        """Turn a move on, or off where it is on."""
        commands = self.moves[move].commands
        on = any(abs(self._controls[name].read(sim)) > 1e-12 for name in commands)
        for name, value in commands.items():
            self._controls[name].write(sim, 0.0 if on else value)
