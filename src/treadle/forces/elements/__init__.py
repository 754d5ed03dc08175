"""Force elements, one type per file; the table of types is `ELEMENTS`."""

from __future__ import annotations

from treadle.forces.element import ForceElement
from treadle.forces.elements.spring import Spring

__all__ = ["ELEMENTS"]

#: Types of force elements by name; their parameters are in `model.elements`.
ELEMENTS: dict[str, type[ForceElement]] = {
    "spring": Spring,
}
