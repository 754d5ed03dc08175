"""Forces through joints: closed forms, and the laws that they follow on any machine."""

from math import cos, sin

import numpy as np
import pytest
from hypothesis import given

import treadle as td
from tests.machines import machines, random_state
from treadle.dynamics.reactions import joint_reactions
from treadle.dynamics.rnea import rnea
from treadle.spatial import Force

MASS, DISTANCE, INERTIA, GRAVITY = 2.0, 0.7, 0.05, 9.81


@pytest.fixture(scope="module")
def pendulum() -> td.Model:
    """A body on a hinge along y, hanging along -z at zero, that swings towards -x for positive angles."""
    spec = td.ModelSpec("pendulum")
    spec.add_body("bob", MASS, center=(0, 0, -DISTANCE), inertia=(INERTIA, INERTIA, INERTIA))
    spec.add_joint("hinge", "revolute", None, "bob", axis=(0, 1, 0), armature=0.3)
    return spec.compile()


@pytest.mark.parametrize(("angle", "rate", "acceleration"), [(0.0, 0, 0), (0.7, 1.3, -0.4), (-2.5, 3.0, 5.0)])
def test_bearing_of_a_pendulum(pendulum, angle, rate, acceleration):
    """Along the rod m (g cos + d w^2), across it m (d a + g sin), in the bob's axes."""
    (force,) = joint_reactions(pendulum, [angle], [rate], [acceleration])
    across = -MASS * (DISTANCE * acceleration + GRAVITY * sin(angle))
    along = MASS * (GRAVITY * cos(angle) + DISTANCE * rate**2)
    np.testing.assert_allclose(list(force.linear), [across, 0.0, along], atol=1e-12)
    # the moment turns the bob and holds its weight; the rotor is turned on the other side of the bearing
    moment = (INERTIA + MASS * DISTANCE**2) * acceleration + MASS * GRAVITY * DISTANCE * sin(angle)
    np.testing.assert_allclose(list(force.angular), [0.0, moment, 0.0], atol=1e-12)


def test_a_load_is_carried_by_the_joint(pendulum):
    (free,) = joint_reactions(pendulum, [0.3], [0.0], [0.0])
    (loaded,) = joint_reactions(pendulum, [0.3], [0.0], [0.0], {0: Force.of([1.0, 2, 3, 4, 5, 6])})
    np.testing.assert_allclose(np.array(list(free - loaded), dtype=float), [1, 2, 3, 4, 5, 6], atol=1e-12)


@given(machines())
def test_along_the_freedoms_it_is_the_joint_force(case):
    model, rng = case
    q, v, a = random_state(model, rng)
    loads = {i: Force.of(rng.standard_normal(6).tolist()) for i in range(len(model.bodies))}
    tau = rnea(model, q, v, a, loads)
    for body, force in zip(model.bodies, joint_reactions(model, q, v, a, loads), strict=True):
        joint = body.joint
        for k, column in enumerate(joint.type.subspace(q[joint.q])):
            index = joint.v.start + k
            expected = tau[index] - joint.armature[k] * a[index]
            assert column.dot(force) == pytest.approx(expected, rel=1e-9, abs=1e-9)
