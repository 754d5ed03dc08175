"""The course of contacts inside the last step: depth and force between its start and its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.errors import InputError
from treadle.sim.checks import check_count
from treadle.sim.contacts.last import last_step

if TYPE_CHECKING:
    from treadle.contact.soft import Soft
    from treadle.sim.simulation import Simulation
    from treadle.sim.step.contact_step import ContactStep

__all__ = ["ContactCourse", "contact_courses"]


@dataclass(frozen=True)
class ContactCourse:
    """One touch of two shapes at a point with a stiffness, from its beginning in the step to its end.

    `time` (s) counts from the start of the step; `depth` (m), `rate` (m/s) and the normal `force` (N) are
    those of the closed form, or of the law, which the step was made of. `deepest` (m), `hardest` (N) and the
    `impulse` (N s) are those of the whole touch, not of its samples.
    """

    shapes: tuple[str, str]
    time: np.ndarray
    depth: np.ndarray
    rate: np.ndarray
    force: np.ndarray
    deepest: float
    hardest: float
    impulse: float


def contact_courses(sim: Simulation, samples: int = 65) -> list[ContactCourse]:
    """All touches of the last step, in every span at `samples` times; rigid contacts have none."""
    check_count("samples", samples, least=2)
    touching = last_step(sim).touching
    if touching is None:
        return []
    from treadle.contact.force_history import force_history

    diary = touching.scratch.trace
    if diary.size[0] > diary.size[1]:
        raise InputError(
            f"the last step had {diary.size[0]} substeps with contact, of which {diary.size[1]} are kept; "
            "take a smaller step to see the force history"
        )
    pieces: dict[tuple[int, int, int], list[list[_Piece]]] = {}
    for number in range(diary.size[1]):
        start, span = diary.spans[number, :2]
        keys, soft = _at_start(touching, number)
        course = force_history(soft, np.linspace(0.0, span, samples))
        for i, key in enumerate(keys):
            table = np.stack(
                [start + course.times, course.depth[:, i], course.rate[:, i], course.force[:, i]]
            )
            piece = _Piece(table, *(float(x[i]) for x in (course.deepest, course.hardest, course.impulse)))
            touches = pieces.setdefault(key, [])
            if touches and touches[-1][-1].table[0, -1] >= start * (1.0 - 1e-9):
                touches[-1].append(piece)
            else:
                touches.append([piece])
    names = touching.collider.names
    return [
        _joined((names[a], names[b]), parts) for (a, b, _), touches in pieces.items() for parts in touches
    ]


class _Piece(NamedTuple):
    """A touch in one span."""

    #: (4, samples) time, depth, rate, force
    table: np.ndarray
    deepest: float
    hardest: float
    impulse: float


def _joined(shapes: tuple[str, str], parts: list[_Piece]) -> ContactCourse:
    time, depth, rate, force = np.concatenate([part.table for part in parts], axis=1)
    return ContactCourse(
        shapes,
        time,
        depth,
        rate,
        force,
        max(part.deepest for part in parts),
        max(part.hardest for part in parts),
        sum(part.impulse for part in parts),
    )


def _at_start(touching: ContactStep, number: int) -> tuple[list[tuple[int, int, int]], Soft]:
    """The contacts of a span as they were at its start, and their shapes and features."""
    from treadle.contact.soft import make_soft
    from treadle.sim.step.contact_trace import PER_CONTACT

    diary = touching.scratch.trace
    n, place = (int(x) for x in diary.spans[number, 2:])
    table = diary.kept[place : place + n * PER_CONTACT].reshape(n, PER_CONTACT)
    soft = make_soft(n, touching.programs)
    soft.size[0] = n
    soft.A[:] = diary.kept[place + n * PER_CONTACT : place + n * (PER_CONTACT + n)]
    columns = (soft.K, soft.D, soft.b, soft.delta_start, soft.rate_start, soft.law)
    for array, column in zip(columns, table.T[3:9], strict=True):
        array[:] = column
    soft.settings[:] = table[:, 9:].ravel()
    return [(int(a), int(b), int(f)) for a, b, f in table[:, :3]], soft
