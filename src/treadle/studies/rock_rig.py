"""A cutting head on a rig: driven through rock with constant speeds, where the torque has a closed form.

A pick at the angle A behind the one before it has the chip depth d = (v . n) A / w, with the feed v, the
normal n of the cut surface and the speed w of the head; it takes the moment r c d^2. Fed along its axis the
head has constant chips,

    T = sum r c (v A nx / w)^2,

and fed across it, with half of its turn in rock, T = 1/4 sum r c (v A nr / w)^2 in the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from treadle.model import ModelSpec
from treadle.process.cutting_head import CuttingHead
from treadle.process.pick_force import Pick, Rock, force_coefficient
from treadle.process.rock_cutting import RockCutting
from treadle.scenes.roadheader.cutting import ordered_tips
from treadle.sim.simulation import Simulation

__all__ = ["RigRun", "closed_torque", "rig", "run_rig"]

#: Where the face is ahead of the rig's origin (m), and half its width and height.
_FACE, _HALF = 1.2, (2.0, 0.9)


@dataclass(frozen=True)
class RigRun:
    """Way of the head in rock: "axial" or "across", feed (m/s), speed (rad/s), law, step and spacing."""

    way: str
    feed: float = 0.08
    speed: float = 5.5
    law: str = "evans"
    dt: float = 5e-3
    spacing: float = 0.025
    starts: int = 3


@dataclass(frozen=True)
class RigResult:
    """Mean torque (N m), power (W) and removed volume per second (m3/s) while all of the head is in rock."""

    torque: float
    power: float
    rate: float
    deepest: float


def rig(run: RigRun) -> ModelSpec:
    """The head, turning about x, on two slides along x and y."""
    spec = ModelSpec("rig", gravity=(0.0, 0.0, 0.0))
    for name, joint, kind, parent, axis in (
        ("sled", "sump", "prismatic", None, (1.0, 0.0, 0.0)),
        ("carriage", "cross", "prismatic", "sled", (0.0, 1.0, 0.0)),
        ("head", "turn", "revolute", "carriage", (1.0, 0.0, 0.0)),
    ):
        spec.add_body(name, 1000.0, inertia=(100.0, 100.0, 100.0))
        spec.add_joint(joint, kind, parent, name, axis=axis)
    spec.settings["processes"] = {
        "rock": {
            "type": "rock_cutting",
            "body": "head",
            "tips": ordered_tips().tolist(),
            "starts": run.starts,
            "pick": {"law": run.law},
            "face": {
                "position": [_FACE, 0.0, 0.0],
                "size": [2.0 * _HALF[0], 2.0 * _HALF[1]],
                "spacing": run.spacing,
            },
        }
    }
    return spec


def run_rig(run: RigRun) -> RigResult:
    """Drive the head until all of its picks have been in rock for a turn; then measure over three."""
    base = float(ordered_tips()[:, 0].min())
    inside = _FACE - base + 0.1
    turn = 2.0 * np.pi / run.speed
    motions: dict[str, Callable[[Any], Any]]
    if run.way == "axial":
        begin = inside / run.feed + turn
        motions = {"sump": lambda t: run.feed * t, "cross": lambda t: 0.0 * t}
    else:
        begin = 3.0 * turn
        motions = {"sump": lambda t: inside + 0.0 * t, "cross": lambda t: -0.9 + run.feed * t}
    motions["turn"] = lambda t: run.speed * t
    sim = Simulation(rig(run).compile(), dt=run.dt, motions=motions)
    cutting = cast(RockCutting, sim.processes["rock"])
    sim.run(begin)
    start, energy, torque, deepest = cutting.volume, cutting.energy, 0.0, 0.0
    count = round(3.0 * turn / run.dt)
    for _ in range(count):
        sim.step()
        torque += cutting.torque / count
        deepest = max(deepest, float(cutting.chips.max()))
    seconds = count * run.dt
    return RigResult(torque, (cutting.energy - energy) / seconds, (cutting.volume - start) / seconds, deepest)


def closed_torque(run: RigRun) -> float:
    """The mean torque (N m) of a head that is all in rock."""
    head, coefficient = CuttingHead(ordered_tips(), run.starts), force_coefficient(Rock(), Pick(law=run.law))
    ahead = run.feed * head.angles / run.speed
    if run.way == "axial":
        chips = ahead * np.maximum(head.normals[:, 0], 0.0)
        return float((head.radii * coefficient * chips**2).sum())
    chips = ahead * head.normals[:, 1]
    return 0.25 * float((head.radii * coefficient * chips**2).sum())
