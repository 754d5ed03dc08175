"""Parquet: a column per number, for pandas and the like.

A Parquet file cannot be read before its end is written. So a recording grows as an Arrow stream in
`NAME.parquet.partial`, which can be read at any time, and becomes `NAME.parquet` when it is closed.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import numpy as np

from treadle.errors import RecordingError
from treadle.extras import require
from treadle.sim.recording.header import Header
from treadle.sim.recording.outlet import Outlet

__all__ = ["PARTIAL", "ParquetWriter"]

#: Added to the name while the recording grows.
PARTIAL = ".partial"

#: Rows of a group of the finished file; a group is in memory at once.
_GROUP = 1 << 14


class ParquetWriter:
    """Writes blocks of rows as they come, and the finished file at the end."""

    def __init__(self, path: Path, header: Header) -> None:
        require("pyarrow", "a recording as Parquet")
        import pyarrow as pa

        self._path = path
        if path.is_dir():
            raise RecordingError(f"{path} is a folder; name a file inside it")
        self._outlet = Outlet(path.with_name(path.name + PARTIAL))
        with contextlib.suppress(FileNotFoundError):
            # an earlier recording; beside the growing one it would be taken for it
            os.unlink(path)
        fields = [
            pa.field(name, pa.float64(), nullable=False, metadata={"unit": unit})
            for name, unit in zip(["time", *header.columns], ["s", *header.units], strict=True)
        ]
        self._schema = pa.schema(fields, metadata={"treadle": json.dumps(header.to_json())})
        self._stream = pa.ipc.new_stream(pa.PythonFile(self._outlet, mode="w"), self._schema)
        self._outlet.flush()
        self._empty = True

    def add(self, rows: np.ndarray) -> None:
        """Add rows and hand them to the operating system."""
        import pyarrow as pa

        self._empty = False
        columns = np.ascontiguousarray(rows.T)
        self._stream.write_batch(pa.record_batch([pa.array(x) for x in columns], schema=self._schema))
        self._outlet.flush()

    def finish(self) -> None:
        """Turn the stream into the Parquet file."""
        new = self._path.with_name(self._path.name + ".new")
        try:
            if self._empty:
                # the schema comes with the first rows, or with the end
                self._stream.close()
                self._outlet.flush()
            _convert(self._outlet.path, new)
            os.replace(new, self._path)
            os.unlink(self._outlet.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise RecordingError(
                f"{self._path} could not be finished ({error.strerror or error}); everything is in "
                f"{self._outlet.path}, which td.read_recording reads as well"
            ) from error
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Leave the file as it is."""
        self._outlet.close()


def _convert(stream: Path, target: Path) -> None:
    """Copy an Arrow stream into a Parquet file, a group of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pa.OSFile(str(stream)) as file, pa.ipc.open_stream(file) as batches:
        options = {"compression": "zstd", "use_dictionary": False, "use_byte_stream_split": True}
        with pq.ParquetWriter(str(target), batches.schema, **options) as writer:
            group: list[pa.RecordBatch] = []
            for batch in batches:
                group.append(batch)
                if sum(part.num_rows for part in group) >= _GROUP:
                    writer.write_table(pa.Table.from_batches(group, batches.schema))
                    group.clear()
            if group:
                writer.write_table(pa.Table.from_batches(group, batches.schema))
