"""What joints say when they close a loop."""

import numpy as np
import pytest

from tests.loops import CLOSING_KINDS, random_transform
from treadle.joints import JOINT_TYPES

KINDS = [kind for kind in CLOSING_KINDS if kind != "fixed"]


def joint_of(kind, rng):
    axis = rng.standard_normal(3).tolist()
    match kind:
        case "ball" | "free":
            return JOINT_TYPES[kind]()
        case "universal":
            return JOINT_TYPES[kind](axis=axis, second_axis=rng.standard_normal(3).tolist())
        case "helical":
            return JOINT_TYPES[kind](axis=axis, pitch=0.4)
    return JOINT_TYPES[kind](axis=axis)


@pytest.mark.parametrize("kind", KINDS)
def test_closure_vanishes_wherever_the_joint_can_be(kind):
    rng = np.random.default_rng(3)
    for _ in range(20):
        joint = joint_of(kind, rng)
        P = random_transform(rng)
        S = P @ joint.transform(joint.sample(rng))
        lengths, sines = joint.closure(P, S)
        assert len(lengths) + len(sines) == 6 - joint.nv
        np.testing.assert_allclose([*lengths, *sines], 0.0, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_closure_sees_every_motion_that_the_joint_prevents(kind):
    """The derivative of the closure by the six motions of S has full rank, and vanishes along the joint's."""
    rng = np.random.default_rng(4)
    joint = joint_of(kind, rng)
    P, q = random_transform(rng), joint.sample(rng)
    S, h = P @ joint.transform(q), 1e-6
    free = JOINT_TYPES["free"]()

    def closure(motion):
        X = free.transform(free.integrate(free.neutral(), motion))
        return np.concatenate(joint.closure(P, S @ X))

    slopes = np.array([(closure(h * e) - closure(-h * e)) / (2 * h) for e in np.eye(6)]).T
    assert np.linalg.matrix_rank(slopes, tol=1e-6) == 6 - joint.nv
    allowed = np.array([[*column.angular, *column.linear] for column in joint.subspace(q)]).T
    np.testing.assert_allclose(slopes @ allowed, 0.0, atol=1e-8)
