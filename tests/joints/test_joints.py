"""What every joint type promises, whatever its axis: poses, motion subspaces and steps that fit together."""

import numpy as np
import pytest

from treadle.joints import (
    JOINT_TYPES,
    Ball,
    Cylindrical,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Universal,
)
from treadle.spatial import Motion

SLANTED, OTHER = (1.0, -2.0, 0.5), (0.3, 1.0, 0.2)
JOINTS = {
    "revolute z": Revolute(),
    "revolute -x": Revolute((-1, 0, 0)),
    "revolute": Revolute(SLANTED),
    "prismatic y": Prismatic((0, 1, 0)),
    "prismatic": Prismatic(SLANTED),
    "helical z": Helical(pitch=0.2),
    "helical": Helical(SLANTED, -0.1),
    "cylindrical x": Cylindrical((1, 0, 0)),
    "cylindrical": Cylindrical(SLANTED),
    "universal": Universal(),
    "universal slanted": Universal(SLANTED, OTHER),
    "planar z": Planar(),
    "planar -y": Planar((0, -1, 0)),
    "planar": Planar(SLANTED),
    "ball": Ball(),
    "free": Free(),
}

every_joint = pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS.keys())
STEP = 1e-4


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def pose(joint, q) -> np.ndarray:
    return joint.transform(list(q)).to_matrix()


def columns(joint, q) -> np.ndarray:
    """S(q), 6 x nv."""
    return np.array([list(column) for column in joint.subspace(list(q))], dtype=float).T


def velocity_of(X: np.ndarray, X_rate: np.ndarray) -> np.ndarray:
    """Body-frame spatial velocity (angular, linear) of a pose that changes at this rate: X^-1 dX/dt."""
    twist = np.linalg.inv(X) @ X_rate
    return np.array([twist[2, 1], twist[0, 2], twist[1, 0], *twist[:3, 3]])


def rate_along(function, joint, q, v):
    """d/dt of function(q) while q moves with the constant velocity v; error of order STEP^4."""

    def at(t):
        return np.array(function(joint.integrate(list(q), [t * x for x in v])))

    near, far = at(STEP) - at(-STEP), at(2 * STEP) - at(-2 * STEP)
    return (8.0 * near - far) / (12.0 * STEP)


def test_every_type_is_covered():
    assert {joint.kind for joint in JOINTS.values()} == set(JOINT_TYPES)


@every_joint
def test_sizes_names_and_units(joint, rng):
    q = joint.sample(rng)
    assert (
        len(q) == joint.nq == len(joint.positions) == len(joint.position_units) == len(set(joint.positions))
    )
    assert len(joint.subspace(q)) == joint.nv == len(joint.velocities) == len(joint.velocity_units)
    assert joint.neutral() == [1.0] * (joint.nq - joint.nv) + [0.0] * joint.nv
    for position, speed in zip(joint.position_units[-joint.nv :], joint.velocity_units, strict=True):
        assert speed == (f"{position}/s" if position != "1" else speed)


@every_joint
def test_pose_is_a_rigid_motion_and_neutral_is_the_identity(joint, rng):
    np.testing.assert_array_equal(pose(joint, joint.neutral()), np.eye(4))
    X = pose(joint, joint.sample(rng))
    np.testing.assert_allclose(X[:3, :3] @ X[:3, :3].T, np.eye(3), atol=1e-14)
    assert np.linalg.det(X[:3, :3]) == pytest.approx(1.0)


@every_joint
def test_subspace_is_the_rate_of_the_pose(joint, rng):
    for _ in range(5):
        q, v = joint.sample(rng), rng.uniform(-1.0, 1.0, joint.nv)
        moving = velocity_of(pose(joint, q), rate_along(lambda q: pose(joint, q), joint, q, v))
        np.testing.assert_allclose(columns(joint, q) @ v, moving, atol=1e-10)


@every_joint
def test_subspace_has_full_rank(joint, rng):
    S = columns(joint, joint.sample(rng))
    assert np.linalg.matrix_rank(S) == joint.nv


@every_joint
def test_bias_is_the_rate_of_the_subspace(joint, rng):
    for _ in range(5):
        q, v = joint.sample(rng), rng.uniform(-1.0, 1.0, joint.nv)
        expected = rate_along(lambda q: columns(joint, q), joint, q, v) @ v
        np.testing.assert_allclose(list(joint.bias(q, v.tolist())), expected, atol=1e-10)


@every_joint
def test_rate_is_the_start_of_a_step(joint, rng):
    q, v = joint.sample(rng), rng.uniform(-1.0, 1.0, joint.nv)
    expected = rate_along(lambda q: q, joint, q, v)
    np.testing.assert_allclose(joint.rate(q, v.tolist()), expected, atol=1e-10)


@every_joint
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 0.0099, 0.0101, 1.0, 1.7])
def test_difference_is_the_inverse_of_integrate(joint, size, rng):
    # around 0.01 rad the rotation's series hands over to the closed form; 1.7 keeps |delta| below pi
    for _ in range(5):
        q = joint.sample(rng)
        delta = size * rng.uniform(-1.0, 1.0, joint.nv)
        there = joint.integrate(q, delta.tolist())
        np.testing.assert_allclose(joint.difference(q, there), delta, atol=1e-13 + 1e-12 * size)


@every_joint
def test_integrate_is_the_inverse_of_difference(joint, rng):
    for _ in range(5):
        start, end = joint.sample(rng), joint.sample(rng)
        there = joint.integrate(start, joint.difference(start, end))
        np.testing.assert_allclose(pose(joint, there), pose(joint, end), atol=1e-12)


@every_joint
def test_steps_along_one_direction_add_up(joint, rng):
    # linear velocity is in the parent's axes, so a step along a constant v is a one-parameter group
    q, v = joint.sample(rng), rng.uniform(-1.0, 1.0, joint.nv)
    once = joint.integrate(q, (0.7 * v).tolist())
    twice = joint.integrate(joint.integrate(q, (0.3 * v).tolist()), (0.4 * v).tolist())
    np.testing.assert_allclose(pose(joint, once), pose(joint, twice), atol=1e-13)


@every_joint
def test_tangent_rate_is_the_rate_of_the_difference(joint, rng):
    for _ in range(5):
        start, v = joint.sample(rng), rng.uniform(-1.0, 1.0, joint.nv)
        # steps of up to half a radian, as far as the series reaches
        delta = rng.uniform(-1.0, 1.0, joint.nv)
        delta *= 0.5 / max(np.linalg.norm(delta[:3]), 0.5)
        q = joint.integrate(start, delta.tolist())
        expected = rate_along(lambda q, start=start: joint.difference(start, q), joint, q, v)
        np.testing.assert_allclose(joint.tangent_rate(delta.tolist(), v.tolist()), expected, atol=2e-10)


@every_joint
def test_normalize_keeps_valid_positions(joint, rng):
    q = joint.sample(rng)
    np.testing.assert_allclose(joint.normalize(q), q, atol=1e-15)


@every_joint
def test_long_sequences_of_steps_stay_valid(joint, rng):
    q = joint.sample(rng)
    for _ in range(2000):
        q = joint.integrate(q, rng.uniform(-0.3, 0.3, joint.nv).tolist())
    X = pose(joint, q)
    np.testing.assert_allclose(X[:3, :3] @ X[:3, :3].T, np.eye(3), atol=1e-13)


@pytest.mark.parametrize("joint", [Ball(), Free()], ids=["ball", "free"])
def test_normalize_scales_quaternions(joint):
    q = [3.0, 0.0, 4.0, 0.0, *joint.neutral()[4:]]
    np.testing.assert_allclose(joint.normalize(q), [0.6, 0.0, 0.8, 0.0, *q[4:]])
    for bad in (0.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="quaternion"):
            joint.normalize([bad] * 4 + q[4:])


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Helical, Cylindrical, Planar])
def test_axis_must_have_a_direction(kind):
    assert kind((0, 0, 5)).axis.z == 1.0
    with pytest.raises(ValueError, match="axis"):
        kind((0, 0, 0))


def test_universal_axes_must_differ():
    with pytest.raises(ValueError, match="parallel"):
        Universal((1, 0, 0), (-2, 0, 0))


def test_planar_axes_are_right_handed():
    for axis in (*np.eye(3), *-np.eye(3), SLANTED, OTHER):
        joint = Planar(axis)
        u, w, n = (np.array(list(x)) for x in (joint.u, joint.w, joint.axis))
        np.testing.assert_allclose(np.cross(u, w), n, atol=1e-15)
        assert u @ w == pytest.approx(0.0, abs=1e-15)
    # about z the coordinates are those of the parent
    assert [*Planar().u, *Planar().w] == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def test_directions_of_motion():
    """Signs, by hand: a quarter turn or a metre of each."""
    quarter = np.pi / 2
    x_axis = [1.0, 0.0, 0.0]
    np.testing.assert_allclose(pose(Revolute(), [quarter])[:3, :3] @ x_axis, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(pose(Prismatic((0, 2, 0)), [1.5])[:3, 3], [0, 1.5, 0])
    np.testing.assert_allclose(pose(Helical(pitch=0.1), [quarter])[:3, 3], [0, 0, 0.1 * quarter])
    np.testing.assert_allclose(pose(Cylindrical(), [quarter, 2.0])[:3, 3], [0, 0, 2])
    np.testing.assert_allclose(pose(Planar(), [quarter, 1.0, 2.0])[:3, 3], [1, 2, 0])
    # the second axis of a universal joint moves with the first
    turned = pose(Universal(), [quarter, quarter])[:3, :3]
    np.testing.assert_allclose(turned @ [0, 0, 1], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(turned @ [0, 1, 0], [0, 0, 1], atol=1e-15)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(pose(Ball(), [half, 0, 0, half])[:3, :3] @ x_axis, [0, 1, 0], atol=1e-15)
    # a turned free body: angular velocity in its own axes, linear velocity in the parent's
    S = Free().subspace([half, 0.0, 0.0, half, 5.0, 6.0, 7.0])
    assert list(S[0]) == [1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(list(S[3]), [0, 0, 0, 0, -1, 0], atol=1e-15)
    assert isinstance(S[0], Motion)
