"""A machine made linear about the present state of a simulation: state space for control design.

    x = (delta, v, p),    dx/dt = A x + B u + constant

delta is the tangent step from the present position (see `Joint.integrate`), v the velocity, p the actuators'
own state (pressures of cylinders, activations); u are the actuators' commands, or else the joint forces.
All derivatives are exact, from the graph of the machine's forces and loops: joint springs and dampers, force
elements, actuators, laws, loads and closed loops are all among them. Stops, dry friction and contact are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.constraints.rows import residual_rates, residuals
from treadle.dynamics.derivatives import tangent_seeds
from treadle.errors import InputError
from treadle.forces.actuator import actuator_state_size, state_places
from treadle.forces.load import LOAD_SIZE
from treadle.graph import Expr, Scalar, forward
from treadle.model.model import Model
from treadle.native.program import Program, compile_program
from treadle.sim.state_rates import check_smooth, state_inputs, state_rates

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Linearization", "StateSlopes", "linearize", "state_slopes"]


@dataclass(frozen=True)
class Linearization:
    """A and B of dx/dt = A x + B u about a state, and dx/dt there.

    `states` and `inputs` name the rows: joint names with the number of the degree of freedom, actuators.
    """

    A: np.ndarray
    B: np.ndarray
    rate: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    #: columns span the motions (nv) that closed loops allow
    motions: np.ndarray
    #: columns span the states x that keep loops closed and wheels rolling, to first order
    consistent: np.ndarray

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """A and B in independent coordinates y, delta = N y and v = N dy/dt, about a state at rest."""
        n = len(self.motions)
        N = self.motions
        whole = np.zeros((len(self.A), 2 * N.shape[1] + len(self.A) - 2 * n))
        whole[:n, : N.shape[1]] = whole[n : 2 * n, N.shape[1] : 2 * N.shape[1]] = N
        whole[2 * n :, 2 * N.shape[1] :] = np.eye(len(self.A) - 2 * n)
        back = whole.T
        return back @ self.A @ whole, back @ self.B

    def eigenvalues(self) -> np.ndarray:
        """Of the motions that the constraints allow, about a state at rest or in steady motion (1/s)."""
        return np.linalg.eigvals(self.consistent.T @ self.A @ self.consistent)


def linearize(sim: Simulation) -> Linearization:
    """Linearize the machine of a simulation about its current state."""
    # above this module in the stack of imports
    from treadle.sim.simulation import Simulation

    if not isinstance(sim, Simulation):
        raise InputError(f"linearize needs a Simulation, td.Simulation(model), not {type(sim).__name__}")
    model = sim.model
    driven = bool(model.actuators)
    rate, rows, held = state_slopes(sim, ("commands",) if driven else ("tau",))
    n = len(rate)
    return Linearization(
        A=rows[:, :n],
        B=rows[:, n:],
        rate=rate,
        states=_names(model),
        inputs=tuple(a.name for a in model.actuators) if driven else _freedoms(model),
        motions=_motions(model, sim.q),
        consistent=_null_space(held),
    )


class StateSlopes(NamedTuple):
    """dx/dt (n), its derivatives by x and u (n, n + m), and those of the constraints and their rates by x."""

    rate: np.ndarray
    rows: np.ndarray
    held: np.ndarray


def state_slopes(sim: Simulation, inputs: Sequence[str]) -> StateSlopes:
    """Derivatives at the present state, by x and by "tau" or "commands"."""
    model = sim.model
    check_smooth(sim)
    sizes = {**state_inputs(sim), "loads": LOAD_SIZE * len(model.bodies)}
    program = Program(None, sizes, lambda **given: {"result": _slopes(sim, given, inputs)}, hot=False)
    given = {
        "q": sim.q, "v": sim.v, "tau": sim.tau, "time": [sim.time],
        "loads": sim.loads[:, 0], "commands": sim.arrays.get("commands", np.zeros((0, 1)))[:, 0],
        "drives": sim.arrays.get("drives", np.zeros((0, 1)))[:, 0],
    }  # fmt: skip
    values = compile_program(program).function()(*[np.asarray(given[name], dtype=float) for name in sizes])
    n = 2 * model.nv + actuator_state_size(model)
    m = sum(sizes.get(name, 0) for name in inputs)
    slopes = values[n:].reshape(-1, n + m)
    return StateSlopes(rate=values[:n], rows=slopes[:n], held=slopes[n:, :n])


def _slopes(sim: Simulation, given: Mapping[str, Sequence[Expr]], inputs: Sequence[str]) -> list[Scalar]:
    """dx/dt, then its derivatives by x and u, row by row, then those of the constraints and their rates."""
    model, q, v = sim.model, given["q"], given["v"]
    drives = given.get("drives", ())
    rates = [*v, *state_rates(sim, given)]
    nv, n = model.nv, 2 * model.nv + len(drives)
    seeds = tangent_seeds(model, q)
    moved = [x for name in inputs for x in given.get(name, ())]
    for k, x in enumerate((*v, *drives), start=nv):
        seeds[x] = {k: 1.0}
    for k, x in enumerate(moved, start=n):
        seeds[x] = {k: 1.0}
    held = [*residuals(model, q), *residual_rates(model, q, v)] if model.closed else []
    slopes = forward([*rates, *held], seeds, n + len(moved))
    for i, row in enumerate(_turning(model, v)):
        slopes[i][:nv] = row
    return [*rates, *[x for row in slopes for x in row]]


def _turning(model: Model, v: Sequence[Scalar]) -> list[list[Scalar]]:
    """Derivative of the rate of delta by delta, at zero: of rotations -v x / 2, else nothing."""
    rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    for joint in model.joints:
        if joint.type.nq == joint.type.nv:
            continue
        start, w = joint.v.start, v[joint.v.start : joint.v.start + 3]
        # d(delta)/dt = w + delta x w / 2 + ...
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            rows[start + i][start + j] = 0.5 * w[k]
            rows[start + i][start + k] = -(0.5 * w[j])
    return rows


def _motions(model: Model, q: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the velocities that keep all loops closed."""
    if not model.closed:
        return np.eye(model.nv)
    from treadle.model.mobility import constraint_jacobian

    G, _ = constraint_jacobian(model, list(q))
    return _null_space(G)


def _null_space(G: np.ndarray) -> np.ndarray:
    """Orthonormal columns x with G x = 0."""
    _, values, rows = np.linalg.svd(G)
    rank = int((values > 1e-8 * values.max(initial=0.0)).sum())
    return rows[rank:].T


def _freedoms(model: Model) -> tuple[str, ...]:
    return tuple(
        joint.name if joint.type.nv == 1 else f"{joint.name}[{k}]"
        for joint in model.joints
        for k in range(joint.type.nv)
    )


def _names(model: Model) -> tuple[str, ...]:
    freedoms = _freedoms(model)
    own = []
    for actuator, place in zip(model.actuators, state_places(model), strict=True):
        sides = ("cap", "rod") if actuator.type == "cylinder" else ("activation",)
        own += [f"{actuator.name}.{side}" for side in sides[: place.stop - place.start]]
    return (*freedoms, *[f"{name}.rate" for name in freedoms], *own)
