"""Processes that are threads of this one: what `DistributedWorld` needs of a communicator."""

import threading

import numpy as np


class Threads:
    """Shared by all ranks; `run` calls a function with the communicator of each."""

    def __init__(self, size):
        self.size = size
        self.barrier = threading.Barrier(size)
        self.desk = [None] * size

    def run(self, function):
        """What the function returned in every rank."""
        found, failed = [None] * self.size, []

        def work(rank):
            try:
                found[rank] = function(_Rank(self, rank))
            except threading.BrokenBarrierError:
                pass
            except BaseException as error:  # the test fails with it
                failed.append(error)
                self.barrier.abort()

        threads = [threading.Thread(target=work, args=(rank,)) for rank in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        return found


class _Rank:
    def __init__(self, shared, rank):
        self._shared, self.rank, self.size = shared, rank, shared.size

    def allgather(self, value):
        shared = self._shared
        shared.desk[self.rank] = value
        shared.barrier.wait()
        told = list(shared.desk)
        shared.barrier.wait()
        return told

    def alltoall(self, values):
        return [given[self.rank] for given in self.allgather(values)]

    def bcast(self, value, root=0):
        return self.allgather(value)[root]

    def total(self, values):
        return np.sum(self.allgather(values.copy()), axis=0)

    def numbers(self, values):
        return np.array(self.allgather(values.copy()))
