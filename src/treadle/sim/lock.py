"""Locked degrees of freedom: they stay where they are, by whatever force it takes.

A locked dof gets a rotor that nothing turns: forces change its velocity, which is zero, by less than
rounding. That holds under every integrator and beside loops, and can be undone between two steps without
new code, since the step takes the rotors' inertias as inputs while anything is locked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["locked_model", "rotor_names", "rotors", "stopped"]

#: Inertia (kg m2 or kg) of the rotor of a locked degree of freedom.
IMMOVABLE = 1e30


def rotor_names(model: Model) -> list[str]:
    """The rotors' inertias of all degrees of freedom, as parameters of the model."""
    names = []
    for joint in model.joints:
        count = joint.type.nv
        names += [f"{joint.name}.armature" + (f"[{k}]" if count > 1 else "") for k in range(count)]
    return names


def rotors(model: Model, locked: np.ndarray) -> np.ndarray:
    """Their values (nv) where some degrees of freedom are locked."""
    own = [float(x) for joint in model.joints for x in joint.armature]  # type: ignore[arg-type]
    return np.where(locked > 0.0, IMMOVABLE, np.array(own, dtype=float))


def locked_model(model: Model, values: Sequence[Scalar]) -> Model:
    """The model with these rotors, traced or not."""
    from treadle.model.parameters import lift

    return lift(model, dict(zip(rotor_names(model), values, strict=True)))


def stopped(model: Model, q: np.ndarray, v: np.ndarray, locked: np.ndarray) -> np.ndarray:
    """The velocity after locks have closed: by impulses along the locked dofs and in the loops alone.

    v' = v - M^-1 C^T (C M^-1 C^T)^-1 C v,    C = rows of the loops and of the locked degrees of freedom
    """
    from treadle.dynamics.compiled import mass_matrix
    from treadle.solvers.assembly import closure_evaluation

    rows = np.eye(model.nv)[locked > 0.0]
    if model.closed:
        rows = np.vstack([closure_evaluation(model)(q)[1], rows])
    response = np.linalg.solve(mass_matrix(model, q), rows.T)
    impulses = np.linalg.lstsq(rows @ response, rows @ v, rcond=1e-12)[0]
    return np.where(locked > 0.0, 0.0, v - response @ impulses)
