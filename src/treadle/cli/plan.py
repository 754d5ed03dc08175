"""`treadle plan`: drive a task by planning, without learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported

__all__ = ["plan"]


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
      treadle plan HalfCheetah --planner cem --seconds 2 --json
    """
    import csv

    from treadle.envs.task_planner import plan_task

    with progress(shown=not json, steady=False) as bar:
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
