"""Limbs of one kind: subtrees that have the same joints, such as the legs of a quadruped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.model.model import WORLD, Model

__all__ = ["Limb", "limb_inputs", "limbs"]

#: Kind and number of a limb.
Limb = tuple[int, int]


def limbs(model: Model) -> list[Limb | None]:
    """For every body the limb that it belongs to, or None.

    Subtrees on one parent with the same joint types and axes in the same tree are of one kind; they
    come in twos or fours, as the lanes of a vector do. Limbs inside a limb are not looked for.
    """
    shapes = _subtree_shapes(model)
    places: list[Limb | None] = [None] * len(model.bodies)
    alike: dict[tuple[int, int], list[int]] = {}
    kinds = 0
    for i, body in enumerate(model.bodies):
        alike.setdefault((body.parent, shapes[i]), []).append(i)
    # from the base to the tips, so that the limb of a parent is known before that of its children
    for (parent, _), roots in sorted(alike.items()):
        if parent != WORLD and (inside := places[parent]) is not None:
            for root in roots:
                places[root] = inside
            continue
        while len(roots) >= 2:
            count = 4 if len(roots) >= 4 else 2
            for lane, root in enumerate(roots[:count]):
                places[root] = (kinds, lane)
            kinds += 1
            roots = roots[count:]
    return places


def limb_inputs(model: Model, inputs: Mapping[str, int]) -> dict[str, list[Limb | None]]:
    """The limb of every element of a program's input arrays, for arrays of known meaning."""
    places = limbs(model)
    result: dict[str, list[Limb | None]] = {}
    for name, size in inputs.items():
        if name == "commands":
            of = _by_freedom(model, places)
            result[name] = [of[actuator.v] for actuator in model.actuators]
            continue
        if name in ("q", "position"):
            counts = [body.joint.type.nq for body in model.bodies]
        elif name in ("v", "tau", "a", "step", "joint_impulse"):
            counts = [body.joint.type.nv for body in model.bodies]
        elif name in ("loads", "external", "impulse"):
            counts = [size // len(model.bodies)] * len(model.bodies)
        else:
            continue
        result[name] = [place for place, count in zip(places, counts, strict=True) for _ in range(count)]
    return result


def _by_freedom(model: Model, places: Sequence[Limb | None]) -> dict[int, Limb | None]:
    """The limb of every freedom."""
    freedoms: dict[int, Limb | None] = {}
    for body, place in zip(model.bodies, places, strict=True):
        freedoms |= dict.fromkeys(range(body.joint.v.start, body.joint.v.stop), place)
    return freedoms


def _subtree_shapes(model: Model) -> list[int]:
    """A number for every body, equal for subtrees with the same joint types and axes."""
    numbers: dict[tuple, int] = {}
    children: list[list[int]] = [[] for _ in model.bodies]
    shapes = [0] * len(model.bodies)
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        axis = getattr(body.joint.type, "axis", None)
        zeros = () if axis is None else tuple(x == 0.0 for x in axis)
        shape = (body.joint.type.kind, zeros, *reversed(children[i]))
        shapes[i] = numbers.setdefault(shape, len(numbers))
        if body.parent != WORLD:
            children[body.parent].append(shapes[i])
    return shapes
