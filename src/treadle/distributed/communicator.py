"""Processes that share a world, and rows of numbers that travel between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.extras import require

__all__ = ["Alone", "Traffic", "route", "world_communicator"]


class Alone:
    """One process that talks to itself: what a world needs of `mpi4py.MPI.Comm`."""

    rank, size = 0, 1

    def allgather(self, value: Any) -> list[Any]:
        """The values of all processes."""
        return [value]

    def alltoall(self, values: list[Any]) -> list[Any]:
        """What every process has for this one."""
        return values

    def bcast(self, value: Any, root: int = 0) -> Any:
        """The value of one process."""
        return value

    def total(self, values: np.ndarray) -> np.ndarray:
        """Sum over all processes."""
        return values

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """(processes, n) values of all processes."""
        return values[None]


class _Processes:
    """A communicator of MPI."""

    def __init__(self, comm: Any) -> None:
        self._comm, self.rank, self.size = comm, comm.rank, comm.size
        self.allgather, self.alltoall, self.bcast = comm.allgather, comm.alltoall, comm.bcast

    def total(self, values: np.ndarray) -> np.ndarray:
        """Sum over all processes."""
        result = np.empty_like(values)
        self._comm.Allreduce(values, result)
        return result

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """(processes, n) values of all processes."""
        result = np.empty((self.size, len(values)))
        self._comm.Allgather(values, result)
        return result


def world_communicator() -> Any:
    """All processes that `mpiexec` started; MissingPackage without mpi4py."""
    MPI = require("mpi4py.MPI", "one world on several processes")
    return _Processes(MPI.COMM_WORLD)


class Traffic:
    """Messages and bytes that a process sent."""

    def __init__(self) -> None:
        self.messages, self.bytes = 0, 0

    def count(self, parts: list[Any]) -> None:
        """Add messages; what is empty costs nothing worth counting."""
        for part in parts:
            if len(part):
                self.messages += 1
                self.bytes += part.nbytes


def route(comm: Any, rows: np.ndarray, to: np.ndarray, traffic: Traffic | None = None) -> np.ndarray:
    """Send every row to a process; the rows that arrive, in the order of the processes that sent them."""
    if comm.size == 1:
        return rows
    parts = [rows[to == rank] for rank in range(comm.size)]
    if traffic is not None:
        traffic.count([part for rank, part in enumerate(parts) if rank != comm.rank])
    return np.concatenate(comm.alltoall(parts))
