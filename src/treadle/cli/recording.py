"""Samples of a run, as CSV and as a plot."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.errors import InputError
from treadle.forces.energy import elastic_energy
from treadle.sim import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Recording", "output_path"]

#: Curves that one plot can show and still be read.
_MOST_CURVES = 8

_PICTURES = (".png", ".svg", ".pdf", ".jpg")


def output_path(path: Path, picture: bool = False) -> Path:
    """Where a file will be written; InputError, before a long run, if it cannot be."""
    path = path.expanduser()
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent} to write into")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file inside it")
    if picture and path.suffix.lower() not in _PICTURES:
        raise InputError(f"{path}: the name of a picture ends in {', '.join(_PICTURES)}")
    return path


class Recording:
    """What a simulation did: time, q, v, energy and the work done on it, per sample."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self._rows: list[tuple[float, np.ndarray, np.ndarray, float, float]] = []

    def sample(self) -> None:
        """Add the present state."""
        sim = self.sim
        energy = (
            kinetic_energy(sim.model, sim.q, sim.v)
            + potential_energy(sim.model, sim.q)
            + float(elastic_energy(sim.model, sim.q.tolist(), sim.laws))  # type: ignore[arg-type]
        )
        self._rows.append((sim.time, sim.q.copy(), sim.v.copy(), energy, sim.run_log.work))

    @property
    def time(self) -> np.ndarray:
        """Times of the samples in s."""
        return np.array([row[0] for row in self._rows])

    @property
    def drift(self) -> np.ndarray:
        """Energy gained since the start that no force accounts for, in J.

        Zero for an exact solution: the change of energy is the work of joint forces, loads, dampers and laws.
        """
        energy, work = (np.array([row[k] for row in self._rows]) for k in (3, 4))
        return energy - energy[0] - (work - work[0])

    def write_csv(self, path: Path) -> None:
        """A line per sample: time, positions, velocities, energy."""
        joints = self.sim.model.joints
        names = ["time [s]"]
        for part in ("positions", "velocities"):
            units = {"positions": "position_units", "velocities": "velocity_units"}[part]
            names += [
                f"{joint.name}.{name} [{unit}]"
                for joint in joints
                for name, unit in zip(getattr(joint.type, part), getattr(joint.type, units), strict=True)
            ]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*names, "energy [J]"])
            for time, q, v, energy, _ in self._rows:
                writer.writerow([repr(float(x)) for x in (time, *q, *v, energy)])

    def write_plot(self, path: Path, title: str) -> None:
        """Joint positions and energy drift over time; the suffix chooses the kind of picture."""
        from matplotlib.figure import Figure

        groups = self._curves()
        height = 2.5 + (4.0 if len(groups) == 1 else 2.4 * len(groups))
        figure = Figure(figsize=(9.0, height), dpi=130, layout="constrained")
        axes = figure.subplots(
            len(groups) + 1, 1, sharex=True, squeeze=False, height_ratios=[2.0] * len(groups) + [1.0]
        )[:, 0]
        time = self.time
        for axis, (unit, curves) in zip(axes, groups.items(), strict=False):
            self._positions(axis, time, unit, curves)
        axes[-1].axhline(0.0, color="0.6", linewidth=0.8)
        axes[-1].plot(time, self.drift, color="tab:red", linewidth=1.2)
        axes[-1].set_ylabel("energy drift (J)")
        note = "change of the energy beyond the work of all forces: zero if exact"
        axes[-1].set_title(note, loc="left", fontsize="small", color="0.3")
        axes[-1].set_xlabel("time (s)")
        axes[-1].set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1.0)
        for axis in axes:
            axis.grid(alpha=0.3)
        figure.suptitle(title)
        figure.savefig(path)

    def _curves(self) -> dict[str, list[tuple[str, int]]]:
        """Labels and places in q of what is plotted, by unit."""
        groups: dict[str, list[tuple[str, int]]] = {}
        for joint in self.sim.model.joints:
            for k, (name, unit) in enumerate(
                zip(joint.type.positions, joint.type.position_units, strict=True)
            ):
                label = joint.name if joint.type.nq == 1 else f"{joint.name}.{name}"
                groups.setdefault(unit, []).append((label, joint.q.start + k))
        return groups

    def _positions(self, axis: Axes, time: np.ndarray, unit: str, curves: list[tuple[str, int]]) -> None:
        q = np.array([row[1] for row in self._rows])
        # the joints that moved most, in their own order
        moved = np.ptp(q, axis=0)
        shown = set(sorted((k for _, k in curves), key=lambda k: -moved[k])[:_MOST_CURVES])
        for label, k in curves:
            if k in shown:
                axis.plot(time, q[:, k], label=label, linewidth=1.4)
        what = {"rad": "angle (rad)", "m": "displacement (m)", "1": "quaternion"}[unit]
        axis.set_ylabel(what)
        hidden = len(curves) - len(shown)
        title = f"{hidden} that moved less\nare not shown" if hidden else None
        place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False}
        axis.legend(fontsize="small", title=title, title_fontsize="small", **place)
