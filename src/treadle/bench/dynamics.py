"""The benchmark of the dynamics: every table, machine by machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from treadle.bench.algorithms import measure_algorithms
from treadle.bench.call import measure_call
from treadle.bench.evaluation import measure_evaluation
from treadle.bench.machines import MACHINES, Machine, select
from treadle.bench.peers import MissingPeer, busy
from treadle.bench.race import Effort
from treadle.bench.results import Outcome
from treadle.bench.startup import measure_code, measure_startup
from treadle.bench.step import growth, measure_step
from treadle.bench.worlds import measure_worlds
from treadle.errors import InputError
from treadle.model.model import suggest

__all__ = ["TABLES", "Task", "algorithm_tasks", "dynamics_tasks", "run_tasks"]


@dataclass(frozen=True)
class Task:
    """One measurement, with a name for the progress bar."""

    label: str
    run: Callable[[], Outcome]


#: Which machines each table is about.
TABLES: dict[str, tuple[Callable[[Machine, Effort], Outcome], tuple[str, ...]]] = {
    "step": (measure_step, tuple(MACHINES)),
    "call": (measure_call, ("ur5", "panda", "anymal", "talos", "talos_fixed", "g1")),
    "worlds": (measure_worlds, ("ur5", "panda", "talos")),
    "evaluation": (measure_evaluation, ("ur5", "panda", "talos_fixed")),
    "startup": (measure_code, ("ur5", "panda", "anymal", "talos", "g1", "chain250")),
}


def algorithm_tasks(effort: Effort, only: list[str] | None = None) -> list[Task]:
    """The comparison of Treadle's own algorithms: all machines but the longest chains, or those named."""
    machines = [machine for machine in select(only) if only or machine.links <= 50]
    return [
        Task(f"algorithms {machine.name}", lambda machine=machine: measure_algorithms(machine, effort))
        for machine in machines
    ]


def dynamics_tasks(
    effort: Effort, only: list[str] | None = None, tables: list[str] | None = None
) -> list[Task]:
    """The measurements to make, of all machines and tables or of those named."""
    machines = select(only)
    for name in tables or ():
        if name not in TABLES:
            raise InputError(
                f"there is no table named {name!r} in the benchmark; {suggest(name, list(TABLES))}"
            )
    tasks = []
    for table, (measure, names) in TABLES.items():
        if tables and table not in tables:
            continue
        for machine in machines:
            if machine.name in names:
                run = lambda measure=measure, machine=machine: measure(machine, effort)  # noqa: E731
                tasks.append(Task(f"{table} {machine.name}", run))
        if table == "startup" and any(machine.name == "ur5" for machine in machines):
            tasks.append(Task("startup process", lambda: measure_startup(effort)))
    return tasks


def run_tasks(tasks: list[Task], started: Callable[[Task], None] = lambda task: None) -> Outcome:
    """Make the measurements in order; `started` hears of each."""
    total = Outcome(notes=busy())
    for task in tasks:
        started(task)
        try:
            total.add(task.run())
        except MissingPeer as error:
            # the machine itself is missing
            total.add(Outcome(notes=[str(error)]))
    total.add(growth(total.rows))
    return total
