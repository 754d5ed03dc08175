"""Random machines: trees of any joints, with inertias that real bodies can have."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from treadle import Model, ModelSpec

__all__ = ["JOINT_KINDS", "MOVING_KINDS", "build_spec", "machines", "random_spec", "random_state", "specs"]

MOVING_KINDS = (
    "revolute",
    "continuous",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "planar",
    "ball",
    "free",
)
JOINT_KINDS = (*MOVING_KINDS, "fixed")


def random_spec(
    rng: np.random.Generator,
    bodies: int,
    kinds: Sequence[str] = JOINT_KINDS,
    root: str | None = None,
    armature: Sequence[str] = MOVING_KINDS,
) -> ModelSpec:
    """A random tree of `bodies` links on joints of the given kinds, the first one on a joint `root`.

    Only joints of the kinds in `armature` get one, and of these about every third.
    """
    chosen = [str(rng.choice(kinds)) for _ in range(bodies)]
    if root is not None:
        chosen[0] = root
    # half of the links continue the last limb, so that trees are deep as well as wide; some stand alone
    parents = [
        i - 1 if rng.random() < 0.5 else int(rng.integers(-1 if rng.random() < 0.1 else 0, max(i, 1)))
        for i in range(bodies)
    ]
    parents[0] = -1
    return build_spec(rng, chosen, parents, armature)


@st.composite
def specs(
    draw: st.DrawFn,
    largest: int = 6,
    kinds: Sequence[str] = JOINT_KINDS,
    root: str | None = None,
    one_root: bool = False,
    armature: Sequence[str] = MOVING_KINDS,
) -> tuple[ModelSpec, np.random.Generator]:
    """A description of up to `largest` links with at least one freedom, and a generator for its states.

    The first link is on a joint `root`; with `one_root` it alone is joined to the world. Hypothesis
    chooses the tree and shrinks it; the numbers come from a seed.
    """
    count = draw(st.integers(1, largest))
    chosen = [draw(st.sampled_from(kinds)) for _ in range(count)]
    if root is not None:
        chosen[0] = root
    if all(kind == "fixed" for kind in chosen):
        chosen[0] = "revolute"
    parents = [draw(st.integers(min(i, 1) - 1 if one_root else -1, i - 1)) for i in range(count)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return build_spec(rng, chosen, parents, armature), rng


def machines(**options: Any) -> st.SearchStrategy[tuple[Model, np.random.Generator]]:
    """Models of the descriptions that `specs` draws; options are the same."""
    return specs(**options).map(lambda drawn: (drawn[0].compile(), drawn[1]))


def build_spec(
    rng: np.random.Generator, kinds: Sequence[str], parents: Sequence[int], armature: Sequence[str] = ()
) -> ModelSpec:
    """Links b0, b1, ... on joints j0, j1, ... of these kinds; parent -1 is the world.

    Axes and placements are along the coordinate axes about as often as not: those take other paths
    through the simplifications.
    """
    spec = ModelSpec("random machine", gravity=_gravity(rng))
    for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        spec.add_body(f"b{i}", **_solid(rng))
        options = {"position": _position(rng), "rotation": _rotation(rng)}
        if kind not in ("ball", "free", "fixed"):
            options["axis"] = _axis(rng)
        if kind == "universal":
            options["second_axis"] = _other_axis(rng, options["axis"])
        if kind == "helical":
            options["pitch"] = rng.uniform(-0.3, 0.3)
        if kind in armature and kind != "fixed" and rng.random() < 0.35:
            options["armature"] = rng.uniform(0.01, 0.5)
        spec.add_joint(f"j{i}", kind, f"b{parent}" if parent >= 0 else None, f"b{i}", **options)
    if kinds:
        spec.add_frame("tip", f"b{len(kinds) - 1}", position=_position(rng), rotation=_rotation(rng))
    return spec


def random_state(model: Model, rng: np.random.Generator) -> tuple[list[float], list[float], list[float]]:
    """Positions over the joints' whole range, velocities and joint forces of order one."""
    q = [x for joint in model.joints for x in joint.type.sample(rng)]
    return q, rng.uniform(-2.0, 2.0, model.nv).tolist(), rng.uniform(-5.0, 5.0, model.nv).tolist()


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation matrix, all being equally likely."""
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else Q[:, [1, 0, 2]]


def _solid(rng: np.random.Generator) -> dict:
    """Mass, centre and inertia of a random cloud of matter, a few decimetres in size."""
    mass = rng.uniform(0.3, 3.0)
    # second moments of area of the mass in its principal axes, all positive: a body that can exist
    x, y, z = mass * rng.uniform(0.05, 0.3, 3) ** 2
    moments = np.diag([y + z, x + z, x + y])
    R = random_rotation(rng) if rng.random() < 0.5 else np.eye(3)
    inertia = R @ moments @ R.T
    return {"mass": mass, "center": _position(rng), "inertia": 0.5 * (inertia + inertia.T)}


def _position(rng: np.random.Generator) -> np.ndarray:
    """A point within 0.4 m, some of its coordinates zero."""
    return rng.uniform(-0.4, 0.4, 3) * (rng.random(3) < 0.7)


def _rotation(rng: np.random.Generator) -> np.ndarray:
    """Any rotation, one by quarter turns, or none."""
    match rng.integers(3):
        case 0:
            return np.eye(3)
        case 1:
            turned = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
            return turned if np.linalg.det(turned) > 0.0 else -turned
    return random_rotation(rng)


def _axis(rng: np.random.Generator) -> np.ndarray:
    """Any direction, or one along a coordinate axis."""
    if rng.random() < 0.5:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    return rng.standard_normal(3)


def _other_axis(rng: np.random.Generator, axis: np.ndarray) -> np.ndarray:
    """A direction well away from an axis: perpendicular to it, or not."""
    while True:
        other = np.cross(axis, rng.standard_normal(3)) if rng.random() < 0.5 else _axis(rng)
        if np.linalg.norm(np.cross(axis, other)) > 0.3 * np.linalg.norm(axis) * np.linalg.norm(other):
            return other


def _gravity(rng: np.random.Generator) -> np.ndarray:
    return np.array([0.0, 0.0, -9.81]) if rng.random() < 0.5 else rng.uniform(-10.0, 10.0, 3)
