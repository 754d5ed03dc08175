"""Machine code on all worlds of a batch: shares of the worlds, threads, and the memory of contact."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from treadle.batch.contact_worlds import ContactWorlds
from treadle.native.executable import Executable
from treadle.sim.step.program import StepKind
from treadle.sim.world import World

__all__ = ["Workers"]

#: Slots times worlds times steps below which threads are not worth waking up.
_SHORT = 200_000


class Workers:
    """Runs the compiled steps of the first `count` columns of a world on threads."""

    def __init__(self, world: World, count: int, threads: int) -> None:
        self.world, self.threads = world, threads
        self._count = count
        self._contact: ContactWorlds | None = None
        self._pool: ThreadPoolExecutor | None = None

    def take(self, steps: int) -> None:
        """Steps of all worlds in one go."""
        code = self._steps()
        self.run(code.run, steps, code.layout.slots if isinstance(code, Executable) else None)

    def run(self, code: Callable[..., None], steps: int = 1, slots: int | None = None) -> None:
        """Call code(arrays, begin, end, steps) for all shares of the worlds, each on a thread.

        Code of so many `slots` that takes no longer than a thread takes to wake up runs on this one.
        """
        shares, arrays = self._shares(), self.world.arrays
        if slots is not None and slots * steps * self._count < _SHORT:
            shares = [(shares[0][0], shares[-1][1])]
        if len(shares) > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="treadle")
        waiting = [self._pool.submit(code, arrays, *share, steps) for share in shares[1:]]  # type: ignore[union-attr]
        code(arrays, *shares[0], steps)
        for other in waiting:
            other.result()

    @property
    def memory(self) -> list[np.ndarray] | None:
        """What the next contact steps start from, by world; None where none was taken yet."""
        return None if self._contact is None else self._contact.memory()

    @memory.setter
    def memory(self, memory: list[np.ndarray] | None) -> None:
        if memory is None:
            self._contact = None
        else:
            self._with_contact().remember(memory)

    def forget(self, worlds: np.ndarray) -> None:
        """Let worlds begin with the contact memory of a machine that has not moved yet."""
        if self._contact is not None:
            self._contact.forget(worlds)

    def _shares(self) -> list[tuple[int, int]]:
        """Ranges of worlds for the threads, in whole blocks of lanes."""
        lanes = self.world.lanes
        blocks = -(-self._count // lanes)
        count = min(self.threads, blocks)
        return list(pairwise([blocks * k // count * lanes for k in range(count + 1)]))

    def _steps(self) -> Executable | ContactWorlds:
        """What takes the steps; the one with loads only when there are any."""
        model, options = self.world.model, self.world.options
        if options.contact:
            return self._with_contact()
        kind = StepKind(
            loaded="loads" in self.world.arrays,
            parameters=self.world.parameters,
            bounded=bool(model.limited or model.held or options.arrested),
        )
        return self.world.fused(kind)

    def _with_contact(self) -> ContactWorlds:
        if self._contact is None:
            self._contact = ContactWorlds(self.world, self._count)
        return self._contact
