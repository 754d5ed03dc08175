"""Observations and rewards of the tasks, against Gymnasium's own formulas at the same states."""

import gymnasium as gym
import mujoco
import numpy as np
import pytest

from treadle.envs import TaskWorlds, find_task

WORLDS = 5
PEERS = {
    "Reacher": "Reacher-v5",
    "HalfCheetah": "HalfCheetah-v5",
    "Hopper": "Hopper-v5",
    "Walker2d": "Walker2d-v5",
    "Ant": "Ant-v5",
    "Humanoid": "Humanoid-v5",
}


def mujoco_order(worlds: TaskWorlds) -> tuple[np.ndarray, np.ndarray]:
    """States of all worlds as MuJoCo writes them."""
    q, v = worlds.batch.q, worlds.batch.v
    if worlds.batch.model.joints[0].type.kind != "free":
        return q.copy(), v.copy()
    return np.hstack([q[:, 4:7], q[:, :4], q[:, 7:]]), np.hstack([v[:, 3:6], v[:, :3], v[:, 6:]])


@pytest.mark.parametrize("name", PEERS)
def test_observation_and_reward_are_gymnasiums_at_the_same_states(name):
    worlds = TaskWorlds(find_task(name), WORLDS, threads=1)
    worlds.begin(np.arange(WORLDS))
    worlds.look()
    rng = np.random.default_rng(1)
    # in the air, where no contact acts that the two could disagree about
    height = {"Hopper": 1, "Walker2d": 1, "HalfCheetah": 1, "Ant": 6, "Humanoid": 6}.get(name)
    peer = gym.make(PEERS[name]).unwrapped
    if height is not None:
        worlds.batch.arrays["q"][height] += {"Ant": 0.2, "Humanoid": 0.3}.get(name, 0.3)
        worlds.look()
    before, _ = mujoco_order(worlds)
    worlds.batch.v = 0.5 * rng.normal(size=worlds.batch.v.shape)
    low, high = find_task(name).bounds()
    actions = rng.uniform(low, high, (WORLDS, len(low)))
    # the state is given: the step that leads to it is not what is compared
    worlds.given["action"][:, :WORLDS] = actions.T
    worlds.batch.commands = actions
    worlds.batch.arrays["q"][4 if name in ("Ant", "Humanoid") else 0, :WORLDS] += 0.05
    q, v = mujoco_order(worlds)
    seen = worlds.look()
    for k in range(WORLDS):
        peer.reset(seed=0)
        peer.set_state(q[k], v[k])
        peer.data.ctrl[:] = actions[k]
        mujoco.mj_forward(peer.model, peer.data)
        np.testing.assert_allclose(seen.observation[k], peer._get_obs(), rtol=1e-7, atol=1e-7)
        if name == "Reacher":
            expected, terms = peer._get_rew(actions[k])
        else:
            if name == "Humanoid":
                mass = peer.model.body_mass
                now = (mass @ peer.data.xipos)[0] / mass.sum()
                moved = now - _humanoid_center(peer, before[k])
            else:
                moved = q[k, 0] - before[k, 0]
            peer.set_state(q[k], v[k])
            peer.data.ctrl[:] = actions[k]
            mujoco.mj_forward(peer.model, peer.data)
            expected, terms = peer._get_rew(moved / worlds.period, actions[k])
        assert seen.reward[k] == pytest.approx(expected, rel=1e-7, abs=1e-7)
        for term, value in terms.items():
            assert seen.terms[term][k] == pytest.approx(value, rel=1e-7, abs=1e-7), term
        if hasattr(peer, "is_healthy"):
            assert seen.terminated[k] == (not peer.is_healthy)
    assert worlds.period == pytest.approx(peer.dt)


def _humanoid_center(peer, qpos: np.ndarray) -> float:
    peer.set_state(qpos, np.zeros(peer.model.nv))
    mass = peer.model.body_mass
    return float((mass @ peer.data.xipos)[0] / mass.sum())


@pytest.mark.parametrize("name", PEERS)
def test_spaces_are_gymnasiums(name):
    ours, theirs = gym.make(f"Treadle/{name}-v0"), gym.make(PEERS[name])
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.spec.max_episode_steps == theirs.spec.max_episode_steps


def test_cart_pole_goes_the_way_of_gymnasiums():
    """The equations of motion are the same, and so is the integrator."""
    ours = gym.make("Treadle/CartPole-v0").unwrapped
    theirs = gym.make("CartPole-v1").unwrapped
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    for seed in range(5):
        ours.reset(seed=seed)
        theirs.reset(seed=seed)
        batch = ours.worlds.batch
        theirs.state = np.array([batch.q[0, 0], batch.v[0, 0], batch.q[0, 1], batch.v[0, 1]])
        rng = np.random.default_rng(seed)
        for _ in range(60):
            action = int(rng.integers(2))
            mine, others = ours.step(action), theirs.step(action)
            np.testing.assert_allclose(mine[0], others[0], rtol=1e-5, atol=1e-6)
            assert mine[1:3] == others[1:3]
            if mine[2]:
                break
        assert mine[2]


def test_ground_carries_the_ant():
    """At rest the contact forces on all bodies add up to the weight."""
    task = find_task("Ant")
    worlds = TaskWorlds(task, 2, threads=1)
    worlds.begin(np.arange(2))
    for _ in range(100):
        worlds.step(np.zeros((2, 8)))
    batch = worlds.batch
    total = sum(batch.signal(name) for name in batch.signals("contact.*.force") if _is_link(batch, name))
    np.testing.assert_allclose(total[:, 2], batch.model.mass * 9.81, rtol=0.02)


def _is_link(batch, name: str) -> bool:
    return name.split(".")[1] in {link.name for link in batch.model.links}
