"""Learning environments on two threads: environment steps per second, against MuJoCo's own batch.

The peer is `mujoco.batch` with the same observation, reward and resets, computed over arrays of all worlds.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treadle.bench.anymal_peer import anymal, anymal_commands, anymal_model, begin_anymal
from treadle.bench.envpool_peer import EnvPoolEnvironment
from treadle.bench.peers import MissingPeer, peer, peer_name
from treadle.bench.race import Contestant, Effort, race
from treadle.bench.results import Outcome, Row, at_least, at_most
from treadle.errors import InputError
from treadle.model.model import suggest

__all__ = ["LIMITS", "environment_names", "measure_environment"]

#: How many times faster than MuJoCo's batch an environment has to be.
LIMITS = {"CartPole": 20.0, "Reacher": 20.0} | dict.fromkeys(
    ("HalfCheetah", "Hopper", "Walker2d", "Ant", "Humanoid", "ANYmal"), 3.0
)

THREADS, WORLDS, QUICK_WORLDS = 2, 1024, 128

#: Share of a control step that observation, reward and resets may take; turns that it is measured in, and how
#: long (s) each takes at least.
_OVERHEAD, _LEAST_TURNS, _TURN = 0.2, 20, 2e-3


def environment_names(only: list[str] | None = None) -> list[str]:
    """Those to measure."""
    for name in only or ():
        if name not in LIMITS:
            raise InputError(
                f"there is no environment {name!r} in the benchmark; {suggest(name, list(LIMITS))}"
            )
    return list(only or LIMITS)


def measure_environment(name: str, effort: Effort, quick: bool = False) -> Outcome:
    """Control steps of all worlds under random actions, turn by turn with the peer."""
    from treadle.envs import VectorEnv

    count = QUICK_WORLDS if quick else WORLDS
    env = VectorEnv(count, name, threads=THREADS)
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = cycle([env.action_space.sample() for _ in range(16)])

    def step() -> None:
        env.step(next(actions))

    # some steps on, so that worlds are in all phases of an episode
    for _ in range(50):
        step()
    dofs, costs = env.worlds.batch.model.nv, _costs(env, step, 0.3 * effort.seconds)
    contestants = {"treadle": Contestant(step)}
    note = ""
    try:
        other = _MujocoEnvironment(name, env.task, count)
        for _ in range(50):
            other.step(next(actions))
        contestants["mujoco"] = Contestant(lambda: other.step(next(actions)))
    except MissingPeer as error:
        note = str(error)
    try:
        pool = EnvPoolEnvironment(name, count, THREADS)
        contestants["envpool"] = Contestant(lambda: pool.step(next(actions)))
    except MissingPeer:
        # it is no part of the packages to compare with: many systems have none that installs
        pass
    times = race(contestants, effort.seconds)
    outcome = _outcome(name, dofs, count, times, costs)
    outcome.notes.extend([note] if note else [])
    return outcome


class _Costs(NamedTuple):
    """CPU time (s) of a control step, and of `Batch.step` with the same steps of the simulation."""

    control: float
    simulation: float

    @property
    def share(self) -> float:
        """Of the control step that is not simulation; what both spend in Python before machine code is."""
        return max(0.0, 1.0 - self.simulation / self.control)


def _costs(env: Any, step: Callable[[], None], seconds: float) -> _Costs:
    """Both start from the same states with the same commands, turn by turn; of each the median counts.

    Steps that take microseconds follow each other, as they do in learning.
    """
    batch, count = env.worlds.batch, env.task.steps
    often = max(1, round(_TURN / _seconds(step, 1)))
    whole: list[float] = []
    alone: list[float] = []
    end = time.perf_counter() + seconds
    while len(whole) < _LEAST_TURNS or time.perf_counter() < end:
        before = batch.save()
        whole.append(_seconds(step, often))
        after = batch.save()
        batch.restore(before)
        batch.commands = after["commands"][:, : batch.worlds].T
        alone.append(_seconds(lambda: batch.step(count), often))
        batch.restore(after)
    return _Costs(float(np.median(whole)) / often, float(np.median(alone)) / often)


def _seconds(work: Callable[[], None], often: int) -> float:
    """CPU time, which other work on the computer does not lengthen."""
    started = time.process_time()
    for _ in range(often):
        work()
    return time.process_time() - started


def _outcome(name: str, dofs: int, count: int, times: dict[str, float], costs: _Costs) -> Outcome:
    rate = {who: count / seconds * 1e-3 for who, seconds in times.items()}
    ratio = rate["treadle"] / rate["mujoco"] if "mujoco" in rate else None
    limit = LIMITS[name]
    row = Row(
        "environments", name, dofs, "environment", "thousand steps/s", rate["treadle"],
        peer=peer_name("mujoco") if ratio is not None else None, peer_value=rate.get("mujoco"), ratio=ratio,
        limit=limit, holds=ratio is not None and ratio >= limit,
    )  # fmt: skip
    share = Row("environments", name, dofs, "observation, reward, reset", "of a step", costs.share)
    checks = [at_most(f"{name}: share of observation, reward and reset", costs.share, _OVERHEAD)]
    both = {"control step, CPU": costs.control, "of it Batch.step": costs.simulation}
    rows = [row, share, *[Row("environments", name, dofs, what, "us", 1e6 * x) for what, x in both.items()]]
    if "envpool" in rate:
        faster = rate["treadle"] / rate["envpool"]
        rows.append(
            Row(
                "environments", name, dofs, "beside EnvPool", "thousand steps/s", rate["treadle"],
                peer=peer_name("envpool"), peer_value=rate["envpool"], ratio=faster, limit=limit,
                holds=faster >= limit,
            )
        )  # fmt: skip
        checks.append(at_least(f"{name}: steps per second by EnvPool", faster, limit))
    if ratio is not None:
        checks.insert(0, at_least(f"{name}: steps per second by MuJoCo's batch", ratio, limit))
    return Outcome(rows, checks, [])


class _MujocoEnvironment:
    """The same task on `mujoco.batch`, over arrays of all worlds."""

    def __init__(self, name: str, task: Any, count: int) -> None:
        mujoco, batches = peer("mujoco"), peer("mujoco.batch")
        model = anymal_model() if name == "ANYmal" else mujoco.MjModel.from_xml_path(str(_file(name)))
        self.batch = batches.Batch(model, count, nthread=THREADS)
        self.task, self.name, self.count = task, name, count
        self.qpos, self.qvel, self.ctrl = (self.batch.bind(x) for x in ("qpos", "qvel", "ctrl"))
        self.fields = {x: self.batch.bind(x) for x in _FIELDS.get(name, ())}
        self.start_q, self.period = model.qpos0.copy(), task.steps * model.opt.timestep
        self.mass = model.body_mass
        self.rng = np.random.default_rng(0)
        #: of tasks that have them: what is asked for, and the actions before
        self.command, self.last_actions = np.zeros((count, 3)), np.zeros((count, task.action_size))
        self.taken = np.zeros(count, int)
        self.done = np.ones(count, bool)
        self._reset(np.arange(count))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """One control step, with resets as in mode NEXT_STEP."""
        over, before = np.flatnonzero(self.done), self._place()
        self.ctrl[:] = self._commands(actions)
        self.batch.step(nstep=self.task.steps)
        self.taken += 1
        if len(over):
            self._reset(over)
        forward = (self._place() - before) / self.period
        observation, reward, terminated = _FORMULAS[self.name](self, forward, actions)
        self.done = terminated | (self.taken >= self.task.max_episode_steps)
        return observation, reward, terminated

    def _commands(self, actions: np.ndarray) -> np.ndarray:
        if self.name == "ANYmal":
            return anymal_commands(actions)
        return (2.0 * actions[:, None] - 1.0) if self.task.discrete else actions

    def _place(self) -> np.ndarray:
        if self.name == "Humanoid":
            return self.fields["xipos"][:, :, 0] @ self.mass / self.mass.sum()
        return self.qpos[:, 0].copy()

    def _reset(self, worlds: np.ndarray) -> None:
        shape = len(worlds), len(self.start_q)
        if self.name == "ANYmal":
            self.qpos[worlds], self.qvel[worlds] = begin_anymal(self.rng, len(worlds)), 0.0
            self.command[worlds] = self.rng.uniform((-1.0, -0.5, -1.0), (1.0, 0.5, 1.0), (len(worlds), 3))
        else:
            self.qpos[worlds] = self.start_q + self.rng.uniform(-0.01, 0.01, shape)
            self.qvel[worlds] = self.rng.uniform(-0.01, 0.01, (len(worlds), self.qvel.shape[1]))
        self.taken[worlds], self.done[worlds] = 0, False


_FIELDS = {
    "Ant": ("cfrc_ext",),
    "Humanoid": ("cfrc_ext", "cinert", "cvel", "qfrc_actuator", "xipos"),
    "Reacher": ("xpos",),
    "ANYmal": ("qfrc_actuator",),
}


def _cart_pole(env: _MujocoEnvironment, forward: np.ndarray, actions: np.ndarray) -> tuple:
    x, angle = env.qpos.T
    observation = np.stack([x, env.qvel[:, 0], angle, env.qvel[:, 1]], axis=1).astype(np.float32)
    return observation, np.ones(env.count), (np.abs(x) > 2.4) | (np.abs(angle) > np.radians(12.0))


def _reacher(env: _MujocoEnvironment, forward: np.ndarray, actions: np.ndarray) -> tuple:
    angles, places = env.qpos[:, :2], env.fields["xpos"]
    gap = places[:, 3] - places[:, 4]
    parts = [np.cos(angles), np.sin(angles), env.qpos[:, 2:], env.qvel[:, :2], gap[:, :2]]
    reward = -np.linalg.norm(gap, axis=1) - np.square(actions).sum(axis=1)
    return np.concatenate(parts, axis=1), reward, np.zeros(env.count, bool)


def _half_cheetah(env: _MujocoEnvironment, forward: np.ndarray, actions: np.ndarray) -> tuple:
    reward = forward - 0.1 * np.square(actions).sum(axis=1)
    return np.concatenate([env.qpos[:, 1:], env.qvel], axis=1), reward, np.zeros(env.count, bool)


def _walker(low: float, high: float, steepest: float) -> Callable[..., tuple]:
    def formulas(env: _MujocoEnvironment, forward: np.ndarray, actions: np.ndarray) -> tuple:
        height, angle = env.qpos[:, 1], env.qpos[:, 2]
        healthy = (height > low) & (height < high) & (np.abs(angle) < steepest)
        reward = forward + healthy - 1e-3 * np.square(actions).sum(axis=1)
        return np.concatenate([env.qpos[:, 1:], np.clip(env.qvel, -10, 10)], axis=1), reward, ~healthy

    return formulas


def _ant(env: _MujocoEnvironment, forward: np.ndarray, actions: np.ndarray) -> tuple:
    force = np.clip(env.fields["cfrc_ext"][:, 1:].reshape(env.count, -1), -1.0, 1.0)
    healthy = (env.qpos[:, 2] >= 0.2) & (env.qpos[:, 2] <= 1.0)
    cost = 0.5 * np.square(actions).sum(axis=1) + 5e-4 * np.square(force).sum(axis=1)
    return np.concatenate([env.qpos[:, 2:], env.qvel, force], axis=1), forward + healthy - cost, ~healthy


def _humanoid(env: _MujocoEnvironment, forward: np.ndarray, actions: np.ndarray) -> tuple:
    count, fields = env.count, env.fields
    bodies = [fields[x][:, 1:].reshape(count, -1) for x in ("cinert", "cvel", "cfrc_ext")]
    healthy = (env.qpos[:, 2] > 1.0) & (env.qpos[:, 2] < 2.0)
    cost = 0.1 * np.square(actions).sum(axis=1)
    cost += np.minimum(5e-7 * np.square(bodies[2]).sum(axis=1), 10.0)
    parts = [env.qpos[:, 2:], env.qvel, *bodies[:2], fields["qfrc_actuator"][:, 6:], bodies[2]]
    return np.concatenate(parts, axis=1), 1.25 * forward + 5.0 * healthy - cost, ~healthy


_FORMULAS: dict[str, Callable[..., tuple]] = {
    "CartPole": _cart_pole,
    "Reacher": _reacher,
    "HalfCheetah": _half_cheetah,
    "Hopper": _walker(0.7, np.inf, 0.2),
    "Walker2d": _walker(0.8, 2.0, 1.0),
    "Ant": _ant,
    "Humanoid": _humanoid,
    "ANYmal": anymal,
}

_FILES = {
    "Reacher": "reacher.xml",
    "HalfCheetah": "half_cheetah.xml",
    "Hopper": "hopper.xml",
    "Walker2d": "walker2d_v5.xml",
    "Ant": "ant.xml",
    "Humanoid": "humanoid.xml",
}


def _file(name: str) -> Path:
    """The machine as MJCF: Gymnasium's own, or Treadle's cart and pole written as such."""
    if name in _FILES:
        return Path(peer("gymnasium").__file__).parent / "envs" / "mujoco" / "assets" / _FILES[name]
    from treadle.envs import find_task
    from treadle.formats import save

    path = Path(tempfile.mkdtemp()) / "cart_pole.xml"
    save(find_task(name).machine(), path)
    return path
