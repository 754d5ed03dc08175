"""Whether a machine has something to touch."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from treadle.errors import InputError
from treadle.joints import Free
from treadle.model.fittings import Shape
from treadle.model.model import WORLD, Model

if TYPE_CHECKING:
    from treadle.terrain import Terrain

__all__ = ["connected_machines", "may_touch", "require_partners", "touches"]

#: Sets of shapes that are alike, up to which it is looked at whether any two of them may touch.
_MOST_SETS = 300


def touches(model: Model, terrain: Terrain | None = None) -> bool:
    """Whether shapes touch unless it is said otherwise: where things can meet that are not one machine.

    These are shapes of the world, terrain without wheels, and machines that no joint connects. What is
    mounted on links that are fixed to the world is one machine with them, unless a free joint is between.
    """
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    moving = [shape for shape in shapes if shape.body != WORLD]
    if not moving:
        return False
    if any(shape.link is None for shape in shapes) or (terrain is not None and not model.wheels):
        return True
    machine = connected_machines(model)
    return len({machine[shape.body] for shape in shapes}) > 1


def require_partners(model: Model, terrain: Terrain | None) -> None:
    """InputError if no two shapes may touch."""
    if not may_touch(model, terrain):
        raise InputError(
            f"{model.name!r} has nothing to touch: give two of its bodies, or one and the world, shapes with "
            'role="collision" that no joint and no rule keeps apart, or leave out contact=True'
        )


def may_touch(model: Model, terrain: Terrain | None) -> bool:
    """Whether any two shapes may touch, see `treadle.collision.rules`."""
    number = {None: 0} | {link.name: i + 1 for i, link in enumerate(model.links)}
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    alike = list({(shape.body, shape.link, shape.group, shape.meets): shape for shape in shapes}.values())
    grounded = terrain is not None
    if len(alike) > _MOST_SETS:
        return True
    # only asked for where contact is, and long to import
    from treadle.collision.rules import forbidden_pairs

    links = [number[shape.link] for shape in alike] + [0] * grounded
    forbidden = set(forbidden_pairs(model, links).tolist())

    def free(first: int, second: int) -> bool:
        return min(first, second) * len(number) + max(first, second) not in forbidden

    if grounded and any(shape.body != WORLD and free(0, number[shape.link]) for shape in alike):
        return True
    return any(
        a.body != b.body and _meet(a, b) and _meet(b, a) and free(number[a.link], number[b.link])
        for a, b in combinations(alike, 2)
    )


def _meet(shape: Shape, other: Shape) -> bool:
    return shape.meets is None or other.group in shape.meets


def connected_machines(model: Model) -> dict[int, int]:
    """The machine that each body is part of, as the number of one of its bodies; the world's links too."""
    roots: list[int] = []
    for i, body in enumerate(model.bodies):
        roots.append(i if body.parent == WORLD else roots[body.parent])
    above = {WORLD: WORLD} | {root: root for root in roots}
    mounted = any(link.body == WORLD for link in model.links)
    for root in set(roots):
        if mounted and not isinstance(model.bodies[root].joint.type, Free):
            above[root] = WORLD
    for loop in model.loops:
        ends = [end if end == WORLD else roots[end] for end in (loop.predecessor, loop.successor)]
        if WORLD not in ends:
            one, other = (_top(above, end) for end in ends)
            above[max(one, other)] = min(one, other)
    return {WORLD: WORLD} | {i: _top(above, root) for i, root in enumerate(roots)}


def _top(above: dict[int, int], root: int) -> int:
    while above[root] != root:
        root = above[root]
    return root
