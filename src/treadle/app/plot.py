"""One plot: its curves, and what they were over the whole run."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Curve", "Plot"]

#: Samples that are kept of a run, and how many of the last ones are all kept.
_SAMPLES, _LAST = 8000, 3000


@dataclass(frozen=True)
class Curve:
    """A number over time; `value` computes it from all columns by name."""

    name: str
    unit: str
    columns: frozenset[str]
    value: Callable[[Mapping[str, float]], float]


class Plot:
    """Samples of curves, in order of time: all of the last ones, and of older ones what there is room for.

    Pages are sent what they lack: rows beyond those that they have, or all of them where `epoch` has changed.
    """

    def __init__(self, title: str, curves: Sequence[Curve]) -> None:
        self.title, self.curves = title, list(curves)
        #: changes where rows were taken away or put before others
        self.epoch = 0
        self._rows: list[list[float]] = []
        self._lock = threading.Lock()

    def sample(self, values: Mapping[str, float]) -> None:
        """Remember the values of now; a time that was set back forgets what came after."""
        time = values["time"]
        row = [time, *(curve.value(values) for curve in self.curves)]
        with self._lock:
            while self._rows and self._rows[-1][0] >= time:
                self._rows.pop()
                self.epoch += 1
            self._rows.append(row)
            if len(self._rows) > _SAMPLES:
                self._thin()

    def precede(self, samples: Sequence[Mapping[str, float]]) -> None:
        """Put samples of the past before those that are there."""
        rows = [[values["time"], *(curve.value(values) for curve in self.curves)] for values in samples]
        with self._lock:
            first = self._rows[0][0] if self._rows else np.inf
            self._rows[:0] = [row for row in rows if row[0] < first]
            self.epoch += 1

    def table(self, since: int = 0) -> np.ndarray:
        """What is remembered: rows of time and curves, from one on."""
        with self._lock:
            return np.array(self._rows[since:]).reshape(-1, len(self.curves) + 1)

    def news(self, epoch: int, count: int) -> tuple[int, bool, np.ndarray]:
        """For a page that has so many rows of an epoch: the epoch now, whether all is new, and the rows."""
        with self._lock:
            all_ = epoch != self.epoch
            rows = self._rows if all_ else self._rows[count:]
            return self.epoch, all_, np.array(rows).reshape(-1, len(self.curves) + 1)

    def csv(self) -> bytes:
        """The same as a file, with names and units at the top."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["time [s]", *(f"{curve.name} [{curve.unit}]" for curve in self.curves)])
        writer.writerows(self.table().tolist())
        return out.getvalue().encode()

    def parquet(self) -> bytes:
        """The same as a Parquet file; columns are named as in `csv`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        names = ["time [s]", *(f"{curve.name} [{curve.unit}]" for curve in self.curves)]
        out = io.BytesIO()
        pq.write_table(pa.table(list(self.table().T), names=names), out)
        return out.getvalue()

    def _thin(self) -> None:
        """Keep older samples at equal distances, half as many as there is room for."""
        older, last = self._rows[:-_LAST], self._rows[-_LAST:]
        apart = 2.0 * (last[0][0] - older[0][0]) / (_SAMPLES - _LAST)
        kept = [older[0]]
        for row in older[1:]:
            if row[0] >= kept[-1][0] + apart:
                kept.append(row)
        self._rows = kept + last
        self.epoch += 1
