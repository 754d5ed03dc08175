"""Environments: Gymnasium's own checker, seeds, and the modes of resetting."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from treadle import envs
from treadle.errors import InputError

QUICK = ["CartPole", "Reacher", "Hopper", "Ant"]


@pytest.mark.parametrize("name", envs.TASKS)
@pytest.mark.filterwarnings(
    "ignore:.*not within the observation space.*", "ignore:.*recommended to use a sym.*"
)
@pytest.mark.filterwarnings("ignore:.*infinity.*")
def test_gymnasiums_checker(name):
    check_env(gym.make(f"Treadle/{name}-v0", render_mode="rgb_array").unwrapped)


def test_pictures_follow_the_machine():
    env = gym.make_vec("Treadle/HalfCheetah-v0", num_envs=2, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert [picture.shape for picture in first] == [(360, 480, 3)] * 2
    assert not np.array_equal(*first)
    # 50 m farther on nothing would be left of it but the ground
    env.unwrapped.worlds.batch.q[:, 0] += 50.0
    for before, after in zip(first, env.render(), strict=True):
        ground = before[0, 0].astype(float)
        seen = [(np.abs(picture - ground).max(axis=2) > 60.0).mean() for picture in (before, after)]
        assert seen[0] > 0.02
        assert seen[1] == pytest.approx(seen[0], rel=0.3)


def test_pictures_have_to_be_asked_for():
    with pytest.raises(InputError, match="render_mode"):
        envs.Env("CartPole").render()
    with pytest.raises(InputError, match="'rgb_array'"):
        envs.Env("CartPole", render_mode="human")


def rollout(name: str, steps: int, **options) -> list[np.ndarray]:
    """All that a vector of worlds gives over some steps under given actions."""
    env = gym.make_vec(f"Treadle/{name}-v0", num_envs=7, **options)
    env.action_space.seed(3)
    observation, _ = env.reset(seed=11)
    found = [observation]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        found += [observation, reward, terminated, truncated]
    return found


@pytest.mark.parametrize("name", QUICK)
def test_threads_change_no_bit(name):
    one, two = rollout(name, 40, threads=1), rollout(name, 40, threads=2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", QUICK)
def test_a_world_goes_the_way_of_a_single_environment(name):
    vector = gym.make_vec(f"Treadle/{name}-v0", num_envs=5)
    vector.action_space.seed(0)
    seen, _ = vector.reset(seed=[5, 6, 7, 8, 9])
    single = gym.make(f"Treadle/{name}-v0").unwrapped
    alone, _ = single.reset(seed=7)
    np.testing.assert_array_equal(seen[2], alone)
    for _ in range(30):
        actions = vector.action_space.sample()
        seen, reward, terminated, _, _ = vector.step(actions)
        alone, own, over, _, _ = single.step(actions[2])
        np.testing.assert_array_equal(seen[2], alone)
        assert (reward[2], terminated[2]) == (own, over)
        if over:
            break


def test_observations_are_new_arrays():
    env = gym.make_vec("Treadle/CartPole-v0", num_envs=4)
    first, _ = env.reset(seed=0)
    kept = first.copy()
    second = env.step(np.ones(4, int))[0]
    np.testing.assert_array_equal(first, kept)
    assert not np.shares_memory(first, second)


def falling(mode: AutoresetMode, steps: int = 60):
    """Worlds of CartPole that are pushed one way until they fall."""
    env = envs.VectorEnv(4, "CartPole", autoreset_mode=mode)
    env.reset(seed=2)
    for _ in range(steps):
        before = env.worlds.taken.copy()
        yield env, before, env.step(np.ones(4, int))


def test_next_step_resets_one_step_later():
    over, seen = np.zeros(4, bool), 0
    for env, _, (observation, reward, terminated, truncated, _) in falling(AutoresetMode.NEXT_STEP):
        for k in np.flatnonzero(over):
            assert reward[k] == 0.0 and not terminated[k] and np.abs(observation[k]).max() <= 0.05
            assert env.worlds.taken[k] == 0
            seen += 1
        over = terminated | truncated
    assert seen > 4


def test_same_step_keeps_the_last_observation():
    seen = 0
    for env, _, (observation, reward, terminated, truncated, info) in falling(AutoresetMode.SAME_STEP):
        for k in np.flatnonzero(terminated | truncated):
            assert reward[k] == 1.0 and np.abs(observation[k]).max() <= 0.05
            assert np.abs(info["final_obs"][k][2]) > np.radians(12.0)
            assert env.worlds.taken[k] == 0
            seen += 1
    assert seen > 4


def test_disabled_resets_by_mask_alone():
    env = envs.VectorEnv(4, "CartPole", autoreset_mode="Disabled")
    env.reset(seed=2)
    for _ in range(60):
        observation, _, terminated, _, _ = env.step(np.ones(4, int))
        if terminated.any():
            with pytest.raises(InputError, match="reset_mask"):
                env.step(np.ones(4, int))
            again, _ = env.reset(options={"reset_mask": terminated})
            assert np.abs(again[terminated]).max() <= 0.05
            np.testing.assert_array_equal(again[~terminated], observation[~terminated])
            break
    assert terminated.any()


def test_time_limit_truncates():
    env = gym.make_vec("Treadle/Reacher-v0", num_envs=3)
    env.reset(seed=0)
    for k in range(50):
        _, _, terminated, truncated, _ = env.step(np.zeros((3, 2)))
        assert truncated.all() == (k == 49) and not terminated.any()


def test_episodes_differ_and_repeat():
    env = envs.VectorEnv(3, "Reacher")
    first, _ = env.reset(seed=4)
    second, _ = env.reset()
    again, _ = env.reset(seed=4)
    np.testing.assert_array_equal(first, again)
    assert (first != second).any() and (first[0] != first[1]).any()


def test_reward_terms_add_up():
    env = gym.make_vec("Treadle/HalfCheetah-v0", num_envs=3)
    env.reset(seed=1)
    _, reward, _, _, info = env.step(env.action_space.sample())
    np.testing.assert_allclose(reward, info["reward_forward"] + info["reward_ctrl"], rtol=1e-12)


def test_another_precision_is_refused():
    narrow = replace(envs.find_task("CartPole"), options={"precision": "float32"})
    with pytest.raises(InputError, match="float64"):
        envs.VectorEnv(1, narrow)


def test_unknown_tasks_are_refused():
    with pytest.raises(InputError, match=r"no task 'Antt'.*Ant"):
        envs.VectorEnv(1, "Antt")


def test_another_process_gives_the_same_bits():
    """Of other worlds beside them and other threads."""
    code = (
        "import hashlib, numpy as np; from treadle import envs\n"
        "env = envs.VectorEnv({count}, 'CartPole', threads={threads})\n"
        "seen = [env.reset(seed=[*range(5, 9), *range(100, 96 + {count})])[0][:4]]\n"
        "seen += [x[:4] for k in range(80) for x in env.step(np.full({count}, k % 3 // 2))[:4]]\n"
        "print(hashlib.sha256(b''.join(np.ascontiguousarray(x).tobytes() for x in seen)).hexdigest())"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code.format(count=count, threads=threads)],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for count, threads in ((4, 1), (21, 2))
    ]  # fmt: skip
    assert found[0] == found[1] and len(found[0]) == 64


def counting() -> envs.Task:
    """CartPole that remembers how many steps it has taken."""
    return replace(
        envs.find_task("CartPole"),
        remember=lambda now: [now.before[0] + 1.0 if now.before else 1.0],
        observe=lambda now: [now.q[0], now.v[0], now.q[1], now.before[0]],
        observation_high=None,
        randomization=envs.Randomization(action_delay=(0, 2), observation_noise=0.01),
    )


@pytest.mark.parametrize("mode", AutoresetMode)
def test_resets_of_some_worlds_leave_the_others_alone(mode):
    """What a world remembers is counted once per step, whoever else begins an episode."""
    env = envs.VectorEnv(9, counting(), autoreset_mode=mode, max_episode_steps=40)
    env.reset(seed=1)
    env.action_space.seed(4)
    steps = np.ones(9)
    for _ in range(120):
        over = env.worlds.done.copy()
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        done = terminated | truncated
        steps = np.where(over, 1.0, steps + 1.0) if mode is AutoresetMode.NEXT_STEP else steps + 1.0
        if mode is AutoresetMode.SAME_STEP:
            steps[done] = 1.0
        elif mode is AutoresetMode.DISABLED and done.any():
            env.reset(options={"reset_mask": done})
            steps[done] = 1.0
        np.testing.assert_array_equal(env.worlds.given["before"][0, :9], steps)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_worlds_of_many_blocks_go_the_way_of_a_few(mode):
    """Blocks, lanes and threads change no bit, delays, noise and resets included."""
    many, few = (
        envs.VectorEnv(count, counting(), autoreset_mode=mode, threads=threads, max_episode_steps=30)
        for count, threads in ((151, 2), (3, 1))
    )
    chosen = [5, 70, 149]
    seen = many.reset(seed=0)[0][chosen], few.reset(seed=chosen)[0]
    rng = np.random.default_rng(0)
    for _ in range(80):
        np.testing.assert_array_equal(*seen)
        actions = rng.integers(0, 2, 151)
        one, other = many.step(actions), few.step(actions[chosen])
        for a, b in zip(one[1:4], other[1:4], strict=True):
            np.testing.assert_array_equal(a[chosen], b)
        seen = one[0][chosen], other[0]


@pytest.mark.parametrize("name", ["Reacher", "CartPole", "Hopper"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_action_that_is_none_is_refused_and_changes_nothing(name, threads):
    """Also where each thread has its own worlds, and where actions act late."""
    late = envs.Randomization(action_delay=(0, 2))
    first, second = (envs.VectorEnv(600, name, threads=threads, randomization=late) for _ in range(2))
    first.reset(seed=4)
    second.reset(seed=4)
    first.action_space.seed(4)
    for _ in range(12):
        actions = first.action_space.sample()
        for wrong in (np.nan, np.inf, -np.inf):
            broken = actions.astype(float)
            broken[597] = wrong
            with pytest.raises(InputError, match="action of world 597 must be"):
                second.step(broken)
        np.testing.assert_array_equal(first.step(actions)[0], second.step(actions)[0])


@pytest.mark.parametrize("action", [2, -1, 0.5])
def test_a_discrete_action_is_one_of_those_there_are(action):
    env = envs.VectorEnv(3, "CartPole")
    env.reset(seed=0)
    with pytest.raises(InputError, match=f"action of world 1 must be one of 0 to 1, not {action}"):
        env.step(np.array([0, action, 1]))


@pytest.mark.parametrize("actions", [1, None, "abc", np.zeros(1), np.zeros((3, 1)), np.zeros(4)])
def test_actions_of_another_shape_are_refused(actions):
    env = envs.VectorEnv(3, "CartPole")
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"actions must have shape \(3,\)"):
        env.step(actions)


@pytest.mark.parametrize("actions", [np.array([1j, 0, 0]), ["a", "b", "c"]])
def test_actions_that_are_no_numbers_are_refused(actions):
    env = envs.VectorEnv(3, "CartPole")
    env.reset(seed=0)
    with pytest.raises(InputError, match="real numbers"):
        env.step(actions)


def test_wrong_requests_are_refused():
    for steps in (0, -3, 2.5):
        with pytest.raises(InputError, match="max_episode_steps"):
            envs.VectorEnv(2, max_episode_steps=steps)
    with pytest.raises(InputError, match="autoreset_mode"):
        envs.VectorEnv(2, autoreset_mode="sometimes")
    env, single = envs.VectorEnv(2), envs.Env()
    for seed in (1.5, "a", [1], [1, -2], 1 << 64, [0, 1 << 64]):
        with pytest.raises(InputError, match="seed"):
            env.reset(seed=seed)
    with pytest.raises(InputError, match=r"call reset\(\)"):
        single.step(0)
    for unknown in ({"low": 0.1}, {"reset_mask": np.ones(2, bool)}):
        with pytest.raises(InputError, match="no option"):
            single.reset(options=unknown)
    with pytest.raises(InputError, match="no option 'low'; it has reset_mask"):
        env.reset(options={"low": 0.1})
    with pytest.raises(InputError, match="dictionary"):
        env.reset(options=5)
    with pytest.raises(InputError, match="dtype"):
        replace(envs.find_task("CartPole"), dtype="float16")


def test_seeds_of_numpy_are_seeds():
    env = envs.VectorEnv(2)
    expected = env.reset(seed=3)[0]
    for seed in (np.int64(3), [3, 4], np.array([3, 4])):
        np.testing.assert_array_equal(env.reset(seed=seed)[0], expected)


@pytest.mark.parametrize("name", ["CartPole", "Ant"])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_with_the_same_bits(name, mode, duplicate):
    late = envs.Randomization(action_delay=(0, 2), observation_noise=0.01)
    env = envs.VectorEnv(3, name, autoreset_mode=mode, max_episode_steps=9, randomization=late)
    env.reset(seed=5)
    env.action_space.seed(1)
    for _ in range(13):
        env.step(env.action_space.sample())
    other = duplicate(env)
    for _ in range(20):
        actions = env.action_space.sample()
        for mine, copied in zip(env.step(actions)[:4], other.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(mine, copied)
