"""Random machines with closed loops, and states in which they are closed."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tests.machines import MOVING_KINDS, random_spec, random_state
from treadle import Model, ModelSpec, assemble
from treadle.dynamics import compiled
from treadle.joints import JOINT_TYPES
from treadle.spatial import Mat3, Transform, Vec3

__all__ = [
    "CLOSING_KINDS",
    "TIES",
    "add_tie",
    "close_loop",
    "loop_machines",
    "random_transform",
    "swinging_machine",
    "with_bounds",
]

CLOSING_KINDS = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "ball")
TIES = ("distance", "point_on_line", "point_on_plane")


def random_transform(rng: np.random.Generator) -> Transform:
    """A random pose."""
    rotation, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    rotation *= np.sign(np.linalg.det(rotation))
    return Transform(Mat3.of(rotation.tolist()), Vec3(*rng.uniform(-0.5, 0.5, 3).tolist()))


def close_loop(
    spec: ModelSpec, rng: np.random.Generator, q: np.ndarray, kind: str, first: str | None, second: str
) -> None:
    """Add a joint between two links that fits the position q of the tree."""
    model = spec.compile().without_loops()
    names = [frame.name for frame in model.frames]
    poses = compiled.frame_poses(model, q)
    X_WP = np.eye(4) if first is None else poses[names.index(first)]
    X_WS = poses[names.index(second)]
    options = {"pitch": 0.3} if kind == "helical" else {}
    joint = None if kind == "fixed" else JOINT_TYPES[kind](**options)
    F_P = random_transform(rng).to_matrix()
    inside = np.eye(4) if joint is None else joint.transform(joint.sample(rng)).to_matrix()
    F_S = np.linalg.inv(X_WS) @ X_WP @ F_P @ inside
    spec.add_joint(
        f"closing{len(spec.joints)}",
        kind,
        first,
        second,
        position=F_P[:3, 3],
        rotation=F_P[:3, :3],
        child_position=F_S[:3, 3],
        child_rotation=F_S[:3, :3],
        **options,
    )


def add_tie(
    spec: ModelSpec, rng: np.random.Generator, q: np.ndarray, kind: str, first: str | None, second: str
) -> None:
    """Add a tie between random points of two links that fits the position q of the tree."""
    model = spec.compile().without_loops()
    names = [frame.name for frame in model.frames]
    poses = compiled.frame_poses(model, q)
    X_WP = np.eye(4) if first is None else poses[names.index(first)]
    X_WS = poses[names.index(second)]
    place, point = rng.uniform(-0.4, 0.4, (2, 3))
    between = (X_WS @ [*point, 1.0])[:3] - (X_WP @ [*place, 1.0])[:3]
    along = X_WP[:3, :3].T @ between
    options: dict = {"axis": along}
    if kind == "distance":
        options = {"length": float(np.linalg.norm(between))}
    if kind == "point_on_plane":
        options = {"axis": np.cross(along, rng.standard_normal(3))}
    name = f"closing{len(spec.joints)}"
    spec.add_joint(name, kind, first, second, position=place, child_position=point, **options)


def swinging_machine(seed: int) -> tuple[Model, np.ndarray, np.ndarray]:
    """A machine with one or two loops that swings about its position, that position and a velocity.

    Seeds go through the kinds of joints that close loops. Masses differ by up to a factor of a hundred,
    springs keep what slides in place, and some joints are coupled.
    """
    rng = np.random.default_rng(seed)
    every = (*CLOSING_KINDS, *TIES)
    kind = every[seed % len(every)]
    while True:
        count = int(rng.integers(2, 6))
        spec = random_spec(rng, count, kinds=[k for k in MOVING_KINDS if k != "free"])
        for body, factor in zip(spec.bodies, 10.0 ** rng.uniform(-1.0, 1.0, count), strict=True):
            body.mass, body.inertia = body.mass * factor, np.array(body.inertia) * factor
        q = np.array(random_state(spec.compile(), rng)[0])
        for part in spec.compile().joints:
            if part.type.kind in ("prismatic", "helical", "cylindrical", "planar"):
                joint = spec.joint(part.name)
                joint.stiffness = 30.0 * spec.body(joint.child).mass
                joint.reference = q[part.q]
        names = [body.name for body in spec.bodies]
        for _ in range(int(rng.integers(1, 3))):
            second = names[int(rng.integers(1, len(names)))]
            others = [None, *[name for name in names if name != second]]
            first = others[int(rng.integers(0, len(others)))]
            (add_tie if kind in TIES else close_loop)(spec, rng, q, kind, first, second)
        _couple(spec, rng, q)
        model = spec.compile()
        if assemble(model, q).mobility:
            return model, q, rng.uniform(-2.0, 2.0, model.nv)


def _couple(spec: ModelSpec, rng: np.random.Generator, q: np.ndarray) -> None:
    """Couple the first two hinges of the tree, if there are two, in one of three machines."""
    joints = spec.compile().joints
    hinges = [joint for joint in joints if joint.type.kind in ("revolute", "continuous")]
    if len(hinges) > 1 and rng.random() < 1 / 3:
        first, second = hinges[:2]
        ratio = float(rng.uniform(-2.0, 2.0))
        offset = float(q[first.q.start] - ratio * q[second.q.start])
        spec.add_coupling("gear", first.name, second.name, (offset, ratio))


@st.composite
def loop_machines(draw: st.DrawFn) -> tuple[Model, np.ndarray, np.random.Generator]:
    """A machine with one or two loops, a position in which they are closed, and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(2, 5))
    kinds = [kind for kind in MOVING_KINDS if kind != "free"]
    spec = random_spec(rng, count, kinds=kinds)
    q, _, _ = random_state(spec.compile(), rng)
    names = [body.name for body in spec.bodies]
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(CLOSING_KINDS))
        second = names[int(rng.integers(1, len(names)))]
        others = [None, *[name for name in names if name != second]]
        first = others[int(rng.integers(0, len(others)))]
        close_loop(spec, rng, np.array(q), kind, first, second)
    return spec.compile(), np.array(q), rng


def with_bounds(model: Model, q: np.ndarray, rng: np.random.Generator) -> Model:
    """The machine with friction in some joints, and stops near where some of them are; five rows at most."""
    bodies, rows = [], 0
    for body in model.bodies:
        joint = body.joint
        if joint.type.nq == joint.type.nv and rows < 5 and not joint.continuous:
            friction = [0.0] * joint.type.nv
            lower, upper = [-np.inf] * joint.type.nv, [np.inf] * joint.type.nv
            for k in range(joint.type.nv):
                if rows < 5 and rng.random() < 0.7:
                    friction[k], rows = float(rng.uniform(0.1, 30.0)), rows + 1
                if rows < 5 and rng.random() < 0.5:
                    near, rows = q[joint.q.start + k], rows + 1
                    lower[k], upper[k] = (
                        float(near - rng.uniform(0, 0.01)),
                        float(near + rng.uniform(0, 0.01)),
                    )
            joint = replace(joint, friction=tuple(friction), lower=tuple(lower), upper=tuple(upper))
        bodies.append(replace(body, joint=joint))
    return replace(model, bodies=tuple(bodies))
