"""Functions of models with many lone bodies: one routine for all of these, and one for the rest.

Results are put together from both: sums, vectors by degree of freedom, poses by frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treadle.dynamics.many_states import evaluate, leading_shape
from treadle.graph import Scalar
from treadle.model.lone_bodies import CONSTANTS, LoneBodies, with_constants
from treadle.model.model import Model
from treadle.model.values import real_array
from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program, default_lanes

__all__ = ["parted_function"]

#: Inputs and function to trace of a model, by name (see `compiled`).
Definition = Callable[[Model, str], tuple[dict[str, int], Callable[..., Sequence[Scalar]]]]

Function = Callable[..., np.ndarray]


def parted_function(
    model: Model, name: str, define: Definition, call: Callable[..., np.ndarray]
) -> Function | None:
    """A function of a model with many lone bodies, None where it has few or the function is not of a kind.

    `call(model, name, ...)` evaluates that of the rest.
    """
    lone = LoneBodies.of(model) if name in _JOINED else None
    return None if lone is None else _Parted(lone, name, define, call)


class _Parted:
    """A function of the rest and of every lone body, and how to put their results together."""

    def __init__(
        self, lone: LoneBodies, name: str, define: Definition, call: Callable[..., np.ndarray]
    ) -> None:
        self._lone, self._name, self._define, self._rest = lone, name, define, call
        self._sizes = define(lone.model, name)[0]
        self._code: Executable | None = None

    def __call__(self, *arguments: Any) -> np.ndarray:
        given = [real_array(x) for x in arguments]
        for values, size in zip(given, self._sizes.values(), strict=True):
            if values.shape[-1:] != (size,):
                raise ValueError("wrong length")
            if not np.isfinite(values).all():
                raise ValueError("not finite")
        lone, sizes = self._lone, self._sizes
        # what is not as long as q is as long as v
        own = [x[..., lone.q if name == "q" else lone.v] for name, x in zip(sizes, given, strict=True)]
        ones = evaluate(self._compiled, self._name, [*own, *lone.constants.values()])
        rest = None
        if lone.rest.bodies or self._name == "frame_poses":
            left = [x[..., lone.rest_q if name == "q" else lone.rest_v] for name, x in zip(sizes, given)]
            rest = self._rest(lone.rest, self._name, *left)
        return _JOINED[self._name](lone, ones, rest, leading_shape(given))

    def _compiled(self) -> Executable:
        if self._code is None:
            self._code = compile_program(self._program(), default_lanes())
        return self._code

    def _program(self) -> Program:
        name, one, define = (
            ("body_pose" if self._name == "frame_poses" else self._name),
            self._lone.one,
            self._define,
        )
        inputs, _ = define(one, name)

        def function(**given: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
            body = with_constants(one, given)
            return {"result": define(body, name)[1](**{key: given[key] for key in inputs})}

        return Program(f"{name} lone {one.digest}", inputs | CONSTANTS, function)


def _sum(lone: LoneBodies, ones: np.ndarray, rest: np.ndarray | None, lead: tuple[int, ...]) -> np.ndarray:
    total = ones.sum(axis=-2)
    return total if rest is None else total + rest


def _center(lone: LoneBodies, ones: np.ndarray, rest: np.ndarray | None, lead: tuple[int, ...]) -> np.ndarray:
    masses = lone.constants["inertia"][:, 0]
    moment, mass = np.einsum("...ij,i->...j", ones, masses), float(masses.sum())
    if rest is not None:
        own = float(sum(body.inertia.mass for body in lone.rest.bodies))
        moment, mass = moment + own * rest, mass + own
    return moment / mass


def _by_freedom(
    lone: LoneBodies, ones: np.ndarray, rest: np.ndarray | None, lead: tuple[int, ...]
) -> np.ndarray:
    result = np.empty((*lead, lone.model.nv))
    result[..., lone.v] = ones
    if rest is not None:
        result[..., lone.rest_v] = rest
    return result


def _by_frame(
    lone: LoneBodies, ones: np.ndarray, rest: np.ndarray | None, lead: tuple[int, ...]
) -> np.ndarray:
    frames, number = lone.model.frames, {i: k for k, i in enumerate(lone.bodies)}
    result = np.empty((*lead, len(frames), 12))
    on_lone = [k for k, frame in enumerate(frames) if frame.body in number]
    others = [k for k, frame in enumerate(frames) if frame.body not in number]
    if others and rest is not None:
        result[..., others, :] = rest.reshape(*lead, len(others), 12)
    poses = ones[..., [number[frames[k].body] for k in on_lone], :]
    X_BF = np.array([frames[k].placement.to_list() for k in on_lone])
    R, p = poses[..., :9].reshape(*poses.shape[:-1], 3, 3), poses[..., 9:]
    turned = np.einsum("...ij,...jk->...ik", R, X_BF[:, :9].reshape(-1, 3, 3))
    result[..., on_lone, :9] = turned.reshape(*poses.shape[:-1], 9)
    result[..., on_lone, 9:] = p + np.einsum("...ij,...j->...i", R, X_BF[:, 9:])
    return result.reshape(*lead, -1)


#: How results are put together, by the name of the function.
_JOINED = {
    "kinetic_energy": _sum,
    "potential_energy": _sum,
    "momentum": _sum,
    "center_of_mass": _center,
    "forward_dynamics": _by_freedom,
    "inverse_dynamics": _by_freedom,
    "frame_poses": _by_frame,
}
