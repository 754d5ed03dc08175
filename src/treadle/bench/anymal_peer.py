"""The task ANYmal on `mujoco.batch`: the same machine and ground, observation and reward over all worlds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from treadle.bench.peers import peer

__all__ = ["anymal", "anymal_commands", "anymal_model", "begin_anymal"]

#: Depth (m) of the ground below its lowest point.
_DEPTH = 1.0


def anymal_model() -> Any:
    """Treadle's machine as MJCF, on the task's ground as a height field."""
    from treadle.envs import find_task
    from treadle.formats import save

    mujoco, task = peer("mujoco"), find_task("ANYmal")
    path = Path(tempfile.mkdtemp()) / "anymal.xml"
    save(task.machine(), path)
    spec = mujoco.MjSpec.from_file(str(path))
    ground = task.options["terrain"]
    heights = np.array(ground.heights)
    low, span = float(heights.min()), float(np.ptp(heights))
    reach = [0.5 * (n - 1) * step for n, step in zip(heights.shape, ground.spacing, strict=True)]
    spec.add_hfield(
        name="ground", size=[*reach, span, _DEPTH], nrow=heights.shape[1], ncol=heights.shape[0],
        userdata=((heights - low) / span).T.ravel().tolist(),
    )  # fmt: skip
    middle = [start + half for start, half in zip(ground.origin, reach, strict=True)]
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground", pos=[*middle, low], friction=[0.8, 0.0, 0.0]
    )
    spec.option.timestep = task.dt
    return spec.compile()


def anymal_commands(actions: np.ndarray) -> np.ndarray:
    """Joint positions that actions ask for."""
    from treadle.envs.tasks.anymal import POSE, REACH

    return np.array(list(POSE.values())) + REACH * actions


def begin_anymal(rng: np.random.Generator, count: int) -> np.ndarray:
    """Positions (count, 19) at the start of episodes, drawn as the task does."""
    from treadle.envs.tasks.anymal import HEIGHT, POSE, ground

    x, y = rng.uniform(-12.0, 12.0, (2, count))
    heading = 0.5 * rng.uniform(-np.pi, np.pi, count)
    q = np.zeros((count, 7 + len(POSE)))
    q[:, 0], q[:, 1], q[:, 2] = x, y, np.asarray(ground().height(x, y)) + HEIGHT
    q[:, 3], q[:, 6] = np.cos(heading), np.sin(heading)
    q[:, 7:] = np.array(list(POSE.values())) + rng.uniform(-0.05, 0.05, (count, len(POSE)))
    return q


def anymal(env: Any, _: np.ndarray, actions: np.ndarray) -> tuple:
    """Observation, reward and end of the episode, as in `envs.tasks.anymal`."""
    from treadle.envs.tasks.anymal import POSE, ground

    q, v = env.qpos, env.qvel
    w, x, y, z = np.ascontiguousarray(q[:, 3:7].T)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    along = np.ascontiguousarray(v[:, :3].T)
    velocity = np.stack([sum(row[k] * part for row, part in zip(rows, along)) for k in range(3)], axis=1)
    turning, up = v[:, 3:6], np.stack(rows[2], axis=1)
    command, dt = env.command, env.period
    off = np.square(velocity[:, :2] - command[:, :2]).sum(axis=1)
    reward = dt * np.exp(-4.0 * off) + 0.5 * dt * np.exp(-4.0 * np.square(turning[:, 2] - command[:, 2]))
    reward -= dt * (2.0 * np.square(velocity[:, 2]) + 0.05 * np.square(turning[:, :2]).sum(axis=1))
    reward -= 1e-5 * dt * np.square(env.fields["qfrc_actuator"]).sum(axis=1)
    reward -= 0.01 * dt * np.square(actions - env.last_actions).sum(axis=1)
    env.last_actions = actions
    fallen = (up[:, 2] < 0.5) | (q[:, 2] - np.asarray(ground().height(q[:, 0], q[:, 1])) < 0.25)
    joints = q[:, 7:] - np.array(list(POSE.values()))
    return np.concatenate([velocity, turning, up, command, joints, v[:, 6:], actions], axis=1), reward, fallen
