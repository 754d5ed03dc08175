"""A case in Treadle and in other engines, all made from the case's one model.

An engine has settings by name, of which the fastest that does what it should is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from treadle.bench.peers import peer
from treadle.formats.mjcf_write import mjcf_text
from treadle.formats.mjcf_write_joints import joint_parts
from treadle.geometry.collision_meshes import mesh_pieces
from treadle.model.attachments import Shape
from treadle.model.model import WORLD
from treadle.sim import Simulation
from treadle.sim.meshes import contact_meshes
from treadle.spatial import Quaternion
from treadle.studies.gauntlet.case import Case

__all__ = ["ENGINES", "Unfit", "World"]


class Unfit(Exception):
    """An engine cannot run a case, with the reason."""


class World(Protocol):
    """A case in some engine, from its start."""

    def step(self, count: int = 1) -> None:
        """Take steps."""
        ...

    def command(self, commands: Mapping[str, float]) -> None:
        """Set commands of actuators."""
        ...

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities in Treadle's order, copies."""
        ...

    def quality(self) -> dict[str, float]:
        """What the engine knows of its own run."""
        ...

    def contacts(self) -> int:
        """How many contact points there are."""
        ...

    def close(self) -> None:
        """End the world."""
        ...


class TreadleWorld:
    """Treadle."""

    def __init__(self, case: Case, dt: float, setting: str) -> None:
        self.sim = Simulation(case.model, dt, contact=True, meshes=case.meshes)
        # compiles, and leaves the state where it is
        self.sim.stepper.ready_contact_step()
        self.command(case.held or {})

    def step(self, count: int = 1) -> None:
        self.sim.step(count)

    def command(self, commands: Mapping[str, float]) -> None:
        for name, value in commands.items():
            self.sim.actuator(name).command = value

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        return self.sim.q.copy(), self.sim.v.copy()

    def quality(self) -> dict[str, float]:
        found = {measure.name: measure.value for measure in self.sim.quality().measures}
        names = {"unfinished solves": "unfinished", "friction creep": "creep", "rigid overlap": "overlap"}
        return {key: found[name] for name, key in names.items() if name in found}

    def contacts(self) -> int:
        return len(self.sim.contacts())

    def close(self) -> None:
        pass


#: Settings of MuJoCo's options, and whether contact is as stiff as the step allows.
_MUJOCO: dict[str, tuple[dict[str, float], bool]] = {
    "default": ({}, False),
    "stiff": ({}, True),
    "elliptic": ({"cone": 1, "impratio": 10.0}, False),
    "stiff elliptic": ({"cone": 1, "impratio": 10.0}, True),
    "CG": ({"solver": 1}, False),
    "no slip": ({"cone": 1, "noslip_iterations": 5}, True),
}


class MujocoWorld:
    """MuJoCo, with one of several settings."""

    def __init__(self, case: Case, dt: float, setting: str) -> None:
        self.mujoco: Any = peer("mujoco")
        # what becomes of the run is judged anyway
        self.mujoco.set_mju_user_warning(lambda message: None)
        options, stiff = _MUJOCO[setting]
        self.case = case
        self.model = self._compile(case)
        self.model.opt.timestep = dt
        for name, value in options.items():
            setattr(self.model.opt, name, value)
        if stiff:
            self.model.geom_solref[:] = (2.0 * dt, 1.0)
            self.model.pair_solref[:] = (2.0 * dt, 1.0)
        self.data = self.mujoco.MjData(self.model)
        self._order(case)
        q, v = (np.array(x) for x in case.model.initial())
        self.data.qpos[self.to_q] = self.factor_q * q[self.from_q]
        self.data.qvel[self.to_v] = self.factor_v * v[self.from_v]
        names = (self.model.actuator(k).name or f"actuator{k}" for k in range(self.model.nu))
        self.drives = {name: k for k, name in enumerate(names)}
        self.command(case.held or {})

    def step(self, count: int = 1) -> None:
        self.mujoco.mj_step(self.model, self.data, count)

    def command(self, commands: Mapping[str, float]) -> None:
        for name, value in commands.items():
            self.data.ctrl[self.drives[name]] = value

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        q, v = (np.array(x) for x in self.case.model.initial())
        q[self.from_q] = self.data.qpos[self.to_q] / self.factor_q
        v[self.from_v] = self.data.qvel[self.to_v] / self.factor_v
        return q, v

    def quality(self) -> dict[str, float]:
        return {}

    def contacts(self) -> int:
        return int(self.data.ncon)

    def close(self) -> None:
        pass

    def _compile(self, case: Case) -> Any:
        if case.mjcf is not None:
            spec = self.mujoco.MjSpec.from_file(case.mjcf)
            for actuator in list(spec.actuators) if case.held is None else ():
                spec.delete(actuator)
            return spec.compile()
        touching = tuple(shape for shape in case.model.shapes if shape.role == "collision")
        model = replace(case.model, shapes=touching, settings=type(case.model.settings)({}))
        spec = self.mujoco.MjSpec.from_string(mjcf_text(model)[0])
        spec.compiler.fusestatic = True
        meshes = contact_meshes(model, case.meshes)
        for geom in spec.geoms:
            if geom.name in meshes:
                mesh = spec.mesh(geom.meshname)
                ((points, triangles),) = mesh_pieces(meshes[geom.name])
                mesh.file, mesh.scale = "", (1.0, 1.0, 1.0)
                mesh.uservert, mesh.userface = points.ravel(), triangles.ravel()
        try:
            return spec.compile()
        except ValueError as error:
            raise Unfit(f"MuJoCo: {error}") from None

    def _order(self, case: Case) -> None:
        """Where the coordinates of the two are, and the factors between them."""
        joints = [self.model.joint(k) for k in range(self.model.njnt)]
        named = {joint.name or f"joint{k}": joint for k, joint in enumerate(joints)}
        q: list[tuple[int, int, float]] = []
        v: list[tuple[int, int, float]] = []
        for body in case.model.bodies:
            joint = body.joint
            for part in joint_parts(body):
                name = f"{joint.name}_{part.suffix}" if part.suffix else joint.name
                if name not in named:
                    raise Unfit(f"MuJoCo has no joint {name!r} of its own there")
                other = named[name]
                q += [(other.qposadr[0] + k, joint.q.start + place, f) for k, (place, f) in enumerate(part.q)]
                v += [(other.dofadr[0] + k, joint.v.start + place, f) for k, (place, f) in enumerate(part.v)]
        self.to_q, self.from_q = (np.array([row[k] for row in q], dtype=int) for k in (0, 1))
        self.to_v, self.from_v = (np.array([row[k] for row in v], dtype=int) for k in (0, 1))
        self.factor_q, self.factor_v = (np.array([row[2] for row in rows]) for rows in (q, v))


class BulletWorld:
    """Bullet: solids only; the friction of two bodies is the product of theirs."""

    def __init__(self, case: Case, dt: float, setting: str) -> None:
        bullet: Any = peer("pybullet")
        shapes = _solids(case)
        self.bullet, self.case, self.world = bullet, case, {"physicsClientId": bullet.connect(bullet.DIRECT)}
        bullet.setGravity(*case.model.gravity, **self.world)
        bullet.setTimeStep(dt, **self.world)
        if setting == "200 iterations":
            bullet.setPhysicsEngineParameter(numSolverIterations=200, **self.world)
        friction = np.sqrt(next(m.friction or 0.5 for m in case.model.materials))
        for shape in shapes[WORLD]:
            self._surface(self._body(0.0, shape, np.array(shape.placement.to_matrix(), float)), friction)
        q, v = (np.array(x) for x in case.model.initial())
        self.bodies = []
        for index, body in enumerate(case.model.bodies):
            pose = np.eye(4)
            own = q[body.joint.q]
            w, x, y, z = own[:4].tolist()
            pose[:3, :3], pose[:3, 3] = np.array(Quaternion(w, x, y, z).matrix().to_rows(), float), own[4:]
            number = self._body(float(body.inertia.mass), shapes[index][0], pose)  # type: ignore[arg-type]
            moments = np.diag(np.array(body.inertia.rotational.to_rows(), float))
            bullet.changeDynamics(number, -1, localInertiaDiagonal=moments.tolist(), **self.world)
            self._surface(number, friction)
            twist = v[body.joint.v]
            spin = (pose[:3, :3] @ twist[:3]).tolist()
            bullet.resetBaseVelocity(number, twist[3:].tolist(), spin, **self.world)
            self.bodies.append(number)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.bullet.stepSimulation(**self.world)

    def command(self, commands: Mapping[str, float]) -> None:
        raise Unfit("Bullet: solids without actuators only")

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        q, v = (np.array(x) for x in self.case.model.initial())
        for number, body in zip(self.bodies, self.case.model.bodies, strict=True):
            place, (x, y, z, w) = self.bullet.getBasePositionAndOrientation(number, **self.world)
            linear, angular = self.bullet.getBaseVelocity(number, **self.world)
            q[body.joint.q] = (w, x, y, z, *place)
            R = np.array(Quaternion(w, x, y, z).matrix().to_rows(), float)
            v[body.joint.v] = (*(R.T @ np.array(angular)), *linear)
        return q, v

    def quality(self) -> dict[str, float]:
        return {}

    def contacts(self) -> int:
        return len(self.bullet.getContactPoints(**self.world))

    def close(self) -> None:
        self.bullet.disconnect(**self.world)

    def _body(self, mass: float, shape: Shape, pose: np.ndarray) -> int:
        bullet, world = self.bullet, self.world
        match shape.type:
            case "plane":
                made = bullet.createCollisionShape(bullet.GEOM_PLANE, **world)
            case "box":
                half = [0.5 * side for side in shape.size]
                made = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, **world)
            case "sphere":
                made = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=shape.size[0], **world)
            case "capsule" | "cylinder":
                kind = bullet.GEOM_CAPSULE if shape.type == "capsule" else bullet.GEOM_CYLINDER
                made = bullet.createCollisionShape(kind, radius=shape.size[0], height=shape.size[1], **world)
            case "mesh" if self.case.meshes is not None:
                points = self.case.meshes[shape.name][0].tolist()
                made = bullet.createCollisionShape(bullet.GEOM_MESH, vertices=points, **world)
            case _:
                raise Unfit(f"Bullet: no {shape.type} here")
        R = pose[:3, :3]
        from treadle.spatial import Mat3

        w, x, y, z = (float(number) for number in Quaternion.from_matrix(Mat3.of(R.tolist())))  # type: ignore[arg-type]
        return bullet.createMultiBody(mass, made, -1, pose[:3, 3].tolist(), (x, y, z, w), **world)

    def _surface(self, body: int, friction: float) -> None:
        self.bullet.changeDynamics(
            body, -1, restitution=0.0, lateralFriction=friction, linearDamping=0.0, angularDamping=0.0,
            rollingFriction=0.0, spinningFriction=0.0, **self.world,
        )  # fmt: skip


def _solids(case: Case) -> dict[int, list[Shape]]:
    """The shapes of every body, one each and at its origin; Unfit for other machines."""
    shapes: dict[int, list[Shape]] = {WORLD: []}
    for shape in case.model.shapes:
        shapes.setdefault(shape.body, []).append(shape)
    for index, body in enumerate(case.model.bodies):
        held = shapes.get(index, [])
        plain = len(held) == 1 and np.array_equal(held[0].placement.to_matrix(), np.eye(4))
        if body.joint.type.kind != "free" or not plain:
            raise Unfit("solids only")
    return shapes


#: Engines by name, with the names of their settings.
ENGINES: dict[str, tuple[Callable[[Case, float, str], World], tuple[str, ...]]] = {
    "Treadle": (TreadleWorld, ("",)),
    "MuJoCo": (MujocoWorld, tuple(_MUJOCO)),
    "Bullet": (BulletWorld, ("default", "200 iterations")),
}
