"""Tables of Denavit and Hartenberg as lines of text that people type, and machines made of them.

waist revolute 0 pi/2 0.4 0        name, type, a (m), alpha (rad), d (m), theta (rad)
"""

from __future__ import annotations

import math

import numpy as np

from treadle.app.formula import Formula
from treadle.errors import InputError
from treadle.formats.dh import DHRow, DHTable, dh_arm
from treadle.model.model import Model
from treadle.model.solids import capsule_inertia
from treadle.model.spec import BodySpec, ModelSpec

__all__ = ["arm_of_lines", "lines_of_table", "rows_of_lines"]

#: Rows that an arm may have.
_MOST = 50

#: Colours of the links, one after the other.
_COLORS = ((0.93, 0.60, 0.10, 1.0), (0.18, 0.40, 0.65, 1.0), (0.55, 0.57, 0.60, 1.0))


def rows_of_lines(text: str) -> list[DHRow]:
    """The rows that lines describe; InputError that names the line for what is no row."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.replace(",", " ").split()
        if not words:
            continue
        if len(words) != 6:
            raise InputError(f"line {number} has {len(words)} words; write name, type, a, alpha, d and theta")
        name, kind, *numbers = words
        try:
            a, alpha, d, theta = (Formula(word, ())({}) for word in numbers)
            if not all(map(math.isfinite, (a, alpha, d, theta))):
                raise InputError("its numbers must be finite")
            rows.append(DHRow(a, alpha, d, theta, kind, name))
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None
    if not 1 <= len(rows) <= _MOST:
        raise InputError(f"an arm has 1 to {_MOST} joints, and this table has {len(rows)}")
    return rows


def lines_of_table(table: DHTable) -> str:
    """The lines of a table, numbers exact."""
    rows = [(row.name or f"joint{k}", row) for k, row in enumerate(table.rows, start=1)]
    # a name is one word here
    return "\n".join(
        f"{'_'.join(name.split())} {row.type} {row.a!r} {row.alpha!r} {row.d!r} {row.theta!r}"
        for name, row in rows
    )


def arm_of_lines(text: str, convention: str, mass: float) -> Model:
    """The arm of a table with links of this mass (kg) each: rods from one frame of the table to the next."""
    if not (math.isfinite(mass) and mass > 0.0):
        raise InputError(f"the mass of a link must be a positive number (kg), not {mass!r}")
    rows = rows_of_lines(text)
    spec = dh_arm(rows, convention, "arm")
    for k, body in enumerate(spec.bodies):
        _rod(spec, body, _other_end(rows, k, convention), mass, _COLORS[k % len(_COLORS)])
    if (height := abs(rows[0].d)) > 1e-9 and rows[0].type == "revolute":
        spec.add_shape("post", None, "cylinder", (0.05, height), position=(0.0, 0.0, 0.5 * rows[0].d))
    return spec.compile()


def _other_end(rows: list[DHRow], k: int, convention: str) -> np.ndarray:
    """Where the rod of a link ends, seen from the link's frame.

    Standard frames are at the far end of their link, and the rod comes from the joint; modified ones are at
    the joint, and the rod goes to the next.
    """
    if convention == "standard":
        return np.linalg.inv(rows[k].matrices(convention)[1])[:3, 3]
    return rows[k + 1].matrices(convention)[0][:3, 3] if k + 1 < len(rows) else np.zeros(3)


def _rod(spec: ModelSpec, body: BodySpec, start: np.ndarray, mass: float, color: tuple[float, ...]) -> None:
    """A capsule from a point of a link to its origin, with its inertia."""
    length = float(np.linalg.norm(start))
    radius = max(0.04, 0.08 * length)
    turn = _to_z(start / length) if length > 1e-9 else np.eye(3)
    moments = np.diag(capsule_inertia(mass, radius, length))
    body.mass, body.center = mass, tuple((0.5 * start).tolist())
    body.inertia = tuple(map(tuple, (turn @ moments @ turn.T).tolist()))
    kind, size = ("capsule", (radius, length)) if length > 1e-9 else ("sphere", (radius,))
    rotation = tuple(map(tuple, turn.tolist()))
    spec.add_shape(body.name, body.name, kind, size, position=body.center, rotation=rotation, color=color)


def _to_z(direction: np.ndarray) -> np.ndarray:
    """A rotation whose z axis is this direction."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(direction)))], direction)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(direction, x), direction])
