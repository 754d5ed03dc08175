"""Groups of shapes for contact as MuJoCo's contype and conaffinity, both ways.

Two geoms touch in MuJoCo if contype of one and conaffinity of the other have a bit in common, or if a pair
names them. Two shapes touch here if each meets the group of the other. Geoms that touch the same others
become one group, and shapes that do so get one bit: both are exact as long as there are groups and bits.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from treadle.formats.mjcf_compiled import Compiled, unique
from treadle.formats.mjcf_notes import Notes
from treadle.model import ModelSpec
from treadle.model.attachments import Shape
from treadle.model.model import Model

__all__ = ["add_groups", "masks_of", "meet"]

#: Groups that there may be here, and bits of contype that are not its sign.
_MOST_GROUPS, _MOST_BITS = 60, 31


def add_groups(spec: ModelSpec, compiled: Compiled, geoms: Mapping[str, int]) -> None:
    """Put the collision shapes, which are `geoms` by name, into groups."""
    model = compiled.model
    shapes = [shape for shape in spec.shapes if shape.name in geoms]
    partners: dict[int, set[int]] = {}
    for pair in zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True):
        for one, other in (pair, pair[::-1]):
            partners.setdefault(one, set()).add(other)
    kinds: list[Hashable] = [
        (*_mask(model, geoms[shape.name]), frozenset(partners.get(geoms[shape.name], ()))) for shape in shapes
    ]
    members = _members(kinds)
    if len(members) > _MOST_GROUPS:
        compiled.report.append(
            f"geoms are of {len(members)} kinds by contype, conaffinity and pairs, which is more than there "
            "are groups here: all may touch"
        )
        return
    first = [geoms[shapes[places[0]].name] for places in members]
    touch = [[_touch(model, one, other, partners) for other in first] for one in first]
    if all(all(row) for row in touch):
        return
    used: set[Any] = set()
    names = [
        unique(f"{shapes[places[0]].name} in pairs" if geom in partners else _name(model, geom), used)
        for places, geom in zip(members, first, strict=True)
    ]
    for group, places, row in zip(names, members, touch, strict=True):
        meets = None if all(row) else tuple(name for name, met in zip(names, row, strict=True) if met)
        for place in places:
            shapes[place].group, shapes[place].meets = group, meets


def masks_of(model: Model, notes: Notes) -> dict[str, dict[str, int]]:
    """contype and conaffinity of the collision shapes by name; none where all touch all."""
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    members = _members([(shape.group, shape.meets) for shape in shapes])
    first = [shapes[places[0]] for places in members]
    touch = [[meet(one, other) for other in first] for one in first]
    if all(all(row) for row in touch):
        return {}
    if len(members) > _MOST_BITS:
        notes.add("groups that are not written, for MuJoCo has 31", first[0].group, "warning")
        return {}
    masks = {}
    for bit, (places, row) in enumerate(zip(members, touch, strict=True)):
        mask = {"contype": 1 << bit, "conaffinity": sum(1 << k for k, met in enumerate(row) if met)}
        masks |= {shapes[place].name: mask for place in places}
    return masks


def meet(one: Shape, other: Shape) -> bool:
    """Whether each of two shapes meets the group of the other."""
    return all(a.meets is None or b.group in a.meets for a, b in ((one, other), (other, one)))


def _members(kinds: Sequence[Hashable]) -> list[list[int]]:
    """Places of those that are alike, kind by kind."""
    found: dict[Hashable, list[int]] = {}
    for place, kind in enumerate(kinds):
        found.setdefault(kind, []).append(place)
    return list(found.values())


def _mask(model: Any, geom: int) -> tuple[int, int]:
    return int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])


def _touch(model: Any, one: int, other: int, partners: Mapping[int, set[int]]) -> bool:
    (a, b), (c, d) = _mask(model, one), _mask(model, other)
    return bool(a & d or c & b) or other in partners.get(one, ())


def _name(model: Any, geom: int) -> str:
    mask = _mask(model, geom)
    return "default" if mask == (1, 1) else "contype {} conaffinity {}".format(*mask)
