"""The formats of recordings, by the suffix of the file's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from treadle.errors import InputError
from treadle.sim.recording.header import Header
from treadle.sim.recording.mcap_writer import McapWriter
from treadle.sim.recording.parquet_writer import ParquetWriter

__all__ = ["WRITERS", "Writer", "check_suffix", "open_writer"]


class Writer(Protocol):
    """Takes blocks of rows, each of which can be read from then on, and finishes its file."""

    def add(self, rows: np.ndarray) -> None:
        """Add rows (time first) and hand them to the operating system."""
        ...

    def finish(self) -> None:
        """Complete the file and let go of it."""
        ...

    def abandon(self) -> None:
        """Let go of the file as it is."""
        ...


#: Writers by suffix, each made from a path and a header.
WRITERS: dict[str, Any] = {".mcap": McapWriter, ".parquet": ParquetWriter}


def check_suffix(path: Path) -> None:
    """That there is a format for the name; InputError otherwise."""
    if path.suffix.lower() not in WRITERS:
        raise InputError(f"{path}: a recording's name ends in {' or '.join(WRITERS)}")


def open_writer(path: Path, header: Header) -> Writer:
    """Begin the file."""
    return WRITERS[path.suffix.lower()](path, header)
