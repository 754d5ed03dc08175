"""Forces and torques that people put on bodies, and springs by which they pull them.

The simulation's own loads stay what they are: those of the page are added to them, and taken away again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from treadle.forces.load import frame_load
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

__all__ = ["COURSES", "Load", "Loads", "Spring", "carried_mass", "newtons"]

#: Angular frequency (rad/s) and damping ratio of what hangs on a spring.
_FREQUENCY, _DAMPING = 6.0, 0.7

_NONE = (0.0, 0.0, 0.0)


#: How a load goes with the time: all of it at once, growing from nothing, for a while, or on and off.
COURSES = ("constant", "ramp", "pulse", "pulses")


@dataclass
class Load:
    """A "force" (N) at a point (m, in the body's axes), or a "torque" (N m), on a link or frame.

    Its course begins at `since` (s), the time of the first frame that it acts in: a ramp grows for `seconds`,
    a pulse lasts for them, and pulses are on and off for as long each.
    """

    body: str
    kind: str
    vector: tuple[float, ...]
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    axes: str = "world"
    course: str = "constant"
    seconds: float = 1.0
    since: float | None = None

    def share(self, time: float) -> float:
        """The part of it that acts at a time (s)."""
        if self.since is None or time < self.since:
            self.since = time
        passed = (time - self.since) / max(self.seconds, 1e-9)
        if self.course == "ramp":
            return min(passed, 1.0)
        if self.course == "pulse":
            return float(passed < 1.0)
        return float(passed % 2.0 < 1.0) if self.course == "pulses" else 1.0


@dataclass
class Spring:
    """Pulls a point of a body (m, in its axes) to a place in the world (m).

        F = k (target - x) - d dx/dt, cut off at `limit` (N)

    x is known once per frame, so the spring is soft: k = m w^2 with the mass m that it carries.
    """

    body: str
    point: tuple[float, ...]
    target: tuple[float, ...]
    stiffness: float
    damping: float
    limit: float = float("inf")
    #: whether it turns the body about its origin instead of pulling it there
    turns: bool = False
    #: the force of the last frame (N), and where the point was (m) and when (s)
    force: np.ndarray = field(default_factory=lambda: np.zeros(3))
    place: np.ndarray | None = None
    time: float = 0.0

    @classmethod
    def on(cls, model: Model, body: str, point: tuple[float, ...], target: tuple[float, ...]) -> Spring:
        """A spring that suits what the body carries."""
        mass = carried_mass(model, body)
        return cls(body, point, target, mass * _FREQUENCY**2, 2.0 * _DAMPING * mass * _FREQUENCY)

    def pull(self, place: np.ndarray, time: float) -> np.ndarray:
        """The force (N) now that the point is at a place (m) at a time (s)."""
        velocity = np.zeros(3)
        if self.place is not None and time > self.time:
            velocity = (place - self.place) / (time - self.time)
        self.place, self.time = place, time
        force = self.stiffness * (np.array(self.target) - place) - self.damping * velocity
        size = float(np.linalg.norm(force))
        self.force = force * (self.limit / size) if size > self.limit else force
        return self.force


class Loads:
    """All that people put on a machine; `apply` is called by the simulation's loop, once per frame."""

    def __init__(self, sim: Simulation) -> None:
        self.loads: dict[str, Load] = {}
        self.springs: dict[str, Spring] = {}
        # what others put on it, and what it was left with
        self._others = sim.loads[:, 0].copy()
        self._left = self._others.copy()

    def apply(self, sim: Simulation, pose: Callable[[str], np.ndarray]) -> None:
        """Put on the bodies what acts now; `pose(body)` is where a body is (4 x 4)."""
        now = sim.loads[:, 0]
        if not np.array_equal(now, self._left):
            self._others = now.copy()
        total = self._others.copy()
        for load in tuple(self.loads.values()):
            vector = tuple(load.share(sim.time) * x for x in load.vector)
            force, torque = (vector, _NONE) if load.kind == "force" else (_NONE, vector)
            part, numbers = frame_load(sim.model, load.body, force, torque, load.point, load.axes)
            total[part] += numbers
        for spring in tuple(self.springs.values()):
            X = pose(spring.body)
            place = (X @ np.array([*spring.point, 1.0]))[:3]
            force, torque = spring.pull(place, sim.time), np.zeros(3)
            if spring.turns:
                force, torque = np.zeros(3), np.cross(place - X[:3, 3], force)
            part, numbers = frame_load(sim.model, spring.body, force, torque, spring.point, "world")
            total[part] += numbers
        now[:] = total
        self._left = total

    def settle(self, sim: Simulation) -> None:
        """After the state was set from elsewhere: what it held of ours is not there any more."""
        sim.loads[:, 0] = self._others
        self._left = self._others.copy()

    def edited(self, sim: Simulation) -> None:
        """After the machine was changed, which keeps its loads."""
        if len(self._left) == len(sim.loads):
            return
        self._others = np.zeros(len(sim.loads))
        sim.loads[:, 0] = self._left = self._others.copy()


def carried_mass(model: Model, name: str) -> float:
    """Mass (kg) of a link's body and of all that it carries."""
    carried = {model.frame(name).body}
    for number, body in enumerate(model.bodies):
        if body.parent in carried:
            carried.add(number)
    mass = sum(float(link.mass) for link in model.links if link.body in carried)  # type: ignore[arg-type]
    return max(mass, 1e-3)


def newtons(force: float) -> str:
    """A force to be read at a glance."""
    for unit, size in (("MN", 1e6), ("kN", 1e3)):
        if force >= size:
            return f"{force / size:.3g} {unit}"
    return f"{force:.3g} N"
