"""Identical subtrees (limbs): subtrees with the same joints, such as the legs of a quadruped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.model.model import WORLD, Model

__all__ = ["SubtreeLane", "identical_subtrees", "subtree_inputs"]

#: Kind of a subtree, and its number among those of that kind: the vector lane.
SubtreeLane = tuple[int, int]


def identical_subtrees(model: Model) -> list[SubtreeLane | None]:
    """For every body the subtree that it belongs to, or None.

    Subtrees on one parent with the same joint types and axes in the same order are of one kind; they are
    taken in twos or fours, the widths of a vector. Identical subtrees inside a subtree are not searched.
    """
    shapes = _subtree_shapes(model)
    places: list[SubtreeLane | None] = [None] * len(model.bodies)
    alike: dict[tuple[int, int], list[int]] = {}
    kinds = 0
    for i, body in enumerate(model.bodies):
        alike.setdefault((body.parent, shapes[i]), []).append(i)
    # from the base to the tips: a parent's subtree is known before its children's
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


def subtree_inputs(model: Model, inputs: Mapping[str, int]) -> dict[str, list[SubtreeLane | None]]:
    """The subtree of every element of a program's input arrays, for arrays of known meaning."""
    places = identical_subtrees(model)
    result: dict[str, list[SubtreeLane | None]] = {}
    for name, size in inputs.items():
        if name == "commands":
            of = _by_dof(model, places)
            result[name] = [None if x.v is None else of[x.v] for x in model.actuators]
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


def _by_dof(model: Model, places: Sequence[SubtreeLane | None]) -> dict[int, SubtreeLane | None]:
    """The subtree of every degree of freedom."""
    dofs: dict[int, SubtreeLane | None] = {}
    for body, place in zip(model.bodies, places, strict=True):
        dofs |= dict.fromkeys(range(body.joint.v.start, body.joint.v.stop), place)
    return dofs


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
