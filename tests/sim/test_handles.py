"""Joints and bodies by name."""

import numpy as np
import pytest

import treadle as td


@pytest.fixture
def sim() -> td.Simulation:
    spec = td.ModelSpec("robot")
    solid = {"mass": 1.0, "center": (0.1, 0, -0.2), "inertia": (0.1, 0.1, 0.1)}
    for name in ("base", "arm", "head"):
        spec.add_body(name, **solid)
    spec.add_joint("bolt", "fixed", None, "base")
    spec.add_joint("elbow", "revolute", "base", "arm", axis=(0, 1, 0), position=(0, 0, 1))
    spec.add_joint("neck", "ball", "arm", "head", position=(0, 0, -0.4))
    spec.add_frame("eye", "head", position=(0.2, 0, 0))
    return td.Simulation(spec.compile())


def test_joints_with_one_freedom_are_numbers(sim):
    elbow = sim.joint("elbow")
    assert elbow.name == "elbow"
    elbow.position, elbow.velocity, elbow.torque = 0.1, 0.2, 0.3
    assert (sim.q[0], sim.v[0], sim.tau[0]) == (0.1, 0.2, 0.3)
    assert [type(x) for x in (elbow.position, elbow.velocity, elbow.torque)] == [float] * 3
    sim.q[0] = 0.7
    assert elbow.position == 0.7
    elbow.position = [0.5]
    assert elbow.position == 0.5


def test_joints_with_several_freedoms_are_vectors(sim):
    neck = sim.joint("neck")
    neck.position = [0.0, 3.0, 0.0, 4.0]
    neck.velocity, neck.torque = [1.0, 2.0, 3.0], (4.0, 5.0, 6.0)
    np.testing.assert_allclose(sim.q[1:], [0.0, 0.6, 0.0, 0.8])
    assert sim.v.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert sim.tau.tolist() == [0.0, 4.0, 5.0, 6.0]
    # copies: only setting changes the world
    neck.velocity[:] = 9.0
    assert sim.v[1] == 1.0


def test_torques_stay_until_they_are_set_again(sim):
    sim.joint("elbow").torque = 2.0
    sim.step(5)
    assert sim.joint("elbow").torque == 2.0
    by_hand = td.Simulation(sim.model)
    by_hand.tau[0] = 2.0
    by_hand.step(5)
    assert by_hand.q.tolist() == sim.q.tolist()


@pytest.mark.parametrize("what", ["position", "velocity", "torque"])
def test_wrong_values(sim, what):
    for value, message in (
        ([1.0, 2.0], rf"{what} of joint 'elbow' must have shape \(1,\), not \(2,\)"),
        (np.nan, f"{what} of joint 'elbow' must be finite"),
        ("x", f"{what} of joint 'elbow' must be 1 numbers"),
    ):
        with pytest.raises(td.InputError, match=message):
            setattr(sim.joint("elbow"), what, value)
    assert not sim.save().q[0]


def test_a_zero_quaternion(sim):
    with pytest.raises(td.InputError, match=r"position of joint 'neck': a quaternion .* must not be zero"):
        sim.joint("neck").position = [0.0] * 4


def test_unknown_names(sim):
    with pytest.raises(td.InputError, match="'robot' has no joint named 'elbo'; did you mean 'elbow'"):
        sim.joint("elbo")
    with pytest.raises(td.InputError, match="'robot' has no joint named 'wheel'; it has 'elbow', 'neck'"):
        sim.joint("wheel")
    with pytest.raises(td.InputError, match="no link or frame named 'heads'; did you mean 'head'"):
        sim.body("heads")
    # fixed joints have nothing to set
    with pytest.raises(td.InputError, match="no joint named 'bolt'"):
        sim.joint("bolt")


def test_bodies_and_frames(sim):
    np.testing.assert_allclose(sim.body("eye").position, [0.2, 0.0, 0.6])
    np.testing.assert_allclose(sim.body("base").pose, np.eye(4))
    sim.joint("elbow").position = np.pi / 2
    np.testing.assert_allclose(sim.body("head").position, [-0.4, 0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(sim.body("eye").position, [-0.4, 0.0, 0.8], atol=1e-15)


def test_velocities_are_the_rates_of_poses(sim):
    sim.joint("elbow").position, sim.joint("elbow").velocity = 0.3, 0.7
    sim.joint("neck").velocity = [0.1, -0.2, 0.3]
    eye = sim.body("eye")
    velocity, h = eye.velocity, 1e-6
    before = eye.pose
    q = [
        x for j in sim.model.joints for x in j.type.integrate(sim.q[j.q].tolist(), (h * sim.v[j.v]).tolist())
    ]
    sim.q = q
    after = eye.pose
    np.testing.assert_allclose(velocity[3:], (after - before)[:3, 3] / h, atol=1e-6)
    W = (after - before)[:3, :3] @ before[:3, :3].T / h
    np.testing.assert_allclose(velocity[:3], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-6)
