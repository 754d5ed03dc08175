"""Many worlds on two threads: world-steps per second, against MuJoCo's own batch."""

from __future__ import annotations

import itertools
import math

import numpy as np

from treadle.batch import Batch
from treadle.bench.machines import Machine
from treadle.bench.peers import MissingPeer, MujocoModel, difference, peer, peer_name
from treadle.bench.race import Contestant, Effort, calibrate, race
from treadle.bench.results import Outcome, Rival, Row, compare
from treadle.bench.step import DT, change_difference

__all__ = ["measure_worlds"]

#: How many times faster than MuJoCo's batch a batch has to be.
LIMITS = {"ur5": 20.0, "panda": 20.0, "talos": 8.0}

THREADS = 2

#: Time of one call. On a busy computer no longer one is ever free of disturbance.
_SECONDS = 3e-3

#: Worlds that MuJoCo steps in one call, to make it as short: all of them at once are no faster.
_SLICE = 64


def measure_worlds(machine: Machine, effort: Effort) -> Outcome:
    """`Batch.step(n)` by `mujoco.batch.Batch.step(nstep=n)`, all worlds from states of their own."""
    model = machine.model()
    worlds = Batch(model, effort.worlds, dt=DT, threads=THREADS)
    q, v, _ = machine.state()
    worlds.q = q
    worlds.v = v * np.random.default_rng(2).uniform(0.5, 1.5, (effort.worlds, 1))
    start = worlds.save()

    missing, other, agreement = "", None, math.inf
    try:
        other = _MujocoBatch(machine, worlds)
        agreement = other.step_difference()
    except MissingPeer as error:
        missing = str(error)
    except ValueError as error:
        missing = f"MuJoCo refuses {machine.name}: {error}"

    steps = calibrate(worlds.step, _SECONDS, most=100)
    contestants = {"treadle": Contestant(lambda: worlds.step(steps), lambda: worlds.restore(start))}
    done, detail = {"treadle": effort.worlds * steps}, None
    if other is not None:
        other.restart()
        other_steps = calibrate(other.step, _SECONDS, most=100)
        contestants["mujoco"] = Contestant(lambda: other.step(other_steps), other.restart)
        done["mujoco"] = len(other.ids) * other_steps
        detail = f"{len(other.ids)} of {effort.worlds}, {other_steps} steps a call"

    rates = {name: done[name] / time * 1e-6 for name, time in race(contestants, 2.0 * effort.seconds).items()}
    rival = missing or Rival(peer_name("mujoco"), rates["mujoco"], agreement, detail)
    row = Row("worlds", machine.name, model.nv, "batch", "million world-steps/s", rates["treadle"])
    return compare(row, rival, "MuJoCo", LIMITS.get(machine.name), rate=True)


class _MujocoBatch:
    """The same worlds in MuJoCo, stepped a slice at a time, one slice after the other."""

    def __init__(self, machine: Machine, worlds: Batch) -> None:
        single = MujocoModel(machine.model(), DT)
        self.worlds = worlds
        self.order_q, self.order_v = single.order_q, single.order_v
        self.batch = peer("mujoco.batch").Batch(single.model, worlds.worlds, nthread=THREADS)
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.start_q, self.start_v = worlds.q[:, self.order_q].copy(), worlds.v[:, self.order_v].copy()
        count = max(1, worlds.worlds // _SLICE)
        self.slices = itertools.cycle(np.array_split(np.arange(worlds.worlds), count))
        self.ids = next(self.slices)

    def restart(self) -> None:
        self.ids = next(self.slices)
        self.qpos[self.ids], self.qvel[self.ids] = self.start_q[self.ids], self.start_v[self.ids]

    def step(self, count: int) -> None:
        self.batch.step(ids=self.ids, nstep=count)

    def step_difference(self) -> float:
        """How far one step of each is apart, over all worlds."""
        self.qpos[:], self.qvel[:] = self.start_q, self.start_v
        self.batch.step()
        self.worlds.step(1)
        by_q = difference(self.qpos, self.worlds.q[:, self.order_q])
        ours, theirs = self.worlds.v[:, self.order_v] - self.start_v, self.qvel - self.start_v
        # the world that is farthest apart stands for all
        worst = int(np.argmax(np.abs(ours - theirs).max(axis=1)))
        q, back = self.start_q[worst][np.argsort(self.order_q)], np.argsort(self.order_v)
        by_v = change_difference(self.worlds.model, q, ours[worst][back], theirs[worst][back])
        return max(by_q, by_v)
