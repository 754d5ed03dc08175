"""Forces through joints, loops and couplings of a simulation, and accelerations, as they are now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from treadle.dynamics.kinematics import world_transforms
from treadle.model.model import WORLD
from treadle.spatial import Transform

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Accelerations", "Reaction", "Reactions"]


@dataclass(frozen=True)
class Reaction:
    """What a body gets through a joint: a force (N) and its moment (N m) about the joint's origin.

    `force` and `torque` are in world axes, `local_force` and `local_torque` in those of the joint's frame
    on the body. The parts along the joint's dofs are the forces of motors, springs, dampers, stops and
    friction there; all others are what the joint itself carries. Everything that acts at this instant
    counts. Stops, friction, rigid motors and prescribed motions count with what they gave in the last step,
    as contacts do; before the first step with what it will need. Where constraints are redundant the forces
    in the loops are not determined by the motion: the rows that depend on others take none.
    """

    force: np.ndarray
    torque: np.ndarray
    local_force: np.ndarray
    local_torque: np.ndarray


class Readings:
    """Some signals of a machine, compiled together when one of them is first asked for."""

    #: patterns of the signals, see `treadle.sim.recording.signals`
    wanted: ClassVar[tuple[str, ...]]

    def __init__(self, sim: Simulation) -> None:
        from treadle.sim.recording.signals.sampler import Sampler
        from treadle.sim.recording.signals.select import matching

        self._sim = sim
        self._sampler = Sampler(sim, matching(sim.model, self.wanted, strict=False))
        self._places: dict[str, slice] = {}
        start = 1
        for layout in self._sampler.layouts:
            self._places[layout.name] = slice(start, start + len(layout.columns))
            start = self._places[layout.name].stop

    def values(self, name: str) -> np.ndarray:
        """The numbers of one signal now."""
        row = np.empty(self._sampler.width)
        self._sampler.sample(row)
        return row[self._places[name]]


class Accelerations(Readings):
    """Accelerations of joints and bodies."""

    wanted = ("joint.*.acceleration", "body.*.acceleration")


class Reactions(Readings):
    """All forces of a machine."""

    wanted = ("joint.*.reaction_*", "loop.*.reaction_*", "coupling.*.force", "actuator.*.force")

    def joint(self, name: str) -> Reaction:
        """Of a joint of the tree, on its body."""
        bodies = self._sim.model.bodies
        number = next(i for i, body in enumerate(bodies) if body.joint.name == name)
        return self._reaction(f"joint.{name}", self._pose(number))

    def loop(self, name: str) -> Reaction:
        """Of a joint that closes a loop, on its successor."""
        loop = next(loop for loop in self._sim.model.loops if loop.name == name)
        return self._reaction(f"loop.{name}", self._pose(loop.successor) @ loop.successor_placement)

    def coupling(self, name: str) -> float:
        """Of a coupling, on its joint."""
        (force,) = self.values(f"coupling.{name}.force")
        return float(force)

    def actuator(self, name: str) -> float:
        """Of an actuator, on its degree of freedom."""
        (force,) = self.values(f"actuator.{name}.force")
        return float(force)

    def _reaction(self, name: str, X_WJ: Transform) -> Reaction:
        force, torque = (self.values(f"{name}.reaction_{what}") for what in ("force", "torque"))
        R_WJ = np.array(X_WJ.rotation.to_rows(), dtype=float)
        return Reaction(force, torque, force @ R_WJ, torque @ R_WJ)

    def _pose(self, body: int) -> Transform:
        sim = self._sim
        return Transform.identity() if body == WORLD else world_transforms(sim.model, sim.q.tolist())[body]
