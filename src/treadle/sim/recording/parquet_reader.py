"""Reading recordings in Parquet files, and in the Arrow streams that they grow in."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import RecordingError
from treadle.extras import require
from treadle.sim.recording.header import Header

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_parquet", "read_stream"]


def read_parquet(path: Path) -> tuple[Header, np.ndarray, bool]:
    """Header and rows of a finished recording."""
    require("pyarrow", "reading Parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            # without threads of their own, which a process that ends early would have to wait for
            table = pq.ParquetFile(file, pre_buffer=False).read(use_threads=False)
    except pa.ArrowInvalid:
        raise RecordingError(f"{path} is not a Parquet file, or is damaged") from None
    return _header(path, table.schema), _rows(table.to_batches(), table.num_columns), True


def read_stream(path: Path) -> tuple[Header, np.ndarray, bool]:
    """Header and rows of a recording that grows, or stopped growing."""
    require("pyarrow", "reading a recording")
    import pyarrow as pa

    batches = []
    with path.open("rb") as file:
        try:
            stream = pa.ipc.open_stream(file)
        except pa.ArrowInvalid:
            raise RecordingError(f"{path} was cut off before its first sample, or is no recording") from None
        # of the last batch there may be only a part
        with contextlib.suppress(pa.ArrowInvalid, OSError):
            batches += iter(stream)
    return _header(path, stream.schema), _rows(batches, len(stream.schema)), False


def _header(path: Path, schema: pa.Schema) -> Header:
    texts = (schema.metadata or {}).get(b"treadle")
    if texts is None:
        raise RecordingError(f"{path} is not a recording that Treadle made")
    return Header.from_json(json.loads(texts), str(path))


def _rows(batches: list[pa.RecordBatch], width: int) -> np.ndarray:
    rows = np.empty((sum(batch.num_rows for batch in batches), width))
    start = 0
    for batch in batches:
        for k, column in enumerate(batch.columns):
            rows[start : start + batch.num_rows, k] = column.to_numpy(zero_copy_only=False)
        start += batch.num_rows
    return rows
