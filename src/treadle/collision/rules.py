"""Collision filter: which pairs of shapes may touch.

Never two shapes of one body; never bodies that a joint connects, in the tree or closing a loop, unless a
rule of the model allows them (a joint to the world itself does not count: a machine may touch the ground that
it is hinged to, though not the fixed link that carries it; nor do ropes and rods, whose ends are apart);
never a pair of links that a rule of the model, of its SRDF or of the caller forbids; never two shapes of the
world; never shapes of which one does not meet the group of the other.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treadle.collision.shapes import Shapes
from treadle.errors import InputError
from treadle.joints import Distance, Rope
from treadle.model.model import WORLD, Model, suggest

__all__ = ["allowed_pairs", "forbidden_pairs", "loop_neighbours"]


def forbidden_pairs(
    model: Model, links: Iterable[int], ignore: Iterable[tuple[str | None, str | None]] = ()
) -> np.ndarray:
    """The pairs, among `links` with shapes, that must not touch, as sorted keys.

    A link has its place in `model.links` plus one as its number, the world 0. A key is the lower number times
    the count of links and the world, plus the other's number. `ignore` are pairs of names of links (None: the
    world) beyond those of the model.
    """
    links = sorted(set(links))
    body = {0: WORLD, **{i + 1: link.body for i, link in enumerate(model.links)}}
    allowed, forbidden = set(), set()
    for rule in model.contacts:
        pair = _pair(model, rule.first, rule.second)
        (allowed if rule.enabled else forbidden).add(pair)
    holders: dict[int, list[int]] = {}
    for link in links:
        holders.setdefault(body[link], []).append(link)
    number = {link.name: i + 1 for i, link in enumerate(model.links)}
    joined = [(i, body.parent) for i, body in enumerate(model.bodies) if body.parent != WORLD]
    for first, second in joined + loop_neighbours(model):
        for one in holders.get(first, ()):
            forbidden |= {_ordered(one, two) for two in holders.get(second, ())} - allowed
    for i, item in enumerate(model.bodies):
        if item.parent == WORLD and item.holder is not None:
            forbidden |= {_ordered(one, number[item.holder]) for one in holders.get(i, ())} - allowed
    forbidden |= {_pair(model, first, second) for first, second in ignore}
    count = len(model.links) + 1
    return np.array(sorted(first * count + second for first, second in forbidden), dtype=np.int64)


def loop_neighbours(model: Model) -> list[tuple[int, int]]:
    """Bodies that a joint which closes a loop holds together."""
    ends = [
        (loop.predecessor, loop.successor)
        for loop in model.loops
        if not isinstance(loop.type, (Distance, Rope))
    ]
    return [pair for pair in ends if WORLD not in pair]


def allowed_pairs(
    model: Model, shapes: Shapes, forbidden: np.ndarray, among: Iterable[int] | None = None
) -> np.ndarray:
    """The pairs (p, 2) of shapes, of all or `among` some, that may touch, the lower number first."""
    chosen = np.arange(len(shapes.kind)) if among is None else np.array(list(among), dtype=np.int64)
    first, second = (chosen[i] for i in np.triu_indices(len(chosen), 1))
    low = np.minimum(shapes.link[first], shapes.link[second])
    high = np.maximum(shapes.link[first], shapes.link[second])
    allowed = (shapes.body[first] != shapes.body[second]) & ~np.isin(
        low * (len(model.links) + 1) + high, forbidden
    )
    for one, other in ((first, second), (second, first)):
        allowed &= (shapes.group[one] & shapes.meets[other]) != 0
    return np.ascontiguousarray(np.stack([first, second], axis=1)[allowed])


def _pair(model: Model, first: str | None, second: str | None) -> tuple[int, int]:
    return _ordered(_link(model, first), _link(model, second))


def _link(model: Model, name: str | None) -> int:
    if name is None:
        return 0
    names = [link.name for link in model.links]
    if name not in names:
        raise InputError(f"{model.name!r} has no link named {name!r}; {suggest(name, names)}")
    return names.index(name) + 1


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
