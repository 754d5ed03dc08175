"""Many lone bodies: one compiled routine for all of them, whatever their number.

A scene with many lone bodies (see `model.lone_bodies`) has its programs (`predict_program`) in two parts:
that of the rest of its machines, and that of one lone body with inertia and placement as inputs, which is
called for as many bodies at a time as a vector holds. Kernels call the pair like any other program. All
arrays lie in one block of memory, ordered as those of the whole scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treadle.forces.load import LOAD_SIZE
from treadle.model.lone_bodies import CONSTANTS, LoneBodies
from treadle.model.model import Model
from treadle.native.c_types import CPointer, int64, void
from treadle.native.calling import call, reals
from treadle.native.entries import entry
from treadle.native.executable import Executable
from treadle.native.frames import IntegerTable, table, view
from treadle.native.program import Program, compile_program, default_lanes

__all__ = ["ManyBodies", "PartedProgram"]

#: Inputs that all bodies share.
_SHARED = ("h", "dt", "time")


class ManyBodies:
    """The lone bodies of a scene, and where its arrays have their numbers."""

    def __init__(self, lone: LoneBodies, starts: np.ndarray) -> None:
        self.lone, self.bodies = lone, lone.bodies
        self._starts = starts

    @staticmethod
    def of(model: Model, starts: np.ndarray) -> ManyBodies | None:
        """Those of a model, None where they are few; `starts` are those of the rows of its factor L."""
        lone = LoneBodies.of(model)
        return None if lone is None else ManyBodies(lone, starts)

    def places(self, name: str) -> list[tuple[int, int]] | None:
        """Start and length of every body's numbers in an array; None where lone bodies have none in it."""
        joints = [body.joint for body in self.lone.model.bodies]
        if name in ("q", "position"):
            return [(joint.q.start, joint.type.nq) for joint in joints]
        if name in ("v", "v_mid", "tau", "step", "velocity", "root", "push", "drag", "held", "impulse"):
            return [(joint.v.start, joint.type.nv) for joint in joints]
        if name == "axes":
            return [(6 * joint.v.start, 6 * joint.type.nv) for joint in joints]
        if name == "poses":
            return [(12 * i, 12) for i in range(len(joints))]
        if name == "loads":
            return [(LOAD_SIZE * i, LOAD_SIZE) for i in range(len(joints))]
        if name == "L":
            ends = [(int(self._starts[joint.v.start]), int(self._starts[joint.v.stop])) for joint in joints]
            return [(start, end - start) for start, end in ends]
        if name in ("twist", "twist_mid", "twist_free", "convective"):
            # the world's come first
            return [(6 * (i + 1), 6) for i in range(len(joints))]
        return None


class Parts(NamedTuple):
    """What a call of a program in two parts needs; places are those in the block of all arrays."""

    memory: int
    rest: int  # entry, 0: there is no rest
    rest_frame: int
    one: int
    one_frame: int
    lanes: int
    bodies: int
    rest_in: IntegerTable  # (runs, 3) place, place in the frame of the rest, length
    rest_out: IntegerTable
    one_in: IntegerTable  # (arrays, 2) slot in the frame of one body, length
    one_out: IntegerTable
    one_from: IntegerTable  # (arrays, bodies) places
    one_to: IntegerTable


_read_parts = view(Parts)


@entry(void(CPointer(int64)))
def _run_parts(given: Any) -> None:
    """Run both parts of a program on the arrays of the whole scene."""
    parts = _read_parts(given)
    memory, frame, lanes = reals(parts.memory), reals(parts.one_frame), parts.lanes
    if parts.rest != 0:
        inner = reals(parts.rest_frame)
        for k in range(len(parts.rest_in)):
            here, there = parts.rest_in[k, 0], parts.rest_in[k, 1]
            for j in range(parts.rest_in[k, 2]):
                inner[there + j] = memory[here + j]
        call(parts.rest, parts.rest_frame)
        for k in range(len(parts.rest_out)):
            here, there = parts.rest_out[k, 0], parts.rest_out[k, 1]
            for j in range(parts.rest_out[k, 2]):
                memory[here + j] = inner[there + j]
    for first in range(0, parts.bodies, lanes):
        for a in range(len(parts.one_in)):
            slot, size = parts.one_in[a, 0], parts.one_in[a, 1]
            for lane in range(lanes):
                # the last group is filled up with the last body
                here = parts.one_from[a, min(first + lane, parts.bodies - 1)]
                for j in range(size):
                    frame[(slot + j) * lanes + lane] = memory[here + j]
        call(parts.one, parts.one_frame)
        for a in range(len(parts.one_out)):
            slot, size = parts.one_out[a, 0], parts.one_out[a, 1]
            for lane in range(min(lanes, parts.bodies - first)):
                here = parts.one_to[a, first + lane]
                for j in range(size):
                    memory[here + j] = frame[(slot + j) * lanes + lane]


@dataclass(frozen=True)
class _Sizes:
    """Names and sizes of the arrays of a program, as `Layout` has them."""

    inputs: dict[str, int]
    outputs: dict[str, int]


class PartedProgram:
    """A program of a scene in two parts, with what kernels ask of an `Executable`."""

    def __init__(self, many: ManyBodies, make: Callable[[Model, bool], Program]) -> None:
        self.many = many
        self.one = compile_program(make(many.lone.one, True), default_lanes())
        self.rest: Executable | None = None
        if many.lone.rest.bodies:
            self.rest = compile_program(make(many.lone.rest, False))
        self.entry = _run_parts.address
        own, rest = self.one.layout, None if self.rest is None else self.rest.layout
        self.layout = _Sizes(
            inputs=self._sizes(own.inputs, {} if rest is None else rest.inputs),
            outputs=self._sizes(own.outputs, {} if rest is None else rest.outputs),
        )

    def frame(self) -> PartedFrame:
        """Memory of its own to call the program in."""
        return PartedFrame(self)

    def _sizes(self, one: Mapping[str, int], rest: Mapping[str, int]) -> dict[str, int]:
        """Of the whole scene: the numbers of all bodies, or those that only the rest has."""
        sizes = {}
        for name in [name for name in {**one, **rest} if name not in CONSTANTS]:
            places = self.many.places(name)
            sizes[name] = rest.get(name, one.get(name, 0)) if places is None else sum(places[-1])
        return sizes


class PartedFrame:
    """The arrays of a program in two parts, in one block, and the table that a call of it reads."""

    def __init__(self, program: PartedProgram) -> None:
        many, layout = program.many, program.layout
        sizes = {**layout.inputs, **layout.outputs}
        starts = dict(zip(sizes, np.cumsum([0, *sizes.values()])[:-1].tolist(), strict=True))
        size = sum(sizes.values())
        for name, values in many.lone.constants.items():
            starts[name] = size
            size += values.size
        self.memory = np.zeros(size)
        #: (bodies, size) of each input of CONSTANTS; live
        self.constants: dict[str, np.ndarray] = {}
        for name, values in many.lone.constants.items():
            kept = self.memory[starts[name] : starts[name] + values.size].reshape(values.shape)
            kept[:] = values
            self.constants[name] = kept
        views = {name: self.memory[starts[name] : starts[name] + n] for name, n in sizes.items()}
        self.inputs = [views[name] for name in layout.inputs]
        self.outputs = [views[name] for name in layout.outputs]
        self._frames = [program.one.frame(), *([program.rest.frame()] if program.rest is not None else [])]
        self._parts = self._made(program, starts)
        self._table = table(self._parts)
        self.address = self._table.ctypes.data

    def _made(self, program: PartedProgram, starts: Mapping[str, int]) -> Parts:
        many, one, rest = program.many, program.one, program.rest
        reads, slots_in = _of_one(many, one.layout.inputs, one.layout.offset, starts)
        writes, slots_out = _of_one(many, one.layout.outputs, one.layout.offset, starts)
        runs_in, runs_out = (
            np.array(
                [] if rest is None else list(_runs(many, names, rest.layout.offset, starts)), dtype=np.int64
            )
            for names in ((rest.layout.inputs, rest.layout.outputs) if rest is not None else ({}, {}))
        )
        return Parts(
            memory=self.memory.ctypes.data,
            rest=0 if rest is None else rest.entry,
            rest_frame=0 if rest is None else self._frames[1].address,
            one=one.entry,
            one_frame=self._frames[0].address,
            lanes=one.lanes,
            bodies=len(many.bodies),
            rest_in=runs_in.reshape(-1, 3),
            rest_out=runs_out.reshape(-1, 3),
            one_in=slots_in,
            one_out=slots_out,
            one_from=reads,
            one_to=writes,
        )


def _of_one(
    many: ManyBodies, sizes: Mapping[str, int], offset: Callable[[str], int], starts: Mapping[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Places of the arrays of every lone body, and where they are in the frame of one."""
    places, slots = [], []
    bodies = np.array(many.bodies)
    for name, size in sizes.items():
        if size == 0:
            continue
        given, slot = many.places(name), offset(name)
        if name in CONSTANTS:
            first = starts[name] + size * np.arange(len(bodies))
        elif name in _SHARED:
            first = np.full(len(bodies), starts[name])
        elif given is None:
            raise ValueError(f"a lone body has no {name!r}")
        else:
            first = starts[name] + np.array([given[i][0] for i in many.bodies])
            # a program of one body has the world's numbers before those of the body
            own = given[many.bodies[0]][1]
            slot, size = slot + size - own, own
        places.append(first)
        slots.append((slot, size))
    rows = np.ascontiguousarray(np.array(places, dtype=np.int64).reshape(len(slots), len(bodies)))
    return rows, np.array(slots, dtype=np.int64).reshape(-1, 2)


def _runs(
    many: ManyBodies, sizes: Mapping[str, int], offset: Callable[[str], int], starts: Mapping[str, int]
) -> Iterator[tuple[int, int, int]]:
    """What the rest has of every array, as runs: place in the block, place in its frame, length."""
    lone = set(many.bodies)
    for name, size in sizes.items():
        given, start, slot = many.places(name), starts[name], offset(name)
        if given is None:
            yield start, slot, size
            continue
        # numbers before those of the first body are the world's
        head = given[0][0]
        runs = [(0, head)] + [place for i, place in enumerate(given) if i not in lone]
        for at, length in _joined(runs):
            yield start + at, slot, length
            slot += length


def _joined(runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Runs that follow each other as one."""
    at, length = runs[0]
    for start, size in runs[1:]:
        if start == at + length:
            length += size
            continue
        if length:
            yield at, length
        at, length = start, size
    if length:
        yield at, length
