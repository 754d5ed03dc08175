"""Reading recordings, whole ones and those that were cut off."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from treadle.errors import InputError, RecordingError
from treadle.sim.recording.mcap_reader import read_mcap
from treadle.sim.recording.parquet_reader import read_parquet, read_stream
from treadle.sim.recording.parquet_writer import PARTIAL
from treadle.sim.recording.recording import Recording

__all__ = ["read_recording"]

_READERS = {".mcap": read_mcap, ".parquet": read_parquet, PARTIAL: read_stream}


def read_recording(path: str | PathLike[str]) -> Recording:
    """Read a recording that `Simulation.record` made: signals by name, times and units.

    Of a recording that was cut off, by a killed process or a full disk, all that was flushed is read;
    `complete` is then False. For "run.parquet" that is found in "run.parquet.partial".
    """
    path = Path(path).expanduser()
    partial = path.with_name(path.name + PARTIAL)
    if path.suffix.lower() == ".parquet" and not path.exists() and partial.exists():
        path = partial
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: a recording's name ends in {' or '.join(_READERS)}")
    try:
        header, rows, complete = reader(path)
    except FileNotFoundError:
        raise RecordingError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise RecordingError(f"{path} cannot be read ({error.strerror or error})") from None
    return Recording(path, header, rows, complete)
