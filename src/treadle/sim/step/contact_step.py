"""The contact step of one machine, with all its memory, run as the fused step is (see `Simulation`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from treadle.collision.collide import NOT_FINITE
from treadle.collision.collider import Collider
from treadle.contact.soft import LawMemory, make_soft, soft_entry, soft_frame
from treadle.native.frames import table
from treadle.sim.step.advance import take_steps
from treadle.sim.step.conservative_advancement import depths, steepness, thicknesses
from treadle.sim.step.contact_trace import make_trace
from treadle.sim.step.context import SUBSTEP, Code, Context, Detection, Scratch
from treadle.sim.step.continued import LOAD, STORE, Exchange, attend, spans
from treadle.sim.step.convective_terms import curvatures
from treadle.sim.step.machine_code import MachineCode, MachineMemory
from treadle.sim.step.materials import surface_table
from treadle.sim.step.options import StepOptions
from treadle.sim.step.overlap import overlapping_pairs
from treadle.sim.step.pair_distance import DistanceMemory
from treadle.sim.step.pair_totals import LOOPS, WORST, make_totals
from treadle.sim.step.points import POINT
from treadle.sim.step.sleep import make_sleep
from treadle.sim.step.substep import substep_entry
from treadle.sim.step.surface_motion import surface_motions
from treadle.sim.step.terrain_shapes import on_terrain, terrain_roles
from treadle.sim.step.touch_zones import make_zones
from treadle.sim.step.world_columns import PER_POINT
from treadle.solvers.agreement import Agreement, one_process
from treadle.solvers.sequential.rows import MOST_TOGETHER, empty_rows
from treadle.solvers.sequential.solver_abi import SolverMemory

__all__ = ["ContactStep"]

#: Arrays of a simulation that the programs read, other than the state.
_GIVEN = ("loads", "inputs", "parameters", "commands", "drives")

#: Substeps of a step, and numbers about their contacts, that are kept for the history of forces inside it.
_SUBSTEPS, _NUMBERS = 512, 1 << 15

#: Bodies that float up to which free rows are solved over the degrees of freedom that they move.
_FEW_FLOATING = 4


class ContactStep:
    """Takes steps of one machine whose shapes touch, on the arrays of a simulation.

    `traced` says whether the history of forces inside the last step is kept, which takes memory.
    """

    def __init__(
        self,
        code: MachineCode,
        arrays: Mapping[str, np.ndarray],
        options: StepOptions,
        traced: bool = True,
    ) -> None:
        self.model, self.code = code.model, code
        self._arrays = arrays
        self.machine = MachineMemory(code)
        flow = self.machine.flow_arrays
        self._constants = [
            (flow[name], arrays[name][:, 0]) for name in ("options", "closing") if name in flow
        ]
        #: what the programs read, other than the state: to where, from where
        self._given = [
            (own[name], arrays[name][:, 0])
            for own in (self.machine.arrays, self.machine.flow_arrays)
            for name in _GIVEN
            if name in own and len(own[name])
        ]
        parameters = arrays["parameters"]
        self._parameters = [(own, given) for own, given in self._given if given.base is parameters]
        grounded, fields = on_terrain(self.model, options.terrain)
        self.collider = Collider(grounded, fields=fields, meshes=options.meshes)
        self.collider.require_kernels()
        self.surfaces, self._surface_of, self._surface_kind, laws = surface_table(
            grounded, self.collider.shapes
        )
        self._laws = LawMemory(laws)
        #: (shapes, 6) see `surface_motion`; live
        self.surface_motion = surface_motions(grounded, self.collider.names, self.collider.shapes)
        model = self.model
        self._q, self._tau_given = np.zeros(model.nq), np.zeros(model.nv)
        # the prediction starts from the state
        self._v, self._tau = self.machine.free.v, self.machine.free.tau
        self._overlapping = overlapping_pairs(self.model, self.collider, arrays["q"][:, 0])
        self.scratch: Any = None
        #: (1) length (s) of the last steps
        self.span = np.zeros(1)
        springs = np.isfinite(self.surfaces["stiffness"]) & (self.surfaces["impedance"] == 0.0)
        self._compliant = bool(springs.any())
        kept = traced and self._compliant
        self._trace = make_trace(_SUBSTEPS, _NUMBERS) if kept else make_trace(0, 0)
        #: (1) the substep under way; and what takes steps: table, dt, time, how many -> how many were taken
        self.now = np.zeros(1, SUBSTEP)
        self.now["stepping"] = options.time_stepping
        self.take: Callable[[int, float, float, float, int], int] = take_steps
        self._port, self._task = np.zeros(3, np.int64), np.zeros(2, np.int64)
        self._exchange: Exchange | None = None
        self._agreement, self._sleeps = one_process(len(model.bodies)), options.sleep
        self._allocate()

    def __call__(self, begin: int, end: int, count: int) -> None:
        """Take steps: those that were taken are counted in "alive"."""
        if self._sleeps and any(not np.array_equal(own, given) for own, given in self._parameters):
            self._wake_all()
        self._attend(LOAD, 0)
        (start, steps), left = self._arrays["clock"][:, 0].tolist(), count
        while left:
            left -= self.take(self.table, float(self.span[0]), start, steps + count - left, left)
            if left and not self.make_room():
                self._arrays["alive"][0, 0] = 0.0
                break
        self._attend(STORE, count - left)

    @property
    def port(self) -> np.ndarray:
        """What `continued` steps are taken with; live."""
        if self._exchange is None:
            self._bind()
        return self._port

    def _attend(self, task: int, number: int) -> None:
        """Take over the arrays of the world, or hand them back (see `attend`)."""
        if self._exchange is None:
            self._bind()
        self._task[0], self._task[1] = task, number
        attend.pointer(self._exchange_address)

    @property
    def attempted_velocity(self) -> np.ndarray:
        """(nv) the velocity at the end of the last substep, whether it was taken or not."""
        return self.scratch.end.copy()

    def compile(self) -> None:
        """Compile the kernels, which takes no step."""
        take_steps(self.table, 1.0, 0.0, 0.0, 0)
        if self.take is take_steps:
            self.take = take_steps.pointer
        # loads the code, and makes the tables
        self._attend(LOAD, 0)

    def make_room(self) -> bool:
        """Make the room that a step asked for that was not taken; False if that is not what was wrong."""
        if self.scratch.totals.size[0] > len(self.scratch.totals.at):
            self._allocate(2 * int(self.scratch.totals.size[0]))
            return True
        if self.collider.result[0] >= 0 or self.collider.result[0] == NOT_FINITE:
            return False
        self.collider.settle()
        self._allocate()
        return True

    @property
    def memory(self) -> np.ndarray:
        """What a step starts from: forces of joint rows, accelerations, memories of the integrator and of the
        wheels, which pairs are muted, and shapes, feature and forces of the last points, ten numbers each.
        """
        if self.scratch is None:
            return np.zeros(0)
        known = int(self.scratch.known[0])
        points = np.hstack([self.scratch.key[:known], self.scratch.force[:known]])
        return np.concatenate([*self._lasting, points.ravel()])

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        count = sum(len(part) for part in self._lasting)
        if len(values) < count or (len(values) - count) % 10:
            # of a machine with other joints
            values = self.fresh_memory
        place = 0
        for part in self._lasting:
            part[:] = values[place : place + len(part)]
            place += len(part)
        rows = values[place:].reshape(-1, 10)
        known = min(len(rows), len(self.scratch.key))
        asleep = self._sleep.label > 0.0
        self._agreement.counted[: len(asleep)] = ~asleep
        # their points are found again, from the forces that are known
        self._sleep.state[:], self._sleep.resting[:] = (asleep.sum(), 1, 0), 0
        self.scratch.known[0] = known
        self.scratch.key[:known] = rows[:known, :3]
        self.scratch.force[:known] = rows[:known, 3:]

    @property
    def overlapping(self) -> list[tuple[str, str]]:
        """Names of the shapes of one machine that overlap since the start, and so do not touch."""
        names, count = self.collider.names, len(self.collider.names)
        muted = zip(self._overlapping, self.scratch.muted, strict=True)
        pairs = [(names[key // count], names[key % count]) for key, flag in muted if flag > 0.0]
        # pieces of one shape have its name
        return list(dict.fromkeys(pairs))

    def forces(self, point: np.void) -> tuple[np.ndarray, np.ndarray]:
        """Force (N) and torque (N m) on the second body of a point, means over the last substep."""
        surface = self.surfaces[point["surface"]]
        n, t = (np.array([point[f"{axis}{c}"] for c in "xyz"]) for axis in "nt")
        s = np.cross(n, t)
        slides = max(surface["friction"], surface["across"])
        shares = [slides, slides, *[surface[name] for name in ("rolling", "rolling", "spinning")]]
        kept = iter(self.scratch.force[point["known"]])
        force, torque = next(kept) * n, np.zeros(3)
        for k, (axis, share) in enumerate(zip((t, s, t, s, n), shares, strict=True)):
            if share > 0.0:
                (force if k < 2 else torque)[:] += next(kept) * axis
        return force, torque

    @property
    def position(self) -> np.ndarray:
        """(nq) where a step under way has got to; live."""
        return self._q

    @property
    def velocity(self) -> np.ndarray:
        """(nv) how fast it is there; live."""
        return self._v

    @property
    def detection(self) -> Detection:
        """What collision detection reads and writes; live, and new where room was made."""
        return self._context.detection

    @property
    def context(self) -> Context:
        """What the kernels share; live, and new where room was made."""
        return self._context

    @property
    def shape_rows(self) -> list[np.ndarray]:
        """The rows of the shapes (see `collision.kinds`), once for everything that reads them; live."""
        return [self.collider.work.X, self._distance.rows]

    def search_pairs(self) -> None:
        """Look for pairs of shapes in every step, also where they are few: shapes may be exchanged then."""
        self.collider.search_pairs()
        self._allocate()

    def share(self, agreement: Agreement) -> None:
        """Be a part of a world that several processes share."""
        self._agreement = agreement
        self._allocate()

    @property
    def sleeping(self) -> np.ndarray:
        """(bodies) number of the island that each sleeps in, 0: it is awake."""
        labels = self._sleep.label[1:].astype(np.int64)
        return labels if self._sleeps else np.zeros(len(self.model.bodies), np.int64)

    def _wake_all(self) -> None:
        """Let nobody sleep."""
        self._sleep.label[:], self._sleep.quiet[:], self._sleep.state[:] = 0.0, 0.0, 0
        self._sleep.resting[:], self._agreement.counted[:] = 0, 1

    @property
    def programs(self) -> np.ndarray:
        """(laws, 2) entry and frame of each law that is not linear."""
        return self._laws.table

    def forget_worst(self) -> None:
        """Begin a run: nothing was bad yet."""
        self.scratch.totals.worst[:] = WORST

    @property
    def worst_loops(self) -> np.ndarray:
        """What is known of loops since the start of the run (see `solvers.stabilization`)."""
        return self.scratch.totals.worst[LOOPS:]

    def seen(self) -> list[np.ndarray]:
        """What can be read about the last step, as copies."""
        return [array.copy() for array in self._seen()]

    def show(self, seen: list[np.ndarray]) -> None:
        """Put back what could be read; there may be more room for it by now."""
        for array, old in zip(self._seen(), seen, strict=True):
            array[tuple(slice(n) for n in old.shape)] = old
        # the places of other pairs
        self.scratch.totals.slot[:] = 0

    def _seen(self) -> list[np.ndarray]:
        scratch, totals = self.scratch, self.scratch.totals
        kept = [scratch.points, scratch.known, scratch.key, scratch.force, scratch.effort]
        kept += [self.collider.result, self.span, totals.size, totals.pair, totals.sums, totals.worst]
        kept.append(totals.zones.impulse)
        return [*kept, *scratch.trace]

    @property
    def _lasting(self) -> list[np.ndarray]:
        """Arrays of one length that a step hands to the next."""
        flow, free = self.machine.flow, self.machine.free
        scratch = self.scratch
        lasting = [scratch.joint_force, scratch.rate.ravel(), scratch.last_h]
        sleep = self._sleep
        lasting += [sleep.label, sleep.quiet, sleep.rest_q, sleep.rest_tau, sleep.rest_loads, sleep.spare]
        return [*lasting, flow.memory, free.wheel_memory, scratch.muted]

    @property
    def kept_size(self) -> int:
        """Numbers that a world hands from step to step, at most (see `world_columns`)."""
        return len(self.fresh_memory) + 1 + PER_POINT * len(self.scratch.key)

    @property
    def fresh_memory(self) -> np.ndarray:
        """The memory of a machine that has not moved yet."""
        parts = [np.zeros(len(part)) for part in self._lasting]
        parts[-1][:] = 1.0
        return np.concatenate(parts)

    def clear_loads(self) -> None:
        """Let no forces act on the bodies."""
        for ports in (self.machine.ports, self.machine.flow_ports):
            ports.loads[:] = 0.0

    def read_constants(self) -> None:
        """Take over what the programs read that does not change from step to step."""
        for own, given in self._constants:
            own[:] = given

    def _bind(self) -> None:
        """Make the `Exchange`: state, and what programs read besides."""
        arrays = {name: array[:, 0] for name, array in self._arrays.items()}
        load = [(arrays["q"], self._q), (arrays["v"], self._v), (arrays["tau"], self._tau_given)]
        load += [(given, own) for own, given in [*self._given, *self._constants]]
        store = [(self._q, arrays["q"]), (self._v, arrays["v"])]
        store += [(self.machine.ports.drives, arrays["drives"])]
        # readouts see what limits, friction, motors and motions gave, and what wheels did
        store += [(self.scratch.joint_impulse, arrays["rows"])] if len(arrays["rows"]) else []
        wheels = self.machine.free.wheel_memory
        store += [(wheels, arrays["memory"])] if len(wheels) <= len(arrays["memory"]) else []
        self._exchange = Exchange(
            task=self._task,
            load=spans(load),
            store=spans(store),
            **{name: arrays[name] for name in ("dt", "clock", "alive", "ledger")},
            effort=self.scratch.effort,
            span=self.span,
        )
        self._exchange_table = table(self._exchange)
        self._exchange_address = self._exchange_table.ctypes.data
        self._port[:] = take_steps.address, self.table, self._exchange_address

    def _allocate(self, pairs: int = 0) -> None:
        """Memory for as many points as the collider has room for, and for as many pairs or more."""
        collider = self.collider
        if self.scratch is None:
            self._q[:] = self._arrays["q"][:, 0]
        # poses of the shapes, which the next margin is made from
        collider.place(self._q)
        collider.collide()
        kept = None if self.scratch is None else (self.memory, self.scratch)
        self.scratch = self._make_scratch(max(len(collider.contacts.data), pairs))
        room = len(self.scratch.points)
        self._sleep = make_sleep(self._sleeps, self.model, collider.shapes, collider.resting, room)
        self.memory = self.fresh_memory if kept is None else kept[0]
        if kept is not None:
            self.scratch.effort[:] = kept[1].effort
            self.scratch.totals.worst[:] = kept[1].totals.worst
        collider.mute(self._overlapping, self.scratch.muted)
        self._context = self._make_context()
        self._table, self._exchange = table(self._context), None
        #: address of the table of the context
        self.table = self._table.ctypes.data

    def _make_scratch(self, pairs: int) -> Scratch:
        model, points, tree = self.model, len(self.collider.contacts.data), self.machine.tree
        bodies, places = len(model.bodies) + 1, len(tree.root) + len(tree.loop_root)
        twist_end, twist_now = np.zeros((2, bodies, 6))
        z, work = np.zeros((2, places))
        end, shift, extra, v_start = np.zeros((4, model.nv))
        return Scratch(
            twist_end=twist_end,
            twist_now=twist_now,
            reach=np.zeros(len(self.collider.shapes.kind)),
            end=end,
            shift=shift,
            z=z,
            work=work,
            extra=extra,
            laid=np.zeros(bodies, np.int64),
            reference=np.zeros((bodies, 3)),
            basis=np.zeros((len(self.machine.body_tree.way), 6)),
            q_start=np.zeros(model.nq),
            v_start=v_start,
            points=np.zeros(points, POINT),
            joint_force=np.zeros(self._joint_rows),
            joint_row=np.full(self._joint_rows, -1),
            known=np.zeros(1, np.int64),
            key=np.zeros((points, 3), np.int64),
            force=np.zeros((points, 7)),
            rate=np.zeros((4, model.nv)),
            last_h=np.zeros(1),
            muted=np.zeros(len(self._overlapping)),
            effort=np.zeros(4),
            joint_impulse=np.zeros(self._joint_rows),
            totals=make_totals(pairs, make_zones(model, self.collider)),
            trace=self._trace,
        )

    @property
    def _joint_rows(self) -> int:
        return len(self.machine.pattern.first) - 1

    def _make_context(self) -> Context:
        machine, model = self.machine, self.model
        rows = self._make_rows()
        # rounds between compliant contacts and rows end where they end in each process
        alone = one_process(len(model.bodies)) if self._compliant else self._agreement
        self._solver = SolverMemory(rows, self.scratch.z, alone)
        soft = make_soft(len(self.scratch.points) if self._compliant else 0, self._laws.table)
        self._soft_frame = soft_frame(soft)
        # what advances compliant contacts takes long to compile, and rigid bodies never ask for it
        spring = soft_entry() if self._compliant else 0
        return Context(
            nq=model.nq,
            nv=model.nv,
            joint_rows=self._joint_rows,
            move=machine.move,
            look=machine.look,
            free=machine.free,
            flow=machine.flow,
            close=machine.close,
            control=machine.control,
            drive=machine.drive,
            ports=machine.ports,
            flow_ports=machine.flow_ports,
            tree=machine.tree,
            pattern=machine.pattern,
            body_tree=machine.body_tree,
            detection=self._make_detection(),
            surfaces=self.surfaces,
            scratch=self.scratch,
            solver=self._solver.solver,
            rows=rows,
            soft=soft,
            spring=Code(entry=spring, frame=self._soft_frame.ctypes.data),
            substep=Code(entry=substep_entry(), frame=0),
            now=self.now,
            q=self._q,
            v=self._v,
            tau=self._tau,
            tau_given=self._tau_given,
            agreement=self._agreement,
            sleep=self._sleep,
        )

    def _make_rows(self) -> Any:
        tree, pattern = self.machine.tree, self.machine.pattern
        points, places = len(self.scratch.points), len(self.scratch.z)
        depth = int(np.diff(tree.start).max(initial=0)) + 1
        widest = min(self.model.nv, 2 * depth) + len(tree.loop_root)
        entries = len(pattern.way) + self._joint_rows * len(tree.loop_root) + 6 * points * widest
        rows = empty_rows(self._joint_rows + 6 * points, entries, places, MOST_TOGETHER)
        # what redundant rows share depends on which are solved together, and processes may part them
        floating = sum(body.joint.type.kind == "free" for body in self.model.bodies)
        rows.held[2] = int(floating <= _FEW_FLOATING and self._agreement.entry == 0)
        return rows

    def _make_detection(self) -> Detection:
        collider = self.collider
        self._distance = distance = DistanceMemory(collider)
        shapes, contacts = collider.shapes, collider.contacts
        return Detection(
            entry=collider.entry,
            frame=collider.frame.ctypes.data,
            bodies=collider.bodies,
            margins=collider.margins,
            result=collider.result,
            data=contacts.data,
            pairs=contacts.pairs,
            feature=contacts.feature,
            kind=shapes.kind,
            size=shapes.size,
            placement=shapes.placement,
            body=shapes.body,
            radius=shapes.radius,
            thickness=thicknesses(shapes),
            depth=depths(shapes),
            steepness=steepness(shapes),
            bend=curvatures(shapes),
            motion=self.surface_motion,
            material=self._surface_kind,
            surface_of=self._surface_of,
            distance=distance.entry,
            distance_frame=distance.frame.ctypes.data,
            distance_pair=distance.frame,
            distance_result=distance.result,
            role=terrain_roles(self.model, collider),
        )
