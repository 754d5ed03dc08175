"""Exact derivatives of accelerations: of the rigid bodies of a model, or of all that a simulation has."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics.compiled import Derivatives
from treadle.dynamics.compiled import derivatives as _of_rigid_bodies
from treadle.errors import InputError
from treadle.model.model import Model

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["MachineDerivatives", "derivatives"]


class MachineDerivatives(NamedTuple):
    """Acceleration of a machine with all its forces, and its derivatives; by q along the directions v spans.

    `by_commands` has a column per actuator, `by_drives` one per number of the actuators' own state.
    """

    acceleration: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray
    by_tau: np.ndarray
    by_commands: np.ndarray
    by_drives: np.ndarray


@overload
def derivatives(machine: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Derivatives: ...
@overload
def derivatives(machine: Simulation) -> MachineDerivatives: ...
def derivatives(
    machine: Model | Simulation,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
) -> Derivatives | MachineDerivatives:
    """Accelerations with d(dv/dt)/d(q, v, tau), each nv x nv.

    Of a model at (q, v, tau) they are those of its rigid bodies, without springs and dampers. Of a simulation
    they are those of the whole machine at its present state: joint springs and dampers, force elements,
    tendons, actuators, laws, loads, and closed loops. Limits, dry friction and contact are not among them.
    """
    if not isinstance(machine, Model):
        return _of_machine(machine)
    if q is None or v is None or tau is None:
        raise InputError("derivatives of a model need q, v and tau; those of a simulation have its own")
    return _of_rigid_bodies(machine, q, v, tau)


def _of_machine(sim: Simulation) -> MachineDerivatives:
    from treadle.sim.linearize import state_slopes

    rate, rows, _ = state_slopes(sim, ("tau", "commands"))
    nv, n = sim.model.nv, len(rate)
    ends = np.cumsum([0, nv, nv, n - 2 * nv, nv, len(sim.model.actuators)])
    by_q, by_v, by_drives, by_tau, by_commands = (
        rows[nv : 2 * nv, start:end] for start, end in pairwise(ends)
    )
    return MachineDerivatives(rate[nv : 2 * nv], by_q, by_v, by_tau, by_commands, by_drives)
