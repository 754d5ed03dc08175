"""Iterative LQR: a quadratic model of the cost along the present motion improves the controls in rounds.

    planner = td.ILQR(model, cost, low=[-10.0], high=[10.0], horizon=2.0, pieces=100)
    plan = planner.plan(sim.q, sim.v)

After Li and Todorov (2004) with the regularization and line search of Tassa, Erez and Todorov (2012). The
derivatives of the step and of the cost are exact, from the expression graph; those of all pieces are computed
side by side in lanes, and so are the candidates of the line search. The machine has no contact, no wheels and
as many positions as freedoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.planning.expansion import Expansion
from treadle.planning.plan import Plan, shifted
from treadle.planning.rollouts import Cost
from treadle.sim.checks import check_count

__all__ = ["ILQR"]

#: Shares of the step to the minimum of the quadratic model that the line search looks at.
_SHARES = 0.5 ** np.arange(8)

#: Regularization: at first, its least, its largest, and the factor that it changes by.
_FIRST, _LEAST, _LARGEST, _FACTOR = 1e-6, 1e-9, 1e9, 4.0


class ILQR:
    """Plans controls over `pieces` steps that together last the horizon (s).

    `cost` is summed over the ends of the pieces as for the sampling planners, where `situation.action` are
    the controls of the piece; at the end of the horizon it counts `terminal` times. Controls are the commands
    of the actuators, or joint forces where there are none, within `low` and `high`. A plan takes at most
    `rounds`, and ends when the cost improves by less than `tolerance` of itself. Further options are those of
    a `Simulation`.
    """

    def __init__(
        self,
        model: Model,
        cost: Cost,
        *,
        low: Sequence[float],
        high: Sequence[float],
        horizon: float = 1.0,
        pieces: int = 50,
        goal_size: int = 0,
        terminal: float = 1.0,
        rounds: int = 50,
        tolerance: float = 1e-6,
        **options: Any,
    ) -> None:
        self.low, self.high = (np.array(x, dtype=float) for x in (low, high))
        self.pieces, self.rounds = check_count("pieces", pieces), check_count("rounds", rounds)
        self.piece, self.tolerance = float(horizon) / self.pieces, tolerance
        self._expansion = Expansion(model, cost, self.piece, goal_size, options)
        if self.low.shape != (self._expansion.controls,) or self.low.shape != self.high.shape:
            raise InputError(
                f"{model.name!r} has {self._expansion.controls} controls: low and high need one for each"
            )
        self._weights = np.ones(self.pieces)
        self._weights[-1] = terminal
        self.restart()

    def restart(self) -> None:
        """Forget the last plan: the next one starts from no control, or from the bound next to it."""
        self.controls = np.tile(np.clip(np.zeros_like(self.low), self.low, self.high), (self.pieces, 1))

    def plan(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike = (), elapsed: float = 0.0) -> Plan:
        """Plan from a state, `elapsed` seconds after the last plan began."""
        start = np.concatenate([np.asarray(q, dtype=float), np.asarray(v, dtype=float)])
        given = np.asarray(goal, dtype=float)
        controls, regular = shifted(self.controls, elapsed / self.piece), _FIRST
        states, total = self._rolled(start, controls, given)
        costs = [total]
        for _ in range(self.rounds):
            gains = self._backward(states, controls, given, regular)
            found = None if gains is None else self._improved(start, states, controls, given, gains)
            if found is None or not found[2] < costs[-1]:
                regular *= _FACTOR
                if regular > _LARGEST:
                    break
                continue
            states, controls, total = found
            costs.append(total)
            regular = max(regular / _FACTOR, _LEAST)
            if costs[-2] - costs[-1] <= self.tolerance * abs(costs[-1]):
                break
        self.controls = controls
        return Plan(controls.copy(), self.piece, costs[-1], np.array(costs), states[None, 1:])

    def _backward(
        self, states: np.ndarray, controls: np.ndarray, goal: np.ndarray, regular: float
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Changes (pieces, m) and gains (pieces, m, 2 n) of the controls; None where there is no minimum."""
        n, m = states.shape[1], controls.shape[1]
        local = self._expansion.local(states, controls, goal)
        slope, curve = np.zeros(n), np.zeros((n, n))
        changes, gains = np.zeros((self.pieces, m)), np.zeros((self.pieces, m, n))
        for k in reversed(range(self.pieces)):
            A, B, weight = local.rates[k][:, :n], local.rates[k][:, n:], self._weights[k]
            gradient, hessian = weight * local.gradient[k], weight * local.curvature[k]
            # cost and what follows, as a function of the state after the piece and of the controls
            value, bend, cross = gradient[:n] + slope, hessian[:n, :n] + curve, hessian[n:, :n]
            Qx, Qu = A.T @ value, gradient[n:] + B.T @ value
            Qxx, Qux = A.T @ bend @ A, B.T @ bend @ A + cross @ A
            Quu = hessian[n:, n:] + B.T @ bend @ B + cross @ B + (cross @ B).T
            free = ~self._held(controls[k], Qu)
            inner = Quu[np.ix_(free, free)] + regular * np.eye(int(free.sum()))
            if free.any():
                if np.linalg.eigvalsh(inner)[0] <= 0.0:
                    return None
                changes[k, free] = -np.linalg.solve(inner, Qu[free])
                gains[k, free] = -np.linalg.solve(inner, Qux[free])
            K, d = gains[k], changes[k]
            slope = Qx + K.T @ (Quu @ d + Qu) + Qux.T @ d
            curve = Qxx + K.T @ Quu @ K + K.T @ Qux + Qux.T @ K
            curve = 0.5 * (curve + curve.T)
        return changes, gains

    def _held(self, control: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Which controls are at a bound that the cost pushes them against."""
        return ((control <= self.low) & (slope > 0.0)) | ((control >= self.high) & (slope < 0.0))

    def _rolled(self, start: np.ndarray, controls: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, float]:
        """States (pieces + 1, 2 n) and cost of controls."""
        pieces, m = controls.shape
        unchanged = np.zeros((pieces, m)), np.zeros((pieces, m, len(start)))
        states = np.tile(start, (pieces + 1, 1))
        paths, _, totals = self._search(start, states, controls, goal, unchanged, np.zeros(1))
        return paths[0], float(totals[0])

    def _improved(
        self,
        start: np.ndarray,
        states: np.ndarray,
        controls: np.ndarray,
        goal: np.ndarray,
        gains: tuple[np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """The best of several shares of the changes: states, controls, cost."""
        paths, taken, totals = self._search(start, states, controls, goal, gains, _SHARES)
        best = int(np.argmin(np.where(np.isfinite(totals), totals, np.inf)))
        return paths[best], taken[best], float(totals[best])

    def _search(
        self,
        start: np.ndarray,
        states: np.ndarray,
        controls: np.ndarray,
        goal: np.ndarray,
        gains: tuple[np.ndarray, np.ndarray],
        shares: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Paths (shares, pieces + 1, 2 n), controls (shares, pieces, m) and costs (shares)."""
        changes, K = gains
        paths = np.zeros((len(shares), self.pieces + 1, len(start)))
        taken, totals = np.zeros((len(shares), *controls.shape)), np.zeros(len(shares))
        paths[:, 0] = start
        for k in range(self.pieces):
            off = paths[:, k] - states[k]
            wanted = controls[k] + shares[:, None] * changes[k] + off @ K[k].T
            taken[:, k] = np.clip(wanted, self.low, self.high)
            paths[:, k + 1], cost = self._expansion.after(paths[:, k], taken[:, k], goal)
            totals += self._weights[k] * cost
        return paths, taken, totals
