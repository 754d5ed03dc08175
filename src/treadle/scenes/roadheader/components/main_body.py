"""The main body: frame between the crawlers, decks above them, and what stands on the decks.

Its origin is on the floor. Left of the middle stand oil tank and operator's place, right of it pump and
electrical box.
"""

from __future__ import annotations

from treadle.scenes.roadheader.components.cab import cab_shapes
from treadle.scenes.roadheader.components.deck import deck_shapes
from treadle.scenes.roadheader.components.frame import frame_shapes
from treadle.scenes.roadheader.components.shape import Shape

__all__ = ["main_body"]


def main_body() -> list[Shape]:
    """Frame, machinery on the decks, operator's place."""
    return [*frame_shapes(), *deck_shapes(), *cab_shapes()]
