"""Control of an arm along a tool path: position control, impedance control and direct force control.

    control = ToolControl(model, "pad_tip", motion, ForceLoop.by_force(5.0, contact_stiffness=2.7e4))
    sim = control.simulation()
    sim.run(motion.end)

The servos of the joints follow the motion. A force loop moves the tool along its axis by z, positive out of
the material, from the force F that was measured in the last step:

    m z'' + d z' + k z = F - Fd      impedance control: a soft spring that presses with Fd
    z' = g (F - Fd)                  direct force control, with the time constant 1 / (g K) on a stiffness K

It is a controller of a `Simulation`, called back at every step: it has a memory, and reads the process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.dynamics.compiled import frame_jacobian, frame_pose
from treadle.errors import InputError
from treadle.model.model import Model
from treadle.model.values import real_numbers
from treadle.planning.tool_motion import position_servos, servo_commands
from treadle.planning.trajectory import Trajectory

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["ForceLoop", "ToolControl", "with_workpiece"]

#: Share of its largest singular value below which a direction of the tool is one that the arm cannot move in.
_SINGULAR = 1e-6


@dataclass(frozen=True)
class ForceLoop:
    """How a tool gives way to its force: mass (kg), damping (N s/m), stiffness (N/m) around a force (N).

    Without a mass and a stiffness it is direct force control of the gain 1 / damping. The tool moves by
    `travel` (m) at most, at most at the `speed` (m/s): in the air it approaches no faster.
    """

    force: float
    mass: float
    damping: float
    stiffness: float
    travel: float = 2e-3
    speed: float = 0.02

    def __post_init__(self) -> None:
        real_numbers("ForceLoop", **vars(self))
        if min(self.mass, self.stiffness) < 0.0 or min(self.damping, self.travel, self.speed) <= 0.0:
            raise InputError("ForceLoop: mass and stiffness must not be negative, all else must be positive")
        if self.force <= 0.0:
            raise InputError("ForceLoop: the force must be positive")

    @classmethod
    def by_impedance(
        cls,
        force: float,
        stiffness: float = 3e3,
        mass: float = 5.0,
        contact_stiffness: float = 3e4,
        damping_ratio: float = 1.0,
        **limits: float,
    ) -> ForceLoop:
        """Impedance control of a stiffness (N/m) and a mass (kg), damped on a contact of a stiffness."""
        damping = 2.0 * damping_ratio * sqrt(max(mass * (stiffness + contact_stiffness), 0.0))
        return cls(force, mass, damping, stiffness, **limits)

    @classmethod
    def by_force(
        cls, force: float, contact_stiffness: float, time_constant: float = 0.01, **limits: float
    ) -> ForceLoop:
        """Direct force control: errors fall with a time constant (s) on a contact of a stiffness (N/m)."""
        return cls(force, 0.0, contact_stiffness * time_constant, 0.0, **limits)


class ToolControl:
    """A controller that takes a frame along a motion, with or without a force loop.

    `frame` has its z axis into the material. `shift` (m) is how far the loop moved the tool out of it.
    `measured` returns the force (N) of the last step; `simulation` takes that of the process "grinding".
    """

    def __init__(
        self, model: Model, frame: str, motion: Trajectory, loop: ForceLoop | None = None, dt: float = 1e-3
    ) -> None:
        real_numbers("ToolControl", dt=dt)
        if dt <= 0.0:
            raise InputError("ToolControl: dt must be positive")
        self.model, self.motion, self.loop, self.dt = model, motion, loop, dt
        self.measured: Callable[[], float] = lambda: 0.0
        self.shift, self.rate = 0.0, 0.0
        servos = position_servos(model)
        self._joints = [servo.joint for servo in servos]
        self._stiffness = np.array([servo.stiffness for servo in servos])
        self._commands, self._along = _sampled(model, frame, motion, dt, loop is not None)

    def reset(self) -> None:
        """Forget what the loop did: before another run."""
        self.shift, self.rate = 0.0, 0.0

    def simulation(self, model: Model | None = None, process: str = "grinding") -> Simulation:
        """The arm at the start of the motion under this control, with the force of a process.

        Another model may have another workpiece, but the same arm.
        """
        from treadle.sim.simulation import Simulation

        self.reset()
        first = self.motion(self.motion.start)[0]
        sim = Simulation(model or self.model, dt=self.dt, q=first, controllers=[self])
        if process not in sim.processes:
            raise InputError(f"{sim.model.name!r} has no process {process!r} to measure the force of")
        tool: Any = sim.processes[process]
        self.measured = lambda: tool.normal_force
        for actuator in sim.model.actuators:
            sim.actuator(actuator.name).command = 0.0
        return sim

    def __call__(self, q: Any, v: Any, t: Any) -> Mapping[str, float]:
        """Joint forces that the servos, whose commands are zero, have with the commands of this control."""
        last = len(self._commands) - 1
        done = (t - self.motion.start) / (self.motion.end - self.motion.start)
        place = min(max(last * done, 0.0), float(last))
        low = min(int(place), last - 1)
        share = place - low
        command = (1.0 - share) * self._commands[low] + share * self._commands[low + 1]
        if self.loop is not None:
            self._give_way(self.loop, self.measured())
            command = command + self.shift * ((1.0 - share) * self._along[low] + share * self._along[low + 1])
        return dict(zip(self._joints, (self._stiffness * command).tolist(), strict=True))

    def _give_way(self, loop: ForceLoop, force: float) -> None:
        """Move the shift over a step of constant force: the damper in closed form, the spring implicitly."""
        push, h = force - loop.force, self.dt
        if loop.mass > 0.0:
            decay = exp(-loop.damping * h / loop.mass)
            gain = (1.0 - decay) / (loop.damping + h * loop.stiffness * (1.0 - decay))
            self.rate = gain * (push - loop.stiffness * self.shift) + decay * self.rate
        else:
            self.rate = (push - loop.stiffness * self.shift) / (loop.damping + h * loop.stiffness)
        self.rate = min(max(self.rate, -loop.speed), loop.speed)
        moved = min(max(self.shift + h * self.rate, -loop.travel), loop.travel)
        self.rate, self.shift = (moved - self.shift) / h, moved


def _sampled(
    model: Model, frame: str, motion: Trajectory, dt: float, moved: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Commands of the servos along a motion (n, servos), and how they move the frame out of the material."""
    count = max(round((motion.end - motion.start) / dt), 1)
    servos = position_servos(model)
    names, places = [a.name for a in servos], [model.joint(a.joint).v.start for a in servos]
    rows, along = [], []
    for t in np.linspace(motion.start, motion.end, count + 1):
        q, v = motion(t)
        commands = servo_commands(model, q, v)
        rows.append([commands[name] for name in names])
        if moved:
            J = frame_jacobian(model, q, frame)
            out = np.concatenate([np.zeros(3), -frame_pose(model, q, frame)[:3, 2]])
            along.append((np.linalg.pinv(J, rcond=_SINGULAR) @ out)[places])
    return np.array(rows), np.array(along)


def with_workpiece(
    model: Model, stiffness_factor: float = 1.0, offset: float = 0.0, seam_factor: float = 1.0
) -> Model:
    """The machine before a workpiece that is higher (m), with another pad and seam: see `GrindingSetup`."""
    processes: Any = dict(model.settings["processes"])
    stated = dict(processes["grinding"])
    piece, pad = dict(stated["workpiece"]), dict(stated["pad"])
    piece["position"] = [*piece["position"][:2], piece["position"][2] + offset]
    if "seam" in piece:
        piece["seam"] = dict(piece["seam"]) | {"height": seam_factor * piece["seam"]["height"]}
    name = "modulus" if "modulus" in pad else "young"
    pad[name] *= stiffness_factor
    processes["grinding"] = stated | {"workpiece": piece, "pad": pad}
    return replace(model, settings={**model.settings, "processes": processes})
