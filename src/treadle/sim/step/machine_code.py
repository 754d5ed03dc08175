"""A machine as the kernels see it: compiled programs, and views of the memory that these work in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from treadle.dynamics.cholesky import carriers, parent_freedoms
from treadle.forces.actuator import actuator_state_size
from treadle.forces.law import ForceLaw
from treadle.model.model import Model
from treadle.native.executable import Executable
from treadle.native.frames import Integers, RealList, Reals, RealTable
from treadle.native.program import Program, compile_program
from treadle.sim.controller import controller_program
from treadle.sim.step.many_bodies import ManyBodies, PartedFrame, PartedProgram
from treadle.sim.step.predict_program import (
    Pattern,
    Prediction,
    close_program,
    drive_program,
    look_program,
    move_program,
)
from treadle.solvers.sequential.tree import Tree, tree_pattern

__all__ = [
    "BodyTree", "Close", "Control", "Drive", "Flow", "Free", "Look", "MachineCode", "MachineMemory", "Move",
    "Ports",
]  # fmt: skip


class Move(NamedTuple):
    """q (+) step -> position."""

    entry: int
    frame: int
    q: Reals
    step: Reals
    position: Reals


class Look(NamedTuple):
    """position -> poses of the bodies, axes of the degrees of freedom."""

    entry: int
    frame: int
    position: Reals
    parameters: RealList
    poses: Reals
    axes: Reals


class Free(NamedTuple):
    """The prediction: velocity without contact, joint rows, forces that do work (see `predict_program`).

    And, at the same position, poses of the bodies, axes of the degrees of freedom, twists of the bodies at
    the start, in the middle and without contact at the end, and the rates of those in the middle while v
    stays (`convective`).
    """

    entry: int
    frame: int
    wheels: int  # 1: wheels are in balance with `impulse`
    laws: int  # 1: laws depend on the velocity in the middle
    wheel_size: int
    position: Reals
    v: Reals
    v_mid: Reals
    tau: Reals
    h: Reals
    dt: Reals
    time: Reals
    impulse: Reals  # (nv, or none without wheels) of all rows
    wheel_memory: Reals
    next_wheel_memory: Reals
    velocity: Reals
    jacobian: Reals
    slowest: Reals
    fastest: Reals
    low: Reals
    high: Reals
    softness: Reals
    push: RealList  # (nv, or none where work is not counted)
    drag: RealList
    held: Reals
    poses: Reals
    axes: Reals
    twist: RealTable  # (bodies + 1, 6)
    twist_mid: RealTable
    twist_free: RealTable
    convective: RealTable


class Flow(NamedTuple):
    """One step of the integrator without contact (see `program`); entry 0 where the midpoint rule is it."""

    entry: int
    frame: int
    adaptive: int
    memory_size: int
    active: Integers  # (1) 1: the substep under way is the integrator's
    q: Reals
    v: Reals
    tau: Reals
    dt: Reals
    clock: Reals
    memory: Reals
    next_q: Reals
    next_v: Reals
    next_memory: Reals
    next_ledger: Reals
    next_effort: Reals


class Close(NamedTuple):
    """q, v, what is known of loops -> the same at the end of a step; entry 0 where there are none."""

    entry: int
    frame: int
    q: Reals
    v: Reals
    gap: Reals
    position: Reals
    velocity: Reals
    next_gap: Reals


class Control(NamedTuple):
    """q, v, time, live inputs -> joint forces that controllers command; entry 0 where there are none."""

    entry: int
    frame: int
    q: Reals
    v: Reals
    time: Reals
    inputs: RealList
    force: Reals


class Drive(NamedTuple):
    """q, v, dt, commands, drives -> the actuators' own state after a step; entry 0 where they have none."""

    entry: int
    frame: int
    q: Reals
    v: Reals
    dt: Reals
    commands: RealList
    drives: RealList
    next_drives: Reals


class Ports(NamedTuple):
    """What programs read of a world besides its state; lists are empty where a program does not."""

    loads: RealList
    inputs: RealList
    parameters: RealList
    commands: RealList
    drives: RealList


class BodyTree(NamedTuple):
    """How bodies follow each other; the world is the first."""

    above: Integers  # (bodies + 1) what carries them
    first: Integers  # (bodies + 2) their first degrees of freedom
    last: Integers  # (bodies + 1) their last degrees of freedom, -1: none
    carrier: Integers  # (nv) what carries each degree of freedom, -1: the world
    way_first: Integers  # (bodies + 2) where the way of each to the base begins in what follows
    way: Integers  # degrees of freedom before each body in the elimination, the last first


class MachineCode:
    """The compiled programs of a machine, which any number of worlds share.

    `flow` is the step of its integrator, where that is not the midpoint rule; `controllers` are called once
    at the start of every step.
    """

    def __init__(
        self,
        prediction: Prediction,
        flow: Program | None = None,
        adaptive: bool = False,
        controllers: Sequence[ForceLaw] = (),
    ) -> None:
        self.model = model = prediction.model
        self._prediction = prediction
        self._wide: dict[int, Executable] = {}
        self.control = None
        if controllers:
            self.control = compile_program(controller_program(model, controllers, prediction.inputs))
        self.parent, self.start = tree_pattern(parent_freedoms(model))
        many = None if prediction.whole else ManyBodies.of(model, self.start)
        self.move = _compiled(many, model, move_program)
        self.look = _compiled(many, model, partial(look_program, parameters=prediction.parameters))
        self.free = _compiled(many, model, prediction.program_of)
        #: the integrator's own step
        self.flow = None if flow is None else compile_program(flow)
        self.adaptive, self.laws = adaptive, prediction.follows_middle
        close = partial(close_program, projects=prediction.projects)
        self.close = _compiled(many, model, close) if model.closed else None
        #: what the actuators' own state becomes, None where they have none
        self.drive = compile_program(drive_program(model)) if actuator_state_size(model) else None
        self.pattern: Pattern = _pattern(prediction, many)
        joints = [body.joint for body in model.bodies]
        last = [-1, *[joint.v.stop - 1 for joint in joints]]
        ways = [_way(self.parent, k) for k in last]
        self.body_tree = BodyTree(
            above=np.array([0, *[body.parent + 1 for body in model.bodies]], dtype=np.int64),
            first=np.array([0, *[joint.v.start for joint in joints], model.nv], dtype=np.int64),
            last=np.array(last, dtype=np.int64),
            carrier=np.array(carriers(model), dtype=np.int64),
            way_first=np.concatenate([[0], np.cumsum([len(way) for way in ways], dtype=np.int64)]),
            way=np.array([k for way in ways for k in way], dtype=np.int64),
        )

    def wide(self, lanes: int) -> Executable | None:
        """The prediction of so many worlds in one call; None of one, and where it is in two parts already."""
        if lanes == 1 or isinstance(self.free, PartedProgram):
            return None
        if lanes not in self._wide:
            self._wide[lanes] = compile_program(self._prediction.program(), lanes)
        return self._wide[lanes]


class MachineMemory:
    """The memory that the programs of a machine work in, for one world."""

    def __init__(self, code: MachineCode) -> None:
        self._kept: list[Any] = []
        self.move = Move(**self._made(code.move))
        self.look = self._part(Look, code.look)
        #: all arrays of the prediction, and of the integrator's step, by name
        self.arrays = self._made(code.free)
        self.flow_arrays = {} if code.flow is None else self._made(code.flow)
        names = ("twist", "twist_mid", "twist_free", "convective")
        tables = {name: self.arrays[name].reshape(-1, 6) for name in names}
        wheels = {
            name: self.arrays.get(name, np.zeros(0))
            for name in ("impulse", "wheel_memory", "next_wheel_memory")
        }
        uncounted = {name: self.arrays.get(name, np.zeros(0)) for name in ("push", "drag")}
        sizes = {"wheels": int(len(wheels["impulse"]) > 0), "wheel_size": len(wheels["wheel_memory"])}
        sizes["laws"] = int(code.laws)
        given: dict[str, Any] = self.arrays | tables | wheels | uncounted | sizes
        self.free = Free(**{name: given[name] for name in Free._fields})
        self.flow = self._flow(code)
        self.close, self.control = self._part(Close, code.close), self._part(Control, code.control)
        self.drive = self._part(Drive, code.drive)
        #: of the prediction, and of the integrator's step
        self.ports, self.flow_ports = (
            Ports(**{name: given.get(name, np.zeros(0)) for name in Ports._fields})
            for given in (self.arrays, self.flow_arrays)
        )
        self.pattern = code.pattern
        self.tree = self._tree(code)
        self.body_tree = code.body_tree

    @property
    def lone_constants(self) -> list[dict[str, np.ndarray]]:
        """Inertia and placement of the lone bodies, live, once for every program that reads them."""
        return [frame.constants for _, frame in self._kept if isinstance(frame, PartedFrame)]

    def _flow(self, code: MachineCode) -> Flow:
        given: dict[str, Any] = {name: self.flow_arrays.get(name) for name in Flow._fields}
        given |= {"adaptive": int(code.adaptive), "active": np.zeros(1, np.int64)}
        given["memory_size"] = 0 if given["memory"] is None else len(given["memory"])
        missing = {name: _nothing(name) for name, value in given.items() if value is None}
        # those that a method or machine has no use for are written, and never read
        missing |= {name: np.zeros(2) for name in ("clock", "next_effort", "next_ledger") if name in missing}
        return Flow(**given | missing)

    def _part(self, record: Any, executable: Executable | PartedProgram | None) -> Any:
        """A program of which there may be none."""
        given = {} if executable is None else self._made(executable)
        return record(**{name: given.get(name, _nothing(name)) for name in record._fields})

    def _tree(self, code: MachineCode) -> Tree:
        pattern, arrays = code.pattern, self.arrays
        return Tree(
            parent=code.parent,
            start=code.start,
            L=arrays["L"],
            root=arrays["root"],
            loop_first=pattern.loop_first,
            loop_place=pattern.loop_place,
            loop_y=arrays["loop_y"],
            under_first=pattern.under_first,
            under=pattern.under,
            F=arrays["F"],
            loop_root=arrays["loop_root"],
            size=np.array([code.model.nv, len(pattern.loop_first) - 1]),
        )

    def _made(self, executable: Executable | PartedProgram) -> dict[str, Any]:
        """Entry and frame of a program, and its arrays by name."""
        frame = executable.frame()
        self._kept.append((executable, frame))
        layout = executable.layout
        views = zip([*layout.inputs, *layout.outputs], [*frame.inputs, *frame.outputs])
        return {"entry": executable.entry, "frame": frame.address} | dict(views)


def _compiled(
    many: ManyBodies | None, model: Model, make: Callable[[Model, bool], Program]
) -> Executable | PartedProgram:
    """A program of the whole model, or in two parts where it has many lone bodies."""
    return compile_program(make(model, False)) if many is None else PartedProgram(many, make)


def _pattern(prediction: Prediction, many: ManyBodies | None) -> Pattern:
    """Rows and loops are those of the machines that are not lone bodies."""
    if many is None:
        return prediction.pattern()
    found = prediction.of(many.lone.rest).pattern()
    places = {name: many.lone.rest_v[getattr(found, name)] for name in ("loop_place", "place", "way")}
    return found._replace(**places)


def _way(parent: np.ndarray, k: int) -> list[int]:
    """A degree of freedom and all before it in the elimination, up to the base."""
    way = []
    while k >= 0:
        way.append(k)
        k = int(parent[k])
    return way


def _nothing(name: str) -> Any:
    """What stands for a field of a program that there is none of."""
    return 0 if name in {"entry", "frame"} else np.zeros(0)
