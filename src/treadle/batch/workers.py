"""Machine code on all worlds of a batch: shares of the worlds, threads, and the memory of contact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from treadle.batch.contact_worlds import ContactWorlds
from treadle.native.executable import Executable, Runner
from treadle.sim.step.program import StepKind
from treadle.sim.world import World

__all__ = ["Workers"]

#: Slots times worlds times steps below which threads are not worth waking up: about a tenth of a millisecond.
_SHORT = 500_000


class Workers:
    """Runs the compiled steps of the first `count` columns of a world on threads.

    Shapes that overlap at the positions `start` do not touch, in no world; by default those of the first
    world before its first contact step.
    """

    #: whether Python answers Ctrl-C while steps are taken, however many
    interruptible = False

    def __init__(self, world: World, count: int, threads: int, start: np.ndarray | None = None) -> None:
        self.world, self.threads, self.start = world, threads, start
        self._count = count
        self._contact: ContactWorlds | None = None
        self._pool: ThreadPoolExecutor | None = None
        #: by whether bodies are loaded
        self._kinds: dict[bool, StepKind] = {}
        #: by program: the arrays that it ran on last, and what is bound to them, one per share
        self._runners: dict[Executable, tuple[Mapping[str, np.ndarray], list[Runner]]] = {}

    def take(self, steps: int) -> None:
        """Steps of all worlds in one go."""
        code = self.step_program()
        if code is not None:
            self.run(code, self.world.arrays, steps)
        else:
            run = partial(self._with_contact().run, self.world.arrays, count=steps)
            self._share_out([run] * self.shares)

    def run(self, code: Executable, arrays: Mapping[str, np.ndarray], steps: int = 1) -> None:
        """A program on all worlds, each share of them on a thread.

        One that takes no longer than a thread takes to wake up runs on this one. Of mappings other than that
        of the world, the arrays stay the same.
        """
        found = self._runners.get(code)
        if (
            found is None
            or found[0] is not arrays
            or (arrays is self.world.arrays and not found[1][0].fits(arrays))
        ):
            found = self._runners[code] = arrays, [code.runner(arrays) for _ in self._shares]
        if self.is_short(code.layout.slots * steps):
            found[1][0](self._shares[0][0], self._shares[-1][1], steps)
        else:
            self._share_out([partial(runner, steps=steps) for runner in found[1]])

    @property
    def shares(self) -> int:
        """How many ranges of worlds there are, each for a thread."""
        return len(self._shares)

    def is_short(self, slots: int) -> bool:
        """Whether code with so many slots takes all worlds no longer than a thread takes to wake up."""
        return len(self._shares) == 1 or slots * self._count < _SHORT

    @property
    def columns(self) -> int:
        """Worlds with those that fill up the last block of lanes."""
        return self._shares[-1][1]

    def spread(self, calls: Sequence[Callable[[int, int], int]]) -> int:
        """The sum of what code(begin, end) gives over all worlds: a call for each share, on a thread."""
        return sum(self._share_out(calls))

    def _share_out(self, calls: Sequence[Callable[..., Any]]) -> list[Any]:
        """Call code(begin, end) for all shares of the worlds, each on a thread."""
        if len(calls) > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="treadle")
        waiting = [
            self._pool.submit(call, *share)  # type: ignore[union-attr]
            for call, share in zip(calls[1:], self._shares[1:], strict=True)
        ]
        return [calls[0](*self._shares[0]), *[other.result() for other in waiting]]

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

    @cached_property
    def _shares(self) -> list[tuple[int, int]]:
        """Ranges of worlds for the threads, in whole blocks of lanes."""
        lanes = self.world.lanes
        blocks = -(-self._count // lanes)
        count = min(self.threads, blocks)
        return list(pairwise([blocks * k // count * lanes for k in range(count + 1)]))

    def step_program(self) -> Executable | None:
        """The program of a step, the one with loads only when there are any; None where steps are more."""
        model, options = self.world.model, self.world.options
        if options.contact:
            return None
        loaded = "loads" in self.world.arrays
        kind = self._kinds.get(loaded)
        if kind is None:
            kind = self._kinds[loaded] = StepKind(
                loaded=loaded,
                parameters=self.world.parameters,
                bounded=bool(model.limited or model.held or options.arrested),
            )
        return self.world.fused(kind)

    def _with_contact(self) -> ContactWorlds:
        if self._contact is None:
            if self.start is None:
                self.start = self.world.arrays["q"][:, 0].copy()
            self._contact = ContactWorlds(self.world, self._count, self.start)
        return self._contact
