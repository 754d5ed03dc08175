"""Starts the processes of a distributed world: `mpiexec` of the installed MPI."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treadle.errors import InputError
from treadle.extras import require

__all__ = ["run_ranks", "write_result"]

#: The line of a traceback with the error itself.
_RAISED = re.compile(r"([a-z_]\w*\.)*[A-Z]\w+: \S")

#: Where the first process writes what it found.
_RESULT = "TREADLE_RANKS_RESULT"

#: Libraries with threads of their own would share the processors with the other processes.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def run_ranks(ranks: int, module: str, arguments: Sequence[str], timeout: float | None = None) -> Any:
    """Run a module in so many processes; what the first of them gave to `write_result`."""
    if ranks < 1:
        raise InputError(f"a world is split over 1 process or more, not {ranks}")
    require("mpi4py", "one world on several processes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        # by way of mpi4py, which ends all processes when one fails
        command = [_mpiexec(), "-n", str(ranks), sys.executable, "-m", "mpi4py", "-m", module, *arguments]
        environment = os.environ | _ONE_THREAD | {_RESULT: str(path)}
        try:
            ended = subprocess.run(
                command, env=environment, timeout=timeout, check=False, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"{ranks} processes did not end within {timeout:g} s") from None
        if ended.returncode or not path.exists():
            lines = (ended.stderr or ended.stdout).strip().splitlines()
            said = next((line for line in lines if _RAISED.match(line)), "no message")
            raise InputError(f"{ranks} processes ended with {ended.returncode}: {said}")
        return json.loads(path.read_text())


def write_result(result: Any) -> None:
    """Hand a result, as JSON, to `run_ranks`, which started this process."""
    Path(os.environ[_RESULT]).write_text(json.dumps(result))


def _mpiexec() -> str:
    """The starter that came with the package of this environment, or the system's."""
    own = Path(sys.executable).with_name("mpiexec")
    found = str(own) if own.exists() else shutil.which("mpiexec")
    if found is None:
        raise InputError(
            "there is no mpiexec: pip install 'treadle[mpi]', which brings MPICH, or install the system's"
        )
    return found
