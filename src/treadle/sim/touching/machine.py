"""A machine as the kernels see it: compiled programs, and views of the memory that these work in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treadle.dynamics.cholesky import parent_freedoms
from treadle.forces.actuator import actuator_state_size
from treadle.native.executable import Executable
from treadle.native.frames import Integers, Reals, RealTable
from treadle.native.program import compile_program
from treadle.sim.touching.programs import (
    FreeMotion,
    Pattern,
    close_program,
    drive_program,
    look_program,
    move_program,
)
from treadle.solvers.sequential.tree import Tree, tree_pattern

__all__ = ["Carried", "Close", "Free", "Look", "MachineCode", "MachineMemory", "Move"]


class Move(NamedTuple):
    """q (+) step -> position."""

    entry: int
    frame: int
    q: Reals
    step: Reals
    position: Reals


class Look(NamedTuple):
    """position -> poses of the bodies, axes of the freedoms."""

    entry: int
    frame: int
    position: Reals
    poses: Reals
    axes: Reals


class Free(NamedTuple):
    """position, v, tau, span, step, time -> velocity without contact, rows of joints, forces that do work.

    And, at that position, poses of the bodies, axes of the freedoms, velocities of the bodies at the start
    (`twist`) and without contact at the end, and the rates of the first while v stays (`turning`).
    """

    entry: int
    frame: int
    position: Reals
    v: Reals
    tau: Reals
    span: Reals
    step: Reals
    time: Reals
    velocity: Reals
    jacobian: Reals
    slowest: Reals
    fastest: Reals
    low: Reals
    high: Reals
    softness: Reals
    push: Reals
    drag: Reals
    poses: Reals
    axes: Reals
    twist: RealTable  # (bodies + 1, 6)
    twist_free: RealTable
    turning: RealTable


class Close(NamedTuple):
    """q, v -> position and velocity with loops closed; entry 0 where there are none."""

    entry: int
    frame: int
    q: Reals
    v: Reals
    position: Reals
    velocity: Reals


class Carried(NamedTuple):
    """How bodies follow each other; the world is the first."""

    above: Integers  # (bodies + 1) what carries them
    first: Integers  # (bodies + 2) their first freedoms
    last: Integers  # (bodies + 1) their last freedoms, -1: none


class MachineCode:
    """The compiled programs of a machine, which any number of worlds share."""

    def __init__(self, motion: FreeMotion) -> None:
        self.model = model = motion.model
        self.move = compile_program(move_program(model))
        self.look = compile_program(look_program(model))
        self.free = compile_program(motion.program())
        self.close = compile_program(close_program(model)) if model.closed else None
        control = motion.control_program()
        #: joint forces that controllers command, None where there are none
        self.control = None if control is None else compile_program(control)
        #: what the actuators' own state becomes, None where they have none
        self.drive = compile_program(drive_program(model)) if actuator_state_size(model) else None
        self.pattern: Pattern = motion.pattern()
        self.parent, self.start = tree_pattern(parent_freedoms(model))
        joints = [body.joint for body in model.bodies]
        self.carried = Carried(
            np.array([0, *[body.parent + 1 for body in model.bodies]], dtype=np.int64),
            np.array([0, *[joint.v.start for joint in joints], model.nv], dtype=np.int64),
            np.array([-1, *[joint.v.stop - 1 for joint in joints]], dtype=np.int64),
        )


class MachineMemory:
    """The memory that the programs of a machine work in, for one world."""

    def __init__(self, code: MachineCode) -> None:
        self._kept: list[Any] = []
        self.move = Move(*self._made(code.move).values())
        self.look = Look(*self._made(code.look).values())
        #: all arrays of the free motion, by name
        self.arrays = self._made(code.free)
        rows = {name: self.arrays[name].reshape(-1, 6) for name in ("twist", "twist_free", "turning")}
        self.free = Free(**{name: (self.arrays | rows)[name] for name in Free._fields})
        self.close = Close(0, 0, *[np.zeros(0)] * 4)
        if code.close is not None:
            closed = self._made(code.close)
            self.close = Close(*[closed[name] for name in Close._fields])
        pattern = self.pattern = code.pattern
        self.tree = Tree(
            code.parent,
            code.start,
            self.arrays["L"],
            self.arrays["root"],
            pattern.loop_first,
            pattern.loop_place,
            self.arrays["loop_y"],
            pattern.under_first,
            pattern.under,
            self.arrays["F"],
            self.arrays["loop_root"],
            np.array([code.model.nv, len(pattern.loop_first) - 1]),
        )
        self.carried = code.carried

    def _made(self, executable: Executable) -> dict[str, Any]:
        """Entry and frame of a program, and its arrays by name."""
        frame = executable.frame()
        self._kept.append((executable, frame))
        layout = executable.layout
        views = zip([*layout.inputs, *layout.outputs], [*frame.inputs, *frame.outputs])
        return {"entry": executable.entry, "frame": frame.address} | dict(views)
