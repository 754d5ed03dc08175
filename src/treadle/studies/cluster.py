"""A sweep on two Ray nodes, one of which is lost: the same bits, at what cost.

A machine is simulated with many values of its constants, in blocks that take one second each: in turn on this
computer's threads and on four workers of two nodes, so that other work on the computer meets both; then with
one node killed in the middle, and at last from a folder in which an interrupted sweep left its blocks.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treadle.batch import Batch
from treadle.batch.sweep import sweep
from treadle.bench.results import Check, at_least, at_most
from treadle.errors import InputError
from treadle.scenes import scene
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Nodes and workers on each; worlds per block, and how long a block takes on one thread (s).
_NODES, _WORKERS, _WORLDS, _BLOCK = 2, 2, 256, 1.0

_SIGNALS = "body.*.pose", "energy.total"

#: Turns of local and cluster, of which the medians count; how much more than local the cluster may take.
_TURNS, _OVERHEAD = 3, 1.05

_COLUMNS = (
    Column("run", "run"),
    Column("blocks", "blocks", "d"),
    Column("seconds", "time (s)", ".2f"),
    Column("by_local", "by local", ".3f"),
    Column("cpu", "CPU (s)", ".1f"),
    Column("cpu_by_local", "by local, quiet", ".3f"),
    Column("lost", "blocks begun again", "d"),
    Column("same", "same bits"),
)


def run(quick: bool, report: Report) -> Findings:
    """Sixteen blocks, or eight when quick."""
    ray = _ray()
    blocks, model, name = (8 if quick else 16), scene("arm"), "bend.damping"
    values = {name: np.geomspace(0.05, 5.0, _WORLDS * blocks)}
    whole = partial(sweep, model, values, _calibrated(model, name), block=_WORLDS, signals=_SIGNALS)
    # as many threads as workers: a busy computer gives both the same share
    here, there = partial(whole, threads=_NODES * _WORKERS), partial(whole, backend="ray", threads=1)
    report(0.0, "on this computer")
    table = here()
    with _two_nodes(ray) as (cluster, second):
        # workers start and load the machine's code before the clock runs
        sweep(model, {name: np.ones(_NODES * _WORKERS)}, 0.1, backend="ray", block=1, threads=1)
        local, both = [], []
        for turn in range(_TURNS):
            report(0.1 + 0.6 * turn / _TURNS, "on this computer and on two nodes")
            local.append(_timed(here))
            both.append(_timed(there))
        rows = [_row("local", local, local, table), _row("two nodes", both, local, table)]
        rows[0] |= {"cpu": float(np.median([run.cpu for run in local])), "cpu_by_local": 1.0}
        rows[1] |= {"cpu": float(np.median([run.cpu + run.ray for run in both]))}
        rows[1] |= {"cpu_by_local": _cpu_ratio(both, local)}
        report(0.7, "a node is lost")
        lose = _once(0.3, lambda: cluster.remove_node(second, allow_graceful=False))
        rows.append(_row("a node lost", [_timed(partial(there, report=lose))], local, table))
    with tempfile.TemporaryDirectory() as folder:
        report(0.9, "interrupted and resumed")
        again = _timed(partial(_resumed, partial(here, folder=folder)))
        rows.append(_row("interrupted", [again], local, table))
    findings = Findings(_COLUMNS, rows, lambda: _draw(rows))
    findings.checks = _checks(rows)
    return findings


def _ray() -> Any:
    try:
        import ray  # type: ignore[import-not-found]
        import ray.cluster_utils  # type: ignore[import-not-found]
    except ImportError:
        raise InputError("this study needs ray: pip install 'treadle[cluster]'") from None
    return ray


class _Run(NamedTuple):
    """A sweep: its table, how long it took, and the CPU time (s) of this process and of those of Ray."""

    table: pa.Table
    seconds: float
    cpu: float
    ray: float


def _timed(work: Callable[[], pa.Table]) -> _Run:
    """Work with its times."""
    started, before = time.perf_counter(), _cpu_seconds()
    table = work()
    cpu, others = (after - first for after, first in zip(_cpu_seconds(), before, strict=True))
    return _Run(table, time.perf_counter() - started, cpu, others)


def _cpu_seconds() -> tuple[float, float]:
    """CPU time (s) of this process, and of those that it started."""
    # ray brings it along
    import psutil  # type: ignore[import-not-found,import-untyped]

    def taken(process: Any) -> float:
        return sum(process.cpu_times()[:2])

    here = psutil.Process()
    return taken(here), sum(taken(process) for process in here.children(recursive=True))


def _cpu_ratio(both: list[_Run], local: list[_Run]) -> float:
    """CPU time on the cluster by that on this computer, as if nothing else ran.

    Ray's processes take their part of a processor whether there is work or not, as they did in the local
    turns. What that comes to in a sweep grows with the time it takes: that of a quiet computer counts. An
    estimate, which is not judged: under load it was off by more than the overhead it is about.
    """
    standing = float(np.median([run.ray / run.seconds for run in local]))
    work = [
        (run.cpu + run.ray - standing * run.seconds) / other.cpu
        for run, other in zip(both, local, strict=True)
    ]
    return float(np.median(work)) + standing / (os.cpu_count() or 1)


@contextmanager
def _two_nodes(ray: Any) -> Iterator[tuple[Any, Any]]:
    """A cluster of two nodes, and its second node."""
    # Ray would write about lost nodes between the results
    with redirect_stdout(sys.stderr):
        cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": _WORKERS})
        second = cluster.add_node(num_cpus=_WORKERS)
        try:
            ray.init(address=cluster.address, log_to_driver=False)
            yield cluster, second
        finally:
            ray.shutdown()
            cluster.shutdown()


def _calibrated(model: Any, name: str) -> float:
    """Simulated seconds that a block takes `_BLOCK` of one thread for."""
    worlds = Batch(model, _WORLDS, parameters=[name], threads=1)
    worlds.step(100)
    started = time.process_time()
    worlds.step(400)
    return 400 * float(worlds.dt[0]) * _BLOCK / (time.process_time() - started)


def _once(share: float, action: Callable[[], object]) -> Callable[[float], None]:
    """Acts the first time that it hears of more than a share."""
    waiting = [action]

    def heard(done: float) -> None:
        if done > share and waiting:
            waiting.pop()()

    return heard


class _Interrupted(Exception):
    """What stops a sweep in the middle."""


def _resumed(work: Callable[..., pa.Table]) -> pa.Table:
    """Work that is interrupted and begun again."""

    def stop() -> None:
        raise _Interrupted

    with suppress(_Interrupted):
        work(report=_once(0.4, stop))
    return work()


def _row(name: str, runs: list[_Run], local: list[_Run], here: pa.Table) -> dict[str, Any]:
    """Medians over the turns; ratios are those within a turn."""
    pairs = list(zip(runs, local[-len(runs) :], strict=True))
    return {
        "run": name,
        "blocks": len(here) // _WORLDS,
        "seconds": float(np.median([run.seconds for run in runs])),
        "by_local": float(np.median([run.seconds / other.seconds for run, other in pairs])),
        "lost": sum(int((run.table.schema.metadata or {}).get(b"lost", b"0")) for run in runs),
        "same": "yes" if all(run.table.equals(here) for run in runs) else "no",
    }


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    _, both, lost, _ = rows
    return [
        at_least("runs with the bits of the local one", sum(row["same"] == "yes" for row in rows), len(rows)),
        at_most("time on two nodes by local", both["by_local"], _OVERHEAD),
        at_least("blocks begun again when a node is lost", lost["lost"], 1.0),
        at_most("blocks begun again when a node is lost", lost["lost"], float(_WORKERS)),
    ]


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    axes.bar([row["run"] for row in rows], [row["seconds"] for row in rows], color="C0")
    axes.set(ylabel="time of the sweep (s)", title=f"{rows[0]['blocks']} blocks of {_BLOCK:g} s")
    return figure
