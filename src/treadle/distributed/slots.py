"""Free bodies as data: slots in the compiled step of one process, which bodies enter and leave.

A process has one contact step, made for the machines of the scene and for as many free bodies as it has slots
for. Inertia, shape, material and state of a body are numbers in arrays that the step reads, so that any body
goes into any slot of its class (what its shapes are) without anything being compiled. Slots without a body
touch nothing and stay where they are.
"""

from __future__ import annotations

import ctypes

import numpy as np

from treadle.collision.kinds import REACH, SIZE
from treadle.distributed.borders import half_sizes
from treadle.forces.load import LOAD_SIZE
from treadle.model.lone_bodies import LoneBodies
from treadle.sim.step.contact_step import ContactStep

__all__ = ["POINT_FORCE", "Slots", "body_record"]

#: Warm start of a contact point: keys of its shapes (see `Slots.keys`), feature, seven numbers of its force.
POINT_FORCE = np.dtype([("a", np.int64), ("b", np.int64), ("feature", np.int64), ("force", np.float64, (7,))])

#: Key of shapes in a slot without a body.
_NOBODY = -(1 << 60)

#: Arrays with a row per shape that follow a body, by their names in `Detection`, and how many numbers.
_SHAPE = {
    "size": (np.float64, 3), "placement": (np.float64, 12), "radius": (np.float64, 1),
    "thickness": (np.float64, 1), "bend": (np.float64, 1), "motion": (np.float64, 6),
}  # fmt: skip


def body_record(shapes: int) -> np.dtype:
    """Everything about a free body with up to so many shapes, as it travels between processes."""
    parts = [(name, kind, (shapes, count)) for name, (kind, count) in _SHAPE.items()]
    return np.dtype(
        [
            ("id", np.int64), ("kind", np.int64),
            ("q", np.float64, (7,)), ("v", np.float64, (6,)), ("rate", np.float64, (4, 6)),
            ("tau", np.float64, (6,)), ("load", np.float64, (LOAD_SIZE,)),
            ("inertia", np.float64, (10,)), ("frame", np.float64, (12,)),
            *parts,
        ]
    )  # fmt: skip


class Slots:
    """The slots of a contact step and the bodies in them.

    `kinds` are the classes of the slots, one per lone body of the step's model. `id` is that of the body in
    each slot, -1 where there is none.
    """

    def __init__(
        self, step: ContactStep, arrays: dict[str, np.ndarray], kinds: np.ndarray, shapes: int
    ) -> None:
        lone = LoneBodies.of(step.model)
        assert lone is not None
        self.step, self.kinds = step, kinds
        self._q, self._v = arrays["q"][:, 0], arrays["v"][:, 0]
        self._tau, self._loads = arrays["tau"][:, 0], arrays["loads"][:, 0].reshape(-1, LOAD_SIZE)
        self._at_q, self._at_v, self._body = lone.q, lone.v, np.array(lone.bodies) + 1
        self._memory = step.machine.lone_constants
        self.id = np.full(len(kinds), -1, dtype=np.int64)
        self._record = body_record(shapes)
        #: (slots, shapes) rows of their shapes, -1: none
        self.rows = _rows_of(step, self._body, shapes)
        #: bits that the shapes have while there is a body
        self._group = step.collider.shapes.group.copy()
        body = step.collider.shapes.body
        #: slot of every shape, -1: of a machine or the world; and its number among those of the slot
        self.slot_of = np.full(len(body), -1, dtype=np.int64)
        self._number = np.zeros(len(body), dtype=np.int64)
        for k in range(shapes):
            there = self.rows[:, k] >= 0
            self.slot_of[self.rows[there, k]], self._number[self.rows[there, k]] = np.flatnonzero(there), k
        fixed = np.flatnonzero(self.slot_of < 0)
        #: key of every shape that is in no slot: below zero, the same in all processes
        self._fixed = {int(shape): -1 - i for i, shape in enumerate(fixed)}
        self._look = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(step.machine.look.entry)
        self.half = half_sizes(step.collider.shapes.kind, step.collider.shapes.size)

    @property
    def active(self) -> np.ndarray:
        """Slots with a body."""
        return np.flatnonzero(self.id >= 0)

    def read(self, slots: np.ndarray) -> np.ndarray:
        """The bodies in slots, as records."""
        detection, records = self.step.detection, np.zeros(len(slots), self._record)
        records["id"], records["kind"] = self.id[slots], self.kinds[slots]
        records["q"], records["v"] = self._q[self._at_q[slots]], self._v[self._at_v[slots]]
        records["rate"] = self.step.scratch.rate[:, self._at_v[slots]].swapaxes(0, 1)
        records["tau"], records["load"] = self._tau[self._at_v[slots]], self._loads[self._body[slots] - 1]
        records["inertia"] = self._memory[0]["inertia"][slots]
        records["frame"] = self._memory[0]["placement"][slots]
        for name, (_, count) in _SHAPE.items():
            array = getattr(detection, name).reshape(-1, count)
            records[name] = array[self.rows[slots]]
        return records

    def write(self, slots: np.ndarray, records: np.ndarray) -> None:
        """Put bodies into slots."""
        detection, shapes = self.step.detection, self.step.collider.shapes
        self.id[slots] = records["id"]
        self.write_state(slots, records["q"], records["v"])
        self.step.scratch.rate[:, self._at_v[slots]] = records["rate"].swapaxes(0, 1)
        self._tau[self._at_v[slots]] = records["tau"]
        self._loads[self._body[slots] - 1] = records["load"]
        for memory in self._memory:
            memory["inertia"][slots], memory["placement"][slots] = records["inertia"], records["frame"]
        given, rows = self.rows[slots] >= 0, self.rows[slots][self.rows[slots] >= 0]
        for name, (_, count) in _SHAPE.items():
            getattr(detection, name).reshape(-1, count)[rows] = records[name][given]
        shapes.group[rows] = self._group[rows]
        # the rows that detection reads have sizes of their own
        for X in self.step.shape_rows:
            X[rows, SIZE:REACH], X[rows, REACH] = shapes.size[rows], shapes.radius[rows]
        self.half[rows] = half_sizes(shapes.kind[rows], shapes.size[rows])

    def write_state(self, slots: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Set positions (n, 7) and velocities (n, 6)."""
        self._q[self._at_q[slots]], self._v[self._at_v[slots]] = q, v

    def clear(self, slots: np.ndarray) -> None:
        """Take bodies out of slots."""
        self.id[slots] = -1
        self._tau[self._at_v[slots]], self._loads[self._body[slots] - 1] = 0.0, 0.0
        rows = self.rows[slots][self.rows[slots] >= 0]
        self.step.collider.shapes.group[rows] = 0

    def park(self, low: np.ndarray, high: np.ndarray) -> None:
        """Let empty slots rest below a region, apart from each other: broad phases dislike crowds."""
        empty = np.flatnonzero(self.id < 0)
        if not len(empty):
            return
        side = int(np.ceil(len(empty) ** 0.5))
        place = np.stack(np.divmod(np.arange(len(empty)), side), axis=1) / max(side - 1, 1)
        q = np.zeros((len(empty), 7))
        q[:, 0], q[:, 4:6] = 1.0, low[:2] + place * (high - low)[:2]
        q[:, 6] = low[2]
        self.write_state(empty, q, np.zeros((len(empty), 6)))
        self.step.scratch.rate[:, self._at_v[empty]] = 0.0

    def free_slots(self, kinds: np.ndarray) -> np.ndarray | None:
        """A slot for each of some bodies by their classes; None where there are not enough."""
        chosen = np.zeros(len(kinds), dtype=np.int64)
        for kind in np.unique(kinds):
            wanted = np.flatnonzero(kinds == kind)
            empty = np.flatnonzero((self.id < 0) & (self.kinds == kind))
            if len(empty) < len(wanted):
                return None
            chosen[wanted] = empty[: len(wanted)]
        return chosen

    def sort(self) -> None:
        """Let bodies of a class lie in the order of their ids: rows are then in the order of one process."""
        wanted = self.id.copy()
        for kind in np.unique(self.kinds):
            slots = np.flatnonzero(self.kinds == kind)
            ids = self.id[slots]
            present = ids[ids >= 0]
            if (np.diff(present) < 0).any():
                wanted[slots] = -1
                wanted[slots[: len(present)]] = np.sort(present)
        moved = np.flatnonzero((wanted != self.id) & (self.id >= 0))
        if not len(moved):
            return
        bodies, points = self.read(moved), self.points(moved)
        self.forget(moved)
        self.clear(moved)
        place = np.zeros(int(wanted.max()) + 1, dtype=np.int64)
        place[wanted[wanted >= 0]] = np.flatnonzero(wanted >= 0)
        self.write(place[bodies["id"]], bodies)
        self.recall(points)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """(bodies, 3, 3) and (bodies, 3) of all bodies of the step's model; axes are then those, too."""
        look = self.step.machine.look
        look.position[:] = self._q
        self._look(look.frame)
        poses = look.poses.reshape(-1, 12)
        return poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]

    def centers(self, slots: np.ndarray) -> np.ndarray:
        """(n, 3) centres of mass, after `poses`."""
        poses = self.step.machine.look.poses.reshape(-1, 12)[self._body[slots] - 1]
        inertia = self._memory[0]["inertia"][slots]
        inside = (poses[:, :9].reshape(-1, 3, 3) @ (inertia[:, 1:4] / inertia[:, :1])[:, :, None])[:, :, 0]
        return poses[:, 9:] + inside

    def states(self, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n, 7) and velocities (n, 6)."""
        return self._q[self._at_q[slots]], self._v[self._at_v[slots]]

    def keys(self) -> np.ndarray:
        """Key of every shape: id of the body times most shapes of a body, plus its number; or below zero."""
        body = self.id[self.slot_of]
        keys = np.where(body < 0, _NOBODY, body * self.rows.shape[1] + self._number)
        for shape, key in self._fixed.items():
            keys[shape] = key
        return keys

    def points(self, slots: np.ndarray) -> np.ndarray:
        """The warm start of points that bodies in some slots take part in."""
        scratch = self.step.scratch
        known = int(scratch.known[0])
        rows = np.flatnonzero(self._of_slots(slots))
        keys, found = self.keys(), np.zeros(len(rows), POINT_FORCE)
        shapes = scratch.key[:known][rows]
        found["a"], found["b"], found["feature"] = keys[shapes[:, 0]], keys[shapes[:, 1]], shapes[:, 2]
        found["force"] = scratch.force[:known][rows]
        return found

    def forget(self, slots: np.ndarray) -> None:
        """Drop the warm start of points that bodies in some slots take part in."""
        scratch, keep = self.step.scratch, ~self._of_slots(slots)
        known, left = int(scratch.known[0]), int(keep.sum())
        scratch.key[:left], scratch.force[:left] = scratch.key[:known][keep], scratch.force[:known][keep]
        scratch.known[0] = left

    def recall(self, points: np.ndarray) -> np.ndarray:
        """Add to the warm start; the points of shapes that are elsewhere, which are left out."""
        keys = self.keys()
        order = np.argsort(keys, kind="stable")
        a, b = (_find(keys, order, points[side]) for side in ("a", "b"))
        there = (a >= 0) & (b >= 0)
        # the other way round, what points along the tangents is another number
        force = points["force"].copy()
        force[a > b, 1:6] = 0.0
        scratch = self.step.scratch
        known, room = int(scratch.known[0]), len(scratch.key)
        rows = np.column_stack([np.minimum(a, b), np.maximum(a, b), points["feature"]])[there]
        key = np.concatenate([scratch.key[:known], rows])
        force = np.concatenate([scratch.force[:known], force[there]])
        # in the order in which detection finds them, each once
        sorted_ = np.lexsort((np.arange(len(key)), key[:, 1], key[:, 0]))[:room]
        scratch.key[: len(sorted_)], scratch.force[: len(sorted_)] = key[sorted_], force[sorted_]
        scratch.known[0] = len(sorted_)
        return points[~there]

    def of_bodies(self, points: np.ndarray, ids: np.ndarray) -> np.ndarray:
        """Which points are of one of some bodies."""
        most = self.rows.shape[1]
        return np.isin(points["a"] // most, ids) | np.isin(points["b"] // most, ids)

    def _of_slots(self, slots: np.ndarray) -> np.ndarray:
        """Which known points have a body in one of some slots."""
        scratch = self.step.scratch
        chosen = np.zeros(len(self.id) + 1, dtype=bool)
        chosen[slots] = True
        # the last is that of shapes in no slot
        slots_of_points = self.slot_of[scratch.key[: int(scratch.known[0]), :2]]
        return chosen[slots_of_points[:, 0]] | chosen[slots_of_points[:, 1]]


def _rows_of(step: ContactStep, bodies: np.ndarray, shapes: int) -> np.ndarray:
    """(slots, shapes) rows of the shapes of bodies, -1: none."""
    rows, filled = np.full((len(bodies), shapes), -1, dtype=np.int64), np.zeros(len(bodies), dtype=np.int64)
    slot = {int(body): i for i, body in enumerate(bodies)}
    for shape, body in enumerate(step.collider.shapes.body.tolist()):
        if body in slot:
            i = slot[body]
            rows[i, filled[i]] = shape
            filled[i] += 1
    return rows


def _find(keys: np.ndarray, order: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where the wanted keys are, -1: nowhere."""
    place = np.searchsorted(keys[order], wanted)
    place = np.minimum(place, len(keys) - 1)
    found = order[place]
    return np.where(keys[found] == wanted, found, -1)
