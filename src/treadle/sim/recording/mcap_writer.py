"""MCAP: opens in Foxglove; in chunks, of which every finished one can be read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from treadle._version import __version__
from treadle.extras import require
from treadle.sim.recording.header import Header
from treadle.sim.recording.json_rows import encode, template
from treadle.sim.recording.outlet import Outlet
from treadle.sim.recording.topics import topics

__all__ = ["METADATA", "McapWriter"]

#: Name of the metadata record with the header.
METADATA = "treadle"

_NANO = 1_000_000_000


class McapWriter:
    """Writes blocks of rows, each as a chunk of messages, and the summary at the end."""

    def __init__(self, path: Path, header: Header) -> None:
        for package in ("mcap", "pyarrow"):
            require(package, "a recording as MCAP")
        from mcap.writer import Writer

        self._outlet = Outlet(path)
        # the chunks end where the blocks do
        self._writer = Writer(self._outlet, chunk_size=1 << 62)  # type: ignore[arg-type]
        self._writer.start(library=f"treadle {__version__}")
        self._writer.add_metadata(METADATA, header.to_json())
        self._channels: list[int] = []
        self._templates = []
        for topic in topics(header):
            schema = self._writer.register_schema(
                topic.schema_name, "jsonschema", json.dumps(topic.schema).encode()
            )
            self._channels.append(self._writer.register_channel(topic.name, "json", schema))
            self._templates.append(template(topic.tree))
        self._sequence = 0
        self._outlet.flush()

    def add(self, rows: np.ndarray) -> None:
        """Add rows and hand them to the operating system."""
        stamps = np.rint(rows[:, 0] * _NANO).astype(np.int64).tolist()
        seconds = np.array([divmod(stamp, _NANO) for stamp in stamps], dtype=float)
        rows = np.hstack([rows, seconds])
        messages = encode(self._templates, rows)
        for k, stamp in enumerate(stamps):
            self._sequence += 1
            for channel, texts in zip(self._channels, messages, strict=True):
                self._writer.add_message(channel, stamp, texts[k], stamp, self._sequence)
        self._writer.flush()

    def finish(self) -> None:
        """Write the summary, by which readers find their way."""
        try:
            self._writer.finish()
            self._outlet.flush()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Leave the file as it is."""
        self._outlet.close()
