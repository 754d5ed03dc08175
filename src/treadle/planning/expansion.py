"""A step of a machine and a cost after it, with exact derivatives, for many states side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from treadle.batch.situation import Situation
from treadle.errors import InputError
from treadle.graph import Expr, Scalar, gradient, jacobian, unrolled
from treadle.model.model import Model
from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program, default_lanes
from treadle.planning.rollouts import Cost
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.simulation import Simulation
from treadle.sim.state_rates import check_smooth
from treadle.sim.step.program import StepKind, step_program

__all__ = ["Expansion", "Local"]

#: Rounds of a loop's projection that derivatives are taken through.
_ROUNDS = 4


class Local(NamedTuple):
    """Derivatives (pieces, ...) by the state x and controls u of each piece, and by the state y after it."""

    #: d y / d (x, u): (pieces, n, n + m)
    rates: np.ndarray
    #: of the cost by (y, u): (pieces, n + m) and (pieces, n + m, n + m)
    gradient: np.ndarray
    curvature: np.ndarray


class Expansion:
    """A machine that steps by `piece` seconds under controls; states are positions and velocities (2 nv)."""

    def __init__(
        self, model: Model, cost: Cost, piece: float, goal_size: int, options: Mapping[str, Any]
    ) -> None:
        sim = Simulation(model, piece, **options)
        check_smooth(sim)
        if (
            model.nq != model.nv
            or model.rubs
            or sim.arrays["drives"].size
            or sim.step_options.method.adaptive
        ):
            raise InputError(
                f"{model.name!r} needs as many positions as degrees of freedom, no dry friction, actuators "
                "without a state of their own and steps of a fixed length: plan with MPPI or CEM instead"
            )
        self._sim, self._cost = sim, cost
        self._driven = "commands" if model.actuators else "tau"
        #: numbers of a state, of the controls, and of the goal
        self.states = 2 * model.nv
        self.controls = len(model.actuators) or model.nv
        self._goals = goal_size

    def after(
        self, states: np.ndarray, controls: np.ndarray, goal: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """States (n, 2 nv) after a piece from states and controls (n, m), and the costs (n) there."""
        found = self._run(self._after, {"x": states, "u": controls}, goal)
        return found["y"], found["cost"][:, 0]

    def local(self, path: np.ndarray, controls: np.ndarray, goal: np.ndarray) -> Local:
        """Derivatives along a path (pieces + 1, 2 nv) under controls (pieces, m)."""
        found = self._run(self._local, {"x": path[:-1], "u": controls, "after": path[1:]}, goal)
        count, n, m = len(controls), self.states, self.controls
        return Local(
            found["rates"].reshape(count, n, n + m),
            found["gradient"],
            found["curvature"].reshape(count, n + m, n + m),
        )

    @cached_property
    def _after(self) -> Executable:
        def function(x: Sequence[Scalar], u: Sequence[Scalar], goal: Sequence[Scalar] = ()) -> dict:
            y = self._stepped(x, u)
            return {"y": y, "cost": [self._costs(y, u, goal)]}

        return self._compiled({"x": self.states, "u": self.controls}, function)

    @cached_property
    def _local(self) -> Executable:
        def function(
            x: list[Expr], u: list[Expr], after: list[Expr], goal: Sequence[Scalar] = ()
        ) -> dict[str, list[Scalar]]:
            rates = jacobian(self._stepped(x, u), [*x, *u])
            slope = gradient(self._costs(after, u, goal), [*after, *u])
            bend = jacobian(slope, [*after, *u])
            return {
                "rates": [value for row in rates for value in row],
                "gradient": slope,
                "curvature": [value for row in bend for value in row],
            }

        return self._compiled({"x": self.states, "u": self.controls, "after": self.states}, function)

    def _compiled(self, sizes: dict[str, int], function: Any) -> Executable:
        inputs = sizes | ({"goal": self._goals} if self._goals else {})
        return compile_program(Program(None, inputs, function), default_lanes())

    def _stepped(self, x: Sequence[Scalar], u: Sequence[Scalar]) -> list[Scalar]:
        """One step without limits of the joints."""
        sim, nv = self._sim, self._sim.model.nv
        program = step_program(sim.model, sim.step_options, StepKind(guarded=False))
        fixed = {
            name: sim.arrays[name][:, 0].tolist() if name in sim.arrays else [0.0] * size
            for name, size in program.inputs.items()
        }
        with unrolled(_ROUNDS):
            found = program.function(**(fixed | {"q": x[:nv], "v": x[nv:], self._driven: u}))
        return [*found["next_q"], *found["next_v"]]

    def _costs(self, x: Sequence[Scalar], u: Sequence[Scalar], goal: Sequence[Scalar]) -> Scalar:
        model, nv = self._sim.model, self._sim.model.nv
        commands = u if self._driven == "commands" else ()
        moment = Moment(
            model, (), (), x[:nv], x[nv:], [0.0] * nv, [], 0.0, commands=commands, dt=self._sim.dt
        )
        return self._cost(Situation(moment, u, (), goal, self._sim.dt))

    def _run(self, code: Executable, rows: dict[str, np.ndarray], goal: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs (n, size) for inputs (n, size); lanes that are left over compute the last state again."""
        count = len(rows["x"])
        stride = -(-count // code.lanes) * code.lanes
        if self._goals:
            rows = rows | {"goal": np.broadcast_to(goal, (count, self._goals))}
        arrays = {}
        for name, values in rows.items():
            arrays[name] = np.empty((values.shape[1], stride))
            arrays[name][:, :count] = values.T
            arrays[name][:, count:] = values[-1:].T
        arrays |= {name: np.empty((size, stride)) for name, size in code.layout.outputs.items()}
        code.run(arrays, 0, stride)
        return {name: arrays[name][:, :count].T for name in code.layout.outputs}
