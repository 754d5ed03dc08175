"""Dust where a head cuts: pages are told where picks are in rock, and draw the rest (`dust.js`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from treadle.app.overlays import size
from treadle.dynamics.compiled import frame_pose
from treadle.process.cutting_head import CuttingHead
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["Dust", "cutting_places"]

#: Seconds between what pages are told, and places that they are told at most.
_EVERY, _MOST = 0.1, 12

#: Chips (m) from which on a pick raises dust.
_CHIP = 5e-4


@runtime_checkable
class _Cuts(Protocol):
    """A process whose picks cut."""

    head: CuttingHead
    chips: np.ndarray

    @property
    def frame(self) -> str: ...


class Dust:
    """Tells pages where it comes from, several times per second, while something is cut."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._told = stage, 0.0
        #: whether this machine can raise any, and whether it is drawn
        self.possible = any(isinstance(process, _Cuts) for process in stage.sim.processes.values())
        self.shown = self.possible
        # that of the machine before
        stage.line.send({"dust": None})

    def frame(self, sim: Simulation) -> None:
        """Say where picks cut now."""
        now = time.monotonic()
        if not self.shown or self._stage.pace.paused or now - self._told < _EVERY:
            return
        self._told = now
        places = cutting_places(sim)
        if len(places):
            scene = self._stage.scene
            cloud = {"root": scene.under, "places": np.round(places, 3).tolist(), "size": size(scene)}
            self._stage.line.send({"dust": cloud})


def cutting_places(sim: Simulation) -> np.ndarray:
    """Where picks take chips off rock (n, 3), in the world (m): at most a dozen, the largest chips first."""
    found = [np.zeros((0, 3))]
    for process in sim.processes.values():
        if isinstance(process, _Cuts):
            deep = np.argsort(-process.chips)[:_MOST]
            deep = deep[process.chips[deep] > _CHIP]
            X = frame_pose(sim.model, sim.q, process.frame)
            found.append(process.head.tips[deep] @ X[:3, :3].T + X[:3, 3])
    return np.vstack(found)[:_MOST]
