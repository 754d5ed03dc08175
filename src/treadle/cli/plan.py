"""`treadle plan`: drive a task by planning, without learning."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported

if TYPE_CHECKING:
    from treadle.envs import TaskWorlds
    from treadle.planning.plan import Plan

__all__ = ["plan"]

#: Candidates that are drawn: so many of the best.
_DRAWN = 48


@reported
def plan(
    task: Annotated[str, typer.Argument(help="The task, such as Reacher or Rover.")],
    planner: Annotated[str, typer.Option(help="mppi, cem, or random.")] = "mppi",
    seconds: Annotated[float, typer.Option(help="How long to drive (s).")] = 5.0,
    candidates: Annotated[int, typer.Option(help="Simulated sequences of actions per plan.")] = 256,
    horizon: Annotated[float, typer.Option(help="How far each looks ahead (s).")] = 0.5,
    pieces: Annotated[int, typer.Option(help="Actions of a sequence.")] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the episode and of the candidates.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Threads of the simulation.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="CSV file for the rewards.")] = None,
    view: Annotated[
        bool,
        typer.Option(
            "--view", help="Show it in the browser, with the candidates; episodes follow each other."
        ),
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Control a task by sampling-based planning.

    At every control step many candidate sequences of actions are simulated in worlds of the task, and the
    plan with the largest sum of rewards is applied. Needs pip install 'treadle[learn]'.

    \b
    Examples:
      treadle plan Reacher
      treadle plan Rover --seconds 20 --horizon 2 --candidates 512
      treadle plan Rover --seconds 120 --horizon 2 --view
      treadle plan HalfCheetah --planner cem --seconds 2 --json
    """
    import csv

    from treadle.envs.task_planner import plan_task

    with _page(task) if view else nullcontext() as watch, progress(shown=not json, steady=False) as bar:
        shown = bar.add_task(task, total=1.0)
        drive = plan_task(
            task,
            planner,
            seconds,
            candidates,
            horizon,
            pieces,
            seed,
            threads,
            lambda done, text: bar.update(shown, completed=done, description=text),
            watch,
        )
    rows = drive.rows()
    if out is not None:
        with open(out, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    if json:
        print_json({"rows": rows, "checks": []})
        return
    milliseconds = sorted(row["plan_ms"] for row in rows)[len(rows) // 2]
    end = "ended" if drive.terminated else "still running"
    console().print(
        f"{task}: return {sum(drive.rewards):.2f} in {rows[-1]['time']:.2f} s ({end}); "
        f"{milliseconds:.1f} ms per plan of {candidates} candidates over {horizon:g} s"
    )


@contextmanager
def _page(task: str) -> Iterator[Callable[[TaskWorlds, Plan], None]]:
    """A page with the machine and the ways of the best candidates; what brings it up to date in real time."""
    import numpy as np

    from treadle.app.view import view
    from treadle.envs.task_planner import base_position
    from treadle.envs.tasks import find_task
    from treadle.sim import Simulation

    found = find_task(task)
    sim = Simulation(found.machine(), terrain=found.options.get("terrain"))
    base, due, elapsed = base_position(sim.model), time.monotonic(), 0.0

    def watch(world: TaskWorlds, plan: Plan) -> None:
        nonlocal due, elapsed
        # the clock of the page goes on when the next episode begins
        state = replace(sim.save(), start=elapsed, steps=0, q=world.batch.q[0], v=world.batch.v[0])
        sim.restore(state)
        elapsed += world.period
        if base is not None:
            best = np.argsort(plan.costs, kind="stable")[:_DRAWN]
            here = np.broadcast_to(sim.q[base], (len(best), 1, 3))
            page.draw_paths(
                "candidates", np.concatenate([here, plan.watched[best]], axis=1), plan.costs[best]
            )
        page.show()
        due = max(due + world.period, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))

    with view(sim, run=False) as page:
        typer.echo(f"Open {page.url} in a browser; Ctrl-C ends it.", err=True)
        yield watch
