"""One plot: its curves, what they remember, and how it is drawn."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import viser

__all__ = ["SECONDS", "Curve", "Plot"]

#: Simulated seconds that a plot shows, samples that it remembers, and how many it draws.
SECONDS, _SAMPLES, _DRAWN = 10.0, 3000, 600

_COLORS = ("#1f5fa8", "#d1495b", "#2a7f62", "#b8860b", "#6a4c93", "#c05c0e", "#3a7ca5", "#7a7a7a")


@dataclass(frozen=True)
class Curve:
    """A number over time; `value` computes it from all columns by name."""

    name: str
    unit: str
    columns: frozenset[str]
    value: Callable[[Mapping[str, float]], float]


class Plot:
    """Curves over the last seconds, on a chart of the page."""

    def __init__(self, gui: viser.GuiApi, title: str, curves: list[Curve]) -> None:
        self.title, self.curves = title, list(curves)
        self.paused = False
        self._rows: deque[list[float]] = deque(maxlen=_SAMPLES)
        self.chart = gui.add_uplot(
            data=tuple(np.zeros(0) for _ in range(len(curves) + 1)),
            series=self._series(),
            title=title,
            scales={"x": {"time": False, "auto": True}, "y": {"auto": True}},  # type: ignore[arg-type]
            axes=(
                {"label": "time (s)", "labelSize": 20, "size": 34},  # type: ignore[arg-type]
                {"label": self._unit(), "size": 62},  # type: ignore[arg-type]
            ),
            legend={"show": True},  # type: ignore[arg-type]
            aspect=1.5,
        )

    def sample(self, values: Mapping[str, float]) -> None:
        """Remember the values of now; a time that was set back forgets what came after."""
        time = values["time"]
        while self._rows and self._rows[-1][0] >= time:
            self._rows.pop()
        self._rows.append([time, *(curve.value(values) for curve in self.curves)])

    def draw(self) -> None:
        """Bring the chart up to date unless it is paused."""
        if not self.paused and self._rows:
            rows = self.table()
            rows = rows[rows[:, 0] >= rows[-1, 0] - SECONDS]
            self.chart.data = tuple(np.ascontiguousarray(rows[:: 1 + len(rows) // _DRAWN].T))

    def table(self) -> np.ndarray:
        """Everything that is remembered: rows of time and curves."""
        return np.array(self._rows).reshape(-1, len(self.curves) + 1)

    def csv(self) -> bytes:
        """The same as a file, with names and units at the top."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["time [s]", *(f"{curve.name} [{curve.unit}]" for curve in self.curves)])
        writer.writerows(self.table().tolist())
        return out.getvalue().encode()

    def _series(self) -> tuple[Any, ...]:
        lines = [
            {"label": curve.name, "stroke": _COLORS[k % len(_COLORS)], "width": 2}
            for k, curve in enumerate(self.curves)
        ]
        return ({"label": "time (s)"}, *lines)

    def _unit(self) -> str:
        return ", ".join(dict.fromkeys(curve.unit for curve in self.curves if curve.unit))
