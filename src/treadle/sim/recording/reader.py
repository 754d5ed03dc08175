"""Reading recordings, whole ones and those that were cut off."""

from __future__ import annotations

from os import PathLike

from treadle.errors import InputError, RecordingError, TreadleError
from treadle.model.values import path_of
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
    path = path_of(path)
    partial = path.with_name(path.name + PARTIAL)
    if path.suffix.lower() == ".parquet" and not path.exists() and partial.exists():
        path = partial
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: a recording's name ends in {' or '.join(_READERS)}")
    try:
        header, rows, complete = reader(path)
        if rows.shape[1:] != (1 + len(header.columns),):
            raise RecordingError(
                f"{path} is damaged (it has {rows.shape[1] - 1} columns of {len(header.columns)})"
            )
        return Recording(path, header, rows, complete)
    except FileNotFoundError:
        raise RecordingError(f"{path}: there is no such file; check the path") from None
    except TreadleError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            raise RecordingError(f"{path} cannot be read ({error.strerror})") from None
        # the readers of Parquet, Arrow and MCAP raise whatever a damaged byte leads them to
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise RecordingError(f"{path} is damaged ({reason}); record it again") from None
