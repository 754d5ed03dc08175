"""`treadle train`: learn a task with PPO."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported
from treadle.errors import InputError

if TYPE_CHECKING:
    from treadle.envs.training import Training

__all__ = ["train"]

#: Seconds of an episode that are filmed at most, pictures per second, and their pixels: without a graphics
#: card a picture takes about a second.
_FILMED, _RATE, _WIDTH, _HEIGHT = 6.0, 12.5, 480, 270

#: Episodes with other seeds that a trained policy is judged by.
_JUDGED = 20


@reported
def train(
    task: Annotated[str, typer.Argument(help="The task, such as CartPole or Ant.")],
    steps: Annotated[
        int | None, typer.Option(help="Environment steps in all worlds together; else the task's own.")
    ] = None,
    envs: Annotated[int | None, typer.Option(help="Number of worlds; else the task's own.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the policy and of the worlds.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Threads of the simulation.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Continue the training in this folder; with --steps 0 only judge it."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the policy and the curve.")] = Path(
        "trained"
    ),
    film: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Film an episode (.mp4, .webm, .gif, .webp).")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Learn a task with PPO on many worlds.

    Writes policy.zip, for PPO.load of stable-baselines3; normalization.pkl, for VecNormalize.load, where the
    task is learned with normalized observations; the learning curve as curve.csv (steps, mean return of the
    last hundred episodes, seconds) and curve.png. At its end the policy runs 20 episodes with other seeds,
    without exploration. Needs pip install 'treadle[train]'.

    \b
    Examples:
      treadle train CartPole
      treadle train Ant --out ant --film ant.mp4
      treadle train Ant --start ant --steps 0 --film again.gif
    """
    from treadle.envs.training import train as learn

    if film is not None:
        _check_film(film)
    with progress(shown=not json, steady=False) as bar:
        shown = bar.add_task(task, total=1.0)
        training = learn(
            task,
            steps,
            envs,
            seed,
            threads,
            start,
            lambda done, text: bar.update(shown, completed=done, description=text),
        )
    returns = training.returns(_JUDGED)
    if training.curve:
        training.save(out)
        _draw(training, out / "curve.png")
    if film is not None:
        _film(training, film)
    if json:
        rows = [dict(zip(("steps", "mean_return", "seconds"), row, strict=True)) for row in training.curve]
        spent = {"cpu_seconds": training.cpu_seconds}
        print_json({"rows": rows, "returns": returns.tolist(), **spent, "checks": []})
        return
    judged = f"mean return {returns.mean():.1f} of {_JUDGED} episodes (lowest {returns.min():.1f})"
    if training.curve:
        taken, _, seconds = training.curve[-1]
        spent = f"{seconds / 60.0:.1f} min, {training.cpu_seconds / 60.0:.1f} min of CPU time"
        console().print(f"{task}: {judged} after {taken} steps, {spent}; {out}/")
    else:
        console().print(f"{task}: {judged}")


def _check_film(film: Path) -> None:
    """Mistakes are reported before the training, not after it."""
    from treadle.app.studio import FORMATS

    if film.suffix.lower() not in FORMATS:
        raise InputError(f"a film ends in {', '.join(FORMATS)}, not {film.suffix or film.name!r}")
    if not film.parent.is_dir():
        raise InputError(f"there is no folder {str(film.parent)!r} to write {film.name} into")


def _draw(training: Training, path: Path) -> None:
    from treadle.studies.study import new_figure

    figure = new_figure()
    (axes,) = figure.axes
    steps, means, seconds = zip(*training.curve, strict=True)
    axes.plot([count / 1e6 for count in steps], means)
    axes.set(
        xlabel="environment steps (millions)",
        ylabel="return, mean of 100 episodes",
        title=f"PPO on {training.task.name}: {seconds[-1] / 60.0:.1f} min",
    )
    axes.grid(alpha=0.3)
    figure.savefig(path)


def _film(training: Training, path: Path) -> None:
    """An episode, with a camera that goes along."""
    from treadle.app.studio import Studio, film_writer

    period = training.worlds.get_attr("worlds")[0].period
    motion = training.motion(_FILMED)
    every = max(1, round(1.0 / (_RATE * period)))
    take, end = film_writer(path, 1.0 / (period * every))
    try:
        with Studio(training.task.machine(), _WIDTH, _HEIGHT) as studio:
            for q in motion[::every]:
                studio.show(q)
                studio.follow()
                take(studio.picture())
    finally:
        end()
