"""A case of the gauntlet: a machine, how long it runs, what drives it, and what has to become of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.model import Model, ModelSpec
from treadle.model.model import WORLD

__all__ = ["GRAVITY", "Case", "Energy", "Scene", "Trace", "stood", "turn"]

#: m/s2
GRAVITY = 9.81

#: Points (n, 3) and triangles (m, 3) of meshes, by the names of their shapes.
Meshes = Mapping[str, tuple[np.ndarray, np.ndarray]]


@dataclass
class Trace:
    """What a run left behind: positions and velocities at some times, and the energy after every step."""

    model: Model
    seconds: float
    times: list[float] = field(default_factory=list)
    q: list[np.ndarray] = field(default_factory=list)
    v: list[np.ndarray] = field(default_factory=list)
    #: J, at the start and after every step
    energy: list[float] = field(default_factory=list)

    def centres(self, index: int = -1) -> np.ndarray:
        """(bodies, 3) origins of the free bodies of a sample (m)."""
        return np.array([self.q[index][j.q][4:] for j in self.model.joints if j.type.kind == "free"])

    def speeds(self, index: int = -1) -> np.ndarray:
        """(bodies) speeds of the origins of the free bodies of a sample (m/s)."""
        linear = [self.v[index][j.v][3:] for j in self.model.joints if j.type.kind == "free"]
        return np.linalg.norm(np.array(linear), axis=1)

    def moved(self) -> np.ndarray:
        """(bodies) how far the free bodies are from where they started (m)."""
        return np.linalg.norm(self.centres() - self.centres(0), axis=1)

    def drift(self, since: float) -> float | None:
        """The largest displacement (m) of a free body from where it was at a time; None without samples."""
        start = next((k for k, time in enumerate(self.times) if time >= since - 1e-9), None)
        if start is None or start >= len(self.times) - 1:
            return None
        places = np.array([self.centres(k) for k in range(start, len(self.times))])
        return float(np.linalg.norm(places - places[0], axis=2).max(initial=0.0))


#: What went wrong in a run, empty where it is as it should be.
Judge = Callable[[Trace], str]

#: Commands of actuators at a time.
Commands = Callable[[float], Mapping[str, float]]


@dataclass(frozen=True)
class Case:
    """A machine from its initial state, simulated for some seconds and judged.

    `rest_after` is when it has to be at rest (s), None where it never is; `conserves` says that the energy
    has to stay, `passive` that it may not grow in any step. `commands` drive its actuators, or `held` are
    commands that stay. `watch` names quantities to report and how to compute them from the run.
    """

    name: str
    model: Model
    seconds: float
    judge: Judge
    rest_after: float | None = None
    passive: bool = True
    conserves: bool = False
    commands: Commands | None = None
    held: Mapping[str, float] | None = None
    meshes: Meshes | None = None
    watch: Mapping[str, Callable[[Trace], float]] = field(default_factory=dict)
    #: the file in MJCF that this was read from, which MuJoCo reads itself
    mjcf: str | None = None
    #: of a scene at rest, whether a short run of it is as good as a long one
    quick_seconds: float | None = None


class Scene:
    """Free bodies of one shape each over a floor, from which all engines make their worlds."""

    def __init__(self, name: str, friction: float, restitution: float = 0.0, floor: bool = True) -> None:
        self.spec = ModelSpec(name, gravity=(0.0, 0.0, -GRAVITY))
        self.spec.add_material("skin", friction=friction, restitution=restitution)
        self.positions: dict[str, tuple[float, ...]] = {}
        self.velocities: dict[str, tuple[float, ...]] = {}
        self.meshes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        if floor:
            self.fix("floor", "plane")

    def fix(
        self,
        name: str,
        kind: str,
        size: Sequence[float] | np.ndarray = (),
        place: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        rotation: np.ndarray | None = None,
    ) -> None:
        """Add a shape of the world."""
        R = np.eye(3) if rotation is None else rotation
        self.spec.add_shape(
            name, None, kind, list(size), role="collision", material="skin", position=place, rotation=R
        )

    def add(
        self,
        name: str,
        kind: str,
        size: Sequence[float] | np.ndarray,
        mass: float,
        place: Sequence[float] | np.ndarray,
        rotation: np.ndarray | None = None,
        twist: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ) -> None:
        """Add a homogeneous body; its twist is angular in its own axes, then linear in the world's."""
        self.spec.add_body(name, mass, type=kind, size=size)
        self.spec.add_shape(name, name, kind, list(size), role="collision", material="skin")
        self._free(name, list(place), rotation, twist)

    def add_hull(self, name: str, points: np.ndarray, mass: float) -> None:
        """Add a homogeneous convex body that is where its points are (m)."""
        import trimesh

        hull = trimesh.Trimesh(points).convex_hull
        hull.density = mass / hull.volume
        center = hull.center_mass
        inertia = hull.moment_inertia
        self.spec.add_body(name, mass, inertia=[list(row) for row in inertia])
        self.spec.add_shape(name, name, "mesh", role="collision", material="skin", file=f"{name}.obj")
        self.meshes[name] = (np.array(hull.vertices) - center, np.array(hull.faces))
        self._free(name, center, None, (0.0,) * 6)

    def model(self) -> Model:
        """The scene as a machine that starts as it was described."""
        self.spec.add_keyframe("initial", self.positions, velocities=self.velocities)
        return self.spec.compile()

    def _free(
        self, name: str, place: Sequence[float], rotation: np.ndarray | None, twist: Sequence[float]
    ) -> None:
        from treadle.spatial import Mat3, Quaternion

        R = np.eye(3) if rotation is None else rotation
        quaternion = [float(x) for x in Quaternion.from_matrix(Mat3.of(R.tolist()))]  # type: ignore[arg-type]
        self.spec.add_joint(name, "free", None, name)
        self.positions[name] = (*quaternion, *(float(x) for x in place))
        self.velocities[name] = tuple(float(x) for x in twist)


class Energy:
    """The mechanical energy of a machine (J); of free bodies, which there may be many of, uncompiled."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.free = all(body.parent == WORLD and body.joint.type.kind == "free" for body in model.bodies)
        self.mass = np.array([float(body.inertia.mass) for body in model.bodies])  # type: ignore[arg-type]
        self.moment = np.array([[float(x) for x in body.inertia.moment] for body in model.bodies])  # type: ignore[arg-type]
        self.inertia = np.array([body.inertia.rotational.to_rows() for body in model.bodies], dtype=float)
        self.free &= not self.moment.any()
        self.gravity = np.array(model.gravity)

    def __call__(self, q: np.ndarray, v: np.ndarray) -> float:
        if not self.free:
            return float(kinetic_energy(self.model, q, v) + potential_energy(self.model, q))
        q, v = q.reshape(-1, 7), v.reshape(-1, 6)
        turning = np.einsum("bi,bij,bj->", v[:, :3], self.inertia, v[:, :3])
        moving = self.mass @ np.sum(v[:, 3:] ** 2, axis=1)
        return float(0.5 * (turning + moving) - self.mass @ (q[:, 4:] @ self.gravity))


def turn(axis: Sequence[float], angle: float) -> np.ndarray:
    """The rotation about an axis by an angle (rad)."""
    x, y, z = np.array(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def stood(most: float) -> Judge:
    """The judge of bodies that have to stay within a distance (m) of where they started."""

    def judge(trace: Trace) -> str:
        moved = trace.moved()
        if not np.isfinite(moved).all():
            return "positions are not finite"
        worst = int(moved.argmax())
        fallen = int((moved > most).sum())
        return "" if not fallen else f"{fallen} of {len(moved)} moved, {worst} by {moved[worst]:.2g} m"

    return judge
