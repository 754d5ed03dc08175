"""Force laws that users write: plain functions over a generic scalar, traced into the step.

A law is called with the positions and velocities by joint name and the time, and returns the joint
forces that it adds, by joint name:

    def friction(q, v, t):
        return {"elbow": -2.0 * td.tanh(v["elbow"] / 0.01)}

It runs in machine code inside the step, at every stage of the integrator, and is differentiated with it.
Conditions are written with `treadle.where`, and with `treadle.switch` where they make the force jump.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.forces.frame_law import FrameLaw
from treadle.graph import Expr, Scalar
from treadle.model.model import Model, suggest

__all__ = ["ForceLaw", "Named", "law_force"]

#: A user's force law: positions and velocities by joint name, time (s) -> joint forces by joint name.
ForceLaw = Callable[["Named", "Named", Scalar], Mapping[str, Any]]


class Named(Mapping[str, Any]):
    """Coordinates by joint name: a scalar for joints with one, a list for the others."""

    def __init__(self, model: Model, values: Sequence[Scalar], positions: bool) -> None:
        self._model = model
        self._values = values
        self._positions = positions

    def __getitem__(self, name: str) -> Any:
        joint = self._model.joint(name)
        part = list(self._values[joint.q if self._positions else joint.v])
        return part[0] if len(part) == 1 else part

    def __iter__(self) -> Iterator[str]:
        return (joint.name for joint in self._model.joints)

    def __len__(self) -> int:
        return len(self._model.joints)


def law_force(
    model: Model,
    law: ForceLaw,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    springs: bool = True,
) -> list[Scalar]:
    """Joint forces (nv) of a law; without `springs` not those that have a potential energy."""
    if isinstance(law, FrameLaw):
        return law.joint_forces(model, q, v, time, springs)
    try:
        given = law(Named(model, q, positions=True), Named(model, v, positions=False), time)
    except TypeError:
        _check_arguments(law)
        raise
    if not isinstance(given, Mapping):
        raise InputError(
            f"a force law must return joint forces by name, such as {{'elbow': 1.0}}, not {given!r}"
        )
    force: list[Scalar] = [0.0] * model.nv
    names = [joint.name for joint in model.joints]
    for name, value in given.items():
        if name not in names:
            raise InputError(
                f"the force law names no joint of {model.name!r}: {name!r}; {suggest(name, names)}"
            )
        part = model.joint(name).v
        values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
        if len(values) != part.stop - part.start:
            raise InputError(
                f"the force law must give {part.stop - part.start} numbers for {name!r}, not {len(values)}"
            )
        for each in values:
            if isinstance(each, complex) or not isinstance(each, (Expr, int, float, np.number)):
                raise InputError(f"the force law must give a number for {name!r}, not {each!r}")
        force[part] = values
    return force


def _check_arguments(law: Any) -> None:
    """InputError where a law cannot be called with its three arguments."""
    try:
        inspect.signature(law).bind(None, None, None)
    except TypeError:
        name = getattr(law, "__name__", repr(law))
        raise InputError(
            f"the force law {name} must be a function of three arguments: positions and velocities by joint "
            "name, and the time"
        ) from None
