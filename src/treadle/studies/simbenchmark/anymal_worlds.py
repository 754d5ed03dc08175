"""Many worlds of ANYmal that stands under PD control: `Batch` against `mujoco.batch`, on two threads each."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.batch import Batch
from treadle.bench.peers import MissingPeer, peer
from treadle.bench.race import Contestant, Effort, race
from treadle.studies.simbenchmark.anymal import DT, OPTIONS, MujocoRobots, TreadleRobots, robots

__all__ = ["WORLDS", "standing_worlds"]

#: Worlds, threads, and steps in one turn of the race.
WORLDS, _THREADS, _TURN = 256, 2, 4

#: Time (s) in which a robot comes to stand.
_SETTLED = 2.0


def standing_worlds(effort: Effort) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of every engine: time of a step of one world (us); and notes.

    All worlds start from a robot that stands. Treadle's are compared with a `Simulation` bit for bit.
    """
    model, notes = robots(1), []
    single = TreadleRobots(model)
    single.step(round(_SETTLED / DT))
    turns = {"Treadle": Contestant(_treadle(single))}
    try:
        turns |= {name: Contestant(_mujoco(MujocoRobots(model, given))) for name, given in OPTIONS.items()}
    except MissingPeer as missing:
        notes.append(str(missing))
    times = race(turns, effort.seconds)
    rows = [
        {"engine": name, "error": None, "step_time": 1e6 * time / (_TURN * WORLDS)}
        for name, time in times.items()
    ]
    return rows, notes


def _treadle(single: TreadleRobots) -> Any:
    """A turn of Treadle's worlds, which must be those of the simulation that they start from."""
    sim = single.sim
    worlds = Batch(sim.model, WORLDS, dt=DT, threads=_THREADS)
    worlds.q, worlds.v = sim.q, sim.v
    worlds.commands = [sim.actuator(actuator.name).command for actuator in sim.model.actuators]
    again = TreadleRobots(sim.model)
    again.sim.q[:], again.sim.v[:] = sim.q, sim.v
    for engine in (worlds, again):
        engine.step(round(_SETTLED / DT))
    if not (np.array_equal(worlds.q[0], again.sim.q) and (worlds.q == worlds.q[0]).all()):
        raise AssertionError("a world of the batch differs from the simulation")
    return lambda: worlds.step(_TURN)


def _mujoco(single: MujocoRobots) -> Any:
    """A turn of MuJoCo's worlds."""
    single.step(round(_SETTLED / DT))
    batch = peer("mujoco.batch").Batch(single.model, WORLDS, nthread=_THREADS, persistent=True)
    for name in ("qpos", "qvel", "ctrl"):
        batch.bind(name)[:] = getattr(single.data, name)
    batch.step(nstep=round(_SETTLED / DT))
    return lambda: batch.step(nstep=_TURN)
