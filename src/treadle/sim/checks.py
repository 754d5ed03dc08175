"""Checks of arguments, each with an error that says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.constraints.motion import Prescribed, prescribed
from treadle.errors import InputError
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model, suggest
from treadle.model.regularity import require_regular
from treadle.model.values import real_array
from treadle.sim.contact_default import require_partners, touches
from treadle.solvers.stabilization import STABILIZATIONS

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.terrain import Terrain

__all__ = [
    "MESH_FORMS", "check_choice", "check_closes", "check_contact", "check_count", "check_duration",
    "check_functions", "check_meshes", "check_model", "check_motions", "check_stabilization", "check_step",
    "check_vector",
]  # fmt: skip


def check_contact(model: Model, terrain: Terrain | None, wanted: bool | None) -> bool:
    """Whether shapes touch; InputError where they cannot."""
    if wanted is None:
        wanted = touches(model, terrain)
    elif not isinstance(wanted, (bool, np.bool_)):
        raise InputError(f"contact must be True or False, not {wanted!r}")
    elif wanted:
        require_partners(model, terrain)
    return bool(wanted)


def check_model(model: Any, what: str) -> Model:
    """The model, if it is one."""
    if not isinstance(model, Model):
        raise InputError(
            f"a {what} needs a Model, from td.load(file), td.scene(name) or spec.compile(), "
            f"not {type(model).__name__}"
        )
    require_regular(model)
    return model


def check_closes(model: Model, integrator: str) -> None:
    """That an integrator can hold the model's loops."""
    if model.closed and INTEGRATORS[integrator].loops is None:
        able = ", ".join(repr(name) for name, method in INTEGRATORS.items() if method.loops)
        raise InputError(
            f"{integrator!r} does not support the closed loops and coupled joints of {model.name!r}; "
            f"use {able}, or model.without_loops()"
        )

    if INTEGRATORS[integrator].loops == "positions":
        rolling = [loop.name for loop in model.loops if loop.type is not None and loop.type.slip_count]
        if rolling:
            able = ", ".join(
                repr(name)
                for name, method in INTEGRATORS.items()
                if method.loops and method.loops != "positions"
            )
            raise InputError(
                f"{integrator!r} satisfies constraints at the position level, but {rolling[0]!r} rolls "
                f"without slipping, which constrains velocities alone; use {able}"
            )


def check_stabilization(integrator: str, stabilization: str, closing_time: Any) -> float:
    """The time constant (s) of the feedback, zero for its default, if the integrator leaves it something."""
    check_choice("stabilization", stabilization, STABILIZATIONS)
    feedback = STABILIZATIONS[stabilization].feedback
    if feedback and INTEGRATORS[integrator].loops == "positions":
        raise InputError(
            f"{integrator!r} closes loops by itself at the end of every step, which leaves {stabilization!r} "
            "nothing to do: use stabilization='projection' or 'none'"
        )
    if closing_time is None:
        return 0.0
    if not feedback:
        raise InputError(f"closing_time belongs to stabilization='baumgarte', not to {stabilization!r}")
    return check_seconds("closing_time", closing_time)


def check_motions(model: Model, motions: Mapping[str, Motion], integrator: str) -> dict[str, Motion]:
    """The motions, if each gives the positions of its joint and the integrator can hold it."""
    if not isinstance(motions, Mapping):
        raise InputError(
            f"motions must be functions of the time by joint name, such as {{'elbow': f}}, not {motions!r}"
        )
    arrests = INTEGRATORS[integrator].arrests
    rigid = [actuator.name for actuator in model.actuators if actuator.rigid]
    if rigid and not arrests:
        raise InputError(f"the rigid motor {rigid[0]!r} needs 'symplectic_euler', not {integrator!r}")
    for name, motion in motions.items():
        joint = model.joint(name)
        if not joint.type.nv:
            raise InputError(f"a motion needs a joint that moves: {name!r} is fixed")
        if not arrests and np.isfinite(joint.effort).any():
            raise InputError(
                f"the motion of {name!r} is limited by the joint's effort in 'symplectic_euler' only: use "
                "it, or leave the effort out"
            )
        try:
            numbers = np.array([float(x) for x in _numbers(prescribed(joint, motion, 0.0))])
        except ArithmeticError:
            numbers = np.array([np.nan])
        except (TypeError, ValueError, AttributeError) as error:
            raise InputError(f"the motion of {name!r} must be a function of the time: {error}") from None
        if not np.isfinite(numbers).all():
            raise InputError(
                f"the motion of {name!r} has no finite position, velocity and acceleration at 0 s"
            )
    return dict(motions)


def _numbers(at: Prescribed) -> list[Any]:
    return [*at.q, *at.v, *at.a]


def check_step(dt: Any) -> float:
    """The time step as a float, if it is positive."""
    return check_seconds("dt", dt)


def check_seconds(what: str, value: Any) -> float:
    """A time as a float, if it is positive."""
    seconds = _number(value)
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise InputError(f"{what} must be a positive number of seconds, not {value!r}")
    return seconds


def check_duration(what: str, value: Any) -> float:
    """A time as a float, if it is not negative."""
    seconds = _number(value)
    if not (np.isfinite(seconds) and seconds >= 0.0):
        raise InputError(f"{what} must be a number that is not negative, not {value!r}")
    return seconds


def _number(value: Any) -> float:
    """A value as a float, not a number where it is none."""
    if isinstance(value, (bool, np.bool_)):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def check_count(what: str, value: Any, least: int = 1, most: int = 1 << 62) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{what} must be a whole number of at least {least}, not {value!r}")
    if value > most:
        raise InputError(f"{what} must be a whole number of at most {most}, not {value!r}")
    return int(value)


#: What meshes of a machine's files touch as, see `sim.meshes`.
MESH_FORMS = ("hull", "parts", "mesh")


def check_functions(what: str, given: Any) -> None:
    """That this is a list of functions."""
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping)):
        raise InputError(f"{what} must be a list of functions, not {given!r}")
    for function in given:
        if not callable(function):
            raise InputError(f"{what} must be functions, but one of them is {function!r}")


def check_meshes(given: Any) -> None:
    """That these are meshes by name, or a word for what meshes touch as."""
    if given is not None and not isinstance(given, (Mapping, str)):
        raise InputError(
            f"meshes must be (vertices, triangles) by the name of a shape, or one of {MESH_FORMS}, "
            f"not {given!r}"
        )


def check_choice(what: str, name: Any, known: Iterable[str]) -> None:
    """That a name is among the known ones."""
    names = list(known)
    if name not in names:
        raise InputError(f"there is no {what} named {name!r}; {suggest(name, names)}")


def check_vector(what: str, value: Any, size: int) -> np.ndarray:
    """A new vector of `size` finite floats; a plain number counts as one of length one."""
    try:
        numbers = np.atleast_1d(real_array(value))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be {size} numbers, not {value!r}") from None
    if numbers.shape != (size,):
        raise InputError(f"{what} must have shape ({size},), not {numbers.shape}")
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise InputError(f"{what} must be finite, but entry {bad[0]} is {numbers[bad[0]]}")
    return numbers
