"""Sweeps: a machine simulated with all combinations of some constants, in blocks of worlds.

    table = td.sweep(model, {"elbow.damping": [0.1, 0.3, 1.0], "gripper.mass": np.linspace(0.1, 2.0, 50)},
                     seconds=2.0, signals=["body.tool.pose", "energy.total"])

Blocks run one after the other on this computer's threads, or on a Ray cluster with the same call and the same
bits. With a folder, every block that is done is kept there, and a sweep that was interrupted continues.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.batch.batch import Batch
from treadle.batch.cluster import Cluster, find_cluster
from treadle.errors import InputError
from treadle.model.model import Model
from treadle.model.parameters import check_values
from treadle.sim.checks import check_count, check_model

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["sweep"]


@dataclass(frozen=True)
class _Block:
    """Worlds from `begin` on, with their constants (worlds, names), and what to do with them."""

    number: int
    names: tuple[str, ...]
    values: np.ndarray
    seconds: float
    signals: tuple[str, ...]
    options: dict[str, Any]


def sweep(
    model: Model,
    parameters: Mapping[str, ArrayLike],
    seconds: float,
    signals: Sequence[str] = ("energy.total",),
    block: int = 1024,
    folder: str | Path | None = None,
    backend: str | Cluster = "local",
    report: Callable[[float], None] | None = None,
    **options: Any,
) -> pa.Table:
    """A row per combination: the constants, the signals after so many seconds, and whether it diverged.

    `report` hears of the share that is done; further options are those of a `Batch`. Blocks run here
    ("local"), on "ray" or on a `Cluster`; the table's metadata "lost" counts those that were begun again
    because their worker was lost.
    """
    import pyarrow as pa

    check_model(model, "sweep")
    names, values = tuple(parameters), _combinations(parameters)
    for name, column in zip(names, values.T, strict=True):
        check_values(model, name, column)
    size = check_count("block", block)
    blocks = [
        _Block(number, names, values[start : start + size], seconds, tuple(signals), options)
        for number, start in enumerate(range(0, len(values), size))
    ]
    kept = _Kept(folder, model, blocks)
    found = {item.number: table for item in blocks if (table := kept.read(item.number)) is not None}
    report = report or (lambda done: None)
    report(len(found) / len(blocks))
    left = [item for item in blocks if item.number not in found]
    cluster = find_cluster(backend) if left else None
    before = 0 if cluster is None else cluster.lost
    if cluster is None:
        done = ((item.number, _table(model, item)) for item in left)
    else:
        done = ((left[k].number, table) for k, table in cluster.run(cluster.share(_Blocks(model)), left))
    for number, table in done:
        kept.write(number, table)
        found[number] = table
        report(len(found) / len(blocks))
    lost = 0 if cluster is None else cluster.lost - before
    return pa.concat_tables([found[item.number] for item in blocks]).replace_schema_metadata(
        {"lost": str(lost)}
    )


def _combinations(parameters: Mapping[str, ArrayLike]) -> np.ndarray:
    """(worlds, names) all of them, the last constant changing fastest."""
    columns = []
    for name, values in parameters.items():
        column = np.atleast_1d(np.asarray(values, dtype=float))
        if column.ndim != 1 or not len(column) or not np.isfinite(column).all():
            raise InputError(f"sweep: {name!r} needs a list of finite numbers, not {values!r}")
        columns.append(column)
    if not columns:
        raise InputError("sweep: name at least one constant, such as {'elbow.damping': [0.1, 1.0]}")
    return np.array(list(itertools.product(*columns)))


@dataclass(frozen=True)
class _Blocks:
    """What workers of a cluster make tables with."""

    model: Model

    def make(self) -> Callable[[_Block], pa.Table]:
        # a block has one processor there, unless its options say otherwise
        return partial(_table, self.model, threads=1)


def _table(model: Model, block: _Block, threads: int | None = None) -> pa.Table:
    """Simulate a block."""
    import pyarrow as pa

    options: dict[str, Any] = {"threads": threads} | block.options
    worlds = Batch(model, len(block.values), parameters=block.names, **options)
    for name, column in zip(block.names, block.values.T, strict=True):
        worlds.parameter(name)[:] = column
    worlds.step(round(block.seconds / float(worlds.dt[0])))
    columns = dict(zip(block.names, block.values.T.copy(), strict=True))
    columns["alive"] = worlds.alive
    for name, found in worlds.signals(*block.signals).items():
        for label, part in zip(worlds.components(name), found.reshape(len(found), -1).T, strict=True):
            columns[label] = np.ascontiguousarray(part)
    return pa.table(columns)


class _Kept:
    """Blocks that are done, in a folder that belongs to one sweep; nothing is kept without a folder."""

    def __init__(self, folder: str | Path | None, model: Model, blocks: Sequence[_Block]) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is None:
            return
        described = [
            model.digest,
            *[
                (b.names, b.values.tobytes().hex(), b.seconds, b.signals, sorted(b.options.items()))
                for b in blocks
            ],
        ]
        digest = hashlib.sha256(repr(described).encode()).hexdigest()
        self._folder.mkdir(parents=True, exist_ok=True)
        label = self._folder / "sweep.json"
        if not label.exists():
            label.write_text(json.dumps({"digest": digest, "blocks": len(blocks)}), encoding="utf-8")
        elif json.loads(label.read_text(encoding="utf-8")).get("digest") != digest:
            raise InputError(f"{self._folder} has blocks of another sweep: choose another folder")

    def read(self, number: int) -> pa.Table | None:
        """A block that was done before."""
        if self._folder is None or not (path := self._path(number)).exists():
            return None
        import pyarrow.parquet as pq

        return pq.read_table(path)

    def write(self, number: int, table: pa.Table) -> None:
        """Keep a block: it appears as a whole or not at all."""
        if self._folder is None:
            return
        import pyarrow.parquet as pq

        path = self._path(number)
        partial = path.with_suffix(".partial")
        pq.write_table(table, partial)
        partial.replace(path)

    def _path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"block-{number:05d}.parquet"
