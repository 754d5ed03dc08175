"""Force laws that users write: plain functions over a generic scalar, traced into the step.

A law is called with the positions and velocities by joint name and the time, and returns the joint
forces that it adds, by joint name:

    def friction(q, v, t):
        return {"elbow": -2.0 * td.tanh(v["elbow"] / 0.01)}

Joints that close loops are named as all others: what acts on them acts on the joints that they depend on. It
runs in machine code inside the step, at every stage of the integrator, and is differentiated with it.
Conditions are written with `treadle.where`, and with `treadle.switch` where they make the force jump.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.forces.frame_law import FrameLaw
from treadle.forces.loop_joint import LoopJoint, loop_joint
from treadle.graph import Expr, Scalar
from treadle.model.model import Model, suggest

__all__ = ["ForceLaw", "Named", "law_force"]

#: A user's force law: positions and velocities by joint name, time (s) -> joint forces by joint name.
ForceLaw = Callable[["Named", "Named", Scalar], Mapping[str, Any]]


class Named(Mapping[str, Any]):
    """Coordinates by joint name: a scalar for joints with one, a list for the others."""

    def __init__(
        self,
        model: Model,
        values: Sequence[Scalar],
        positions: bool,
        loops: Callable[[str], LoopJoint] | None = None,
    ) -> None:
        self._model = model
        self._values = values
        self._positions = positions
        self._loops = loops

    def __getitem__(self, name: str) -> Any:
        if self._loops is not None and any(loop.name == name for loop in self._model.loops):
            closing = self._loops(name)
            part = closing.positions if self._positions else closing.velocities(self._values)
        else:
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
    known: dict[str, LoopJoint] = {}

    def loops(name: str) -> LoopJoint:
        """A joint that closes a loop, looked at once."""
        if name not in known:
            known[name] = loop_joint(model, next(loop for loop in model.loops if loop.name == name), q)
        return known[name]

    try:
        given = law(Named(model, q, True, loops), Named(model, v, False, loops), time)
    except TypeError:
        _check_arguments(law)
        raise
    if not isinstance(given, Mapping):
        raise InputError(
            f"a force law must return joint forces by name, such as {{'elbow': 1.0}}, not {given!r}"
        )
    force: list[Scalar] = [0.0] * model.nv
    names = [joint.name for joint in model.joints]
    closing = [loop.name for loop in model.loops if loop.type is not None]
    for name, value in given.items():
        if name not in names and name not in closing:
            raise InputError(
                f"the force law names no joint of {model.name!r}: {name!r}; {suggest(name, names + closing)}"
            )
        if name in closing:
            joint = loops(name)
            added = joint.joint_forces(_numbers(name, value, len(joint.coordinates)))
            force = [a + b for a, b in zip(force, added, strict=True)]
            continue
        part = model.joint(name).v
        values = _numbers(name, value, part.stop - part.start)
        force[part] = [a + b for a, b in zip(force[part], values, strict=True)]
    return force


def _numbers(name: str, value: Any, count: int) -> list[Scalar]:
    """What a law gives for a joint."""
    values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    if len(values) != count:
        raise InputError(f"the force law must give {count} numbers for {name!r}, not {len(values)}")
    for each in values:
        if isinstance(each, complex) or not isinstance(each, (Expr, int, float, np.number)):
            raise InputError(f"the force law must give a number for {name!r}, not {each!r}")
    return values


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
