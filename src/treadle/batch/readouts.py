"""What can be read of every world by name: the signals of recordings, computed when they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError
from treadle.graph import Scalar, maximum
from treadle.model.model import suggest
from treadle.native.program import Program
from treadle.sim.contacts.sensors import FELT, sensor_names
from treadle.sim.moment_program import MeasureKind, moment_program
from treadle.sim.recording.signals import Signal, available
from treadle.sim.recording.signals.moment import Moment
from treadle.spatial import Vec3

if TYPE_CHECKING:
    from treadle.batch.batch import Batch

__all__ = ["Readouts"]


class Readouts:
    """The signals of a batch."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    @cached_property
    def known(self) -> dict[str, Signal]:
        """All signals by name."""
        # the work of contacts is accounted for in simulations alone
        found = available(self._batch.model).items()
        return {name: signal for name, signal in found if not (signal.felt and name.endswith(".work"))}

    def columns(self, name: str) -> list[str]:
        """Names of a signal's numbers."""
        return self.known[name].layout.columns

    def read(self, patterns: Sequence[str]) -> dict[str, np.ndarray]:
        """By name: (worlds) for a plain number, else (worlds, components)."""
        names = [name for pattern in patterns for name in self._matching(pattern)]
        computed = tuple(dict.fromkeys(name for name in names if self.known[name].sensor is None))
        found: dict[str, np.ndarray] = {}
        if computed:
            values = self._batch.functions.evaluate(
                ("signals", computed), lambda kind: self._program(computed, kind)
            )
            for name in computed:
                rows = values[name][:, : self._batch.worlds]
                found[name] = (rows.T if self.known[name].layout.components else rows[0]).copy()
        for name in names:
            sensor = self.known[name].sensor
            if sensor is not None:
                found[name] = self._batch.sensor(sensor).value
        return {name: found[name] for name in names}

    def _matching(self, pattern: str) -> list[str]:
        if pattern in self.known:
            return [pattern]
        matches = [name for name in self.known if fnmatchcase(name, str(pattern))]
        if not matches:
            hint = suggest(str(pattern), list(self.known))
            raise InputError(f"{self._batch.model.name!r} has no signal {pattern!r}; {hint}")
        return matches

    def _program(self, names: Sequence[str], kind: MeasureKind) -> Program:
        signals = {name: self.known[name] for name in names}

        def values(moment: Moment, _: Mapping[str, Sequence[Scalar]]) -> Mapping[str, Sequence[Scalar]]:
            if any(signal.felt for signal in signals.values()):
                moment = replace(moment, felt=_felt(moment))
            return {name: list(signal.values(moment)) for name, signal in signals.items()}

        return moment_program(self._batch.world, kind, values, None)


def _felt(moment: Moment) -> list[Scalar]:
    """What contact sensors felt in the last step (see `sim.contacts.sensors`), without the work."""
    model = moment.model
    links = {shape.name: shape.link for shape in model.shapes if shape.role == "collision"}
    frames = {frame.name: X_WF for frame, X_WF in zip(model.frames, moment.frames, strict=True)}
    values: list[Scalar] = []
    for name in sensor_names(model):
        members = [shape for shape, link in links.items() if link == name] or [name]
        row: list[Scalar] = [0.0] * FELT
        for shape in members:
            given = moment.shape_forces.get(shape)
            if given is not None:
                row[:6] = [a + b for a, b in zip(row[:6], given[:6], strict=True)]
                row[6] = maximum(row[6], given[6])
        link = name if name in links.values() else links[name]
        if link in frames:
            origin, force = frames[link].translation, Vec3(*row[:3])
            row[3:6] = list(Vec3(*row[3:6]) - origin.cross(force))
        values += row
    return values
