"""A sweep on two Ray nodes, one of which is lost: the same bits, at what cost.

A machine is simulated with many values of its constants, in blocks that take one second each. First on this
computer's threads, then on four workers of two nodes, then again with one node killed in the middle, and at
last from a folder in which an interrupted sweep left its blocks.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

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

_COLUMNS = (
    Column("run", "run"),
    Column("blocks", "blocks", "d"),
    Column("seconds", "time (s)", ".2f"),
    Column("by_local", "by local", ".3f"),
    Column("cpu", "CPU (s)", ".1f"),
    Column("lost", "blocks begun again", "d"),
    Column("same", "same bits"),
)


def run(quick: bool, report: Report) -> Findings:
    """Sixteen blocks, or eight when quick."""
    ray = _ray()
    blocks, model = (8 if quick else 16), scene("arm")
    name = "bend.damping"
    values = {name: np.geomspace(0.05, 5.0, _WORLDS * blocks)}
    seconds = _calibrated(model, name)
    options: dict[str, Any] = {"signals": ["body.*.pose", "energy.total"], "block": _WORLDS}

    def timed(what: str, share: float, **further: Any) -> tuple[pa.Table, float, float]:
        report(share, what)
        started, before = time.perf_counter(), _cpu_seconds()
        table = sweep(model, values, seconds, **options | further)
        return table, time.perf_counter() - started, _cpu_seconds() - before

    threads = min(os.cpu_count() or 1, _NODES * _WORKERS)
    here, local, cpu = timed("on this computer", 0.0, threads=threads)
    rows = [_row("local", blocks, local, local, here, here) | {"cpu": cpu}]
    cluster, second = _start(ray)
    try:
        # workers start and load the machine's code before the clock runs
        sweep(model, {name: np.ones(_NODES * _WORKERS)}, 0.1, backend="ray", block=1, threads=1)
        table, taken, cpu = timed("on two nodes", 0.3, backend="ray", threads=1)
        rows.append(_row("two nodes", blocks, taken, local, table, here) | {"cpu": cpu})
        lose = _once(0.3, lambda: cluster.remove_node(second, allow_graceful=False))
        table, taken, _ = timed("a node is lost", 0.6, backend="ray", threads=1, report=lose)
        rows.append(_row("a node lost", blocks, taken, local, table, here))
    finally:
        ray.shutdown()
        cluster.shutdown()
    with tempfile.TemporaryDirectory() as folder:
        report(0.9, "interrupted and resumed")
        rows.append(_resumed(model, values, seconds, options | {"threads": threads}, folder, here, local))
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


def _cpu_seconds() -> float:
    """CPU time (s) of this process and of all that it started, those of the cluster among them."""
    # ray brings it along
    import psutil  # type: ignore[import-not-found,import-untyped]

    here = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in (here, *here.children(recursive=True)))


def _start(ray: Any) -> tuple[Any, Any]:
    """A cluster of two nodes, and its second node."""
    cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": _WORKERS})
    second = cluster.add_node(num_cpus=_WORKERS)
    ray.init(address=cluster.address, log_to_driver=False)
    return cluster, second


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


def _resumed(
    model: Any, values: dict, seconds: float, options: dict, folder: str, here: pa.Table, local: float
) -> dict[str, Any]:
    def stop() -> None:
        raise _Interrupted

    started = time.perf_counter()
    with suppress(_Interrupted):
        sweep(model, values, seconds, folder=folder, report=_once(0.4, stop), **options)
    table = sweep(model, values, seconds, folder=folder, **options)
    blocks = len(here) // options["block"]
    return _row("interrupted", blocks, time.perf_counter() - started, local, table, here)


def _row(
    name: str, blocks: int, taken: float, local: float, table: pa.Table, here: pa.Table
) -> dict[str, Any]:
    return {
        "run": name,
        "blocks": blocks,
        "seconds": taken,
        "by_local": taken / local,
        "lost": int((table.schema.metadata or {}).get(b"lost", b"0")),
        "same": "yes" if table.equals(here) else "no",
    }


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    _, both, lost, _ = rows
    return [
        at_least("runs with the bits of the local one", sum(row["same"] == "yes" for row in rows), len(rows)),
        at_most("time on two nodes by local", both["by_local"], 1.05),
        at_least("blocks begun again when a node is lost", lost["lost"], 1.0),
        at_most("blocks begun again when a node is lost", lost["lost"], float(_WORKERS)),
    ]


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    axes.bar([row["run"] for row in rows], [row["seconds"] for row in rows], color="C0")
    axes.set(ylabel="time of the sweep (s)", title=f"{rows[0]['blocks']} blocks of {_BLOCK:g} s")
    return figure
