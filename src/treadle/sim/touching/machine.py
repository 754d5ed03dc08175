"""A machine as the kernels see it: compiled programs, and views of the memory that these work in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treadle.dynamics.cholesky import parent_freedoms
from treadle.native.frames import Integers, Reals
from treadle.native.program import Program, compile_program
from treadle.sim.touching.programs import FreeMotion, Pattern, close_program, look_program, move_program
from treadle.solvers.sequential.tree import Tree, tree_pattern

__all__ = ["Carried", "Close", "Free", "Look", "MachineMemory", "Move"]


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
    """position, v, tau, span, time -> velocity without contact, rows of the joints, forces that do work."""

    entry: int
    frame: int
    position: Reals
    v: Reals
    tau: Reals
    span: Reals
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


class MachineMemory:
    """Compiles the programs of a machine and keeps their memory."""

    def __init__(self, motion: FreeMotion) -> None:
        model = motion.model
        self._kept: list[Any] = []
        self.move = Move(*self._made(move_program(model)).values())
        self.look = Look(*self._made(look_program(model)).values())
        #: all arrays of the free motion, by name
        self.arrays = self._made(motion.program())
        self.free = Free(*[self.arrays[name] for name in Free._fields])
        self.close = Close(0, 0, *[np.zeros(0)] * 4)
        if model.closed:
            closed = self._made(close_program(model))
            self.close = Close(*[closed[name] for name in Close._fields])
        self.pattern: Pattern = motion.pattern()
        parent, start = tree_pattern(parent_freedoms(model))
        self.tree = Tree(
            parent,
            start,
            self.arrays["L"],
            self.arrays["root"],
            self.pattern.loop_first,
            self.pattern.loop_place,
            self.arrays["loop_y"],
            self.pattern.under_first,
            self.pattern.under,
            self.arrays["F"],
            self.arrays["loop_root"],
            np.array([model.nv, len(self.pattern.loop_first) - 1]),
        )
        joints = [body.joint for body in model.bodies]
        self.carried = Carried(
            np.array([0, *[body.parent + 1 for body in model.bodies]], dtype=np.int64),
            np.array([0, *[joint.v.start for joint in joints], model.nv], dtype=np.int64),
            np.array([-1, *[joint.v.stop - 1 for joint in joints]], dtype=np.int64),
        )

    def _made(self, program: Program) -> dict[str, Any]:
        """Entry and frame of a program, and its arrays by name."""
        executable = compile_program(program)
        frame = executable.frame()
        self._kept.append((executable, frame))
        layout = executable.layout
        views = zip([*layout.inputs, *layout.outputs], [*frame.inputs, *frame.outputs])
        return {"entry": executable.entry, "frame": frame.address} | dict(views)
