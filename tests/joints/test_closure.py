"""What joints say when they close a loop."""

import numpy as np
import pytest

from tests.loops import CLOSING_KINDS, random_transform
from treadle.graph import forward, trace
from treadle.graph.evaluate import evaluate
from treadle.joints import JOINT_TYPES, TIE_TYPES

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


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("ball", "free")])
def test_coordinates_are_the_position_of_the_joint(kind):
    rng = np.random.default_rng(5)
    for _ in range(20):
        joint = joint_of(kind, rng)
        P, q = random_transform(rng), joint.sample(rng)
        found = joint.coordinates(P, P @ joint.transform(q))
        np.testing.assert_allclose(found, q, atol=1e-12)


@pytest.mark.parametrize("kind", [*KINDS, "free"])
def test_rates_of_the_coordinates_are_the_velocities(kind):
    """Moved along its own freedoms, every joint measures what it was moved by."""
    rng = np.random.default_rng(6)
    joint = joint_of(kind, rng)
    P, q = random_transform(rng), joint.sample(rng)
    v = rng.standard_normal(joint.nv).tolist()

    def rates(x):
        seeds = {a: {0: rate} for a, rate in zip(x, joint.rate(q, v), strict=True)}
        values = joint.coordinates(P, P @ joint.transform(x))
        return [rate for (rate,) in forward(values, seeds, 1)]

    found = evaluate(*trace(rates, joint.nq), q)
    np.testing.assert_allclose(found, v, atol=1e-12)


def test_ties_measure_and_prevent_what_they_say():
    rng = np.random.default_rng(7)
    P, S = random_transform(rng), random_transform(rng)
    r = np.array(list(S.translation)) - np.array(list(P.translation))
    length = float(np.linalg.norm(r))
    (gap,), _ = TIE_TYPES["distance"](length).closure(P, S)
    assert gap == pytest.approx(0.0, abs=1e-15)
    (gap,), _ = TIE_TYPES["distance"](1.001 * length).closure(P, S)
    # near the closed position it is the missing length
    assert gap == pytest.approx(-1e-3 * length, rel=1e-3)
    assert TIE_TYPES["rope"](length).coordinates(P, S)[0] == pytest.approx(length)
    local = np.array(list(P.rotation.apply_transposed(S.translation - P.translation)))
    line, plane = TIE_TYPES["point_on_line"](), TIE_TYPES["point_on_plane"]()
    np.testing.assert_allclose([*line.closure(P, S)[0], *line.coordinates(P, S)], local, atol=1e-15)
    np.testing.assert_allclose([*plane.coordinates(P, S), *plane.closure(P, S)[0]], local, atol=1e-15)
    for tie in (line, plane):
        with pytest.raises(NotImplementedError, match="cannot carry a body"):
            tie.transform([0.0])
