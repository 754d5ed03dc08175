"""Drift of the roadheader's tool in generalized and in maximal coordinates.

The experiment of Hou et al., "Interactive Physically-Based Simulation of Roadheader Robot", section 6.1:
while the supporting arm rises, the tool moves on a circle. Its error is the distance from where the closed
form has it at the lift angle that the simulation itself reached, so that only what comes apart counts, not
how well a motor follows. In generalized coordinates joints cannot come apart; the joints that are held move
by what rounding does to their forces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.peers import MissingPeer
from treadle.bench.results import at_most
from treadle.dynamics.compiled import frame_pose
from treadle.sim import Simulation
from treadle.studies.arm_raising import DT, LIFT, STEPS, TIP, ArmRaising, arm_raising
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LIMIT", "run"]

#: Relative error that the tool may have in generalized coordinates.
LIMIT = 1e-12

#: Sweeps over the joints per step, for every iterative method, and how often the error is looked at.
_ITERATIONS, _EVERY = 50, 10

_COLUMNS = (
    Column("method", "method"),
    Column("coordinates", "coordinates"),
    Column("error", "largest error", ".1e"),
    Column("final_error", "at the end", ".1e"),
    Column("distance_error", "of distance", ".1e"),
    Column("gap", "gap in a joint (m)", ".1e"),
)

#: After a number of steps: where the tool is, the lift angle, and the largest gap in a joint (m).
_Sample = tuple[np.ndarray, float, float]


@dataclass
class _Track:
    """The errors of one method over the motion."""

    method: str
    coordinates: str
    steps: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "coordinates": self.coordinates,
            "steps": self.steps[-1],
            "error": max(self.errors),
            "final_error": self.errors[-1],
            "distance_error": max(self.distances),
            "gap": max(self.gaps),
        }


def run(quick: bool, report: Report) -> Findings:
    """Raise the arm with every method, all with the same step; quick: the first tenth of the motion."""
    arm = arm_raising()
    steps = STEPS // 10 if quick else STEPS
    tracks: list[_Track] = []
    notes: list[str] = []
    for number, (method, coordinates, start) in enumerate(_METHODS):
        report(number / len(_METHODS), method)
        try:
            tracks.append(_follow(arm, method, coordinates, start(arm), steps))
        except MissingPeer as error:
            notes.append(str(error))
    rows = [track.row() for track in tracks]
    ours = rows[0]
    for row in rows[1:]:
        # no error is smaller than what rounding does to a number
        row["peer"], row["ratio"] = row["method"], row["error"] / max(ours["error"], np.finfo(float).eps)
    check = at_most(
        f"relative error of the tool in generalized coordinates, {steps} steps", ours["error"], LIMIT
    )
    return Findings(_COLUMNS, rows, lambda: _draw(tracks), [check], notes, timed=False)


def _follow(arm: ArmRaising, method: str, coordinates: str, run: Iterator[_Sample], steps: int) -> _Track:
    """Go through the samples of a method."""
    track = _Track(method, coordinates)
    next(run)
    for number in range(_EVERY, steps + 1, _EVERY):
        tip, lift, gap = next(run)
        place, distance = arm.errors(tip, lift)
        track.steps.append(number)
        track.errors.append(place)
        track.distances.append(distance)
        track.gaps.append(gap)
    run.close()  # type: ignore[attr-defined]
    return track


def _generalized(arm: ArmRaising) -> Iterator[_Sample]:
    """Treadle itself: every joint under the forces of its controller."""
    sim = Simulation(arm.model, DT, q=arm.q, laws=[arm.law()])
    while True:
        yield frame_pose(arm.model, sim.q, TIP)[:3, 3], float(sim.joint(LIFT).position), 0.0
        sim.step(_EVERY)


def _simmc(arm: ArmRaising, share: float = 0.2) -> Iterator[_Sample]:
    """Sequential impulses, motors without limits on every joint; a step removes `share` of the errors."""
    from treadle.studies.baselines import Simmc

    return _maximal(arm, Simmc(arm.model, DT, arm.q, iterations=_ITERATIONS, share=share))


def _xpbd(arm: ArmRaising) -> Iterator[_Sample]:
    """Position-based dynamics, with as many sweeps per step, one in each substep as its authors advise."""
    from treadle.studies.baselines import Xpbd

    return _maximal(arm, Xpbd(arm.model, DT, arm.q, substeps=_ITERATIONS))


def _maximal(arm: ArmRaising, sim: Any) -> Iterator[_Sample]:
    for joint in arm.model.joints:
        for freedom, position in enumerate(arm.q[joint.q]):
            sim.hold(joint.name, position, freedom=freedom)
    number = 0
    while True:
        yield sim.pose(TIP)[:3, 3], sim.position(LIFT), sim.gaps()[0]
        for _ in range(_EVERY):
            now, then = arm.lift(number * DT), arm.lift((number + 1) * DT)
            sim.hold(LIFT, now, (then - now) / DT)
            sim.step()
            number += 1


def _bullet(arm: ArmRaising) -> Iterator[_Sample]:
    """Bullet's own sequential impulses."""
    from treadle.studies.bullet import BulletArm

    world = BulletArm(arm, _ITERATIONS)
    try:
        while True:
            yield world.meter.pose(TIP)[:3, 3], world.meter.position(LIFT), world.meter.gaps()[0]
            for _ in range(_EVERY):
                world.step()
    finally:
        world.close()


#: Name, coordinates, and what starts the method.
_METHODS: tuple[tuple[str, str, Callable[[ArmRaising], Iterator[_Sample]]], ...] = (
    ("Treadle", "generalized", _generalized),
    ("sequential impulses", "maximal", _simmc),
    ("the same, not stabilized", "maximal", lambda arm: _simmc(arm, share=0.0)),
    ("XPBD", "maximal", _xpbd),
    ("Bullet", "maximal", _bullet),
)


def _draw(tracks: list[_Track]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    for track in tracks:
        # zero cannot be drawn on a logarithmic axis
        axes.semilogy(
            track.steps, np.maximum(track.errors, 1e-17), label=f"{track.method} ({track.coordinates})"
        )
    axes.axhline(LIMIT, color="grey", linestyle=":", linewidth=1.0, label="required of Treadle")
    axes.set(xlabel=f"step of {DT * 1e3:g} ms", ylabel="error of the tool's position / boom length")
    axes.set_title("Roadheader: raising the supporting arm")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
