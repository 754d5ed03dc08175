"""What would close a loop whose links do not fit: a move of the frame of its joint on one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treadle.constraints.rows import residuals, row_names
from treadle.model.loop_path import loop_size
from treadle.model.model import Model
from treadle.numerics.rotations import rotation_matrices
from treadle.spatial import Transform

__all__ = ["closing_move"]

#: Difference (m, rad) by which slopes are taken, and below which (of the loop's size, rad) a move is nothing.
_SMALL, _NOTHING = 1e-6, 1e-6


def closing_move(model: Model, q: np.ndarray, name: str) -> str | None:
    """The least move of a loop's frame on its second link that closes it at q; None for a coupling."""
    index = next((k for k, loop in enumerate(model.loops) if loop.name == name), None)
    if index is None:
        return None
    loop = model.loops[index]
    rows = [k for k, owner in enumerate(row_names(model)) if owner == name]
    X_SF = loop.successor_placement.to_matrix()

    def residual(move: np.ndarray) -> np.ndarray:
        """With the frame turned and moved, in the axes of the link."""
        place = X_SF.copy()
        place[:3, :3] = rotation_matrices(move[None, :3])[0] @ place[:3, :3]
        place[:3, 3] += move[3:]
        moved = replace(loop, successor_placement=Transform.of(place))
        loops = (*model.loops[:index], moved, *model.loops[index + 1 :])
        return np.array(residuals(replace(model, loops=loops), q.tolist()), dtype=float)[rows]

    move = np.zeros(6)
    for _ in range(5):
        slopes = [(residual(move + d) - residual(move - d)) / (2.0 * _SMALL) for d in _SMALL * np.eye(6)]
        move = move - np.linalg.lstsq(np.array(slopes).T, residual(move), rcond=1e-9)[0]
    size = loop_size(model, loop)
    ways = [("move", np.where(abs(move[3:]) < _NOTHING * size, 0.0, move[3:]), "m")]
    ways += [("turn", np.where(abs(move[:3]) < _NOTHING, 0.0, move[:3]), "rad")]
    words = [
        (f"{verb} it by", ", ".join(f"{x:.6g}" for x in step), unit)
        for verb, step, unit in ways
        if step.any()
    ]
    parts = [f"{what} ({numbers}) {unit}" for what, numbers, unit in words]
    return f"its frame on {loop.successor_link!r} would fit if you {' and '.join(parts)}" if parts else None
