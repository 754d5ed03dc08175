"""A torso that lifts a stone between its palms, at steps of 10 ms."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.torso.dimensions import HEIGHT, REACH
from treadle.scenes.torso.motion import posture
from treadle.scenes.torso.stone import MASS

PALMS = ("left_palm", "right_palm")


@pytest.fixture(scope="module")
def model():
    return td.scene("torso")


def force_of(sim, shape):
    """Sum of the forces of one shape on the stone."""
    points = [point for point in sim.contacts() if point.shapes[0] == shape and "stone" in point.shapes[1]]
    return sum((point.force for point in points), np.zeros(3))


def in_palm(sim):
    """Where the stone is for the left hand."""
    pose = np.linalg.inv(sim.body("left_palm").pose) @ sim.body("stone").pose
    return pose[:3, 3], pose[:3, :3]


def test_commands_bring_the_palms_where_they_should_be(model):
    q = np.array(model.initial()[0])
    starts = {palm: td.frame_pose(model, q, palm) for palm in PALMS}
    for name, angle in posture(0.06, 0.1).items():
        q[model.joint(name).q] = angle
    for palm, inward in zip(PALMS, (-0.06, 0.06), strict=True):
        pose = td.frame_pose(model, q, palm)
        np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-12)
        np.testing.assert_allclose((pose - starts[palm])[1:3, 3], (inward, 0.1), atol=1e-12)


def test_the_stone_is_lifted_held_and_put_down(model):
    sim, routine = td.Simulation(model), td.Routine(model)
    assert sim.dt == 0.01 and len(model.joints) == 2 + 2 * 7 + 1
    routine.run(sim, seconds=4.6)
    sim.run(1.0)
    assert sim.body("stone").position[2] == pytest.approx(HEIGHT + 0.14, abs=0.002)
    assert np.linalg.norm(force_of(sim, "table")) == 0.0
    place, turned = in_palm(sim)
    sim.run(1.0)
    # at rest it neither slips nor turns
    np.testing.assert_allclose(in_palm(sim)[0], place, atol=1e-6)
    np.testing.assert_allclose(in_palm(sim)[1], turned, atol=1e-6)
    left, right = force_of(sim, "left_palm"), force_of(sim, "right_palm")
    np.testing.assert_allclose(left + right, (0.0, 0.0, 9.81 * MASS), atol=1e-4)
    # as hard as the commands ask for: 150 N
    assert -left[1] == pytest.approx(150.0, rel=0.02)
    start = 4.6 + 7.0
    routine.run(sim, start=start)
    np.testing.assert_allclose(sim.body("stone").position, (REACH, 0.0, HEIGHT), atol=0.01)
    assert force_of(sim, "table")[2] == pytest.approx(9.81 * MASS, rel=1e-6)
