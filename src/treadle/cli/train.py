"""`treadle train`: learn a task with PPO."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported

__all__ = ["train"]


@reported
def train(
    task: Annotated[str, typer.Argument(help="The task, such as CartPole or Ant.")],
    steps: Annotated[int, typer.Option(help="Environment steps in all worlds together.")] = 200_000,
    envs: Annotated[int, typer.Option(help="Number of worlds.")] = 64,
    seed: Annotated[int, typer.Option(help="Seed of the policy and of the worlds.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Threads of the simulation.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the policy and the curve.")] = Path(
        "trained"
    ),
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Learn a task with PPO on many worlds.

    Writes policy.zip, for PPO.load of stable-baselines3, and curve.csv: steps, mean return of the last
    hundred episodes, seconds. Needs pip install 'treadle[learn,train]'.

    \b
    Examples:
      treadle train CartPole --steps 100000
      treadle train Ant --steps 5000000 --envs 256 --out ant
    """
    from treadle.envs.training import train as learn

    with progress(shown=not json, steady=False) as bar:
        shown = bar.add_task(task, total=1.0)
        training = learn(
            task,
            steps,
            envs,
            seed,
            threads,
            lambda done, text: bar.update(shown, completed=done, description=text),
        )
    training.save(out)
    taken, mean, seconds = training.curve[-1]
    if json:
        rows = [dict(zip(("steps", "mean_return", "seconds"), row, strict=True)) for row in training.curve]
        print_json({"rows": rows, "checks": []})
        return
    console().print(f"{task}: mean return {mean:.1f} after {taken} steps, {seconds / 60.0:.1f} min; {out}/")
