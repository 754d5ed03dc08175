"""The benchmark's ANYmal on MuJoCo: the same observation, reward, ground and fall as the task's own."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from treadle.bench.anymal_peer import anymal, anymal_commands, anymal_model
from treadle.envs import TaskWorlds, find_task

WORLDS = 5


@pytest.fixture(scope="module")
def model():
    return anymal_model()


def test_observation_and_reward_are_the_tasks(model):
    task = find_task("ANYmal")
    worlds = TaskWorlds(task, WORLDS, threads=1)
    worlds.begin(np.arange(WORLDS))
    worlds.look()
    rng = np.random.default_rng(2)
    worlds.batch.v = 0.5 * rng.normal(size=worlds.batch.v.shape)
    actions = rng.uniform(-1.0, 1.0, (WORLDS, 12))
    worlds.given["action"][:, :WORLDS] = actions.T
    worlds.batch.commands = anymal_commands(actions)
    seen = worlds.look()
    q, v = worlds.batch.q, worlds.batch.v
    data = mujoco.MjData(model)
    forces = []
    qpos = np.hstack([q[:, 4:7], q[:, :4], q[:, 7:]])
    qvel = np.hstack([v[:, 3:6], v[:, :3], v[:, 6:]])
    for k in range(WORLDS):
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos[k], qvel[k], anymal_commands(actions)[k]
        mujoco.mj_forward(model, data)
        forces.append(data.qfrc_actuator.copy())
    env = SimpleNamespace(
        qpos=qpos, qvel=qvel, command=worlds.variables, period=worlds.period,
        fields={"qfrc_actuator": np.array(forces)}, last_actions=np.zeros((WORLDS, 12)),
    )  # fmt: skip
    observation, reward, fallen = anymal(env, np.zeros(WORLDS), actions)
    np.testing.assert_allclose(observation, seen.observation, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(reward, seen.reward, rtol=1e-6)
    np.testing.assert_array_equal(fallen, seen.terminated)


def test_the_ground_is_the_tasks(model):
    """Rays straight down meet the height field where the terrain is."""
    data, ground = mujoco.MjData(model), find_task("ANYmal").options["terrain"]
    mujoco.mj_forward(model, data)
    rng, hit = np.random.default_rng(0), np.zeros(1, np.int32)
    down = np.array([0.0, 0.0, -1.0])
    for _ in range(20):
        # at nodes of the grid, between which the two interpolate differently
        x, y = np.round(rng.uniform(-12.0, 12.0, 2), 1) + 1e-6
        distance = mujoco.mj_ray(model, data, np.array([x, y, 5.0]), down, None, 1, -1, hit)
        assert 5.0 - distance == pytest.approx(float(ground.height(x, y)), abs=1e-4)
