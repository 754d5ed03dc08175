"""Friction, restitution, stiffness and damping of materials, each world with its own values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError
from treadle.model.parameters import lift, parameter_value

if TYPE_CHECKING:
    from treadle.batch.batch import Batch

__all__ = ["ContactParameters"]


class ContactParameters:
    """Parameters "material.<name>.<field>" of a batch, and the surfaces that follow from them.

    Materials are combined in pairs (see `sim.step.materials`) for every distinct set of values, when a value
    has changed since the last step.
    """

    def __init__(self, batch: Batch, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._batch = batch
        if not names:
            return
        if not batch.contact:
            raise InputError(f"{names[0]!r} has no effect: nothing touches in this batch")
        self._model, _ = batch.functions.contact_scene
        start = [parameter_value(self._model, name) for name in names]
        #: (worlds, names)
        self._values = np.tile(np.array(start), (batch.worlds, 1))
        self._known = np.full_like(self._values, np.nan)
        self._made: dict[bytes, np.ndarray] = {}
        batch.arrays["surfaces"] = np.zeros((len(self._column(self._values[0])), batch.arrays["q"].shape[1]))

    def values(self, name: str) -> np.ndarray:
        """(worlds) live."""
        return self._values[:, self.names.index(name)]

    def refresh(self) -> None:
        """Take over values that were changed."""
        if not self.names:
            return
        changed = np.flatnonzero((self._values != self._known).any(axis=1))
        if not len(changed):
            return
        self._made.clear()
        for world in changed:
            key = self._values[world].tobytes()
            if key not in self._made:
                self._made[key] = self._column(self._values[world])
            self._batch.arrays["surfaces"][:, world] = self._made[key]
        self._known[changed] = self._values[changed]

    def _column(self, values: np.ndarray) -> np.ndarray:
        """The surfaces of one world in numbers."""
        from treadle.sim.step.materials import surface_table
        from treadle.sim.step.world_columns import SURFACE_VALUES

        _, collider = self._batch.functions.contact_scene
        lifted = lift(self._model, dict(zip(self.names, values.tolist(), strict=True)))
        surfaces = surface_table(lifted, collider.shapes).surfaces
        return np.array([surface[name] for surface in surfaces for name in SURFACE_VALUES])
