"""Contact laws: functions of penetration depth and rate that return the normal force.

    def foam(touch):
        return td.maximum(touch.stiffness * touch.depth + 20.0 * touch.depth * touch.rate, 0.0)

`td.contact_law(foam)` makes it known by its name; a material then says law="foam". It is traced into machine
code, with its exact derivatives. Conditions are written with `treadle.where`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from treadle.errors import InputError
from treadle.graph import Expr, Scalar, exp, forward, log, maximum
from treadle.native.program import Program
from treadle.plugins import Registry

__all__ = ["LAWS", "SLOWEST", "ContactLaw", "Touch", "contact_law", "law_program", "power"]

#: Impact speed (m/s) that slower contacts count as: the damping of most laws has no bound towards zero.
SLOWEST = 1e-3

#: Depths (m) below which there is no force.
_NOTHING = 1e-30


class Touch(NamedTuple):
    """Arguments of a contact law: `depth`, `rate`, `stiffness`, `exponent`, `restitution`,
    `speed` and `mass`.

    Depth (m), its rate (m/s, above zero while the bodies approach), stiffness (N/m^exponent), exponent and
    restitution of the materials, the impact speed (m/s), and the effective mass (kg).
    """

    #: m
    depth: Scalar
    #: of the depth, m/s; above zero while the bodies approach
    rate: Scalar
    #: N/m^exponent
    stiffness: Scalar
    exponent: Scalar
    #: in [0, 1]
    restitution: Scalar
    #: of the impact, m/s
    speed: Scalar
    #: effective, along the normal, kg
    mass: Scalar


#: A law: penetration, rate and constants -> normal force (N).
ContactLaw = Callable[[Touch], Scalar]

F = TypeVar("F", bound=ContactLaw)

#: The laws by name.
LAWS: Registry[ContactLaw] = Registry("treadle.contact_laws")


def contact_law(function: F) -> F:
    """Register a contact law under the function's name, for `law` of a material; also a decorator.

    The function gets a `Touch` and returns the force (N) that pushes the bodies apart.
    """
    try:
        law_program(function).trace()
    except Exception as error:
        raise InputError(
            f"the contact law {function.__name__!r} cannot be compiled ({error}): it gets a Touch with "
            f"{', '.join(Touch._fields)}, returns the force in N, and chooses with td.where"
        ) from error
    LAWS[function.__name__] = function
    return function


def power(touch: Touch) -> Scalar:
    """depth^exponent, zero where nothing touches."""
    return exp(touch.exponent * log(maximum(touch.depth, _NOTHING)))


def law_program(law: ContactLaw) -> Program:
    """A law as a program: the numbers of a `Touch` -> force (N), and its derivatives by depth and rate."""

    def run(touch: Sequence[Expr]) -> Mapping[str, Sequence[Scalar]]:
        given = Touch(*touch)
        force = law(given._replace(speed=maximum(given.speed, SLOWEST)))
        if not isinstance(force, (Expr, int, float)):
            raise InputError(f"it returned {type(force).__name__}")
        (slopes,) = forward([force], {touch[0]: {0: 1.0}, touch[1]: {1: 1.0}}, 2)
        return {"push": [force, *slopes]}

    return Program(None, {"touch": len(Touch._fields)}, run)
