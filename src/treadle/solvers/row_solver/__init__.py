"""The solver of constraint rows: an interior-point method and Newton steps, island by island."""

from __future__ import annotations

from treadle.solvers.row_solver.solve import impulses_to_places, residuals, solve_rows
from treadle.solvers.row_solver.table import PAIR, SECOND, SINGLE, RowTable, empty_table

__all__ = [
    "PAIR", "SECOND", "SINGLE", "RowTable", "empty_table", "impulses_to_places", "residuals", "solve_rows",
]  # fmt: skip
