"""What a contact step asks of a machine, as programs to compile.

move     q, step -> position = q (+) step
look     position -> poses of the bodies, axes of the degrees of freedom
predict  position, v, forces, h -> the same, velocity after h without contact, twists of the bodies, factors,
         joint rows
close    q, v -> the same with loops closed, and how far they are open
drive    q, v -> the actuators' own state after a step
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.motion import Motion as JointMotion
from treadle.constraints.rows import closure_rows
from treadle.dynamics.cholesky import parent_freedoms
from treadle.dynamics.forward import by_composite_inertia
from treadle.dynamics.kinematics import joint_motion, world_transforms
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.forces.actuator import actuator_state_size
from treadle.forces.input import Input, InputTable, reading
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import LOAD_SIZE
from treadle.forces.stiff_law import is_stiff, with_law_couplings
from treadle.graph import Expr, Graph, Scalar, sqrt
from treadle.integrators.system import System
from treadle.model import lift
from treadle.model.distinct_constants import distinct_constants
from treadle.model.identical_subtrees import subtree_inputs
from treadle.model.lone_bodies import CONSTANTS, with_constants
from treadle.model.model import Model
from treadle.native.frames import Integers
from treadle.native.program import Program
from treadle.sim.bounds import bound_rows
from treadle.sim.step.program import own_wheels
from treadle.solvers.closure import ClosureFactor, closure_factor, closure_of
from treadle.solvers.direct import closed_dynamics
from treadle.solvers.stabilization import CLOSED, STABILIZATIONS, closing_time, opened
from treadle.spatial import Motion, Transform

if TYPE_CHECKING:
    from treadle.integrators.rolling import WheelBalance
    from treadle.terrain import Terrain

__all__ = [
    "Prediction",
    "Pattern",
    "close_program",
    "drive_program",
    "look_program",
    "move_program",
]


def move_program(model: Model, lone: bool = False) -> Program:
    """A position moved by a tangent step."""

    def move(q: Sequence[Scalar], step: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        return {"position": [x for j in model.joints for x in j.type.integrate(q[j.q], step[j.v])]}

    return _program("move", model, {"q": model.nq, "step": model.nv}, move)


def look_program(model: Model, lone: bool = False, parameters: Sequence[str] = ()) -> Program:
    """Where bodies are: twelve numbers each (rotation by rows, position), and how freedoms move them.

    The axis of a freedom is the motion (angular, then linear at the world's origin) of its body and those
    behind it, in the world's axes. `parameters` name constants of the model that become inputs.
    """

    def look(position: Sequence[Scalar], **given: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        machine = with_constants(model, given) if lone else model
        if parameters:
            machine = lift(machine, dict(zip(parameters, given["parameters"], strict=True)))
        poses = world_transforms(machine, position)
        return _outlook(poses, _world_axes(machine, position, poses))

    sizes = {"position": model.nq} | (CONSTANTS if lone else {})
    sizes |= {"parameters": len(parameters)} if parameters else {}
    return _program(f"look{' lone' * lone} {_named(model, parameters)}", model, sizes, look)


def close_program(model: Model, lone: bool = False, projects: bool = True) -> Program:
    """Position and velocity at the end of a step, and what is known of loops; a lone body has none."""
    finish = STABILIZATIONS["projection" if projects else "none"].finish

    def close(
        q: Sequence[Scalar], v: Sequence[Scalar], **known: Sequence[Scalar]
    ) -> Mapping[str, Sequence[Scalar]]:
        if lone:
            return {"position": q, "velocity": v}
        position, velocity, gap = finish(model, q, v, ())
        return {"position": position, "velocity": velocity, "next_gap": opened(known["gap"], gap)}

    sizes = {"q": model.nq, "v": model.nv} | ({} if lone else {"gap": len(CLOSED)})
    return _program("close" if projects else "open", model, sizes, close)


def drive_program(model: Model) -> Program:
    """The actuators' own state after a step from q that ended with the velocity v."""
    sizes = {"q": model.nq, "v": model.nv, "dt": 1, "commands": len(model.actuators)}

    def drive(**given: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        system = System(model, [], commands=given["commands"], drives=given["drives"])
        return {"next_drives": system.driven(given["q"], given["v"], given["dt"][0])}

    return _program("drive", model, sizes | {"drives": actuator_state_size(model)}, drive)


class Pattern(NamedTuple):
    """Where the numbers of `free` belong: of held loops (see `sequential.tree`) and of the joints' rows."""

    loop_first: Integers
    loop_place: Integers
    under_first: Integers
    under: Integers
    #: of the joints' rows: where their Jacobians begin, and the freedoms of these
    first: Integers
    place: Integers
    #: the ways of those freedoms to the base, the last first
    way_first: Integers
    way: Integers


@dataclass(frozen=True)
class Prediction:
    """The motion of a machine without contact over a substep, and what contact has to know of it.

    Dampers and actuators act on the velocity at the end of the substep, against contact too: the factors are
    those of M + h D. Coriolis forces and laws are those of the velocity in its middle, `v_mid`. Wheels on the
    `terrain` are in balance with the impulses of all rows: (M + h D) has the symmetric part of their slopes.
    `parameters` name constants of the model that become inputs; `inputs` are live; `feedback` is the time
    constant (s, 0: the default) of Baumgarte's stabilization, None without it; `projects` says whether steps
    end on the loops. With `lone` the model is one body, and its constants are inputs (`model.lone_bodies`).
    `loaded` says whether forces act on bodies, `accounted` whether the forces that do work are asked for.
    """

    model: Model
    laws: Sequence[ForceLaw] = ()
    motions: Mapping[str, JointMotion] | None = None
    parameters: Sequence[str] = ()
    inputs: Sequence[Input] = ()
    terrain: Terrain | None = None
    rolling: str = "balance"
    feedback: float | None = None
    projects: bool = True
    lone: bool = False
    loaded: bool = True
    accounted: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", with_law_couplings(self.model, self.laws))

    def program(self) -> Program:
        """position, v, v_mid, tau, h, dt of the step, time, ... -> velocity, factors, rows."""
        model = self.model
        sizes = {
            "position": model.nq,
            "v": model.nv,
            "v_mid": model.nv,
            "tau": model.nv,
            "h": 1,
            "dt": 1,
            "time": 1,
            "loads": LOAD_SIZE * len(model.bodies) if self.loaded else 0,
            "inputs": InputTable(self.inputs).size,
            "parameters": len(self.parameters),
            "commands": len(model.actuators),
            "drives": actuator_state_size(model),
            "impulse": model.nv if self._balances else 0,
            "wheel_memory": self._wheel_memory,
            **(CONSTANTS if self.lone else {}),
        }
        title = f"predict{' lone' * self.lone} {_named(model, self.parameters)} {self.feedback}"
        title += f" accounted={self.accounted}"
        known = not (self.laws or self.motions)
        if model.wheels and self.terrain is not None:
            title += f" {self.rolling} on {self.terrain.digest}"
            known = known and own_wheels(model, self.terrain)
        return _program(title, model, {k: size for k, size in sizes.items() if size}, self._free, known)

    def of(self, model: Model, lone: bool = False) -> Prediction:
        """The same of another model, or of one lone body."""
        return replace(self, model=model, lone=lone, inputs=() if lone else self.inputs)

    def program_of(self, model: Model, lone: bool = False) -> Program:
        """The program of another model, or of one lone body."""
        return self.of(model, lone).program()

    @property
    def whole(self) -> bool:
        """Whether all bodies have to be in one program: those that laws and motions may act on, for one."""
        return bool(self.laws or self.motions or self.parameters or self.model.wheels)

    @property
    def _explicit_laws(self) -> list[ForceLaw]:
        return [law for law in self.laws if not is_stiff(law)]

    @property
    def follows_middle(self) -> bool:
        """Whether more than Coriolis forces depend on the velocity in the middle."""
        return bool(self._explicit_laws)

    @property
    def _balances(self) -> bool:
        return bool(self.model.wheels) and self.terrain is not None and self.rolling != "direct"

    @property
    def _wheel_memory(self) -> int:
        if not self._balances:
            return 0
        from treadle.wheels.rolling import MEMORY, contact_count

        return MEMORY * contact_count(self.model)

    def pattern(self) -> Pattern:
        """Where the numbers belong, from a trace of the rows alone."""
        graph = Graph()
        model = self.model
        q, v = graph.inputs(model.nq), graph.inputs(model.nv)
        commands = graph.inputs(len(model.actuators))
        (h, dt, time) = graph.inputs(3)
        solver = closure_factor(model, q, closure_rows(model, q) if model.closed else [])
        place = {i: k for k, i in enumerate(solver.order)}
        rows = [list(row.jacobian) for row in self._rows(model, q, v, v, time, h, dt, commands)]
        parents = parent_freedoms(model)
        ways = [sorted({k for tip in row for k in _way(parents, tip)}, reverse=True) for row in rows]
        return Pattern(
            *_packed([list(solver.Y[i]) for i in solver.order]),
            *_packed([[place[j] for j in solver.lower[i]] for i in solver.order]),
            *_packed(rows),
            *_packed(ways),
        )

    def _free(self, **given: Sequence[Expr]) -> Mapping[str, Sequence[Scalar]]:
        with reading(self.inputs, given.get("inputs", ())):
            return self._predicted(given)

    def _predicted(self, given: Mapping[str, Sequence[Expr]]) -> Mapping[str, Sequence[Scalar]]:
        q, v, (h,), (time,) = given["position"], given["v"], given["h"], given["time"]
        machine = distinct_constants(self.model)
        if self.parameters:
            machine = lift(machine, dict(zip(self.parameters, given["parameters"], strict=True)))
        if self.lone:
            machine = with_constants(machine, given)
        commands = given.get("commands", ())
        system = System(
            machine,
            given["tau"],
            given.get("loads", ()),
            laws=[law for law in self.laws if is_stiff(law)],
            commands=commands,
            drives=given.get("drives", ()),
            elastic=False,
            closing_time=None if self.feedback is None else closing_time(self.feedback, given["dt"][0]),
            terrain=None if self._balances else self.terrain,
            rolling=self.rolling,
            middle=True,
        )
        velocity, solver, wheels = self._velocity(system, given)
        rows = self._rows(machine, q, velocity, v, time, h, given["dt"][0], commands)
        poses = world_transforms(machine, q)
        axes = _world_axes(machine, q, poses)
        return {
            "velocity": velocity,
            "L": [row[i] for row in solver.L for i in sorted(row, reverse=True)],
            "root": [sqrt(x) for x in solver.inverse_diagonal],
            **_loop_numbers(solver),
            "jacobian": [x for row in rows for x in row.jacobian.values()],
            "slowest": [row.slowest for row in rows],
            "fastest": [row.fastest for row in rows],
            # impulses over the whole substep, of rows that count with half of it
            "low": [2.0 * row.low for row in rows],
            "high": [2.0 * row.high for row in rows],
            "softness": [0.5 * row.softness for row in rows],
            **(self._work_terms(system, given, wheels) if self.accounted else {}),
            "held": system.implicit_inertia(q, v, h),
            **({"next_wheel_memory": wheels.memory} if wheels is not None else {}),
            **_outlook(poses, axes),
            **_world_motions(machine, q, (v, given["v_mid"], velocity), poses, axes),
        }

    def _velocity(
        self, system: System, given: Mapping[str, Sequence[Expr]]
    ) -> tuple[list[Scalar], ClosureFactor, WheelBalance | None]:
        """The velocity without contact, the factors of M + h D, and what wheels do."""
        q, v, v_mid, (h,) = (given[name] for name in ("position", "v", "v_mid", "h"))
        machine, damped = system.model, regroup(system.damped(q, v, h, given["time"][0]))
        rows = closure_rows(damped, q) if machine.closed else []
        force, external = self._force(system, given), system.external(q, v, given["time"][0], step=h)
        if self._balances:
            wheels = self._balance(system, damped, given, force)
            return wheels.v, closure_of(wheels.matrix, parent_freedoms(machine), rows), wheels
        solver = closure_factor(damped, q, rows)
        if machine.closed:
            a = closed_dynamics(damped, q, v_mid, force, external, system.closing_time, system.solver)
        else:
            # the factors are there anyway
            a = by_composite_inertia(damped, q, v_mid, force, external)
        return [x + h * rate for x, rate in zip(v, a, strict=True)], solver, None

    def _force(self, system: System, given: Mapping[str, Sequence[Expr]]) -> list[Scalar]:
        """Joint forces: dampers and stiff laws at the start, for they are implicit; others in the middle."""
        q, v, v_mid, (h,), (time,) = (given[name] for name in ("position", "v", "v_mid", "h", "time"))
        force = system.force(q, v, time, step=h)
        for law in self._explicit_laws:
            added = law_force(system.model, law, q, v_mid, time + 0.5 * h)
            force = [a + b for a, b in zip(force, added, strict=True)]
        return force

    def _balance(
        self, system: System, damped: Model, given: Mapping[str, Sequence[Expr]], force: Sequence[Scalar]
    ) -> WheelBalance:
        """The velocity at which wheels are in balance with all else, and with the impulses of the rows."""
        from treadle.integrators.rolling import wheel_balance

        q, v, v_mid, (h,) = (given[name] for name in ("position", "v", "v_mid", "h"))
        external = system.external(q, v, given["time"][0], step=h)
        bias = rnea(regroup(system.model), q, v_mid, [0.0] * len(v), external)
        push = [h * (f - c) + p for f, c, p in zip(force, bias, given["impulse"], strict=True)]
        assert self.terrain is not None
        machine = (system.model, damped, self.terrain)
        return wheel_balance(machine, q, v, push, given["wheel_memory"], h)

    def _work_terms(
        self, system: System, given: Mapping[str, Sequence[Expr]], wheels: WheelBalance | None
    ) -> dict[str, list[Scalar]]:
        """Forces that do work, and by how much their dampers change with the velocity."""
        q, v, (h,) = given["position"], given["v"], given["h"]
        return {"push": self._pushes(system, given, wheels), "drag": system.implicit_damping(q, v, h)}

    def _pushes(
        self, system: System, given: Mapping[str, Sequence[Expr]], wheels: WheelBalance | None
    ) -> list[Scalar]:
        """Joint forces that do work, all but gravity and springs; wheels with their own."""
        q, v, v_mid, (h,), (time,) = (given[name] for name in ("position", "v", "v_mid", "h", "time"))
        total = system.force(q, v, time, springs=False, step=h)
        for law in self._explicit_laws:
            added = law_force(system.model, law, q, v_mid, time + 0.5 * h, False)
            total = [a + b for a, b in zip(total, added, strict=True)]
        held = system.load_force(q, v, time, step=h)
        total = [a + b for a, b in zip(total, held, strict=True)]
        return total if wheels is None else [a + b for a, b in zip(total, wheels.force, strict=True)]

    def _rows(
        self,
        model: Model,
        q: Sequence[Scalar],
        free: Sequence[Scalar],
        v: Sequence[Scalar],
        time: Scalar,
        h: Scalar,
        dt: Scalar,
        commands: Sequence[Scalar],
    ) -> list[BoundedRow]:
        """Rows of limits, friction and motors: from the middle of the substep, half of it is left."""
        half, over = 0.5 * h, 0.5 * dt
        motions = self.motions or {}
        return bound_rows(model, motions, q, free, time + half, half, (), v, commands, True, over)


def _named(model: Model, parameters: Sequence[str]) -> str:
    """Names of parameters, and of what they may belong to: the model's digest has none."""
    return f"{list(parameters)} {[x.name for x in (*model.links, *model.joints)] if parameters else []}"


def _program(
    title: str,
    model: Model,
    sizes: Mapping[str, int],
    function: Callable[..., Mapping[str, Sequence[Scalar]]],
    known: bool = True,
) -> Program:
    """A program of a machine; what a law, or a joint from elsewhere, computes only its graph can tell."""
    own = all(type(joint.type).__module__.startswith("treadle.") for joint in model.joints)
    digest = f"{title} {model.digest}" if known and own else None
    return Program(digest, sizes, function, twins=subtree_inputs(model, sizes))


def _world_axes(model: Model, q: Sequence[Scalar], poses: Sequence[Transform]) -> list[list[Motion]]:
    """Motions of the freedoms of every body, in the world's axes at its origin."""
    return [
        [X.motion_to_parent(S) for S in body.joint.type.subspace(q[body.joint.q])]
        for body, X in zip(model.bodies, poses, strict=True)
    ]


def _outlook(poses: Sequence[Transform], axes: Sequence[Sequence[Motion]]) -> dict[str, list[Scalar]]:
    return {
        "poses": [x for X in poses for x in (*[y for row in X.rotation.rows for y in row], *X.translation)],
        "axes": [x for freedoms in axes for S in freedoms for x in S],
    }


def _world_motions(
    model: Model,
    q: Sequence[Scalar],
    velocities: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    poses: Sequence[Transform],
    axes: Sequence[Sequence[Motion]],
) -> dict[str, list[Scalar]]:
    """Velocities of the world and of all bodies at the start, in the middle and at the end without contact.

    And the rates of those in the middle while v stays, dV/dt = dV_parent/dt + V_parent x S v + dS/dt v. In
    the world's axes at its origin.
    """
    v, v_mid, free = velocities
    now, mid, then, rates = [[Motion.zero()] for _ in range(4)]
    for body, X, S in zip(model.bodies, poses, axes, strict=True):
        joint, above = body.joint, body.parent + 1
        own = joint_motion(S, v_mid[joint.v])
        bias = X.motion_to_parent(joint.type.bias(q[joint.q], v_mid[joint.v]))
        rates.append(rates[above] + mid[above].cross(own) + bias)
        mid.append(mid[above] + own)
        now.append(now[above] + joint_motion(S, v[joint.v]))
        then.append(then[above] + joint_motion(S, free[joint.v]))
    motions = {"twist": now, "twist_mid": mid, "twist_free": then, "convective": rates}
    return {name: [x for motion in each for x in motion] for name, each in motions.items()}


def _loop_numbers(solver: ClosureFactor) -> dict[str, list[Scalar]]:
    """Rows of held loops, scaled with the roots of M's factor, and their own factor."""
    root = [sqrt(x) for x in solver.inverse_diagonal]
    return {
        "loop_y": [y * root[k] for i in solver.order for k, y in solver.Y[i].items()],
        "F": [x for i in solver.order for x in solver.lower[i].values()],
        "loop_root": [sqrt(solver.inverse_pivots[i]) for i in solver.order],
    }


def _way(parents: Sequence[int], k: int) -> list[int]:
    way = []
    while k >= 0:
        way.append(k)
        k = parents[k]
    return way


def _packed(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    first = np.cumsum([0, *[len(x) for x in lists]], dtype=np.int64)
    return first, np.array([k for x in lists for k in x], dtype=np.int64)
