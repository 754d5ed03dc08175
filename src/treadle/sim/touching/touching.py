"""The step of a machine with contact, with all its memory, run as the compiled step is (see `Simulation`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treadle.collision.collide import NOT_FINITE
from treadle.collision.collider import Collider
from treadle.contact.soft import LawMemory, make_soft, soft_entry, soft_frame
from treadle.native.frames import table
from treadle.sim.touching.diary import make_diary
from treadle.sim.touching.footing import on_terrain
from treadle.sim.touching.machine import MachineCode, MachineMemory
from treadle.sim.touching.meeting import DistanceMemory
from treadle.sim.touching.passing import thicknesses
from treadle.sim.touching.points import POINT
from treadle.sim.touching.span import span_entry
from treadle.sim.touching.stage import Arena, Room, Span, Spring, Stage
from treadle.sim.touching.step import take_steps
from treadle.sim.touching.surfaces import surface_table
from treadle.sim.touching.tally import make_tally
from treadle.sim.touching.turning import bends
from treadle.solvers.sequential.entry import SolverMemory
from treadle.solvers.sequential.rows import empty_rows
from treadle.solvers.sequential.simgc import MOST_TOGETHER
from treadle.terrain import Terrain

__all__ = ["Touching"]

#: Arrays of a simulation that the free motion reads.
_GIVEN = ("loads", "inputs", "parameters", "commands", "drives")

#: Spans of a step, and numbers about their contacts, that are kept for the course of forces inside it.
_SPANS, _NUMBERS = 512, 1 << 15


class Touching:
    """Takes steps of one machine whose shapes touch, on the arrays of a simulation.

    `followed` says whether the course of forces inside the last step is kept, which takes memory.
    """

    def __init__(
        self,
        code: MachineCode,
        arrays: Mapping[str, np.ndarray],
        terrain: Terrain | None = None,
        meshes: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
        followed: bool = True,
    ) -> None:
        self.model = code.model
        self._arrays = arrays
        self.machine = MachineMemory(code)
        grounded, fields = on_terrain(self.model, terrain)
        self.collider = Collider(grounded, fields=fields, meshes=meshes)
        self.collider.require_kernels()
        self.surfaces, self._surface_of, self._surface_kind, laws = surface_table(
            grounded, self.collider.shapes
        )
        self._laws = LawMemory(laws)
        self._q, self._v, self._tau = np.zeros(self.model.nq), *np.zeros((2, self.model.nv))
        self.room: Any = None
        #: (1) length (s) of the last steps
        self.span = np.zeros(1)
        self._springy = bool(np.isfinite(self.surfaces["stiffness"]).any())
        self._diary = make_diary(_SPANS, _NUMBERS) if followed and self._springy else make_diary(0, 0)
        self._drive, self._control = code.drive, code.control
        #: joint forces of the controllers in parts of a step, which they command at its start
        self.held: np.ndarray | float | None = None
        self._make_room()

    def __call__(self, begin: int, end: int, count: int) -> None:
        """Take steps: those that were taken are counted in "alive"."""
        arrays, machine = self._arrays, self.machine
        for name in _GIVEN:
            if name in machine.arrays:
                machine.arrays[name][:] = arrays[name][:, 0]
        q, v, tau, alive = (arrays[name][:, 0] for name in ("q", "v", "tau", "alive"))
        start, steps = arrays["clock"][:, 0]
        h = float(arrays["dt"][0, 0])
        left, self.span[0] = count, h
        self.room.effort[2] = 0.0
        while left:
            time = start + (steps + count - left) * h
            before = q.copy()
            commanded = self.commanded(time) if self.held is None else self.held
            self._q[:], self._v[:], self._tau[:] = q, v, tau + commanded
            whole = self._drive is None and self._control is None
            taken = take_steps(self._table.ctypes.data, h, time, left if whole else 1)
            q[:], v[:] = self._q, self._v
            left -= taken
            if taken and not whole:
                self._driven(before)
                continue
            if left and self.room.tally.size[0] > len(self.room.tally.at):
                self._make_room(2 * int(self.room.tally.size[0]))
                continue
            if left and (self.collider.result[0] >= 0 or self.collider.result[0] == NOT_FINITE):
                alive[0] = 0.0
                break
            if left:
                self.collider.settle()
                self._make_room()
        alive[1] += count - left
        arrays["clock"][1, 0] += count - left
        arrays["ledger"][0, 0] += self.room.effort[2]

    def commanded(self, time: float) -> np.ndarray | float:
        """Joint forces of the controllers over the step that begins now."""
        if self._control is None:
            return 0.0
        given = [
            np.array([time]) if name == "time" else self._arrays[name][:, 0]
            for name in self._control.layout.inputs
        ]
        found = self._control(*given)
        # none where the state is not finite, which ends the run
        return 0.0 if found is None else found[0]

    def _driven(self, before: np.ndarray) -> None:
        """Let the actuators' own state follow a step from a position."""
        arrays = self._arrays
        if self._drive is None:
            return
        given = [arrays[name][:, 0] for name in ("v", "dt", "commands", "drives")]
        (after,) = self._drive(before, *given)  # type: ignore[misc]
        arrays["drives"][:, 0] = self.machine.arrays["drives"][:] = after

    @property
    def memory(self) -> np.ndarray:
        """What a step starts from: the last forces of the joints' rows, and shapes, feature and forces of the
        last points, ten numbers each.
        """
        if self.room is None:
            return np.zeros(0)
        known = int(self.room.known[0])
        points = np.hstack([self.room.key[:known], self.room.force[:known]])
        return np.concatenate([self.room.joint_force, points.ravel()])

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        joints = len(self.room.joint_force)
        if len(values) < joints or (len(values) - joints) % 10:
            # of a machine with other joints
            values = np.zeros(joints)
        self.room.joint_force[:] = values[:joints]
        rows = values[joints:].reshape(-1, 10)
        known = min(len(rows), len(self.room.key))
        self.room.known[0] = known
        self.room.key[:known] = rows[:known, :3]
        self.room.force[:known] = rows[:known, 3:]

    def forces(self, point: np.void) -> tuple[np.ndarray, np.ndarray]:
        """Force (N) and torque (N m) on the second body of a point, means over the last span."""
        surface = self.surfaces[point["surface"]]
        n, t = (np.array([point[f"{axis}{c}"] for c in "xyz"]) for axis in "nt")
        s = np.cross(n, t)
        slides = max(surface["friction"], surface["across"])
        shares = [slides, slides, *[surface[name] for name in ("rolling", "rolling", "spinning")]]
        kept = iter(self.room.force[point["known"]])
        force, torque = next(kept) * n, np.zeros(3)
        for k, (axis, share) in enumerate(zip((t, s, t, s, n), shares, strict=True)):
            if share > 0.0:
                (force if k < 2 else torque)[:] += next(kept) * axis
        return force, torque

    @property
    def programs(self) -> np.ndarray:
        """(laws, 2) entry and frame of each law that is not linear."""
        return self._laws.table

    def seen(self) -> list[np.ndarray]:
        """What can be read about the last step, as copies."""
        return [array.copy() for array in self._seen()]

    def show(self, seen: list[np.ndarray]) -> None:
        """Put back what could be read; there may be more room for it by now."""
        for array, old in zip(self._seen(), seen, strict=True):
            array[tuple(slice(n) for n in old.shape)] = old
        # the places of other pairs
        self.room.tally.slot[:] = 0

    def _seen(self) -> list[np.ndarray]:
        room, tally = self.room, self.room.tally
        kept = [room.points, room.known, room.key, room.force, room.effort, self.collider.result]
        return [*kept, self.span, tally.size, tally.pair, tally.sums, tally.worst, *room.diary]

    def _make_room(self, pairs: int = 0) -> None:
        """Memory for as many points as the collider has room for, and for as many pairs or more."""
        model, collider = self.model, self.collider
        # poses of the shapes, which the next margin is made from
        collider.place(self._arrays["q"][:, 0])
        collider.collide()
        points, pattern = len(collider.contacts.data), self.machine.pattern
        lasting = len(pattern.first) - 1
        places, bodies = len(self.machine.tree.root) + len(self.machine.tree.loop_root), len(model.bodies) + 1
        self._distance = distance = DistanceMemory(collider)
        shapes, contacts = collider.shapes, collider.contacts
        arena = Arena(
            collider.entry, collider.frame.ctypes.data, collider.bodies, collider.margin, collider.result,
            contacts.data, contacts.pairs, contacts.feature, shapes.kind, shapes.placement, shapes.body,
            shapes.radius, thicknesses(shapes), bends(shapes), self._surface_kind, self._surface_of,
            distance.entry, distance.frame.ctypes.data, distance.frame, distance.result,
        )  # fmt: skip
        kept, effort = self.memory, np.zeros(3) if self.room is None else self.room.effort
        tally = make_tally(max(points, pairs))
        if self.room is not None:
            tally.worst[:] = self.room.tally.worst
        self.room = Room(
            np.zeros((bodies, 6)), np.zeros((bodies, 6)), np.zeros(len(shapes.kind)), np.zeros(model.nq),
            np.zeros(model.nv), np.zeros(model.nv), np.zeros(places), np.zeros(places),
            np.zeros(points, POINT), np.zeros(lasting), np.zeros(1, np.int64),
            np.zeros((points, 3), np.int64), np.zeros((points, 7)), effort, np.zeros(model.nq),
            np.zeros(model.nv), np.zeros(model.nv), tally, self._diary,
        )  # fmt: skip
        self.memory = kept
        depth = int(np.diff(self.machine.tree.start).max(initial=0)) + 1
        widest = min(model.nv, 2 * depth) + len(self.machine.tree.loop_root)
        entries = len(pattern.way) + lasting * len(self.machine.tree.loop_root) + 6 * points * widest
        rows = empty_rows(lasting + 6 * points, entries, places, MOST_TOGETHER)
        self._solver = SolverMemory(rows, self.room.z)
        soft = make_soft(points, self._laws.table)
        self._soft_frame = soft_frame(soft)
        machine = self.machine
        # what advances springs takes long to compile, and rigid bodies never ask for it
        spring = Spring(soft_entry() if self._springy else 0, self._soft_frame.ctypes.data)
        self._order = np.zeros(6)
        self._stage = Stage(
            model.nq, model.nv, lasting, machine.move, machine.look, machine.free, machine.close,
            machine.tree, pattern, machine.carried, arena, self.surfaces, self.room, self._solver.solver,
            rows, soft, spring, Span(span_entry(), self._order), self._q, self._v, self._tau,
        )  # fmt: skip
        self._table = table(self._stage)
