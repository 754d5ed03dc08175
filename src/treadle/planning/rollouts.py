"""Candidate commands, simulated side by side from one state, and what each costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from treadle.batch import Batch
from treadle.batch.cluster import Cluster, find_cluster
from treadle.batch.situation import Situation
from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.checks import check_count
from treadle.sim.moment_program import MeasureKind, moment_program
from treadle.sim.recording.signals.moment import Moment

__all__ = ["CandidateCosts", "Cost", "Rollouts"]

#: Cost rate of a state, over traced scalars; `situation.variables` is the goal.
Cost = Callable[[Situation], Scalar]

#: What a candidate costs whose simulation diverges.
_DIVERGED = 1e9


class CandidateCosts(Protocol):
    """What sampling planners need: so many candidates, of controls over so many pieces of a length (s)."""

    @property
    def candidates(self) -> int: ...

    @property
    def pieces(self) -> int: ...

    @property
    def piece(self) -> float: ...

    def costs(
        self, q: ArrayLike, v: ArrayLike, controls: np.ndarray, goal: ArrayLike = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `Rollouts`."""
        ...


class Rollouts:
    """Simulates `candidates` sequences of controls over a horizon (s), in `pieces` of equal length.

    `cost` is summed over the ends of the pieces, in compiled code; `actuate` turns controls (candidates, n)
    into commands of the actuators (candidates, actuators), which they are by default. The goal has
    `goal_size` numbers. With the `backend` "ray", or a `Cluster`, blocks of candidates are simulated on its
    workers. All further options are those of a `Batch`.
    """

    def __init__(
        self,
        model: Model,
        cost: Cost,
        *,
        candidates: int,
        horizon: float,
        pieces: int,
        goal_size: int = 0,
        actuate: Callable[[np.ndarray], np.ndarray] | None = None,
        watch: Callable[[Situation], Sequence[Scalar]] | None = None,
        backend: str | Cluster = "local",
        **options: Any,
    ) -> None:
        self._cluster = find_cluster(backend)
        if self._cluster is not None:
            kept = {"horizon": horizon, "pieces": pieces, "goal_size": goal_size} | {"threads": 1} | options
            made = _Made(model, cost, {"actuate": actuate, "watch": watch} | kept)
            self._shared = self._cluster.share(made)
        self.model, self.candidates = model, check_count("candidates", candidates)
        self.pieces, self.horizon = check_count("pieces", pieces), float(horizon)
        self._batch = Batch(model, self.candidates, **options)
        step = float(self._batch.dt[0])
        self._steps = round(horizon / pieces / step)
        if self._steps < 1:
            raise InputError(f"a piece of {horizon / pieces:g} s is shorter than a step of {step:g} s")
        self._cost, self._actuate, self._watch = cost, actuate or (lambda controls: controls), watch
        self._goal = self._batch.functions.room(goal_size)
        self._given = {"goal": self._goal}

    @property
    def piece(self) -> float:
        """Length of a piece (s)."""
        return self._steps * float(self._batch.dt[0])

    def costs(
        self, q: ArrayLike, v: ArrayLike, controls: np.ndarray, goal: ArrayLike = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Cost (candidates) of controls (candidates, pieces, n) from one state.

        Also what `watch` gives at the end of every piece (candidates, pieces, numbers).
        """
        if self._cluster is not None:
            return self._elsewhere(q, v, controls, goal)
        batch = self._batch
        batch.reset(q=q, v=v)
        self._goal[:] = np.asarray(goal, dtype=float).reshape(-1, 1)
        total = np.zeros(self.candidates)
        watched = []
        for k in range(self.pieces):
            batch.arrays["commands"][:, : self.candidates] = self._actuate(controls[:, k]).T
            batch.step(self._steps)
            found = batch.functions.evaluate("cost", self._program, self._given)
            total += found["cost"][0, : self.candidates]
            if self._watch is not None:
                watched.append(found["watched"][:, : self.candidates].T.copy())
        total[~(batch.alive & np.isfinite(total))] = _DIVERGED
        return total, np.stack(watched, axis=1) if watched else np.zeros((self.candidates, self.pieces, 0))

    def _elsewhere(
        self, q: ArrayLike, v: ArrayLike, controls: np.ndarray, goal: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same on a cluster: a block of candidates for each of its workers."""
        assert self._cluster is not None
        blocks = np.array_split(controls, min(self._cluster.workers, self.candidates))
        items = [(np.array(q), np.array(v), block, np.array(goal)) for block in blocks]
        found = dict(self._cluster.run(self._shared, items))
        costs, watched = zip(*[found[k] for k in range(len(items))], strict=True)
        return np.concatenate(costs), np.concatenate(watched)

    def _program(self, kind: MeasureKind) -> Program:
        def function(moment: Moment, values: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Scalar]]:
            now = Situation(moment, (), (), values.get("goal", ()), self.piece)
            found = {"cost": [self._cost(now)]}
            return found | ({} if self._watch is None else {"watched": list(self._watch(now))})

        return moment_program(self._batch.world, kind, function, None, {"goal": len(self._goal)})


@dataclass(frozen=True)
class _Made:
    """What workers of a cluster make rollouts from."""

    model: Model
    cost: Cost
    options: dict[str, Any]

    def make(self) -> Callable[[tuple[np.ndarray, ...]], tuple[np.ndarray, np.ndarray]]:
        """Costs of candidates, with rollouts by their number."""
        made: dict[int, Rollouts] = {}

        def costs(item: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
            q, v, controls, goal = item
            count = len(controls)
            if count not in made:
                made[count] = Rollouts(self.model, self.cost, candidates=count, **self.options)
            return made[count].costs(q, v, controls, goal)

        return costs
