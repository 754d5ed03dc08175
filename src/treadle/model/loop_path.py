"""The way around a loop: the bodies on it, and its length."""

from __future__ import annotations

import math

from treadle.graph import Expr
from treadle.model.attachments import Loop
from treadle.model.model import WORLD, Model

__all__ = ["loop_path", "loop_size"]

#: Ways around loops (m) that are rounding, and the least that lengths are compared with: a loop of sliding
#: joints may be much larger than the distances of its joint frames say.
_NO_WAY, _LEAST_SIZE = 1e-6, 1e-3


def loop_size(model: Model, loop: Loop) -> float:
    """What lengths of a loop are compared with (m): the way around it, or 1 m where there is none.

    It goes from joint frame to joint frame, each at its zero position.
    """
    _, first, second = loop_path(model, loop)
    frames = [model.bodies[index].placement for index in (*first, *second)]
    frames += [loop.predecessor_placement, loop.successor_placement]
    # lengths that have no number yet, as they differ by world, count as none
    way = sum(math.hypot(*(x for x in frame.translation if not isinstance(x, Expr))) for frame in frames)
    return 1.0 if way < _NO_WAY else max(way, _LEAST_SIZE)


def loop_path(model: Model, loop: Loop) -> tuple[int, list[int], list[int]]:
    """The body where the ways to the base meet, and the bodies from predecessor and successor to it."""
    first, second = _way(model, loop.predecessor), _way(model, loop.successor)
    meeting = WORLD
    while first and second and first[-1] == second[-1]:
        meeting = first.pop()
        second.pop()
    return meeting, first, second


def _way(model: Model, body: int) -> list[int]:
    """Bodies from this one to the base."""
    way = []
    while body != WORLD:
        way.append(body)
        body = model.bodies[body].parent
    return way
