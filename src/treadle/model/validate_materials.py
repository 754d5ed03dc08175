"""Checks of materials: what their numbers may be, and which of them go together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from treadle.model.faults import check_not_negative, converted, fault
from treadle.model.parts import COMBINATIONS, FRICTION_DIMENSIONS
from treadle.model.values import number, vector

if TYPE_CHECKING:
    from treadle.model.parts import MaterialSpec
    from treadle.model.spec import ModelSpec

__all__ = ["check_material"]

#: An error from a message and a hint.
_Wrong: TypeAlias = Callable[[str, str], Exception]

#: The law of materials that state none.
_LINEAR = "kelvin_voigt"


def check_material(spec: ModelSpec, material: MaterialSpec) -> None:
    """Raise ModelError at the first mistake."""
    element = f'material "{material.name}"'

    def wrong(message: str, hint: str) -> Exception:
        return fault(spec, element, message, hint, material)

    for name in ("stiffness", "damping", "restitution", "friction", "friction_across"):
        if getattr(material, name) is not None:
            check_not_negative(spec, element, material, name)
    for name in ("rolling_friction", "spinning_friction", "mix"):
        check_not_negative(spec, element, material, name)
    for name in ("exponent", "young_modulus", "radius"):
        given = getattr(material, name)
        if given is not None and not converted(spec, element, material, name, number) > 0.0:
            raise wrong(f"{name} is not above zero", "state a positive number")
    if material.restitution is not None and material.restitution > 1.0:
        raise wrong("restitution is above 1", "it lies between 0 and 1")
    if material.restitution is not None and material.damping is not None:
        raise wrong("has damping and restitution", "state one of them: both say what an impact loses")
    direction = converted(spec, element, material, "friction_direction", vector)
    if not any(direction):
        raise wrong("friction_direction has no length", "state a vector such as (1, 0, 0)")
    if material.friction_across is not None and material.friction is None:
        raise wrong("has friction_across, but no friction", "state both")
    _check_combination(material, wrong)
    _check_impedance(spec, element, material, wrong)
    if not isinstance(material.per_mass, bool):
        raise wrong(f"per_mass needs true or false, not {material.per_mass!r}", "leave it out for N/m")
    if material.law is not None and not (isinstance(material.law, str) and material.law.strip()):
        raise wrong(f"law needs the name of a contact law, not {material.law!r}", "leave it out for a spring")
    if (material.law or _LINEAR) == _LINEAR:
        _check_linear(material, wrong)
    else:
        _check_nonlinear(material, wrong)
    _check_elastic(spec, element, material, wrong)


def _check_impedance(spec: ModelSpec, element: str, material: MaterialSpec, wrong: _Wrong) -> None:
    """What a contact reaches of its reference acceleration."""
    if material.impedance is None:
        return
    if not material.per_mass or material.stiffness is None or material.damping is None:
        raise wrong("impedance goes with stiffness and damping per mass", "state per_mass = true with both")
    values = converted(spec, element, material, "impedance", partial(vector, length=5))
    least, most, width, midpoint, power = values
    if not all(0.0 < share < 1.0 for share in (least, most, midpoint)):
        raise wrong("impedance has a share that is not between 0 and 1", "state such as 0.9 and 0.95")
    if not (width > 0.0 and power >= 1.0):
        raise wrong("impedance has no width, or a power below 1", "state a width in m, and 1 or more")


def _check_combination(material: MaterialSpec, wrong: _Wrong) -> None:
    """What counts where two materials meet."""
    if material.combination is not None and material.combination not in COMBINATIONS:
        names = ", ".join(COMBINATIONS)
        raise wrong(f"there is no combination {material.combination!r}", f"state one of {names}, or none")
    if material.friction_dimensions not in (None, *FRICTION_DIMENSIONS):
        numbers = ", ".join(str(number) for number in FRICTION_DIMENSIONS)
        hint = f"state one of {numbers}, or none"
        raise wrong(f"friction_dimensions is {material.friction_dimensions!r}", hint)
    priority = material.priority
    if isinstance(priority, bool) or not isinstance(priority, int) or priority < 0:
        raise wrong(f"priority needs a whole number from 0 on, not {priority!r}", "leave it out for 0")


def _check_linear(material: MaterialSpec, wrong: _Wrong) -> None:
    if material.stiffness == 0.0:
        raise wrong("stiffness is zero, which bears no load", "state a positive number, or none: it is rigid")
    if material.exponent not in (None, 1.0):
        raise wrong("a spring has the exponent 1", 'state a law such as "hunt_crossley", or no exponent')
    if material.young_modulus is not None:
        raise wrong("has a young_modulus, but no law that uses it", 'state law = "hertz" or another one')


def _check_nonlinear(material: MaterialSpec, wrong: _Wrong) -> None:
    if material.stiffness is None and material.young_modulus is None:
        raise wrong(f"the law {material.law!r} needs a stiffness", "state stiffness or young_modulus")
    if material.damping is not None:
        raise wrong(f"the law {material.law!r} has no damping", "state what an impact keeps as restitution")
    if material.per_mass:
        raise wrong("per_mass goes with springs only", "leave it out, or the law")
    if material.exponent is not None and material.exponent < 1.0:
        raise wrong("exponent is below 1", "contact forces grow at least linearly with the penetration")


def _check_elastic(spec: ModelSpec, element: str, material: MaterialSpec, wrong: _Wrong) -> None:
    """Young's modulus, Poisson's ratio and the radius."""
    if material.young_modulus is None:
        for name in ("poisson_ratio", "radius"):
            if getattr(material, name) is not None:
                raise wrong(f"has a {name}, but no young_modulus", "state both, or a stiffness alone")
        return
    if material.stiffness is not None:
        raise wrong("has stiffness and young_modulus", "state one of them")
    if material.exponent not in (None, 1.5):
        raise wrong("a young_modulus goes with the exponent 1.5", "leave the exponent out")
    if material.poisson_ratio is None:
        raise wrong("young_modulus needs a poisson_ratio", "0.3 fits most metals")
    if not -1.0 < converted(spec, element, material, "poisson_ratio", number) <= 0.5:
        raise wrong("poisson_ratio is out of range", "it lies above -1 and is at most 0.5")
