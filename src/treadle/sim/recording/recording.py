"""A recording that was read: signals by name, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import InputError, RecordingError
from treadle.model.model import Model, suggest
from treadle.model.values import path_of
from treadle.sim.recording.header import Header
from treadle.sim.recording.writers import check_suffix, open_writer
from treadle.sim.state import State

__all__ = ["Recording"]

#: Samples that are written at a time.
_SLAB = 1024


class Recording:
    """Times and signals of a run: `recording["joint.boom.position"]` is an array with a row per sample.

    A signal with several components is an array (samples, components); one of them has a name of its own,
    such as "body.head.pose.z". `complete` is False where the recording was cut off.
    """

    def __init__(self, path: Path, header: Header, rows: np.ndarray, complete: bool) -> None:
        self.path = path
        self.model = header.model
        self.dt, self.rate = header.dt, header.rate
        self.integrator, self.options = header.integrator, header.options
        self.version = header.treadle
        self.complete = complete
        #: times of the samples (s)
        self.time = rows[:, 0]
        self._header = header
        self._rows = rows
        self._signals: dict[str, tuple[slice, tuple[str, ...], bool]] = {}
        start = 1
        for signal in header.signals:
            part = slice(start, start + len(signal.columns))
            self._signals[signal.name] = (part, signal.units, not signal.components)
            start = part.stop
        self._columns = {name: k + 1 for k, name in enumerate(header.columns)}

    @property
    def names(self) -> list[str]:
        """Names of the signals, without the time."""
        return list(self._signals)

    @property
    def columns(self) -> list[str]:
        """Names of all numbers, the components of signals among them, without the time."""
        return list(self._columns)

    @property
    def start(self) -> State:
        """The complete state at the first sample; `sim.restore(recording.start)` begins the run again."""
        fields: dict[str, Any] = {
            name: np.array(x) if isinstance(x, list) else x for name, x in self._header.start.items()
        }
        try:
            return State(**fields)
        except TypeError:
            raise RecordingError(
                f"{self.path}: its first state is one of Treadle {self.version}, "
                "which this version cannot restore"
            ) from None

    def __getitem__(self, name: str) -> np.ndarray:
        """A signal, one component of it, or "time"."""
        if name == "time":
            return self.time
        if name in self._signals:
            part, _, plain = self._signals[name]
            return self._rows[:, part.start] if plain else self._rows[:, part]
        return self._rows[:, self._column(name)]

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self._signals or name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def __len__(self) -> int:
        """Number of samples."""
        return len(self._rows)

    def components(self, name: str) -> tuple[str, ...]:
        """Names of a signal's components, such as ("x", "y", "z"); none for a plain number."""
        return next((s.components for s in self._header.signals if s.name == name), ())

    def unit(self, name: str) -> str | tuple[str, ...]:
        """Unit of a signal, or those of its components where they differ."""
        if name == "time":
            return "s"
        if name in self._signals:
            units = self._signals[name][1]
            return units[0] if len(set(units)) == 1 else units
        return self._header.units[self._column(name) - 1]

    def states(self) -> Iterator[tuple[float, np.ndarray]]:
        """Time and positions q of every sample, q in the order of the machine that was recorded."""
        q = self._positions(self._header.joints)
        yield from zip(self.time.tolist(), q, strict=True)

    def replay(self, model: Model) -> Iterator[tuple[float, np.ndarray]]:
        """Time and positions q of every sample, q in the order of `model`; joints are found by name."""
        q = self._positions([(joint.name, joint.type.nq) for joint in model.joints])
        yield from zip(self.time.tolist(), q, strict=True)

    def to_pandas(self) -> Any:
        """A table with a column per number and the time as its index; needs pandas."""
        try:
            import pandas  # type: ignore[import-not-found]
        except ImportError:
            raise InputError("to_pandas needs pandas: pip install pandas") from None
        index = pandas.Index(self.time, name="time")
        return pandas.DataFrame(self._rows[:, 1:], index=index, columns=self.columns)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file in the format of its suffix, to convert it or to mend one that was cut off."""
        target = path_of(path)
        check_suffix(target)
        writer = open_writer(target, self._header)
        try:
            for start in range(0, len(self), _SLAB):
                writer.add(self._rows[start : start + _SLAB])
        except BaseException:
            writer.abandon()
            raise
        writer.finish()

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self) else "no time"
        end = "" if self.complete else ", cut off"
        size = f"{len(self)} samples over {span} of {len(self.names)} signals"
        return f"<Recording of {self.model!r}: {size}{end}>"

    def _column(self, name: str) -> int:
        try:
            return self._columns[name]
        except (KeyError, TypeError):
            known = [*self._signals, *self._columns]
            raise InputError(f"{self.path} has no signal {name!r}; {suggest(name, known)}") from None

    def _positions(self, joints: Sequence[tuple[str, int]]) -> np.ndarray:
        """Positions of these joints, side by side."""
        parts = [np.empty((len(self), 0))]
        for joint, size in joints:
            name = f"joint.{joint}.position"
            if name not in self._signals:
                raise InputError(
                    f"{self.path} does not hold {name!r}, which a replay needs: record 'joint.*.position'"
                )
            part = self._signals[name][0]
            if part.stop - part.start != size:
                raise InputError(
                    f"{self.path}: joint {joint!r} was recorded with {part.stop - part.start} positions, "
                    f"but has {size} in this model"
                )
            parts.append(self._rows[:, part])
        return np.hstack(parts)
