"""Sampling planners: the best of many simulated candidates, warm-started from the plan before.

    planner = td.MPPI(model, cost, low=(-0.2, -1.0), high=(0.5, 1.0), spread=(0.2, 0.5), candidates=512,
                      horizon=2.0, pieces=10, goal_size=2)
    plan = planner.plan(sim.q, sim.v, goal=(4.0, 1.0))

MPPI after Williams, Drews, Goldfain, Rehg and Theodorou (2018); the cross-entropy method after Rubinstein and
Kroese (2004). Controls are held over equal pieces of the horizon. Random numbers follow from the seed and the
number of the plan alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.planning.plan import Plan, shifted
from treadle.planning.rollouts import CandidateCosts, Cost, Rollouts

__all__ = ["CEM", "MPPI", "RandomShooting", "SamplingPlanner"]


class SamplingPlanner:
    """What the sampling planners share: candidates around the last plan, bounds, warm start.

    `low`, `high` and `spread` (standard deviation of the candidates) have a number per control. Further
    options are those of `Rollouts` and of a `Batch`. Candidates of another kind may take the place of the
    model: they have their costs themselves.
    """

    def __init__(
        self,
        model: Model | CandidateCosts,
        cost: Cost | None,
        *,
        low: Sequence[float],
        high: Sequence[float],
        spread: Sequence[float],
        candidates: int = 512,
        horizon: float = 2.0,
        pieces: int = 10,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.low, self.high, self.spread = (np.array(x, dtype=float) for x in (low, high, spread))
        if not self.low.shape == self.high.shape == self.spread.shape or (self.low > self.high).any():
            raise InputError("low, high and spread need a number per control, with low <= high")
        if not (self.spread >= 0.0).all():
            raise InputError(f"spread must not be negative, and {spread!r} is")
        if isinstance(model, Model):
            if not callable(cost):
                raise InputError(f"a planner needs a cost, a function of a situation, not {cost!r}")
            model = Rollouts(model, cost, candidates=candidates, horizon=horizon, pieces=pieces, **options)
        self.rollouts = model
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        """Forget the last plan: the next one starts from no control, or from the bound next to it."""
        #: what the next candidates are drawn around (pieces, n)
        self.mean = np.tile(np.clip(np.zeros_like(self.low), self.low, self.high), (self.rollouts.pieces, 1))
        self._plans = 0

    def plan(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike = (), elapsed: float = 0.0) -> Plan:
        """Plan from a state, `elapsed` seconds after the last plan began."""
        self.mean = shifted(self.mean, elapsed / self.rollouts.piece)
        rng = np.random.default_rng([self._seed, self._plans])
        self._plans += 1
        return self._improved(q, v, goal, rng)

    def _improved(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike, rng: np.random.Generator) -> Plan:
        raise NotImplementedError

    def _evaluated(
        self, q: ArrayLike, v: ArrayLike, goal: ArrayLike, controls: np.ndarray
    ) -> tuple[np.ndarray, Plan]:
        """Costs of candidates, and the plan that has the best of them as its controls."""
        costs, watched = self.rollouts.costs(q, v, controls, goal)
        best = int(np.argmin(costs))
        return costs, Plan(controls[best], self.rollouts.piece, float(costs[best]), costs, watched)

    def _drawn(self, rng: np.random.Generator, mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """Candidates around a mean, which is the first of them."""
        shape = self.rollouts.candidates, *mean.shape
        noise = rng.standard_normal(shape) * spread
        noise[0] = 0.0
        # half of them deviate alike all the way: turns that last
        half = self.rollouts.candidates // 2
        noise[half:] = noise[half:, :1] + 0.3 * noise[half:]
        return np.clip(mean + noise, self.low, self.high)


class RandomShooting(SamplingPlanner):
    """The best candidate is the plan."""

    def _improved(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike, rng: np.random.Generator) -> Plan:
        _, plan = self._evaluated(q, v, goal, self._drawn(rng, self.mean, self.spread))
        self.mean = plan.controls.copy()
        return plan


class MPPI(SamplingPlanner):
    """Model-predictive path integral control: the mean of all candidates, weighted by exp(-cost / lambda).

    lambda is `temperature` times the difference of the median from the lowest cost, so that it needs no
    tuning to the units of the cost.
    """

    def __init__(
        self,
        model: Model | CandidateCosts,
        cost: Cost | None,
        *,
        temperature: float = 0.1,
        **options: Any,
    ) -> None:
        self.temperature = temperature
        super().__init__(model, cost, **options)

    def _improved(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike, rng: np.random.Generator) -> Plan:
        controls = self._drawn(rng, self.mean, self.spread)
        costs, plan = self._evaluated(q, v, goal, controls)
        above = costs - costs.min()
        weights = np.exp(-above / max(self.temperature * float(np.median(above)), 1e-12))
        self.mean = np.tensordot(weights / weights.sum(), controls, axes=1)
        return Plan(self.mean.copy(), plan.piece, plan.cost, plan.costs, plan.watched)


class CEM(SamplingPlanner):
    """Cross-entropy method: mean and spread of the best share of candidates, several times over."""

    def __init__(
        self,
        model: Model | CandidateCosts,
        cost: Cost | None,
        *,
        elite: float = 0.1,
        rounds: int = 3,
        **options: Any,
    ) -> None:
        if not 0.0 < elite <= 1.0 or rounds < 1:
            raise InputError("CEM needs 0 < elite <= 1 and at least one round")
        self.elite, self.rounds = elite, rounds
        super().__init__(model, cost, **options)

    def _improved(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike, rng: np.random.Generator) -> Plan:
        mean, spread = self.mean, np.broadcast_to(self.spread, self.mean.shape)
        count = max(2, round(self.elite * self.rollouts.candidates))
        plan: Plan | None = None
        for _ in range(self.rounds):
            controls = self._drawn(rng, mean, spread)
            costs, found = self._evaluated(q, v, goal, controls)
            plan = found if plan is None or found.cost <= plan.cost else plan
            chosen = controls[np.argsort(costs, kind="stable")[:count]]
            mean, spread = chosen.mean(axis=0), np.maximum(chosen.std(axis=0), 0.05 * self.spread)
        assert plan is not None
        self.mean = mean
        return plan
