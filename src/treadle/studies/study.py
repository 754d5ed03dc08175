"""What a study returns: a table, the lines that it has to show, and a plot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from treadle.bench.results import Check

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Column", "Findings", "Report", "Study", "new_figure"]

#: Called with the share of the work that is done, from 0 to 1, and what comes next.
Report: TypeAlias = Callable[[float, str], None]


@dataclass(frozen=True)
class Column:
    """A column of the table: the key of its values in the rows, its head, and how a number is written."""

    key: str
    head: str
    format: str = ".3g"

    def text(self, row: dict[str, Any]) -> str:
        """The cell of a row; empty where the row has no such value."""
        value = row.get(self.key)
        if value is None:
            return ""
        return value if isinstance(value, str) else format(value, self.format)


@dataclass
class Findings:
    """Rows (flat records), the columns to show of them, checks, notes, and a function that draws the plot."""

    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]
    draw: Callable[[], Figure]
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: whether there are times among the numbers, which a busy computer makes longer
    timed: bool = True

    def record(self) -> dict[str, Any]:
        """What JSON shows."""
        rows = [{key: value for key, value in row.items() if value is not None} for row in self.rows]
        return {"rows": rows, "checks": [check.record() for check in self.checks], "notes": self.notes}


#: A study: whether to be quick and rough, and where to report progress -> what it found.
Study: TypeAlias = Callable[[bool, Report], Findings]


def new_figure(columns: int = 1) -> Figure:
    """An empty figure with as many plots side by side, drawn without a window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.5 + 6.0 * columns, 4.8), dpi=150, layout="constrained")
    figure.subplots(1, columns)
    return figure
