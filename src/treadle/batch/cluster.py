"""Work in blocks on the workers of a Ray cluster: the same results as on this computer, bit for bit.

    cluster = td.Cluster(address="head:6379")
    table = td.sweep(model, values, seconds=2.0, backend=cluster)
    worlds = td.Batch(model, 100_000, backend=cluster)
    found = cluster.map(my_function, items)

`backend="ray"` is the cluster that `ray.init` connected to, or else one on this computer. A block whose
worker is lost is begun again elsewhere. Programs keep what they compiled in the processes of the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from treadle.errors import InputError
from treadle.extras import require
from treadle.sim.checks import check_count

__all__ = ["Cluster", "find_cluster"]

#: So often a block is begun again.
_RETRIES = 5

#: Programs that a worker keeps, by the reference of what they were made from.
_KEPT = 8


class Cluster:
    """The workers of a Ray cluster, by the address of its head; `workers` of them, by default one per CPU."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        require("ray", "a cluster")
        import ray  # type: ignore[import-not-found]

        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        elif address is not None and address not in ("auto", ray.get_runtime_context().gcs_address):
            raise InputError(
                f"Ray is connected to another cluster than {address}: call ray.shutdown() before"
            )
        self._workers = None if workers is None else check_count("workers", workers)
        self._ray: Any = ray
        #: blocks that were begun again because their worker was lost
        self.lost = 0

    @property
    def workers(self) -> int:
        """Blocks that run at the same time."""
        return self._workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share(self, thing: Any) -> Any:
        """Send something to all workers once; `run` takes what this gives."""
        return self._ray.put(thing)

    def map(
        self,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        report: Callable[[float], None] | None = None,
    ) -> list[Any]:
        """function(item) of every item, in their order; `report` hears of the share that is done."""
        found: dict[int, Any] = {}
        for number, result in self.run(self.share(_Always(function)), items):
            found[number] = result
            if report is not None:
                report(len(found) / len(items))
        return [found[number] for number in range(len(items))]

    def run(self, shared: Any, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Numbers and results, as they are done, of the items.

        What is `shared` makes, by its method `make`, a function of an item in every process that needs one.
        Blocks that are not done when the iteration ends are cancelled.
        """
        ray = self._ray
        task = ray.remote(max_retries=0, num_cpus=1)(_work)
        left = list(reversed(range(len(items))))
        running: dict[Any, tuple[int, int]] = {}
        again: list[tuple[int, int]] = []
        try:
            while left or again or running:
                # no more than there are workers: those of a lost node are few, and cancelling is quick
                free = self.workers - len(running) if left or again else 0
                for _ in range(min(free, len(left) + len(again))):
                    number, lost = again.pop() if again else (left.pop(), 0)
                    running[task.remote([shared], items[number])] = number, lost
                done, _ = ray.wait(list(running), num_returns=1)
                number, lost = running.pop(done[0])
                try:
                    result = ray.get(done[0])
                except _losses(ray):
                    if lost == _RETRIES:
                        raise
                    self.lost += 1
                    again.append((number, lost + 1))
                    continue
                yield number, result
        finally:
            for reference in running:
                ray.cancel(reference)


def find_cluster(backend: str | Cluster) -> Cluster | None:
    """The cluster that is meant; None for this computer."""
    if isinstance(backend, Cluster):
        return backend
    if backend == "local":
        return None
    if backend == "ray":
        return Cluster()
    raise InputError(f"backend must be 'local', 'ray' or a Cluster, not {backend!r}")


class _Always:
    """Makes a function that is there already."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def make(self) -> Callable[[Any], Any]:
        return self._function


def _losses(ray: Any) -> tuple[type[Exception], ...]:
    """What tells that a worker is gone."""
    errors = ray.exceptions
    return errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError


#: in a worker: functions by the reference of what made them
_made: dict[str, Callable[[Any], Any]] = {}


def _work(shared: list[Any], item: Any) -> Any:
    """In a worker: the function of an item. The reference comes in a list, so that Ray leaves it one."""
    import ray  # type: ignore[import-not-found]

    key = shared[0].hex()
    if key not in _made:
        while len(_made) >= _KEPT:
            _made.pop(next(iter(_made)))
        _made[key] = ray.get(shared[0]).make()
    return _made[key](item)
