"""Joints, bodies, actuators, loops and couplings of a running simulation, by name.

Handles look their part up whenever they are used: they stay valid when the machine is edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from treadle.constraints.coupling import coupling_residual
from treadle.errors import InputError
from treadle.model.attachments import Actuator, Coupling, Loop
from treadle.model.model import ModelJoint, suggest
from treadle.model.notebook import Shown, shown_number
from treadle.sim.attributes import Guarded
from treadle.sim.checks import check_vector
from treadle.sim.lock import stopped

if TYPE_CHECKING:
    from treadle.sim.reaction import Reaction
    from treadle.sim.simulation import Simulation

__all__ = [
    "ActuatorHandle",
    "BodyHandle",
    "CouplingHandle",
    "JointHandle",
    "LoopHandle",
    "TendonHandle",
]


class JointHandle(Guarded, Shown):
    """A joint: a float for joints with one degree of freedom, an array for the others. SI units, radians."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim, self.name = sim, name
        self._found()

    def _title(self) -> str:
        return f"joint {self.name!r} of {self._sim.model.name!r}"

    def _shown(self) -> list[tuple[str, str]]:
        names = "position", "velocity", "torque"
        return [(name, shown_number(getattr(self, name))) for name in names]

    @property
    def _joint(self) -> ModelJoint:
        return self._found()

    def _found(self) -> ModelJoint:
        if any(loop.name == self.name for loop in self._sim.model.loops):
            raise InputError(
                f"joint {self.name!r} closes a loop and has no coordinates of its own: "
                f"use sim.loop({self.name!r}) for its gap and its reaction"
            )
        return self._sim.model.joint(self.name)

    @property
    def position(self) -> float | np.ndarray:
        return _unwrap(self._sim.q[self._joint.q])

    @position.setter
    def position(self, value: ArrayLike) -> None:
        numbers = check_vector(f"position of joint {self.name!r}", value, self._joint.type.nq)
        try:
            normal = self._joint.type.normalize(numbers.tolist())
        except ValueError as error:
            raise InputError(f"position of joint {self.name!r}: {error}") from None
        self._sim.q[self._joint.q] = normal

    @property
    def velocity(self) -> float | np.ndarray:
        return _unwrap(self._sim.v[self._joint.v])

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        numbers = check_vector(f"velocity of joint {self.name!r}", value, self._joint.type.nv)
        self._sim.v[self._joint.v] = numbers

    @property
    def acceleration(self) -> float | np.ndarray:
        """Rate of the velocity under all forces at this instant; limits and the like as the next step
        needs.
        """
        return _unwrap(self._sim.accelerations.values(f"joint.{self._joint.name}.acceleration"))

    @property
    def torque(self) -> float | np.ndarray:
        """Joint force held until it is set again: N m for rotations, N for translations."""
        return _unwrap(self._sim.tau[self._joint.v])

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        numbers = check_vector(f"torque of joint {self.name!r}", value, self._joint.type.nv)
        self._sim.tau[self._joint.v] = numbers

    @property
    def locked(self) -> bool:
        """Whether all of its degrees of freedom are locked."""
        return bool(self._sim.arrays["locked"][self._joint.v].all())

    def lock(self, freedom: int | None = None) -> None:
        """Hold it where it is by whatever force it takes, or one of its degrees of freedom (0, 1, ...).

        If it moves it stops at once, as by a blow: its velocity becomes zero, and that of the other joints
        jumps by what the blow does to them.
        """
        sim, locked = self._sim, self._sim.arrays["locked"][:, 0].copy()
        locked[self._freedoms(freedom)] = 1.0
        sim.v[:] = stopped(sim.model, sim.q, sim.v, locked)
        self._set_locked(locked)

    def free(self, freedom: int | None = None) -> None:
        """Let it move again, or one of its degrees of freedom."""
        locked = self._sim.arrays["locked"][:, 0].copy()
        locked[self._freedoms(freedom)] = 0.0
        self._set_locked(locked)

    def _set_locked(self, locked: np.ndarray) -> None:
        self._sim.lock(locked)
        # what the integrator remembers of the motion before is of no use
        self._sim.arrays["memory"][:] = 0.0

    def _freedoms(self, freedom: int | None) -> slice | int:
        joint = self._joint
        if freedom is None:
            return joint.v
        if not isinstance(freedom, int) or not 0 <= freedom < joint.type.nv:
            known = ", ".join(f"{k} ({name})" for k, name in enumerate(joint.type.velocities))
            raise InputError(f"joint {self.name!r} has no degree of freedom {freedom!r}; it has {known}")
        return joint.v.start + freedom

    @property
    def reaction(self) -> Reaction:
        """Force and moment on its body from the parent's, through the joint; see `Reaction`."""
        return self._sim.reactions.joint(self._joint.name)


class BodyHandle(Guarded, Shown):
    """A link or frame: where it is and how it moves, in world axes."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        sim.model.frame(name)
        self._sim, self.name = sim, name

    def _title(self) -> str:
        return f"body {self.name!r} of {self._sim.model.name!r}"

    @property
    def pose(self) -> np.ndarray:
        """4 x 4 pose X_WB."""
        from treadle.dynamics.compiled import frame_pose

        return frame_pose(self._sim.model, self._sim.q, self.name)

    @property
    def position(self) -> np.ndarray:
        """Origin in the world (3), in metres."""
        return self.pose[:3, 3].copy()

    @property
    def velocity(self) -> np.ndarray:
        """(Angular velocity, velocity of the origin), six numbers in world axes."""
        from treadle.dynamics.compiled import frame_jacobian

        return frame_jacobian(self._sim.model, self._sim.q, self.name) @ self._sim.v

    @property
    def acceleration(self) -> np.ndarray:
        """(Angular acceleration, acceleration of the origin), six numbers in world axes.

        That is the rate of `velocity` under all forces at this instant: what falls freely has that of
        gravity.
        """
        return self._sim.accelerations.values(f"body.{self.name}.acceleration")


class ActuatorHandle(Guarded, Shown):
    """An actuator: its command, and what it does. SI units, radians."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim, self.name = sim, name
        self._found()

    def _title(self) -> str:
        return f"actuator {self.name!r} of {self._sim.model.name!r}"

    def _shown(self) -> list[tuple[str, str]]:
        return [("type", self._actuator.type), ("command", shown_number(self.command))]

    def _found(self) -> int:
        actuators = self._sim.model.actuators
        return _number(self._sim, "actuator", self.name, [actuator.name for actuator in actuators])

    @property
    def _index(self) -> int:
        return self._found()

    @property
    def _actuator(self) -> Actuator:
        return self._sim.model.actuators[self._index]

    @property
    def command(self) -> float:
        """Its command: a force, position or velocity, or the opening of a cylinder's valve from -1 to 1.

        It holds until it is set again; beyond the actuator's range its end acts.
        """
        return float(self._sim.arrays["commands"][self._index, 0])

    @command.setter
    def command(self, value: float) -> None:
        (number,) = check_vector(f"command of actuator {self.name!r}", value, 1)
        self._sim.arrays["commands"][self._index, 0] = number

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest command that acts."""
        low, high = self._actuator.lower, self._actuator.upper
        return -np.inf if low is None else low, np.inf if high is None else high

    @property
    def force(self) -> float:
        """Force on its joint or tendon in this state (N m or N); of a rigid motor, over the last step."""
        from treadle.forces.actuator import actuator_drives, driven_coordinate

        sim = self._sim
        if self._actuator.rigid:
            return sim.reactions.actuator(self.name)
        commands, drives = (sim.arrays[name][:, 0].tolist() for name in ("commands", "drives"))
        drive = actuator_drives(sim.model, commands, drives, sim.q.tolist(), sim.v.tolist())[self._index]
        driven = driven_coordinate(sim.model, self._actuator, sim.q.tolist(), sim.v.tolist())
        return float(drive.force - drive.damping * driven.rate)  # type: ignore[arg-type]

    @property
    def pressures(self) -> tuple[float, float]:
        """Pressures on the cap and the rod side of a cylinder, in Pa."""
        if self._actuator.type != "cylinder":
            raise InputError(
                f"actuator {self.name!r} is a {self._actuator.type}: only cylinders have pressures"
            )
        cap, rod = self._own_state()
        return cap, rod

    @property
    def activation(self) -> float:
        """Activation of a muscle, or the command that a drive with a time constant follows by now."""
        own = self._own_state()
        if self._actuator.type == "cylinder" or not own:
            raise InputError(f"actuator {self.name!r} has no activation: it follows its command at once")
        return own[0]

    def _own_state(self) -> list[float]:
        from treadle.forces.actuator import state_places

        return self._sim.arrays["drives"][state_places(self._sim.model)[self._index], 0].tolist()


class TendonHandle(Guarded):
    """A tendon: its length and how that changes. SI units."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        sim.model.tendon(name)
        self._sim, self.name = sim, name

    @property
    def length(self) -> float:
        """Length in this state, in m; of a fixed tendon in the units of its joints."""
        return self._coordinate()[0]

    @property
    def speed(self) -> float:
        """Rate of the length."""
        return float(self.moment_arms @ self._sim.v)

    @property
    def moment_arms(self) -> np.ndarray:
        """dl/dq (nv): joint force per tension, negative where a pull moves the joint forward."""
        arms = np.zeros(self._sim.model.nv)
        for k, arm in self._coordinate()[1].items():
            arms[k] = arm
        return arms

    def _coordinate(self) -> tuple[float, dict[int, float]]:
        from treadle.forces.tendon import tendon_coordinate

        model = self._sim.model
        return tendon_coordinate(model, model.tendon(self.name), self._sim.q.tolist())  # type: ignore[return-value]


class LoopHandle(Guarded, Shown):
    """A joint that closes a loop: how far it is open, and what it carries."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim, self.name = sim, name
        self._found()

    def _title(self) -> str:
        return f"loop {self.name!r} of {self._sim.model.name!r}"

    @property
    def gap(self) -> float:
        """The largest of the lengths (m) and of the sines of angles that vanish in a closed loop."""
        from treadle.constraints.loop import loop_closure

        closure = loop_closure(self._sim.model, self._sim.q.tolist(), self._found())
        return max((abs(float(c)) for part in closure for c in part), default=0.0)  # type: ignore[arg-type]

    @property
    def reaction(self) -> Reaction:
        """Force and moment on its successor (the child of its description); see `Reaction`."""
        return self._sim.reactions.loop(self._found().name)

    def _found(self) -> Loop:
        loops = self._sim.model.loops
        return loops[_number(self._sim, "loop joint", self.name, [loop.name for loop in loops])]


class CouplingHandle(Guarded, Shown):
    """A relation of two joints, such as a gear: how far it is off, and what it carries."""

    __slots__ = ("_sim", "name")

    def __init__(self, sim: Simulation, name: str) -> None:
        self._sim, self.name = sim, name
        self._found()

    def _title(self) -> str:
        return f"coupling {self.name!r} of {self._sim.model.name!r}"

    @property
    def gap(self) -> float:
        """By how much its joint is off its place, in rad or m."""
        return abs(float(coupling_residual(self._sim.q.tolist(), self._found())))  # type: ignore[arg-type]

    @property
    def force(self) -> float:
        """Force on its joint, N m or N; the source gets the opposite, times the ratio of the velocities."""
        return self._sim.reactions.coupling(self._found().name)

    def _found(self) -> Coupling:
        couplings = self._sim.model.couplings
        return couplings[_number(self._sim, "coupling", self.name, [c.name for c in couplings])]


def _number(sim: Simulation, what: str, name: str, names: list[str]) -> int:
    if name not in names:
        raise InputError(f"{sim.model.name!r} has no {what} named {name!r}; {suggest(name, names)}")
    return names.index(name)


def _unwrap(values: np.ndarray) -> float | np.ndarray:
    return float(values[0]) if len(values) == 1 else values.copy()
