"""What a batch shows of its worlds: time, signals and sensors, a row per world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.batch.sensing import BatchSensor
from treadle.errors import InputError
from treadle.model.model import suggest

if TYPE_CHECKING:
    from treadle.batch.batch import Batch
    from treadle.batch.world_events import WorldLog
    from treadle.sim.event import Event

__all__ = ["WorldViews"]


class WorldViews:
    """What can be read of all worlds of a batch."""

    @property
    def time(self) -> np.ndarray:
        """Time of every world (worlds), in seconds."""
        arrays, count = self._batch.arrays, self._batch.worlds
        base, taken = arrays["time_base"][:, :count], arrays["alive"][1, :count]
        return base[0] + (taken - base[1]) * arrays["dt"][0, :count]

    @property
    def taken(self) -> np.ndarray:
        """Steps that every world has taken (worlds)."""
        return self._batch.arrays["alive"][1, : self._batch.worlds].astype(int)

    def signal(self, name: str) -> np.ndarray:
        """What a signal is in every world now: (worlds), or (worlds, components).

        Names are those of recordings: "body.foot.pose", "contact.foot.force", "wheel.left.slip",
        "energy.total". Computed in machine code when it is read; contact forces are means over the last step.
        """
        if name not in self._batch.readouts.known:
            raise InputError(f"no signal {name!r}; {suggest(name, list(self._batch.readouts.known))}")
        return self._batch.readouts.read([name])[name]

    def signals(self, *patterns: str) -> dict[str, np.ndarray]:
        """Several signals by name, computed together; "body.*.pose" stands for all that match."""
        return self._batch.readouts.read(patterns)

    def components(self, name: str) -> list[str]:
        """Names of the numbers of a signal, its own before them."""
        return self._batch.readouts.columns(name)

    def watch(self, event: Event) -> WorldLog:
        """Write down when and in which world a function of the state crosses zero, from now on."""
        return self._batch.events.watch(event)

    def sensor(self, name: str) -> BatchSensor:
        """What a sensor shows in every world."""
        return BatchSensor(self._batch, name)

    @property
    def _batch(self) -> Batch:
        return self  # type: ignore[return-value]
