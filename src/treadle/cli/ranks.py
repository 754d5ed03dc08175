"""`treadle run --ranks`: one world on several processes."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from treadle.cli.console import console, print_json
from treadle.cli.machine import open_machine

__all__ = ["main", "run_on_ranks"]

#: What is told of every process: key and head of its column.
_COLUMNS = {
    "rank": "process",
    "bodies": "bodies",
    "computing": "computing (s)",
    "exchanging": "exchanging, waiting (s)",
    "gathered": "gathered",
    "migrated": "moved",
    "megabytes": "sent (MB)",
}


def run_on_ranks(machine: str, ranks: int, seconds: float, dt: float | None, shown_json: bool) -> None:
    """Run a machine or scene in so many processes, and print what each of them did."""
    from treadle.distributed.launch import run_ranks

    given = {"machine": machine, "seconds": seconds, "dt": dt}
    found = run_ranks(ranks, "treadle.cli.ranks", [json.dumps(given)])
    if shown_json:
        print_json({"command": "run", **found})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in _COLUMNS.values():
        table.add_column(head, justify="right")
    for row in found["rows"]:
        table.add_row(*[format(row[key], ".4g") for key in _COLUMNS])
    console().print(table)
    console().print(
        f"{found['bodies']} free bodies, {found['steps']} steps of {found['dt']:g} s in "
        f"{found['wall_time']:.3g} s on {ranks} processes",
        markup=False,
    )


def main(arguments: list[str]) -> None:
    """What every process does."""
    from treadle.distributed import DistributedWorld, world_communicator
    from treadle.distributed.launch import write_result

    given = json.loads(arguments[0])
    comm = world_communicator()
    world = DistributedWorld(open_machine(given["machine"]), given["dt"], comm=comm)
    steps = round(given["seconds"] / world.dt)
    comm.allgather(None)
    started = time.perf_counter()
    world.step(steps)
    row: dict[str, Any] = {
        "rank": comm.rank,
        "bodies": world.owned,
        "computing": world.computing,
        "exchanging": world.exchanging,
        "gathered": world.gathered,
        "migrated": world.migrated,
        "megabytes": 1e-6 * world.traffic.bytes,
    }
    rows = comm.allgather(row)
    taken = time.perf_counter() - started
    state = world.gather()
    if comm.rank == 0 and state is not None:
        finite = bool(np.isfinite(state[0]).all())
        lost = sum(row["bodies"] for row in rows) - len(world.scene.bodies)
        checks = [{"name": "bodies lost or doubled", "value": abs(lost), "limit": 0, "holds": lost == 0}]
        checks.append({"name": "positions are finite", "value": finite, "limit": True, "holds": finite})
        found = {"machine": given["machine"], "ranks": comm.size, "bodies": len(world.scene.bodies)}
        found |= {"steps": steps, "dt": world.dt, "wall_time": taken}
        write_result({**found, "rows": rows, "checks": checks})


if __name__ == "__main__":
    main(sys.argv[1:])
