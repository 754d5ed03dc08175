"""What contact of every two materials of a model is like.

| | of two materials |
|---|---|
| stiffness | in series, (K1^(-1/n) + K2^(-1/n))^(-n); from moduli 4/3 sqrt(R) E*; per mass, see below |
| damping | in series; per mass, see below |
| restitution | the smaller one, 0 where none is stated |
| friction | the geometric mean (0.5 for a material that states none) or by `combination`; see `_friction` |
| rolling and spinning friction | the larger one, or by the `combination` |

How materials combine their friction and what is per mass is in `material_combination`. Where one has the
higher priority it counts alone. A material without a stiffness is rigid and leaves law and stiffness to the
other one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treadle.collision.kinds import CAPSULE, CYLINDER, ELLIPSOID, SPHERE
from treadle.collision.shapes import Shapes
from treadle.contact.laws import LAWS, ContactLaw
from treadle.errors import InputError, ModelError
from treadle.model.attachments import Material
from treadle.model.model import Model, suggest
from treadle.sim.step.material_combination import (
    combined,
    dimensions,
    mixed_impedance,
    mixed_per_mass,
    turning_friction,
)
from treadle.sim.step.points import SURFACE

__all__ = ["SurfaceTable", "surface_table"]

_LINEAR = "kelvin_voigt"


class SurfaceTable(NamedTuple):
    """Surfaces, and where two shapes find theirs."""

    surfaces: np.ndarray  # (m) of the type SURFACE
    surface_of: np.ndarray  # (kinds, kinds) places in `surfaces`
    kind: np.ndarray  # (shapes) of the surface of each shape
    laws: list[ContactLaw]  # that surfaces name by their place


class _Kind(NamedTuple):
    """What tells the surfaces of shapes apart."""

    material: int  # -1: none
    link: int  # -1: no contact of its link has a material of its own
    radius: float  # m, of curvature; inf where flat


def surface_table(model: Model, shapes: Shapes) -> SurfaceTable:
    """The surfaces of all shapes with all others."""
    links = {None: 0} | {link.name: i + 1 for i, link in enumerate(model.links)}
    by_name = {material.name: material for material in model.materials}
    own = {
        frozenset((links[contact.first], links[contact.second])): (
            by_name[contact.material],
            links[contact.first],
        )
        for contact in model.contacts
        if contact.material is not None
    }
    special = {link for pair in own for link in pair}
    kinds: dict[_Kind, int] = {}
    bodies: list[set[int]] = []
    kind = np.zeros(len(shapes.kind), np.int64)
    for s in range(len(kind)):
        link = int(shapes.link[s])
        key = _Kind(int(shapes.material[s]), link if link in special else -1, _curvature(shapes, s))
        kind[s] = kinds.setdefault(key, len(kinds))
        if kind[s] == len(bodies):
            bodies.append(set())
        bodies[kind[s]].add(int(shapes.body[s]))
    laws: list[ContactLaw] = []
    surfaces, places = [], np.zeros((len(kinds), len(kinds)), np.int64)
    for first, i in kinds.items():
        for second, j in kinds.items():
            if j < i or len(bodies[i] | bodies[j]) < 2:
                continue
            stated, bearer = own.get(frozenset((first.link, second.link)), (None, 0))
            pair, sides = ([stated], [i]) if stated else _of_priority(model, (first, i), (second, j))
            radii = [first.radius, second.radius]
            places[i, j] = places[j, i] = len(surfaces)
            friction, leads = _friction(pair)
            # the directions of a contact's own material are fixed in its first body
            owner = (j if second.link == bearer else i) if stated else sides[leads]
            surfaces.append(_surface(pair, radii, laws) | friction | {"owner": owner})
    table = np.zeros(max(len(surfaces), 1), SURFACE)
    for row, surface in zip(table, surfaces, strict=False):
        for name, value in surface.items():
            row[name] = value
    return SurfaceTable(table, places, kind, laws)


def _material(model: Model, kind: _Kind) -> Material:
    return model.materials[kind.material] if kind.material >= 0 else Material("none")


def _of_priority(
    model: Model, first: tuple[_Kind, int], second: tuple[_Kind, int]
) -> tuple[list[Material], list[int]]:
    """The materials of two kinds that count, and the numbers of their kinds: both, or the higher priority."""
    materials = [_material(model, kind) for kind, _ in (first, second)]
    highest = max(material.priority for material in materials)
    chosen = [k for k, material in enumerate(materials) if material.priority == highest]
    return [materials[k] for k in chosen], [(first, second)[k][1] for k in chosen]


def _curvature(shapes: Shapes, s: int) -> float:
    """Radius (m) of a round shape, inf for a flat one; of an ellipsoid, that of the ball of its volume."""
    if shapes.kind[s] in (SPHERE, CAPSULE, CYLINDER):
        return float(shapes.size[s, 0])
    if shapes.kind[s] == ELLIPSOID:
        return float(np.cbrt(np.prod(shapes.size[s])))
    return math.inf


def _surface(materials: Sequence[Material], radii: Sequence[float], laws: list[ContactLaw]) -> dict[str, Any]:
    """What the contact of two materials is like, or of one that stands for both."""
    soft = [m for m in materials if m.stiffness is not None or m.young_modulus is not None]
    given = [m.restitution for m in materials if m.restitution is not None]
    surface = {
        "stiffness": math.inf,
        "damping": math.nan,
        "restitution": min(given, default=0.0),
        **turning_friction(materials),
        "law": -1,
        "exponent": 1.0,
        "per_mass": 0,
    }
    if not soft:
        return surface
    law, exponent, per_mass, elastic = _nature(soft)
    surface |= {"exponent": exponent, "per_mass": int(per_mass)}
    if law != _LINEAR:
        surface["law"] = _place(law, laws, soft)
    damped = [m.damping for m in materials if m.damping is not None]
    if per_mass:
        surface["stiffness"], surface["damping"] = mixed_per_mass(soft)
        return surface | mixed_impedance(soft)
    if damped:
        surface["damping"] = 1.0 / sum(1.0 / d for d in damped) if all(damped) else 0.0
    surface["stiffness"] = _hertz(soft, materials, radii) if elastic else _series(soft, exponent)
    return surface


def _friction(materials: Sequence[Material]) -> tuple[dict[str, float], int]:
    """Friction along and across a direction, the direction, and the number of the material that has it.

    Of two materials it is the one whose coefficients differ more, the first where they do not; the other one
    counts with the geometric mean of its two. Along each direction the geometric mean of both acts, or what
    their combination makes of both.
    """
    pairs = []
    for m in materials:
        along = 0.5 if m.friction is None else m.friction
        pairs.append((along, along if m.friction_across is None else m.friction_across))
    leads = int(np.argmax([_ratio(*pair) for pair in pairs]))
    along, across = pairs[leads]
    if len(pairs) == 2:
        other = math.sqrt(math.prod(pairs[1 - leads]))
        along, across = combined(materials, along, other), combined(materials, across, other)
    if dimensions(materials) < 3:
        along = across = 0.0
    direction = np.array(materials[leads].friction_direction)
    dx, dy, dz = (direction / np.linalg.norm(direction)).tolist()
    return {"friction": along, "across": across, "dx": dx, "dy": dy, "dz": dz}, leads


def _ratio(along: float, across: float) -> float:
    """How much two coefficients differ: the larger one over the smaller."""
    if along == across:
        return 1.0
    return max(along, across) / min(along, across) if min(along, across) > 0.0 else math.inf


def _nature(soft: Sequence[Material]) -> tuple[str, float, bool, bool]:
    """Law, exponent, whether per mass, whether from moduli; ModelError where two materials differ in it."""
    natures = set()
    for m in soft:
        law = m.law or _LINEAR
        exponent = m.exponent or (1.0 if law == _LINEAR else 1.5)
        natures.add((law, exponent, m.per_mass, m.young_modulus is not None))
    if len(natures) > 1:
        raise ModelError(
            "have different contact laws, exponents or kinds of stiffness",
            element=f'materials "{soft[0].name}" and "{soft[1].name}"',
            hint="state them alike, or give the contact of their bodies a material of its own",
        )
    return natures.pop()


def _place(name: str, laws: list[ContactLaw], soft: Sequence[Material]) -> int:
    """The place of a law among those in use."""
    if name not in LAWS:
        hint = suggest(name, list(LAWS))
        raise InputError(f"material {soft[0].name!r}: there is no contact law {name!r}; {hint}")
    if LAWS[name] not in laws:
        laws.append(LAWS[name])
    return laws.index(LAWS[name])


def _stiffness(material: Material) -> float:
    return 0.0 if material.stiffness is None else material.stiffness


def _series(soft: Sequence[Material], exponent: float) -> float:
    """N/m^exponent of surfaces that carry the same force, and whose penetrations add."""
    if len(soft) == 1 or not all(_stiffness(m) for m in soft):
        return min(_stiffness(m) for m in soft)
    return sum(_stiffness(m) ** (-1.0 / exponent) for m in soft) ** -exponent


def _hertz(soft: Sequence[Material], materials: Sequence[Material], radii: Sequence[float]) -> float:
    """4/3 sqrt(R) E* (N/m^1.5)."""
    compliance = sum((1.0 - (m.poisson_ratio or 0.0) ** 2) / m.young_modulus for m in soft if m.young_modulus)
    if len(materials) == 1 and materials[0].radius is not None:
        curvature = 1.0 / materials[0].radius
    else:
        stated = [m.radius for m in materials] if len(materials) == 2 else [None, None]
        curvature = sum(1.0 / (own or radius) for own, radius in zip(stated, radii, strict=True))
    if curvature == 0.0:
        raise ModelError(
            "has a young_modulus, but is on flat shapes that touch others",
            element=f'material "{soft[0].name}"',
            hint="state its radius, or a stiffness",
        )
    return 4.0 / 3.0 / math.sqrt(curvature) / compliance
