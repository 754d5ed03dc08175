"""Environments as rsl_rl and skrl see them: run by `make test-learn`."""

import os

import numpy as np
import pytest

if "TREADLE_LEARN" not in os.environ:
    pytest.skip("needs torch, rsl_rl and skrl: run `make test-learn`", allow_module_level=True)

from treadle import envs
from treadle.errors import InputError

pytestmark = pytest.mark.filterwarnings("default")


def test_rsl_rl_sees_the_worlds_of_a_vector_environment():
    import torch

    from treadle.envs.rsl_rl import RslVecEnv

    worlds, plain = RslVecEnv("Hopper", 5, seed=7), envs.VectorEnv(5, "Hopper", autoreset_mode="SameStep")
    seen, _ = plain.reset(seed=7)
    np.testing.assert_array_equal(worlds.get_observations()["policy"].numpy(), seen.astype(np.float32))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        actions = rng.uniform(-1.0, 1.0, (5, 3)).astype(np.float32)
        found, reward, done, extras = worlds.step(torch.from_numpy(actions))
        seen, expected, terminated, truncated, _ = plain.step(actions)
        np.testing.assert_array_equal(found["policy"].numpy(), seen.astype(np.float32))
        np.testing.assert_array_equal(reward.numpy(), expected.astype(np.float32))
        np.testing.assert_array_equal(done.numpy(), terminated | truncated)
        assert not extras["time_outs"].any()
        ended += int(done.sum())
    assert ended > 3


def test_rsl_rl_trains_a_few_rounds():
    from rsl_rl.runners import OnPolicyRunner

    from treadle.envs.rsl_rl import RslVecEnv

    model = {"class_name": "MLPModel", "hidden_dims": [16], "activation": "elu"}
    settings = {
        "num_steps_per_env": 8,
        "save_interval": 100,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 2},
        "actor": model | {"distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0}},
        "critic": model,
    }
    runner = OnPolicyRunner(RslVecEnv("Reacher", 8), settings, log_dir=None, device="cpu")
    runner.learn(num_learning_iterations=2)


def test_rsl_rl_refuses_discrete_actions():
    from treadle.envs.rsl_rl import RslVecEnv

    with pytest.raises(InputError, match="CartPole"):
        RslVecEnv("CartPole", 2)


def test_skrl_takes_the_vector_environment():
    import torch
    from skrl.envs.wrappers.torch import wrap_env

    worlds = wrap_env(envs.VectorEnv(4, "Reacher"), wrapper="gymnasium")
    worlds.reset()
    actions = np.full((4, 2), 0.5, np.float32)
    found = worlds.step(torch.from_numpy(actions))
    assert found[0].shape == (4, 10) and found[1].shape == (4, 1) and not found[2].any()
