"""Reading recordings in MCAP files, up to where they end or were cut off."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import RecordingError
from treadle.extras import require
from treadle.sim.recording.header import Header
from treadle.sim.recording.json_rows import decode
from treadle.sim.recording.mcap_writer import METADATA
from treadle.sim.recording.topics import Topic, topics

__all__ = ["read_mcap"]

#: Samples that are decoded at a time.
_SLAB = 1024


def read_mcap(path: Path) -> tuple[Header, np.ndarray, bool]:
    """Header and rows, and whether the file has its end."""
    for package in ("mcap", "pyarrow"):
        require(package, "reading MCAP")
    from mcap.records import Channel, Footer, Message, Metadata

    header: Header | None = None
    gathered: dict[str, list[bytes]] = {}
    channels: dict[int, list[bytes]] = {}
    slabs: list[np.ndarray] = []
    found: list[Topic] = []
    complete = False
    for record in _records(path):
        if isinstance(record, Metadata) and record.name == METADATA:
            header = Header.from_json(record.metadata, str(path))
            found = topics(header)
            gathered = {topic.name: [] for topic in found}
        elif isinstance(record, Channel) and record.topic in gathered:
            channels[record.id] = gathered[record.topic]
        elif isinstance(record, Message) and record.channel_id in channels:
            channels[record.channel_id].append(record.data)
            if header is not None and all(len(texts) == _SLAB for texts in gathered.values()):
                slabs.append(_decoded(header, found, gathered))
        elif isinstance(record, Footer):
            complete = True
    if header is None:
        raise RecordingError(f"{path} is not a recording that Treadle made, or was cut off at its beginning")
    slabs.append(_decoded(header, found, gathered))
    return header, np.vstack(slabs), complete


def _records(path: Path) -> Iterator[Any]:
    """The records of a file as far as they can be read."""
    import zstandard
    from mcap.exceptions import InvalidMagic, McapError
    from mcap.stream_reader import StreamReader

    with path.open("rb") as file:
        reader = StreamReader(file, validate_crcs=True).records
        try:
            yield next(reader)
        except (InvalidMagic, struct.error):
            raise RecordingError(f"{path} is not an MCAP file") from None
        except (McapError, StopIteration):
            return
        # behind the first record, whatever cannot be read is where the file was cut off
        try:
            yield from reader
        except (McapError, struct.error, zstandard.ZstdError, ValueError):
            return


def _decoded(header: Header, found: list[Topic], gathered: dict[str, list[bytes]]) -> np.ndarray:
    """Rows of the samples gathered so far, which all topics have; the rest stays."""
    count = min(len(texts) for texts in gathered.values())
    rows = np.empty((count, 1 + len(header.columns)))
    for topic in found:
        texts = gathered[topic.name]
        if count:
            decode(topic.tree, texts[:count], rows)
        del texts[:count]
    return rows
