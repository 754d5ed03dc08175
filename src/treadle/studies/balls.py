"""The elastic ball of the scene `bouncing-ball` in Treadle and in other engines.

A ball advances by steps and tells its height and its velocity (m, m/s). Engines with a stiffness of contact
get that of the scene and no damping; those that have a restitution instead get 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from treadle.bench.peers import peer
from treadle.scenes import scene
from treadle.scenes.bouncing_ball import GRAVITY, HEIGHT, INERTIA, MASS, RADIUS, STIFFNESS
from treadle.sim import Simulation

__all__ = ["BALLS", "Ball"]


class Ball(Protocol):
    """A ball in a world of its own; its stiffness (N/m) is 0 in engines that know none."""

    stiffness: float

    def step(self, count: int) -> None:
        """Take steps."""
        ...

    def state(self) -> tuple[float, float]:
        """Height of the centre (m) and velocity upward (m/s)."""
        ...

    def close(self) -> None:
        """End the world."""
        ...


class TreadleBall:
    """The scene itself."""

    stiffness = STIFFNESS

    def __init__(self, dt: float) -> None:
        self.sim = Simulation(scene("bouncing-ball", restitution=1.0), dt)

    def step(self, count: int) -> None:
        self.sim.step(count)

    def state(self) -> tuple[float, float]:
        return float(self.sim.body("ball").position[2]), float(self.sim.v[5])

    def close(self) -> None:
        pass


class MujocoBall:
    """MuJoCo: `solref` is stiffness per mass and no damping, not limited by the step, `solimp` nearly 1."""

    stiffness = STIFFNESS

    def __init__(self, dt: float, integrator: str) -> None:
        self.mujoco: Any = peer("mujoco")
        impedance = 0.9999
        self.model = self.mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{dt}" gravity="0 0 {-GRAVITY}" integrator="{integrator}">'
            f'<flag refsafe="disable"/></option><default><geom condim="1" solref="{-STIFFNESS / MASS} 0"'
            f' solimp="{impedance} {impedance} 0.001"/></default><worldbody>'
            f'<geom type="plane" size="1 1 1"/><body pos="0 0 {HEIGHT}"><freejoint/><inertial pos="0 0 0"'
            f' mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/><geom size="{RADIUS}"/></body>'
            "</worldbody></mujoco>"
        )
        self.data = self.mujoco.MjData(self.model)

    def step(self, count: int) -> None:
        self.mujoco.mj_step(self.model, self.data, count)

    def state(self) -> tuple[float, float]:
        return float(self.data.qpos[2]), float(self.data.qvel[2])

    def close(self) -> None:
        pass


class BulletBall:
    """Bullet: restitution 1, also at low speeds."""

    stiffness = 0.0

    def __init__(self, dt: float) -> None:
        self.bullet: Any = peer("pybullet")
        bullet, self.client = self.bullet, self.bullet.connect(self.bullet.DIRECT)
        world = {"physicsClientId": self.client}
        bullet.setGravity(0.0, 0.0, -GRAVITY, **world)
        bullet.setTimeStep(dt, **world)
        bullet.setPhysicsEngineParameter(restitutionVelocityThreshold=0.0, **world)
        floor = bullet.createMultiBody(0.0, bullet.createCollisionShape(bullet.GEOM_PLANE, **world), **world)
        shape = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=RADIUS, **world)
        self.ball = bullet.createMultiBody(MASS, shape, -1, (0.0, 0.0, HEIGHT), **world)
        for body in (floor, self.ball):
            bullet.changeDynamics(
                body, -1, restitution=1.0, lateralFriction=0.0, linearDamping=0.0, angularDamping=0.0, **world
            )
        bullet.changeDynamics(self.ball, -1, localInertiaDiagonal=(INERTIA, INERTIA, INERTIA), **world)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.bullet.stepSimulation(physicsClientId=self.client)

    def state(self) -> tuple[float, float]:
        place, _ = self.bullet.getBasePositionAndOrientation(self.ball, physicsClientId=self.client)
        velocity, _ = self.bullet.getBaseVelocity(self.ball, physicsClientId=self.client)
        return float(place[2]), float(velocity[2])

    def close(self) -> None:
        self.bullet.disconnect(physicsClientId=self.client)


class DartBall:
    """DART: restitution 1, on a box."""

    stiffness = 0.0

    def __init__(self, dt: float) -> None:
        dart: Any = peer("dartpy")
        self.world = dart.simulation.World()
        self.world.setGravity([0.0, 0.0, -GRAVITY])
        self.world.setTimeStep(dt)
        floor, self.ball = (dart.dynamics.Skeleton(name) for name in ("floor", "ball"))
        weld, slab = floor.createWeldJointAndBodyNodePair()
        below = dart.math.Isometry3()
        below.set_translation([0.0, 0.0, -0.5])
        weld.setTransformFromParentBodyNode(below)
        _, body = self.ball.createFreeJointAndBodyNodePair()
        body.setInertia(dart.dynamics.Inertia(MASS, np.zeros(3), INERTIA * np.eye(3)))
        shapes = (slab, dart.dynamics.BoxShape([10.0, 10.0, 1.0])), (body, dart.dynamics.SphereShape(RADIUS))
        for node, shape in shapes:
            part = node.createShapeNode(shape)
            part.createCollisionAspect()
            surface = part.createDynamicsAspect()
            surface.setRestitutionCoeff(1.0)
            surface.setFrictionCoeff(0.0)
        self.ball.setPositions([0.0, 0.0, 0.0, 0.0, 0.0, HEIGHT])
        self.world.addSkeleton(floor)
        self.world.addSkeleton(self.ball)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.world.step()

    def state(self) -> tuple[float, float]:
        return float(self.ball.getPositions()[5]), float(self.ball.getVelocities()[5])

    def close(self) -> None:
        pass


#: Balls by the name of engine and method; they take the step (s).
BALLS: dict[str, Callable[[float], Ball]] = {
    "Treadle": TreadleBall,
    "MuJoCo, Euler": lambda dt: MujocoBall(dt, "Euler"),
    "MuJoCo, RK4": lambda dt: MujocoBall(dt, "RK4"),
    "Bullet": BulletBall,
    "DART": DartBall,
}
