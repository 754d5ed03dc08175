"""The algorithms as functions over numbers: compiled for the model on first use, then called.

q, v and tau are vectors in the order of `model.joints`; names are resolved with `model.frame(name)`.
All results are new numpy arrays. Quaternions in q must have unit length. Arguments with leading axes are many
states: (..., nq), (..., nv), broadcast against each other and computed in vector lanes; results have the same
leading axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics.crba import crba
from treadle.dynamics.derivatives import inverse_dynamics_derivatives, linearization
from treadle.dynamics.energy import kinetic_energy as _kinetic
from treadle.dynamics.energy import potential_energy as _potential
from treadle.dynamics.forward import forward_dynamics as _forward
from treadle.dynamics.impulse import impulse_response as _impulse
from treadle.dynamics.jacobian import frame_jacobian as _frame_jacobian
from treadle.dynamics.kinematics import frame_placements, world_transforms
from treadle.dynamics.many_bodies import parted_function
from treadle.dynamics.many_states import evaluate, leading_shape
from treadle.dynamics.momentum import center_of_mass as _center
from treadle.dynamics.momentum import momentum as _momentum
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.identical_subtrees import subtree_inputs
from treadle.model.model import WORLD, Model
from treadle.model.regularity import require_regular
from treadle.model.values import real_array
from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program, default_lanes
from treadle.spatial import Force

__all__ = [
    "Derivatives", "center_of_mass", "derivatives", "dynamics_program", "forward_dynamics", "frame_jacobian",
    "frame_pose", "frame_poses", "impulse_response", "inverse_dynamics", "inverse_dynamics_jacobians",
    "kinetic_energy", "mass_matrix", "momentum", "potential_energy",
]  # fmt: skip


class Derivatives(NamedTuple):
    """Forward dynamics and its exact derivatives; by q along the directions that v spans."""

    acceleration: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray
    by_tau: np.ndarray


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external: Mapping[str, ArrayLike] | None = None,
) -> np.ndarray:
    """Accelerations dv/dt (nv) under the joint forces tau (nv): M(q) dv/dt + C(q, v) = tau + J^T f.

    `external[name]` is (moment, force), six numbers on the body that holds link or frame `name`, in
    that body's axes and about its origin. Joint springs and dampers are not part of this; a
    `Simulation` adds them.
    """
    if external:
        return _call(model, "forward_dynamics_loaded", q, v, tau, _external(model, external))
    return _call(model, "forward_dynamics", q, v, tau)


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    external: Mapping[str, ArrayLike] | None = None,
) -> np.ndarray:
    """Joint forces tau (nv) that give the acceleration a (nv)."""
    if external:
        return _call(model, "inverse_dynamics_loaded", q, v, a, _external(model, external))
    return _call(model, "inverse_dynamics", q, v, a)


def mass_matrix(model: Model, q: ArrayLike) -> np.ndarray:
    """Joint-space inertia matrix M(q) (nv x nv)."""
    return _matrices(_call(model, "mass_matrix", q), model.nv, model.nv)


def derivatives(model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Derivatives:
    """Forward dynamics with d(dv/dt)/d(q, v, tau), each nv x nv."""
    n = model.nv
    values = _call(model, "derivatives", q, v, tau)
    a, blocks = values[..., :n], _matrices(values[..., n:], 3, n, n)
    by_q, by_v, M_inverse = np.moveaxis(blocks, -3, 0)
    return Derivatives(a, -(M_inverse @ by_q), -(M_inverse @ by_v), M_inverse)


def inverse_dynamics_jacobians(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """d tau/d q (along the directions that v spans) and d tau/d v, each nv x nv; d tau/d a is M(q)."""
    values = _call(model, "inverse_dynamics_jacobians", q, v, a)
    by_q, by_v = np.moveaxis(_matrices(values, 2, model.nv, model.nv), -3, 0)
    return by_q, by_v


def frame_pose(model: Model, q: ArrayLike, name: str) -> np.ndarray:
    """Pose X_WF of a link or frame in the world, as a 4 x 4 matrix."""
    return frame_poses(model, q)[..., model.frames.index(model.frame(name)), :, :]


def frame_poses(model: Model, q: ArrayLike) -> np.ndarray:
    """Poses of all `model.frames` in the world, as (frames, 4, 4)."""
    values = _matrices(_call(model, "frame_poses", q), len(model.frames), 12)
    poses = np.zeros((*values.shape[:-1], 4, 4))
    poses[..., :3, :3] = _matrices(values[..., :9], 3, 3)
    poses[..., :3, 3] = values[..., 9:]
    poses[..., 3, 3] = 1.0
    return poses


def frame_jacobian(model: Model, q: ArrayLike, name: str) -> np.ndarray:
    """6 x nv Jacobian of a link or frame, in world axes: angular velocity, velocity of its origin."""
    number = model.frames.index(model.frame(name))
    return _matrices(_call(model, f"frame_jacobian:{number}", q), 6, model.nv)


def center_of_mass(model: Model, q: ArrayLike) -> np.ndarray:
    """Centre of mass of the moving bodies in the world (3), in metres."""
    return _call(model, "center_of_mass", q)


def kinetic_energy(model: Model, q: ArrayLike, v: ArrayLike) -> Any:
    """Kinetic energy in joules, rotors included: a float, or an array for many states."""
    return _number(_call(model, "kinetic_energy", q, v))


def potential_energy(model: Model, q: ArrayLike) -> Any:
    """Energy in the gravity field in joules, zero at the world's origin: a float, or an array."""
    return _number(_call(model, "potential_energy", q))


def momentum(model: Model, q: ArrayLike, v: ArrayLike) -> np.ndarray:
    """Spatial momentum (6) about the world's origin: angular N m s, linear N s."""
    return _call(model, "momentum", q, v)


def impulse_response(
    model: Model,
    q: ArrayLike,
    joint_impulse: ArrayLike | None = None,
    impulse: Mapping[str, ArrayLike] | None = None,
) -> np.ndarray:
    """Jump of v (nv) under joint impulses (N m s, N s) and impulses on bodies, as in `forward_dynamics`."""
    joint_impulse = np.zeros(model.nv) if joint_impulse is None else joint_impulse
    return _call(model, "impulse_response", q, joint_impulse, _external(model, impulse or {}))


def _call(model: Model, name: str, *arguments: ArrayLike) -> np.ndarray:
    """Run the compiled function; what it refuses is explained."""
    try:
        function = model.__dict__["_functions"][name]
    except KeyError:
        function = _prepare(model, name)
    except AttributeError:
        raise _no_model(model) from None
    try:
        return function(*arguments)
    except (ValueError, TypeError, np.exceptions.ComplexWarning):
        if leading_shape(arguments):
            return evaluate(lambda: _in_lanes(model, name), _plain_name(name), arguments)
        raise _explain(model, name, arguments) from None


def _in_lanes(model: Model, name: str) -> Executable:
    """The function compiled for many states, kept with the model."""
    functions, key = model.__dict__["_functions"], f"{name} in lanes"
    if key not in functions:
        functions[key] = compile_program(dynamics_program(model, name), default_lanes())
    return functions[key]


def _matrices(values: np.ndarray, *shape: int) -> np.ndarray:
    """Split the last axis."""
    return values.reshape(*values.shape[:-1], *shape)


def _number(values: np.ndarray) -> Any:
    return float(values[0]) if values.ndim == 1 else values[..., 0]


def _plain_name(name: str) -> str:
    return name.partition(":")[0].removesuffix("_loaded")


def _no_model(given: Any) -> InputError:
    return InputError(
        "the first argument must be a Model, from td.load(file), td.scene(name) or spec.compile(), "
        f"not {type(given).__name__}"
    )


def _prepare(model: Model, name: str) -> Callable[..., np.ndarray]:
    """Compile a function for the model and keep it with the model."""
    if not isinstance(model, Model):
        raise _no_model(model)
    if name.startswith(("forward_dynamics", "derivatives", "impulse_response")):
        require_regular(model)
    compiled = parted_function(model, name, _definition, _call)
    if compiled is None:
        executable = compile_program(dynamics_program(model, name))
        compiled = executable.function()
        if 1 in executable.layout.inputs.values():
            compiled = _refusing_axes(compiled)
    model.__dict__.setdefault("_functions", {})[name] = compiled
    return compiled


def _refusing_axes(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """ValueError for many states, which vectors of one number would be taken for."""

    def call(*arguments: ArrayLike) -> np.ndarray:
        if any(np.ndim(x) != 1 for x in arguments):
            raise ValueError("more than one state")
        return function(*arguments)

    return call


def dynamics_program(model: Model, name: str) -> Program:
    """A function of this module as a program with the output "result", for those who compile it elsewhere."""
    inputs, function = _definition(model, name)
    return Program(
        f"{name} {model.digest}",
        inputs,
        lambda **values: {"result": function(**values)},
        twins=subtree_inputs(model, inputs),
        hot=not name.endswith(("derivatives", "jacobians")),
    )


def _definition(model: Model, name: str) -> tuple[dict[str, int], Callable[..., Sequence[Scalar]]]:
    """Inputs with their sizes, and the function to trace."""
    nq, nv, loads = model.nq, model.nv, 6 * len(model.bodies)
    # for results in joint space
    machine = regroup(model)
    kind, _, argument = name.partition(":")
    match kind:
        case "forward_dynamics":
            return {"q": nq, "v": nv, "tau": nv}, lambda q, v, tau: _forward(model, q, v, tau)
        case "forward_dynamics_loaded":
            return {"q": nq, "v": nv, "tau": nv, "external": loads}, (
                lambda q, v, tau, external: _forward(model, q, v, tau, _forces(external))
            )
        case "inverse_dynamics":
            return {"q": nq, "v": nv, "a": nv}, lambda q, v, a: rnea(machine, q, v, a)
        case "inverse_dynamics_loaded":
            return {"q": nq, "v": nv, "a": nv, "external": loads}, (
                lambda q, v, a, external: rnea(machine, q, v, a, _forces(external))
            )
        case "mass_matrix":
            return {"q": nq}, lambda q: _flat(crba(machine, q))
        case "derivatives":
            return {"q": nq, "v": nv, "tau": nv}, lambda q, v, tau: _derivatives(machine, q, v, tau)
        case "inverse_dynamics_jacobians":
            return {"q": nq, "v": nv, "a": nv}, (
                lambda q, v, a: [x for m in inverse_dynamics_derivatives(machine, q, v, a) for x in _flat(m)]
            )
        case "body_pose":
            return {"q": nq}, lambda q: world_transforms(model, q)[0].to_list()
        case "frame_poses":
            return {"q": nq}, lambda q: [x for X in frame_placements(model, q) for x in X.to_list()]
        case "frame_jacobian":
            frame = model.frames[int(argument)]
            return {"q": nq}, lambda q: _flat(_frame_jacobian(model, q, frame))
        case "center_of_mass":
            return {"q": nq}, lambda q: list(_center(model, q))
        case "kinetic_energy":
            return {"q": nq, "v": nv}, lambda q, v: [_kinetic(model, q, v)]
        case "potential_energy":
            return {"q": nq}, lambda q: [_potential(model, q)]
        case "momentum":
            return {"q": nq, "v": nv}, lambda q, v: list(_momentum(model, q, v))
        case "impulse_response":
            return {"q": nq, "joint_impulse": nv, "impulse": loads}, (
                lambda q, joint_impulse, impulse: _impulse(machine, q, joint_impulse, _forces(impulse))
            )
    raise KeyError(name)


def _derivatives(model: Model, q: Sequence, v: Sequence, tau: Sequence) -> list[Scalar]:
    a, by_q, by_v, M_inverse = linearization(model, q, v, tau)
    return [*a, *_flat(by_q), *_flat(by_v), *_flat(M_inverse)]


def _flat(matrix: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [x for row in matrix for x in row]


def _forces(values: Sequence[Scalar]) -> dict[int, Force]:
    return {i: Force.of(values[6 * i : 6 * i + 6]) for i in range(len(values) // 6)}


def _external(model: Model, external: Mapping[str, ArrayLike]) -> np.ndarray:
    forces = {}
    for name, values in external.items():
        body = model.frame(name).body
        try:
            force = real_array(values)
        except (TypeError, ValueError):
            force = np.empty(0)
        if force.shape[-1:] != (6,):
            raise InputError(f"the force on {name!r} must be six numbers (moment, force), not {values!r}")
        if body == WORLD:
            raise InputError(f"{name!r} is fixed to the world: a force on it moves nothing")
        forces[name] = body, force
    lead = np.broadcast_shapes(*[force.shape[:-1] for _, force in forces.values()])
    total = np.zeros((*lead, len(model.bodies), 6))
    for body, force in forces.values():
        total[..., body, :] += force
    return total.reshape(*lead, -1)


def _explain(model: Model, name: str, arguments: Sequence[ArrayLike]) -> InputError:
    """What is wrong with the arguments, in one sentence."""
    inputs, _ = _definition(model, name)
    function = _plain_name(name)
    for (label, size), argument in zip(inputs.items(), arguments, strict=True):
        try:
            values = real_array(argument)
        except (ValueError, TypeError):
            return InputError(f"{function}: {label} must be a vector of {size} numbers, not {argument!r}")
        if values.shape != (size,):
            return InputError(
                f"{function}: {label} of {model.name!r} must have shape ({size},), not {values.shape}"
            )
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            return InputError(
                f"{function}: {label}[{bad[0]}] is {values[bad[0]]}{_owner(model, label, bad[0])}"
            )
    return InputError(f"{function}: an argument of {model.name!r} is wrong")


def _owner(model: Model, label: str, index: int) -> str:
    """Which joint or body an entry of a vector belongs to."""
    if label in ("external", "impulse"):
        return f" (body {model.bodies[index // 6].name!r})"
    for joint in model.joints:
        part = joint.q if label == "q" else joint.v
        if part.start <= index < part.stop:
            return f" (joint {joint.name!r})"
    return ""
