"""PPO of stable-baselines3 learns CartPole: run by `make test-learn`."""

import os

import numpy as np
import pytest

if "TREADLE_LEARN" not in os.environ:
    pytest.skip("minutes of learning with torch: run `make test-learn`", allow_module_level=True)


@pytest.mark.filterwarnings("default")
def test_ppo_learns_cart_pole(tmp_path):
    from stable_baselines3.common.evaluation import evaluate_policy

    from treadle.envs.stable_baselines import StableVecEnv
    from treadle.envs.training import train

    training = train("CartPole", 150_000, envs=32, seed=0)
    training.save(tmp_path)
    assert (tmp_path / "policy.zip").exists() and (tmp_path / "curve.csv").exists()
    worlds = StableVecEnv("CartPole", 20)
    worlds.seed(1000)
    mean, _ = evaluate_policy(training.policy, worlds, n_eval_episodes=40, deterministic=True, warn=False)
    assert mean >= 475.0


@pytest.mark.filterwarnings("default")
def test_the_vector_environment_of_stable_baselines():
    from treadle.envs.stable_baselines import StableVecEnv

    worlds = StableVecEnv("CartPole", 4)
    worlds.seed(3)
    assert worlds.reset().shape == (4, 4)
    ended = 0
    for _ in range(60):
        observation, _, done, infos = worlds.step(np.ones(4, int))
        for k in np.flatnonzero(done):
            assert abs(infos[k]["terminal_observation"][2]) > np.radians(12.0)
            assert (
                infos[k]["episode"]["r"] == infos[k]["episode"]["l"] and not infos[k]["TimeLimit.truncated"]
            )
            assert np.abs(observation[k]).max() <= 0.05
            ended += 1
    assert ended > 4
