"""What the processes of the study `mpi` do: run a scene, and measure."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from treadle.distributed import DistributedWorld, world_communicator
from treadle.distributed.launch import write_result
from treadle.studies.mpi_scenes import SCENES

__all__ = ["main"]

#: Steps before the clock runs.
_WARM = 3


def main(arguments: list[str]) -> None:
    """Run the task that is described as JSON; the first process writes what was found."""
    given = json.loads(arguments[0])
    comm = world_communicator()
    found = _exchanges(comm) if given["scene"] == "exchanges" else _run(comm, given)
    if comm.rank == 0:
        write_result(found)


def _run(comm: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Steps of a scene: times per step of all processes, traffic, and the state at the end."""
    world = DistributedWorld(SCENES[given["scene"]](given["bodies"]), given["dt"], comm=comm)
    watched, owners = given.get("watch"), []
    warm = min(_WARM, given["steps"])
    if watched is None:
        world.step(warm)
    world.computing = world.exchanging = 0.0
    sent, agreements = world.traffic.bytes, world.agreements
    comm.allgather(None)
    started, cpu = time.perf_counter(), time.process_time()
    if watched is None:
        world.step(given["steps"] - warm)
    else:
        for _ in range(given["steps"]):
            world.step()
            told = comm.allgather(bool((world.slots.id == watched).any()))
            owners.append(told.index(True))
    comm.allgather(None)
    steps = max(given["steps"] - warm, 1)
    own = {
        "wall": (time.perf_counter() - started) / steps,
        "cpu": (time.process_time() - cpu) / steps,
        "computing": world.computing / steps,
        "exchanging": world.exchanging / steps,
        "bytes": (world.traffic.bytes - sent) / steps,
        "agreements": (world.agreements - agreements) / steps,
        "bodies": world.owned,
        "gathered": world.gathered,
        "migrated": world.migrated,
    }
    ranks = comm.allgather(own)
    q, v = world.gather(None)  # type: ignore[misc]
    return {
        "ranks": ranks,
        "rebalanced": world.rebalanced,
        "owners": len(set(owners)),
        "q": q.tolist() if given.get("state") else None,
        "v": v.tolist() if given.get("state") else None,
    }


def _exchanges(comm: Any) -> dict[str, float]:
    """Time (s) of an exchange of nothing among all, per byte of large ones, and of agreeing on numbers."""

    def timed(size: int, count: int) -> float:
        parts = [np.zeros(size, np.uint8) for _ in range(comm.size)]
        comm.allgather(None)
        started = time.perf_counter()
        for _ in range(count):
            comm.alltoall(parts)
        return (time.perf_counter() - started) / count

    timed(1, 50)
    latency, long = timed(1, 500), timed(1 << 20, 50)
    values = np.zeros(2)
    comm.allgather(None)
    started = time.perf_counter()
    for _ in range(500):
        comm.numbers(values)
    agreement = (time.perf_counter() - started) / 500
    return {"latency": latency, "per_byte": max(long - latency, 0.0) / (1 << 20), "agreement": agreement}


if __name__ == "__main__":
    main(sys.argv[1:])
