"""Many worlds on two threads: world-steps per second, against MuJoCo's own batch."""

from __future__ import annotations

import math

import numpy as np

from treadle.batch import Batch
from treadle.bench.machines import Machine
from treadle.bench.peers import MissingPeer, MujocoModel, difference, peer, peer_name
from treadle.bench.race import Contestant, Effort, race
from treadle.bench.results import Outcome, Rival, Row, compare
from treadle.bench.step import DT

__all__ = ["measure_worlds"]

#: How many times faster than MuJoCo's batch a batch has to be.
LIMITS = {"ur5": 20.0, "panda": 20.0, "talos": 8.0}

THREADS = 2


def measure_worlds(machine: Machine, effort: Effort) -> Outcome:
    """`Batch.step(n)` by `mujoco.batch.Batch.step(nstep=n)`, all worlds from states of their own."""
    model = machine.model()
    worlds = Batch(model, effort.worlds, dt=DT, threads=THREADS)
    # large machines take as long with fewer steps
    steps = max(1, round(effort.steps / max(1.0, model.nv / 10)))
    random = np.random.default_rng(2)
    q, v, _ = machine.state()
    worlds.q = q
    worlds.v = v * random.uniform(0.5, 1.5, (effort.worlds, 1))
    start = worlds.save()

    contestants = {"treadle": Contestant(lambda: worlds.step(steps), lambda: worlds.restore(start))}
    agreement = math.inf
    try:
        other = _MujocoBatch(machine, worlds)
        agreement = other.step_difference()
        contestants["mujoco"] = Contestant(lambda: other.step(steps), other.restart)
        missing = ""
    except MissingPeer as error:
        missing = str(error)
    except ValueError as error:
        missing = f"MuJoCo refuses {machine.name}: {error}"

    worlds.restore(start)
    best = race(contestants, effort.seconds)
    rates = {name: effort.worlds * steps / seconds * 1e-6 for name, seconds in best.items()}
    detail = f"{effort.worlds} worlds, {steps} steps a call"
    rival = missing or Rival(peer_name("mujoco"), rates["mujoco"], agreement, detail)
    row = Row("worlds", machine.name, model.nv, "batch", "million world-steps/s", rates["treadle"])
    return compare(row, rival, "MuJoCo", LIMITS.get(machine.name), rate=True)


class _MujocoBatch:
    """The same worlds in MuJoCo."""

    def __init__(self, machine: Machine, worlds: Batch) -> None:
        single = MujocoModel(machine.model(), DT)
        self.worlds = worlds
        self.order_q, self.order_v = single.order_q, single.order_v
        self.batch = peer("mujoco.batch").Batch(single.model, worlds.worlds, nthread=THREADS)
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.start_q, self.start_v = worlds.q[:, self.order_q].copy(), worlds.v[:, self.order_v].copy()

    def restart(self) -> None:
        self.qpos[:], self.qvel[:] = self.start_q, self.start_v

    def step(self, count: int) -> None:
        self.batch.step(nstep=count)

    def step_difference(self) -> float:
        """How far one step of each is apart, over all worlds."""
        self.restart()
        self.step(1)
        self.worlds.step(1)
        by_q = difference(self.qpos, self.worlds.q[:, self.order_q])
        change = self.worlds.v[:, self.order_v] - self.start_v
        return max(by_q, difference(self.qvel - self.start_v, change))
