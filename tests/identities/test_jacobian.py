"""Jacobians: velocities of frames, and forces on them as joint forces."""

import numpy as np
from hypothesis import given

from tests.machines import machines, random_state
from tests.numeric import complex_step, position_rate, relative_error
from treadle.dynamics.crba import crba
from treadle.dynamics.impulse import impulse_response
from treadle.dynamics.jacobian import frame_jacobian
from treadle.dynamics.kinematics import body_velocities, frame_placements
from treadle.dynamics.rnea import rnea
from treadle.model import WORLD
from treadle.spatial import Force


def jacobian(model, q, name) -> np.ndarray:
    return np.array(frame_jacobian(model, q, model.frame(name)), dtype=float).reshape(6, model.nv)


@given(machines(largest=8))
def test_jacobian_is_the_rate_of_the_pose(machine):
    model, rng = machine
    q, v, _ = random_state(model, rng)
    rate = position_rate(model, q, v)
    poses = frame_placements(model, q)
    rates = complex_step(lambda q: [X.to_list() for X in frame_placements(model, q)], (q,), (rate,))
    for frame, X, change in zip(model.frames, poses, rates, strict=True):
        turning = change[:9].reshape(3, 3) @ np.array(X.rotation.to_rows()).T
        # what is left of the symmetric part comes from quaternions of length 1 + 1e-16
        np.testing.assert_allclose(turning + turning.T, np.zeros((3, 3)), atol=1e-13)
        velocity = [turning[2, 1], turning[0, 2], turning[1, 0], *change[9:]]
        assert relative_error(jacobian(model, q, frame.name) @ v, velocity, 1.0) < 1e-13


@given(machines(largest=8))
def test_jacobian_of_a_body_is_its_velocity(machine):
    model, rng = machine
    q, v, _ = random_state(model, rng)
    poses = dict(zip([frame.name for frame in model.frames], frame_placements(model, q), strict=True))
    for body, velocity in zip(model.bodies, body_velocities(model, q, v), strict=True):
        R = np.array(poses[body.name].rotation.to_rows())
        in_world = [*(R @ list(velocity.angular)), *(R @ list(velocity.linear))]
        assert relative_error(jacobian(model, q, body.name) @ v, in_world, 1.0) < 1e-13


@given(machines(largest=8))
def test_forces_on_frames_act_through_the_transposed_jacobian(machine):
    """tau(f) = tau(0) - J^T f for a force f in world axes through the frame's origin."""
    model, rng = machine
    q, v, a = random_state(model, rng)
    for frame, X in zip(model.frames, frame_placements(model, q), strict=True):
        if frame.body == WORLD:
            assert not jacobian(model, q, frame.name).any()
            continue
        f = rng.uniform(-5.0, 5.0, 6)
        R = np.array(X.rotation.to_rows())
        in_frame = Force.of([*(R.T @ f[:3]), *(R.T @ f[3:])])
        external = {frame.body: frame.placement.force_to_parent(in_frame)}
        free = np.array(rnea(model, q, v, a))
        change = rnea(model, q, v, a, external) - free
        scale = np.abs(free).max()
        pull = jacobian(model, q, frame.name).T @ f
        assert relative_error(change, -pull, scale) < 1e-13

        M = np.array(crba(model, q))
        jump = np.array(impulse_response(model, q, a, external))
        assert relative_error(M @ jump, a + pull, (np.abs(M) @ np.abs(jump)).max()) < 1e-12
