"""Randomization: what is drawn, and that it is drawn again bit for bit."""

import numpy as np
import pytest

from treadle import envs
from treadle.errors import InputError

WORLDS = 400


@pytest.fixture(scope="module")
def cart_poles() -> envs.VectorEnv:
    mix = envs.Randomization(
        parameters={
            "cart.mass": envs.Uniform(0.5, 1.5),
            "pole.mass": envs.Scaled(0.5, 2.0),
            "rail.damping": envs.LogUniform(1e-3, 1.0),
            "pole.center.z": envs.Choice([0.3, 0.5, 0.7]),
            "hinge.damping": envs.Normal(0.1, 0.01),
        }
    )
    return envs.VectorEnv(WORLDS, "CartPole", randomization=mix)


def test_parameters_are_drawn_from_their_distributions(cart_poles):
    cart_poles.reset(seed=0)
    value = cart_poles.worlds.batch.parameter
    cart, pole, rail = value("cart.mass"), value("pole.mass"), value("rail.damping")
    assert cart.min() >= 0.5 and cart.max() <= 1.5 and cart.mean() == pytest.approx(1.0, abs=0.05)
    assert pole.min() >= 0.05 and pole.max() <= 0.2
    assert np.log10(rail).mean() == pytest.approx(-1.5, abs=0.15)
    assert set(value("pole.center.z")) == {0.3, 0.5, 0.7}
    assert value("hinge.damping").std() == pytest.approx(0.01, rel=0.2)


def test_they_are_drawn_again_at_a_reset_and_repeat_with_the_seed(cart_poles):
    value = cart_poles.worlds.batch.parameter("cart.mass")
    cart_poles.reset(seed=3)
    first = value.copy()
    cart_poles.reset()
    assert (value != first).all()
    cart_poles.reset(seed=3)
    np.testing.assert_array_equal(value, first)


def test_a_heavier_cart_moves_less(cart_poles):
    cart_poles.reset(seed=5)
    start = cart_poles.worlds.batch.v[:, 0].copy()
    mass = cart_poles.worlds.batch.parameter("cart.mass").copy()
    cart_poles.step(np.ones(WORLDS, int))
    gained = cart_poles.worlds.batch.v[:, 0] - start
    assert np.corrcoef(gained, 1.0 / mass)[0, 1] > 0.95


def test_noise_and_delay():
    plain = envs.VectorEnv(3, "Reacher")
    noisy = envs.VectorEnv(3, "Reacher", randomization=envs.Randomization(observation_noise=0.1))
    exact, seen = plain.reset(seed=1)[0], noisy.reset(seed=1)[0]
    assert 0.02 < np.abs(seen - exact).mean() < 0.3
    np.testing.assert_array_equal(seen, noisy.reset(seed=1)[0])
    late = envs.VectorEnv(3, "Reacher", randomization=envs.Randomization(action_delay=(2, 2)))
    late.reset(seed=1)
    for k in range(4):
        late.step(np.ones((3, 2)))
        assert (late.worlds.batch.commands == (1.0 if k >= 2 else 0.0)).all()


def test_wrong_declarations_are_refused():
    with pytest.raises(InputError, match="LogUniform"):
        envs.LogUniform(0.0, 1.0)
    with pytest.raises(InputError, match="action_delay"):
        envs.Randomization(action_delay=(2, 1))
    with pytest.raises(InputError, match=r"no parameter named 'cart.weight'"):
        envs.VectorEnv(2, "CartPole", randomization=envs.Randomization({"cart.weight": envs.Uniform(0, 1)}))


def test_what_a_task_cannot_have_is_refused():
    with pytest.raises(InputError, match=r"one number, or 4 of them, not 2"):
        envs.VectorEnv(2, "CartPole", randomization=envs.Randomization(observation_noise=[0.1, 0.2]))
    with pytest.raises(InputError, match="no floating base"):
        envs.VectorEnv(2, "CartPole", randomization=envs.Randomization(push=envs.Push(0.1, 1.0)))


def test_pushes_change_the_velocity_of_the_base_when_they_are_due():
    pushed = envs.Randomization(push=envs.Push(every=0.1, speed=1.0))
    plain, first, second = (
        envs.VectorEnv(4, "Ant", randomization=x, threads=1) for x in (None, pushed, pushed)
    )
    still = np.zeros((4, 8))
    for worlds in (plain, first, second):
        worlds.reset(seed=1)
    speeds = []
    for _ in range(3):
        for worlds in (plain, first, second):
            worlds.step(still)
        speeds.append(first.worlds.batch.v[:, 3:5] - plain.worlds.batch.v[:, 3:5])
        np.testing.assert_array_equal(first.worlds.batch.v, second.worlds.batch.v)
    # two control steps of 50 ms each, then the first push, while the machine falls
    assert (speeds[0] == 0.0).all() and (speeds[1] == 0.0).all()
    assert (np.abs(speeds[2]) > 1e-3).all() and np.abs(speeds[2]).max() < 1.1
