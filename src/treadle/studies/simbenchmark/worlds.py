"""A scene in Treadle and in other engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np

from treadle.bench.peers import peer
from treadle.sim import Simulation
from treadle.studies.simbenchmark.scene import GRAVITY, Scene, Solid

__all__ = ["ELASTIC", "WORLDS", "World"]


class World(Protocol):
    """A scene in some engine; solids are in the order of the scene."""

    def step(self) -> None:
        """Take one step."""
        ...

    def push(self, solid: int, force: np.ndarray) -> None:
        """Push a solid at its centre with a force (N), from now on."""
        ...

    def centres(self) -> np.ndarray:
        """Centres of the solids (m), one row each."""
        ...

    def velocities(self) -> np.ndarray:
        """Velocities of the centres (m/s), one row each."""
        ...

    def close(self) -> None:
        """End the world."""
        ...


class TreadleWorld:
    """Treadle."""

    def __init__(self, scene: Scene, dt: float) -> None:
        self.sim, self.places = Simulation(scene.model(), dt), scene.places()
        # the first step compiles
        self.sim.step()
        self.sim.reset()

    def step(self) -> None:
        self.sim.step()

    def push(self, solid: int, force: np.ndarray) -> None:
        self.sim.tau.reshape(-1, 6)[solid, 3:] = force

    def centres(self) -> np.ndarray:
        return self.sim.q.reshape(-1, 7)[:, 4:] + self.places

    def velocities(self) -> np.ndarray:
        return self.sim.v.reshape(-1, 6)[:, 3:]

    def close(self) -> None:
        pass


class MujocoWorld:
    """MuJoCo: as rigid as it can be, in two steps, with elliptic cones of friction."""

    def __init__(self, scene: Scene, dt: float) -> None:
        self.mujoco: Any = peer("mujoco")
        self.model = self.mujoco.MjModel.from_xml_string(_mjcf(scene, dt))
        self.data = self.mujoco.MjData(self.model)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def push(self, solid: int, force: np.ndarray) -> None:
        self.data.xfrc_applied[solid + 1, :3] = force

    def centres(self) -> np.ndarray:
        return self.data.qpos.reshape(-1, 7)[:, :3]

    def velocities(self) -> np.ndarray:
        return self.data.qvel.reshape(-1, 6)[:, :3]

    def close(self) -> None:
        pass


def _mjcf(scene: Scene, dt: float) -> str:
    """The scene for MuJoCo; between balls there is no friction."""
    rigid = f'solref="{2.0 * dt} 1" solimp="0.9999 0.9999 0.001"'
    bodies, pairs = "", ""
    boxes = [k for k, solid in enumerate(scene.solids) if not solid.is_ball]
    for k, solid in enumerate(scene.solids):
        size = solid.size if solid.is_ball else [0.5 * side for side in solid.size]
        shape = f'type="{"sphere" if solid.is_ball else "box"}" size="{_numbers(size)}"'
        bodies += (
            f'<body pos="{_numbers(solid.place)}"><freejoint/><geom name="{k}" {shape}/>'
            f'<inertial pos="0 0 0" mass="{solid.mass}" diaginertia="{_numbers(solid.moments)}"/></body>'
        )
        others = [(box, scene.rolling) for box in boxes] if solid.is_ball else [("ground", scene.sliding)]
        for other, friction in others:
            pairs += (
                f'<pair geom1="{other}" geom2="{k}" condim="3" friction="{friction} {friction}" {rigid}/>'
            )
    return (
        f'<mujoco><option timestep="{dt}" gravity="0 0 {-GRAVITY}" cone="elliptic"/>'
        f'<default><geom condim="1" {rigid}/></default><worldbody>'
        f'<geom name="ground" type="plane" size="0 0 1"/>{bodies}</worldbody>'
        f"<contact>{pairs}</contact></mujoco>"
    )


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


class BulletWorld:
    """Bullet: without damping, with restitution at all speeds; frictions of two bodies are multiplied."""

    def __init__(self, scene: Scene, dt: float) -> None:
        bullet: Any = peer("pybullet")
        self.bullet, self.world = bullet, {"physicsClientId": bullet.connect(bullet.DIRECT)}
        bullet.setGravity(0.0, 0.0, -GRAVITY, **self.world)
        bullet.setTimeStep(dt, **self.world)
        bullet.setPhysicsEngineParameter(restitutionVelocityThreshold=0.0, **self.world)
        if scene.restitution:
            # pushing bodies out of each other would take their energy
            bullet.setPhysicsEngineParameter(erp=0.0, contactERP=0.0, **self.world)
        self.force: tuple[int, list[float]] | None = None
        plane = bullet.createCollisionShape(bullet.GEOM_PLANE, **self.world)
        ground = bullet.createMultiBody(0.0, plane, **self.world)
        self._surface(ground, scene, scene.sliding / scene.rolling if scene.rolling else 0.0)
        self.bodies = [self._add(solid, scene) for solid in scene.solids]

    def step(self) -> None:
        if self.force is not None:
            body, force = self.force
            place, _ = self.bullet.getBasePositionAndOrientation(body, **self.world)
            self.bullet.applyExternalForce(body, -1, force, place, self.bullet.WORLD_FRAME, **self.world)
        self.bullet.stepSimulation(**self.world)

    def push(self, solid: int, force: np.ndarray) -> None:
        self.force = (self.bodies[solid], force.tolist())

    def centres(self) -> np.ndarray:
        return np.array([self.bullet.getBasePositionAndOrientation(b, **self.world)[0] for b in self.bodies])

    def velocities(self) -> np.ndarray:
        return np.array([self.bullet.getBaseVelocity(b, **self.world)[0] for b in self.bodies])

    def close(self) -> None:
        self.bullet.disconnect(**self.world)

    def _add(self, solid: Solid, scene: Scene) -> int:
        bullet = self.bullet
        if solid.is_ball:
            shape = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=solid.size[0], **self.world)
        else:
            half = [0.5 * side for side in solid.size]
            shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, **self.world)
        body = bullet.createMultiBody(solid.mass, shape, -1, solid.place, **self.world)
        bullet.changeDynamics(body, -1, localInertiaDiagonal=solid.moments, **self.world)
        self._surface(body, scene, float(scene.rolling > 0.0) if solid.is_ball else scene.rolling)
        return body

    def _surface(self, body: int, scene: Scene, friction: float) -> None:
        self.bullet.changeDynamics(
            body, -1, restitution=scene.restitution, lateralFriction=friction, linearDamping=0.0,
            angularDamping=0.0, **self.world,
        )  # fmt: skip


class DartWorld:
    """DART, on a large box; of the frictions of two bodies it takes the smaller one."""

    def __init__(self, scene: Scene, dt: float) -> None:
        dart: Any = peer("dartpy")
        self.dart, self.world = dart, dart.simulation.World()
        self.world.setGravity([0.0, 0.0, -GRAVITY])
        self.world.setTimeStep(dt)
        self.force: tuple[Any, np.ndarray] | None = None
        ground = dart.dynamics.Skeleton("ground")
        weld, slab = ground.createWeldJointAndBodyNodePair()
        below = dart.math.Isometry3()
        below.set_translation([0.0, 0.0, -0.5])
        weld.setTransformFromParentBodyNode(below)
        self._surface(slab, dart.dynamics.BoxShape([1000.0, 1000.0, 1.0]), scene, scene.sliding)
        self.world.addSkeleton(ground)
        self.skeletons = [self._add(k, solid, scene) for k, solid in enumerate(scene.solids)]

    def step(self) -> None:
        if self.force is not None:
            node, force = self.force
            node.addExtForce(force)
        self.world.step()

    def push(self, solid: int, force: np.ndarray) -> None:
        self.force = (self.skeletons[solid].getBodyNode(0), force)

    def centres(self) -> np.ndarray:
        return np.array([skeleton.getPositions()[3:] for skeleton in self.skeletons])

    def velocities(self) -> np.ndarray:
        return np.array([skeleton.getBodyNode(0).getCOMLinearVelocity() for skeleton in self.skeletons])

    def close(self) -> None:
        pass

    def _add(self, k: int, solid: Solid, scene: Scene) -> Any:
        dynamics = self.dart.dynamics
        skeleton = dynamics.Skeleton(f"body{k}")
        _, body = skeleton.createFreeJointAndBodyNodePair()
        body.setInertia(dynamics.Inertia(solid.mass, np.zeros(3), np.diag(solid.moments)))
        shape = dynamics.SphereShape(solid.size[0]) if solid.is_ball else dynamics.BoxShape(list(solid.size))
        self._surface(body, shape, scene, scene.rolling)
        skeleton.setPositions([0.0, 0.0, 0.0, *solid.place])
        self.world.addSkeleton(skeleton)
        return skeleton

    def _surface(self, body: Any, shape: Any, scene: Scene, friction: float) -> None:
        part = body.createShapeNode(shape)
        part.createCollisionAspect()
        surface = part.createDynamicsAspect()
        surface.setRestitutionCoeff(scene.restitution)
        surface.setFrictionCoeff(friction)


#: Worlds by the name of the engine; they take a scene and the step (s).
WORLDS: dict[str, Callable[[Scene, float], World]] = {
    "Treadle": TreadleWorld,
    "MuJoCo": MujocoWorld,
    "Bullet": BulletWorld,
    "DART": DartWorld,
}

#: Engines that have a restitution.
ELASTIC = ("Treadle", "Bullet", "DART")
