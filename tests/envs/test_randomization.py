"""Randomization: what is drawn, and that it is drawn again bit for bit."""

import numpy as np
import pytest

from treadle import envs
from treadle.envs.random_numbers import normals, uniforms
from treadle.errors import InputError

WORLDS = 400


def test_random_numbers_are_functions_of_seed_and_episode():
    seeds = np.arange(50, dtype=np.uint64)
    all_at_once = uniforms(seeds, np.zeros(50, int), 7)
    np.testing.assert_array_equal(all_at_once[:, 20:30], uniforms(seeds[20:30], np.zeros(10, int), 7))
    assert (all_at_once != uniforms(seeds, np.ones(50, int), 7)).all()
    assert ((all_at_once > 0.0) & (all_at_once < 1.0)).all()


def test_philox_against_numpys():
    """numpy's Philox is another width; ours is checked against the known answer of its authors."""
    # Philox4x32-10, counter and key all zero: 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123's test vectors)
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    expected = [((words[k] >> 5) * 2**26 + (words[k + 1] >> 6) + 0.5) / 2**53 for k in (0, 2)]
    np.testing.assert_array_equal(uniforms(np.zeros(1, np.uint64), np.zeros(1, int), 2)[:, 0], expected)


def test_moments_of_the_numbers():
    drawn = uniforms(np.arange(20000, dtype=np.uint64), np.zeros(20000, int), 2)
    assert drawn.mean() == pytest.approx(0.5, abs=0.005) and drawn.var() == pytest.approx(1 / 12, abs=0.002)
    assert abs(np.corrcoef(drawn)[0, 1]) < 0.03
    gauss = normals(np.arange(20000, dtype=np.uint64), np.zeros(20000, int), 1)
    assert gauss.mean() == pytest.approx(0.0, abs=0.03) and gauss.std() == pytest.approx(1.0, abs=0.02)


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
