"""One world on several processes: the step, and what is exchanged in it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from treadle.distributed.borders import reached, shared_islands, swept_boxes
from treadle.distributed.communicator import Alone, Traffic, route
from treadle.distributed.local_model import Scene
from treadle.distributed.lockstep import Lockstep
from treadle.distributed.slots import POINT_FORCE, Slots
from treadle.distributed.subdomains import Subdomains
from treadle.errors import InputError, SimulationDiverged
from treadle.forces.load import LOAD_SIZE
from treadle.model.lone_bodies import LoneBodies
from treadle.model.model import Model
from treadle.sim.arrays import DEFAULTS
from treadle.sim.step.contact_step import ContactStep
from treadle.sim.step.options import StepOptions
from treadle.sim.world import World

__all__ = ["DistributedWorld"]

#: Steps between looks at the shares of the work, and how much more than the mean the largest may be.
_REBALANCE, _UNEVEN = 50, 1.15

#: Share of the way of the fastest that slower bodies may be pushed by in a step, as in collision detection.
_PUSHED = 0.25

#: Work of a body and of a contact point, in the same unit.
_BODY_WORK, _POINT_WORK = 1.0, 0.5

#: A box of a shape as others hear of it.
_GHOST = np.dtype([("unit", np.int64), ("box", np.float64, (6,))])


class DistributedWorld:
    """A scene of free bodies and machines on the processes of a communicator, `Alone` if none is given.

    Every process makes it with the same model and calls the same methods. The step, options of
    `Simulation`, is that of one process.
    """

    def __init__(self, model: Model, dt: float | None = None, *, comm: Any = None, **options: Any) -> None:
        self.comm = Alone() if comm is None else comm
        self.scene, self._options = Scene(model), options
        settings = DEFAULTS | dict(model.settings)
        self.dt = float(settings["dt"] if dt is None else dt)
        self.steps = 0
        #: seconds of computing, of exchanging, and of waiting and exchanging in all
        self.computing, self.exchanging = 0.0, 0.0
        self.traffic = Traffic()
        #: bodies that changed their owner, bodies gathered for a step, and changes of the subdomains, so far
        self.migrated, self.gathered, self.rebalanced = 0, 0, 0
        #: warm start of points across borders: the other body is elsewhere until the next step
        self._waiting = np.zeros(0, POINT_FORCE)
        #: steps in which the machines were solved by another process than their owner
        self.lent = 0
        points = self.scene.q[:, 4:]
        mine = np.arange(len(points)) % self.comm.size == self.comm.rank
        self.subdomains = Subdomains.of(self.comm, points[mine], np.ones(int(mine.sum())))
        owned = np.flatnonzero(self.subdomains.owners(points) == self.comm.rank)
        self._build(owned)
        self._place(owned)

    def step(self, count: int = 1) -> None:
        """Advance all processes by steps of dt."""
        for _ in range(count):
            self._step()

    def _step(self) -> None:
        started = time.perf_counter()
        boxes, units, extents = self._share_extents()
        ghosts = self._exchange_ghosts(boxes, units, extents)
        self._gather_islands(boxes, units, ghosts)
        solving = time.perf_counter()
        self._solve()
        # what touches was here
        self._waiting = self._waiting[:0]
        solved = time.perf_counter()
        self._return_bodies()
        self.steps += 1
        if self.comm.size > 1 and self.steps % _REBALANCE == 0:
            self.rebalance()
        self.computing += solved - solving
        self.exchanging += time.perf_counter() - solved + solving - started

    def _share_extents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First exchange: how far each process reaches in the step, under the forces that act.

        Returns the boxes of the shapes here, their units, and the extents of all processes.
        """
        shapes, slots = self.contact_step.collider.shapes, self.slots
        R, p = slots.poses()
        slot = slots.slot_of
        units = np.where(slot >= 0, slots.id[slot], self._machines)
        here = np.flatnonzero((shapes.body > 0) & (units >= 0) & ((slot >= 0) | self._runs_machines()))
        body = shapes.body[here] - 1
        place = shapes.placement[here]
        center = p[body] + (R[body] @ place[:, 9:, None])[:, :, 0]
        arm = shapes.radius[here] + np.linalg.norm(place[:, 9:], axis=1)
        speed = self._speeds(R, p)[body] + self._turning[body] * arm
        way = (speed + self._gravity * self.dt) * self.dt
        fastest = max(self.comm.allgather(float(way.max(initial=0.0))))
        way = np.maximum(way, _PUSHED * fastest)
        axes = R[body] @ place[:, :9].reshape(-1, 3, 3)
        boxes = swept_boxes(axes, center, slots.half[here], way)
        own = np.full(6, np.inf)
        own[3:] = -np.inf
        if len(boxes):
            own = np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])
        return boxes, units[here], np.array(self.comm.allgather(own))

    def _exchange_ghosts(self, boxes: np.ndarray, units: np.ndarray, extents: np.ndarray) -> np.ndarray:
        """Second exchange: boxes that reach into the extents of another process."""
        parts, to = [], []
        for rank in range(self.comm.size):
            if rank == self.comm.rank:
                continue
            near = np.flatnonzero(reached(boxes, extents[rank]))
            ghosts = np.zeros(len(near), _GHOST)
            ghosts["unit"], ghosts["box"] = units[near], boxes[near]
            parts.append(ghosts)
            to.append(np.full(len(near), rank))
        if not parts:
            return np.zeros(0, _GHOST)
        return route(self.comm, np.concatenate(parts), np.concatenate(to), self.traffic)

    def _gather_islands(self, boxes: np.ndarray, units: np.ndarray, ghosts: np.ndarray) -> None:
        """Third exchange: constraints across borders, as islands, whose bodies go to those who solve them."""
        if self.comm.size == 1:
            return
        solver = shared_islands(self.comm, boxes, units, ghosts["box"], ghosts["unit"])
        told = self.comm.allgather((len(solver), solver.get(self._machines, -1)))
        self._machine_solver = next((rank for _, rank in told if rank >= 0), self._machine_owner)
        self.lent += int(self._machine_solver != self._machine_owner)
        self._mute_machines(self._machine_solver != self.comm.rank)
        if not any(count for count, _ in told):
            return
        leaving = {unit: rank for unit, rank in solver.items() if unit != self._machines}
        ids = np.array(list(leaving), dtype=np.int64)
        to = np.array(list(leaving.values()), dtype=np.int64)
        self.gathered += int((to != self.comm.rank).sum())
        self._move(self._slots_of(ids), to)

    def _solve(self) -> None:
        """The step of one process."""
        low, high = self._region()
        self.slots.park(low, high)
        if self._lockstep is not None:
            counted = self._lockstep.counted
            counted[1:] = self._machine_solver == self.comm.rank
            counted[np.array(self._lone.bodies) + 1] = self.slots.id >= 0
        alive, clock = self._arrays["alive"][:, 0], self._arrays["clock"][:, 0]
        alive[:], clock[:] = (1.0, 0.0), (0.0, self.steps)
        self.contact_step(0, 1, 1)
        if any(self.comm.allgather(alive[1] < 0.5)):
            now, name = self.steps * self.dt, self.scene.model.name
            raise SimulationDiverged(f"{name!r} diverged in the step at {now:g} s", time=now, element=name)

    def _return_bodies(self) -> None:
        """Fourth exchange: bodies to the processes that own them by now, machines to all."""
        if self.comm.size == 1:
            return
        self.slots.poses()
        active = self.slots.active
        owner = self.subdomains.owners(self.slots.centers(active))
        self._move(active, owner)
        self._share_machines()

    def rebalance(self) -> bool:
        """Cut the subdomains anew where the shares of the work are uneven; whether they were."""
        active = self.slots.active
        work = self._work(active)
        shares = self.comm.allgather(float(work.sum()))
        if max(shares) <= _UNEVEN * sum(shares) / len(shares):
            return False
        self.slots.poses()
        points = self.slots.centers(active)
        self.subdomains = Subdomains.of(self.comm, points, work)
        self._move(active, self.subdomains.owners(points))
        self._find_machine_owner()
        self.rebalanced += 1
        return True

    def gather(self, root: int | None = 0) -> tuple[np.ndarray, np.ndarray] | None:
        """Positions (bodies, 7) and velocities (bodies, 6) of all free bodies, by id, in one process.

        With `root` None in all processes.
        """
        active = self.slots.active
        told = self.comm.allgather((self.slots.id[active], *self.slots.states(active)))
        if root is not None and self.comm.rank != root:
            return None
        count = len(self.scene.bodies)
        q, v = np.full((count, 7), np.nan), np.full((count, 6), np.nan)
        for ids, positions, velocities in told:
            q[ids], v[ids] = positions, velocities
        return q, v

    def machines(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of everything but the free bodies; all processes have them."""
        lone = self._lone
        return self._arrays["q"][lone.rest_q, 0].copy(), self._arrays["v"][lone.rest_v, 0].copy()

    @property
    def agreements(self) -> int:
        """How often processes agreed on a decision of a step, so far."""
        return 0 if self._lockstep is None else self._lockstep.exchanges

    @property
    def owned(self) -> int:
        """Free bodies in this process."""
        return len(self.slots.active)

    def apply_force(self, body: str, force: Any) -> None:
        """Let a force (N, world axes) act at the origin of a free body, from now on, in whatever process."""
        names = {self.scene.model.bodies[i].name: k for k, i in enumerate(self.scene.bodies)}
        if body not in names:
            raise InputError(f"{body!r} is no free body of {self.scene.model.name!r}")
        for slot in np.flatnonzero(self.slots.id == names[body]):
            self._arrays["loads"].reshape(-1, LOAD_SIZE)[self._lone.bodies[slot], :3] = force

    # -- machines ------------------------------------------------------------------------------------------

    def _runs_machines(self) -> bool:
        return self._machine_owner == self.comm.rank

    def _find_machine_owner(self) -> None:
        """The owner of the machines: the process with their centre of mass."""
        self._machine_owner = 0
        if len(self._rest_bodies):
            R, p = self.slots.poses()
            mass = self._rest_mass[:, 0]
            moment = (R[self._rest_bodies] @ self._rest_mass[:, 1:, None])[:, :, 0]
            total = (mass[:, None] * p[self._rest_bodies] + moment).sum(axis=0) / max(mass.sum(), 1e-300)
            self._machine_owner = int(self.subdomains.owners(total[None])[0])
        self._machine_solver = self._machine_owner

    def _mute_machines(self, muted: bool) -> None:
        shapes = self.contact_step.collider.shapes
        rows = (self.slots.slot_of < 0) & (shapes.body > 0)
        shapes.group[rows] = 0 if muted else self._machine_group[rows]

    def _share_machines(self) -> None:
        """The state of the machines from the process that solved them."""
        if not len(self._rest_bodies):
            return
        lone, step, arrays = self._lone, self.contact_step, self._arrays
        parts = [arrays["q"][lone.rest_q, 0], arrays["v"][lone.rest_v, 0], arrays["drives"][:, 0]]
        parts += [step.scratch.rate[:, lone.rest_v], step.scratch.joint_force]
        given = self.comm.bcast([np.array(part) for part in parts], root=self._machine_solver)
        arrays["q"][lone.rest_q, 0], arrays["v"][lone.rest_v, 0], arrays["drives"][:, 0] = given[:3]
        step.scratch.rate[:, lone.rest_v], step.scratch.joint_force[:] = given[3], given[4]
        self._find_machine_owner()

    # -- bodies --------------------------------------------------------------------------------------------

    def _move(self, slots: np.ndarray, to: np.ndarray) -> None:
        """Bodies in slots go to processes, with the warm start of their contacts."""
        away = to != self.comm.rank
        slots, to = slots[away], to[away]
        if not any(self.comm.allgather(len(slots))):
            return
        bodies, points = self.slots.read(slots), [np.zeros(0, POINT_FORCE)]
        ranks = [np.zeros(0, dtype=np.int64)]
        for rank in np.unique(to):
            leaving = slots[to == rank]
            waiting = self._waiting[self.slots.of_bodies(self._waiting, self.slots.id[leaving])]
            found = np.concatenate([self.slots.points(leaving), waiting])
            points.append(found)
            ranks.append(np.full(len(found), rank))
        self.slots.forget(slots)
        self.slots.clear(slots)
        self.migrated += len(slots)
        coming = route(self.comm, bodies, to, self.traffic)
        known = route(self.comm, np.concatenate(points), np.concatenate(ranks), self.traffic)
        self._enter(coming, known)

    def _enter(self, bodies: np.ndarray, points: np.ndarray) -> None:
        chosen = self.slots.free_slots(bodies["kind"])
        if chosen is None:
            self._grow(bodies["kind"])
            chosen = self.slots.free_slots(bodies["kind"])
            assert chosen is not None
        self.slots.write(chosen, bodies)
        self.slots.sort()
        # both bodies of a point may have brought it
        points = np.unique(np.concatenate([points, self._waiting]))
        if len(points):
            self._waiting = self.slots.recall(points)

    def _grow(self, coming: np.ndarray) -> None:
        """More slots, for bodies of these classes on top of those that are here."""
        active, old = self.slots.active, self.slots
        bodies, points = old.read(active), old.points(active)
        machines = [self._arrays[name][places, 0].copy() for name, places in self._machine_places()]
        kinds = int(self.scene.kinds.max()) + 1
        wanted = np.bincount(np.concatenate([coming, bodies["kind"]]), minlength=kinds)
        self._build(bodies["id"], wanted)
        for (name, places), values in zip(self._machine_places(), machines, strict=True):
            self._arrays[name][places, 0] = values
        self.slots.clear(np.arange(len(self.slots.id)))
        self._enter(bodies, points)
        self._find_machine_owner()

    def _machine_places(self) -> list[tuple[str, np.ndarray]]:
        drives = np.arange(len(self._arrays["drives"]))
        return [("q", self._lone.rest_q), ("v", self._lone.rest_v), ("drives", drives)]

    def _slots_of(self, ids: np.ndarray) -> np.ndarray:
        slot = np.full(len(self.scene.bodies), -1, dtype=np.int64)
        active = self.slots.active
        slot[self.slots.id[active]] = active
        return slot[ids]

    def _work(self, slots: np.ndarray) -> np.ndarray:
        """Of every body: itself, and its share of the contact points."""
        scratch, of = self.contact_step.scratch, self.slots.slot_of
        taking = of[scratch.key[: int(scratch.known[0]), :2]].ravel()
        points = np.bincount(taking[taking >= 0], minlength=len(self.slots.id))
        return _BODY_WORK + _POINT_WORK * points[slots]

    # -- making of the step --------------------------------------------------------------------------------

    def _build(self, ids: np.ndarray, wanted: np.ndarray | None = None) -> None:
        """Compile the step of this process, with slots, of which the bodies with these ids are some."""
        chosen = self.scene.slots_for(ids, wanted)
        part = self.scene.part(chosen)
        options = StepOptions.of(part, contact=True, **self._options)
        if options.sleep:
            raise InputError("bodies of a world on several processes do not sleep: leave sleep out")
        if options.method.flows:
            raise InputError(
                f"{options.integrator!r} is not split over processes: leave the integrator to the default"
            )
        world = World(part, options, self.dt)
        self._arrays = dict(world.arrays)
        self._arrays |= {"loads": np.zeros((LOAD_SIZE * len(part.bodies), 1)), "ledger": np.zeros((1, 1))}
        lone = LoneBodies.of(part)
        assert lone is not None
        self._lone = lone
        step = ContactStep(world.contact_code(), self._arrays, options, traced=False)
        step.search_pairs()
        self._lockstep = None
        if self.comm.size > 1:
            self._lockstep = Lockstep(step, self.comm, len(self.scene.model.bodies))
        self.contact_step = step
        self._machine_group = step.collider.shapes.group.copy()
        count = np.bincount(step.collider.shapes.body, minlength=len(part.bodies) + 1)
        most = int(count[np.array(lone.bodies) + 1].max())
        self.slots = Slots(step, self._arrays, self.scene.kinds[chosen], most)
        self._chosen = chosen
        #: the unit of the machines
        self._machines = len(self.scene.bodies)
        self._rest_bodies = np.setdiff1d(np.arange(len(part.bodies)), lone.bodies)
        inertia = [part.bodies[i].inertia for i in self._rest_bodies]
        self._rest_mass = np.array([[x.mass, *x.moment] for x in inertia], dtype=float).reshape(-1, 4)
        self._gravity = float(np.linalg.norm([float(x) for x in part.gravity]))

    def _place(self, owned: np.ndarray) -> None:
        """Let the slots of owned bodies have them, and no others."""
        ids = self._chosen
        self.slots.id[:] = ids
        self.slots.write_state(np.arange(len(ids)), self.scene.q[ids], self.scene.v[ids])
        self.slots.clear(np.flatnonzero(~np.isin(ids, owned)))
        self._find_machine_owner()
        self._mute_machines(not self._runs_machines())

    def _region(self) -> tuple[np.ndarray, np.ndarray]:
        """The box around the bodies here, a little larger."""
        q, _ = self.slots.states(self.slots.active)
        if not len(q):
            return np.zeros(3), np.ones(3)
        return q[:, 4:].min(axis=0) - 1.0, q[:, 4:].max(axis=0) + 1.0

    def _speeds(self, R: np.ndarray, p: np.ndarray) -> np.ndarray:
        """(bodies) speeds of their origins; `_turning` are then their rates of turning."""
        speed, self._turning = np.zeros(len(p)), np.zeros(len(p))
        active = self.slots.active
        _, v = self.slots.states(active)
        place = np.array(self._lone.bodies)[active]
        speed[place] = np.linalg.norm(v[:, 3:], axis=1)
        self._turning[place] = np.linalg.norm(v[:, :3], axis=1)
        machine, tree = self.contact_step.machine, self.contact_step.machine.body_tree
        twist: dict[int, np.ndarray] = {0: np.zeros(6)}
        axes, velocity = machine.look.axes.reshape(-1, 6), self._arrays["v"][:, 0]
        for i in self._rest_bodies.tolist():
            dofs = slice(int(tree.first[i + 1]), int(tree.first[i + 2]))
            twist[i + 1] = twist[int(tree.above[i + 1])] + velocity[dofs] @ axes[dofs]
            speed[i] = np.linalg.norm(twist[i + 1][3:] + np.cross(twist[i + 1][:3], p[i]))
            self._turning[i] = np.linalg.norm(twist[i + 1][:3])
        return speed
