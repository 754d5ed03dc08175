"""`treadle run`: simulate a machine."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported
from treadle.cli.machine import Contact, Floating, MachineName, Meshes, Outside, Srdf, open_machine
from treadle.cli.ranks import run_on_ranks
from treadle.cli.recording import Recording, output_path
from treadle.errors import InputError
from treadle.integrators import INTEGRATORS
from treadle.sim import Simulation
from treadle.sim.contact_default import may_touch
from treadle.solvers import SOLVERS
from treadle.solvers.stabilization import STABILIZATIONS

if TYPE_CHECKING:
    from treadle.report import History
    from treadle.sim.quality import Quality

__all__ = ["advance", "quality_record", "print_quality", "run"]

#: Samples of a long run; a shorter one is sampled at every step.
_MOST_SAMPLES = 20_000

#: Colours of the ratings.
_COLOURS = {"good": "green", "fair": "yellow", "poor": "red"}


@reported
def run(
    machine: MachineName,
    seconds: Annotated[float, typer.Option(help="Simulated time.")] = 5.0,
    dt: Annotated[float | None, typer.Option(help="Time step in seconds; else the machine's own.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help=f"Method of integration: {', '.join(INTEGRATORS)}.")
    ] = None,
    stabilization: Annotated[
        str | None, typer.Option(help=f"Stabilization of closed loops: {', '.join(STABILIZATIONS)}.")
    ] = None,
    solver: Annotated[
        str | None, typer.Option(help=f"Solver of loops, limits and friction: {', '.join(SOLVERS)}.")
    ] = None,
    contact: Contact = None,
    meshes: Meshes = None,
    srdf: Srdf = None,
    floating: Floating = False,
    outside: Outside = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="JOINT=VALUE",
            help="Start position of a joint (rad, m), or JOINT.velocity=VALUE, JOINT.torque=VALUE; numbers "
            "of joints with several are separated by commas. May be given again.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of positions and energy drift.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write times, positions, velocities and energy.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Record signals to an .mcap file (for Foxglove) or .parquet.")
    ] = None,
    signals: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Signals to record, with commas between, such as 'joint.*.position,energy.*'. May be given "
            "again.",
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Samples per second to record; 100 if not given.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report of the run's quality, with plots, as one HTML file.")
    ] = None,
    keep: Annotated[
        float | None, typer.Option(help="Error in metres for which to find the largest step.")
    ] = None,
    sleep: Annotated[
        bool, typer.Option("--sleep", help="Leave out free bodies at rest until something comes near.")
    ] = False,
    time_stepping: Annotated[
        bool,
        typer.Option("--time-stepping", help="Let contacts begin and end with steps: faster, less exact."),
    ] = False,
    ranks: Annotated[
        int | None,
        typer.Option(help="Split one world of many free bodies over so many processes (MPI, extra mpi)."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Simulate a machine and report the accuracy.

    \b
    Examples:
      treadle run pendulum --set shoulder=1.5 --plot pendulum.png
      treadle run robot.urdf --seconds 10 --dt 5e-4 --integrator rk4
      treadle run robot.urdf --floating --set floating_base.velocity=0,0,1,0,0,0 --csv run.csv
      treadle run arm --set swing=0.5 --set turn.torque=20 --json
      treadle run arm --set swing=0.5 --report arm.html --keep 1e-4
      treadle run stones.toml --ranks 4
      treadle run roadheader --record run.mcap --signals "joint.*,energy.*" --rate 60
    """
    if ranks is not None:
        others = (
            integrator,
            stabilization,
            solver,
            contact,
            sleep or None,
            time_stepping or None,
            meshes,
            srdf,
            set_,
            plot,
            csv,
            record,
            report,
            keep,
        )
        _check_ranks(seconds, floating or outside or any(option is not None for option in others))
        run_on_ranks(machine, ranks, seconds, dt, json)
        return
    model = open_machine(machine, floating, outside, srdf, meshes)
    options: dict[str, Any] = {"integrator": integrator, "stabilization": stabilization, "solver": solver}
    options |= {"contact": contact, "sleep": sleep, "time_stepping": time_stepping}
    sim = Simulation(model, dt, **options)
    for assignment in set_ or ():
        _assign(sim, assignment)
    _check_seconds(seconds)
    plot_path = None if plot is None else output_path(plot, picture=True)
    csv_path = None if csv is None else output_path(csv)
    report_path = None if report is None else _report_path(report)
    steps = round(seconds / sim.dt)

    recording = Recording(sim) if plot_path or csv_path else None
    history = None if report_path is None else _history(sim, steps)
    with _recorder(sim, record, signals, rate), history or nullcontext():
        advance(sim, steps, recording, shown=not json)
    if recording is not None and plot_path is not None:
        recording.write_plot(
            plot_path, f"{model.name}: {seconds:g} s in steps of {sim.dt:g} s, {sim.integrator}"
        )
    if recording is not None and csv_path is not None:
        recording.write_csv(csv_path)
    quality = sim.quality(thorough=True, keep=keep)
    if history is not None and report_path is not None:
        from treadle.report import write_report

        write_report(report_path, history, quality)
    files = [str(path) for path in (plot, csv, record, report) if path is not None]
    if json:
        print_json({"command": "run", "machine": model.name, **quality_record(quality), "files": files})
        return
    print_quality(quality)
    if sim.contact and integrator is not None:
        console().print("While shapes touch, the midpoint rule integrates; --integrator acts in between.")
    if contact is None and not sim.contact and not model.wheels and may_touch(model, None):
        console().print("Its links pass through each other; --contact lets them touch.")
    for path in files:
        console().print(f"wrote {path}", markup=False)


def _check_seconds(seconds: float) -> None:
    if not (math.isfinite(seconds) and seconds >= 0.0):
        raise InputError(f"--seconds must be a number that is not negative, not {seconds}")


def _check_ranks(seconds: float, others: bool) -> None:
    _check_seconds(seconds)
    if others:
        raise InputError("--ranks goes with --seconds, --dt and --json alone")


def _report_path(path: Path) -> Path:
    """Where the report will be written; InputError, before a long run, if it cannot be."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: the name of a report ends in .html")
    return output_path(path)


def _history(sim: Simulation, steps: int) -> History:
    """What the report needs of the run; plotting is imported only where it is asked for."""
    from treadle.report import History

    return History(sim, steps)


def _recorder(
    sim: Simulation, path: Path | None, signals: list[str] | None, rate: float | None
) -> AbstractContextManager:
    """What records the run, if anything does."""
    if path is not None:
        names = [name.strip() for part in signals or () for name in part.split(",") if name.strip()]
        return sim.record(path, names or None, rate)
    if signals or rate is not None:
        raise InputError("--signals and --rate say what to record; name the file with --record")
    return nullcontext()


def advance(
    sim: Simulation,
    steps: int,
    recording: Recording | None,
    shown: bool,
    control: Callable[[], None] | None = None,
) -> None:
    """Run the steps with a progress bar, with samples, and call `control` before every sample."""
    few = steps <= _MOST_SAMPLES or control is not None
    stride = (
        (1 if few else math.ceil(steps / _MOST_SAMPLES)) if recording or control else max(1, steps // 100)
    )
    with progress(shown) as bar:
        task = bar.add_task(f"simulating {sim.model.name}", total=steps)
        done = 0
        while True:
            if control is not None:
                control()
            if recording is not None:
                recording.sample()
            count = min(stride, steps - done)
            if count == 0:
                return
            sim.step(count)
            done += count
            if done % (20 * stride) == 0 or done == steps:
                bar.update(task, completed=done)


def _assign(sim: Simulation, assignment: str) -> None:
    """Carry out JOINT=VALUE."""
    target, separator, text = assignment.partition("=")
    if not separator:
        raise InputError(f"--set needs JOINT=VALUE, not {assignment!r}")
    try:
        values = [float(x) for x in text.split(",")]
    except ValueError:
        raise InputError(
            f"--set {target}: {text!r} is not a number, or several with commas between"
        ) from None
    name, what = target, "position"
    if target not in [joint.name for joint in sim.model.joints]:
        stem, _, suffix = target.rpartition(".")
        if suffix in ("position", "velocity", "torque"):
            name, what = stem, suffix
    setattr(sim.joint(name), what, values)


def quality_record(quality: Quality) -> dict[str, Any]:
    """The quality of a run as rows, and as checks of those that can be judged."""
    kept = ("name", "value", "unit", "meaning", "rating")
    return {
        "rows": [{name: getattr(m, name) for name in kept} for m in quality.measures],
        "checks": [
            {
                "name": f"{m.name} in {m.unit}, at most",
                "value": abs(m.value),
                "limit": m.limit,
                "holds": m.rating == "good",
            }
            for m in quality.measures
            if m.limit is not None
        ],
        "rating": quality.rating,
        "verdict": quality.verdict,
    }


def print_quality(quality: Quality) -> None:
    """The quality of a run as a table."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("quality")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("rating")
    table.add_column("what it means")
    for m in quality.measures:
        rating = f"[{_COLOURS[m.rating]}]{m.rating}[/]" if m.rating else ""
        table.add_row(m.name, f"{m.value:.4g}", m.unit, rating, m.meaning)
    out = console()
    out.print(table)
    out.print(quality.verdict, markup=False)
