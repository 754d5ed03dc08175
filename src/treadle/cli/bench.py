"""`treadle bench`: measure Treadle against its peers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treadle.cli.console import Debug, Json, console, print_json, progress, reported
from treadle.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from treadle.bench.dynamics import Task
    from treadle.bench.results import Outcome, Row

__all__ = ["bench"]

bench = typer.Typer(name="bench", help="Measure Treadle against its peers.", no_args_is_help=True)

Quick = Annotated[bool, typer.Option("--quick", help="Measure for a short time: rough numbers.")]
Only = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Only these machines, with commas: ur5,panda.")
]

#: What each table says above its rows.
_TITLES = {
    "step": "One world: time per step (symplectic Euler, no contact, 1 ms)",
    "call": "One call from Python: forward dynamics",
    "worlds": "Many worlds on 2 threads: million world-steps per second",
    "environments": "Learning environments on 2 threads: thousand steps per second",
    "evaluation": "Forward dynamics over an array of states on 1 thread: time per world",
    "algorithms": "Forward dynamics by composite inertias and by articulated bodies",
    "startup": "Fresh processes: seconds (median)",
    "geometry": "Geometry files: reading .3dt, and the same mesh as OBJ with trimesh",
    "endurance": "Long runs in one process: growth of memory, and time of the last steps by the first",
    "contact": "Contact: time per step against MuJoCo's fastest correct setting",
    "view": "The page: frames of the server at 60 per second, with a client that receives them",
}
#: Tables about several things of the same machine.
_SEVERAL = ("environments", "startup", "geometry", "endurance", "contact", "view")


@bench.callback()
def _root() -> None:
    """Measure Treadle against its peers."""


@bench.command()
@reported
def dynamics(
    quick: Quick = False,
    only: Only = None,
    tables: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these tables, with commas: step,call.")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare the dynamics with Pinocchio, MuJoCo and heyoka on this machine.

    Treadle and the peer take turns in one process and compute the same thing, which is checked first;
    each number is the shortest of many, and a ratio above 1 means that Treadle is faster. Needs the
    packages to compare with: pip install 'treadle[peers]'.

    \b
    Machines: ur5, panda, anymal, talos, talos_fixed, g1, chain10, chain50, chain100, chain250.
    Tables: step, call, worlds, evaluation, startup.

    \b
    Examples:
      treadle bench dynamics
      treadle bench dynamics --quick --only ur5,panda
      treadle bench dynamics --tables step --json
    """
    from treadle.bench.dynamics import dynamics_tasks
    from treadle.bench.race import FULL, QUICK

    tasks = dynamics_tasks(QUICK if quick else FULL, _names(only), _names(tables))
    _measure("bench dynamics", tasks, json)


@bench.command()
@reported
def algorithms(quick: Quick = False, only: Only = None, json: Json = False, debug: Debug = False) -> None:
    """Compare the two algorithms of forward dynamics, of which Treadle takes one by the machine's size.

    \b
    Examples:
      treadle bench algorithms
      treadle bench algorithms --only ur5,panda --json
    """
    from treadle.bench.dynamics import algorithm_tasks
    from treadle.bench.race import FULL, QUICK

    _measure("bench algorithms", algorithm_tasks(QUICK if quick else FULL, _names(only)), json)


@bench.command()
@reported
def geometry(
    size: Annotated[float, typer.Option("--size", metavar="MB", help="Size of the large file.")] = 100.0,
    quick: Quick = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure how fast .3dt geometry is read, against trimesh reading the same mesh as OBJ.

    A mesh of 100 MB is written in both formats and read in turns in one process; a robot of 162 parts and
    27 thousand faces is read in fresh processes. Each number is the shortest of several.

    \b
    Examples:
      treadle bench geometry
      treadle bench geometry --size 20 --quick
      treadle bench geometry --json
    """
    from treadle.bench.dynamics import Task
    from treadle.bench.race import FULL, QUICK
    from treadle.bench.threedt import measure_geometry

    if not 1.0 <= size <= 2000.0:
        raise InputError(f"--size must be between 1 and 2000 MB, not {size:g}")
    effort = QUICK if quick else FULL
    _measure("bench geometry", [Task("geometry", lambda: measure_geometry(size, effort))], json)


@bench.command()
@reported
def contact(
    quick: Quick = False,
    only: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these cases or groups, with commas.")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare the cost of a contact step with MuJoCo on towers, piles, grasps and robots.

    The cases of `treadle study contact-gauntlet` whose result is correct in both simulators, each against the
    fastest setting of MuJoCo that is correct. Needs the packages to compare with:
    pip install 'treadle[peers]'.

    \b
    Groups: towers, stacks, piles, grasps, inclines, spinning, robots.

    \b
    Examples:
      treadle bench contact --quick
      treadle bench contact --only towers,grasps --json
    """
    from treadle.studies.gauntlet.bench import contact_tasks

    _measure("bench contact", contact_tasks(quick, _names(only)), json)


@bench.command()
@reported
def worlds(
    quick: Quick = False,
    only: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these environments, with commas: Ant,Hopper.")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare environments of 1,024 worlds with the same tasks on MuJoCo's own batch.

    Both take turns in one process, on two threads, with the same observation, reward and kind of resets.
    Needs the packages to learn and to compare with: pip install 'treadle[learn,peers]'.

    \b
    Environments: CartPole, Reacher, HalfCheetah, Hopper, Walker2d, Ant, Humanoid, ANYmal.

    \b
    Examples:
      treadle bench worlds
      treadle bench worlds --quick --only CartPole,Ant
      treadle bench worlds --json
    """
    from treadle.bench.dynamics import Task
    from treadle.bench.environments import environment_names, measure_environment
    from treadle.bench.race import FULL, QUICK

    effort = QUICK if quick else FULL
    tasks = [
        Task(f"worlds {name}", lambda name=name: measure_environment(name, effort, quick))
        for name in environment_names(_names(only))
    ]
    _measure("bench worlds", tasks, json)


@bench.command()
@reported
def endurance(quick: Quick = False, json: Json = False, debug: Debug = False) -> None:
    """Take ten million steps in one process and see that memory does not grow and steps do not slow down.

    Three runs: steps in machine code, one step per call from Python, and steps under error control with
    events and a history to rewind. Memory is compared with that after the first tenth of a run.

    \b
    Examples:
      treadle bench endurance
      treadle bench endurance --quick --json
    """
    from treadle.bench.endurance import endurance_tasks

    _measure("bench endurance", endurance_tasks(quick), json)


@bench.command()
@reported
def view(
    quick: Quick = False,
    crowd: Annotated[float, typer.Option(help="Seconds for which clients connect and disconnect.")] = 60.0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure the frames of the page: simulation, packing and sending, for the roadheader at work.

    A client in another process receives all frames and does nothing with them. A second run edits a mass
    and waits until it takes effect; a third changes the scene ten times on one page and measures the memory;
    a fourth has three clients, of which two connect and disconnect at random.

    \b
    Examples:
      treadle bench view
      treadle bench view --quick --json
      treadle bench view --crowd 600
    """
    from treadle.app.measure import measure_crowd, measure_edits, measure_switches, measure_view
    from treadle.bench.dynamics import Task

    seconds, crowd = (5.0, min(crowd, 10.0)) if quick else (20.0, crowd)
    tasks = [
        Task("frames", lambda: measure_view(seconds=seconds)),
        Task("edits", measure_edits),
        Task("scene changes", measure_switches),
        Task("pages that come and go", lambda: measure_crowd(seconds=crowd)),
    ]
    _measure("bench view", tasks, json)


def _measure(command: str, tasks: list[Task], json: bool) -> None:
    """Run the tasks with a progress bar and print what they gave."""
    from treadle.bench.dynamics import run_tasks
    from treadle.bench.peers import computer

    with progress(shown=not json, steady=False) as bar:
        shown = bar.add_task("starting", total=len(tasks))
        number = iter(range(len(tasks)))

        def started(task: Task) -> None:
            bar.update(shown, description=task.label, completed=next(number), refresh=True)

        outcome = run_tasks(tasks, started)
    if json:
        print_json({"command": command, "computer": computer(), **_record(outcome)})
    else:
        _print(outcome, computer())


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _record(outcome: Outcome) -> dict[str, Any]:
    return {
        "rows": [row.record() for row in outcome.rows],
        "checks": [check.record() for check in outcome.checks],
        "notes": outcome.notes,
    }


def _print(outcome: Outcome, computer: dict[str, str | int]) -> None:
    out = console()
    cores, processor, system = (computer.pop(name) for name in ("cores", "processor", "system"))
    out.print(f"{processor}, {cores} cores, {system}")
    out.print(", ".join(f"{name} {version}" for name, version in computer.items()))
    for table in _TITLES:
        rows = [row for row in outcome.rows if row.table == table]
        if rows:
            out.print()
            _print_table(out, table, rows)
    for row in outcome.rows:
        if row.table == "growth":
            out.print(
                f"\nA step of a chain costs its number of links to the power {row.value:.2f} (50 to 250)."
            )
    _print_checks(out, outcome)


def _print_table(out: Console, name: str, rows: list[Row]) -> None:
    from rich.table import Table

    peer = next((row.peer for row in rows if row.peer), None)
    table = Table(title=_TITLES[name], title_justify="left", title_style="bold", header_style="dim", box=None)
    table.add_column("file" if name == "geometry" else "machine", no_wrap=True)
    if any(row.freedoms for row in rows):
        table.add_column("dof", justify="right")
    if name in _SEVERAL:
        table.add_column("what", no_wrap=True)
    table.add_column("composite" if name == "algorithms" else "Treadle", justify="right")
    if peer:
        table.add_column(peer, justify="right")
        table.add_column("ratio", justify="right")
    required = any(row.limit is not None for row in rows)
    if required:
        table.add_column("required", justify="right")
        table.add_column("")
    detailed = name != "geometry" and any(row.detail for row in rows)
    if detailed:
        head = "length" if name == "algorithms" else f"how {str(peer).partition(' ')[0]} ran"
        table.add_column(head, style="dim")
    for row in rows:
        cells = [row.machine]
        if any(row.freedoms for row in rows):
            cells.append(str(row.freedoms) if row.freedoms else "")
        if name in _SEVERAL:
            cells.append(row.quantity)
        cells.append(_number(row.value, row.unit))
        if peer:
            cells += [_number(row.peer_value, row.unit), "" if row.ratio is None else f"{row.ratio:.2f}"]
        if required:
            sign = "≤" if row.peer is None and row.unit in ("s", "ms", "%", "times", "MB more") else "≥"
            cells.append("" if row.limit is None else f"{sign} {row.limit:g}")
            cells.append({True: "[green]holds[/green]", False: "[red]fails[/red]", None: ""}[row.holds])
        table.add_row(*cells, *([row.detail or ""] if detailed else []))
    out.print(table)


def _number(value: float | None, unit: str) -> str:
    """Three digits, and the unit of a time or a rate."""
    if value is None:
        return ""
    symbol = unit.partition(" ")[0]
    text = f"{value:.0f}" if value >= 100.0 else f"{value:#.3g}"
    return f"{text} {symbol}" if symbol in ("µs", "ms", "s", "MB", "MB/s") else text


def _print_checks(out: Console, outcome: Outcome) -> None:
    held = sum(check.holds for check in outcome.checks)
    if outcome.checks:
        out.print(f"\n{held} of {len(outcome.checks)} required lines hold.")
    for check in outcome.checks:
        if not check.holds:
            value = "not measured" if check.value is None else f"{check.value:.3g}"
            out.print(f"[red]fails[/red]  {check.name} {check.limit:g}: {value}")
    for note in outcome.notes:
        out.print(f"note: {note}", markup=False)
