"""Energy error of every integrator over a million steps.

The experiment of Hou et al., "Interactive Physically-Based Simulation of Roadheader Robot", section 6.2,
with their five integrators (explicit and symplectic Euler, midpoint, RK4, RK6), the others of Treadle, and
those of MuJoCo on the same machine as MJCF. Nothing does work, so that any change of the energy is an error;
it is given as a share of the largest kinetic energy, because the zero of the total energy is arbitrary.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from treadle.bench.peers import MissingPeer, MujocoModel, peer, peer_name
from treadle.bench.results import Check, at_most
from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.errors import SimulationDiverged
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model
from treadle.sim import Simulation
from treadle.studies.machines import frictionless, sprung_roadheader
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Time step (s), and number of steps of a run; quick: fewer.
DT, STEPS, QUICK_STEPS = 1e-3, 1_000_000, 10_000
#: Steps between samples: primes, so that samples fall on every phase of a vibration.
_STRIDE, _QUICK_STRIDE = 37, 7

#: What these must show: no trend, and an error that stays small.
_REQUIRED, TREND_LIMIT, ERROR_LIMIT = ("variational", "implicit_midpoint"), 1.5, 1e-3

#: MuJoCo's integrators by their spoken names.
_MUJOCO = {"Euler": "EULER", "implicitfast": "IMPLICITFAST", "implicit": "IMPLICIT", "RK4": "RK4"}

#: A speed (rad/s, m/s) at which a state is lost: the one that MuJoCo warns of.
_LOST = 1e10

#: Whose largest kinetic energy is the measure.
_SCALE = "rk4"

#: Advances by a number of steps; the positions and velocities then, in Treadle's order.
_Run: TypeAlias = Callable[[int], tuple[np.ndarray, np.ndarray]]

_COLUMNS = (
    Column("machine", "machine"),
    Column("label", "method"),
    Column("first", "first tenth", ".1e"),
    Column("last", "last tenth", ".1e"),
    Column("trend", "ratio"),
    Column("error", "largest", ".1e"),
    Column("step_time", "µs/step"),
    Column("end", "lost at (s)", ".4g"),
)


@dataclass(frozen=True)
class _Start:
    """A conservative machine and the state that it starts from."""

    name: str
    model: Model
    q: np.ndarray
    v: np.ndarray


@dataclass(frozen=True)
class _Course:
    """Times (s), kinetic and total energy (J) of a run, and what a step took (µs)."""

    library: str
    method: str
    times: np.ndarray
    kinetic: np.ndarray
    total: np.ndarray
    step_time: float

    def errors(self, scale: float) -> np.ndarray:
        """Change of the total energy, as a share of an energy."""
        return np.abs(self.total - self.total[0]) / scale

    @property
    def label(self) -> str:
        return self.method if self.library == "Treadle" else f"{self.library.partition(' ')[0]} {self.method}"


def run(quick: bool, report: Report) -> Findings:
    """Run both machines with every integrator."""
    steps, stride = (QUICK_STEPS, _QUICK_STRIDE) if quick else (STEPS, _STRIDE)
    findings = Findings(_COLUMNS, [], lambda: _draw(drawn))
    drawn: list[tuple[str, float, list[_Course]]] = []
    starts = (_roadheader(), _chain())
    for number, start in enumerate(starts):
        done = number / len(starts)
        courses = _courses(
            start, steps, stride, findings.notes,
            lambda share, what, done=done: report(done + share / len(starts), what),
        )  # fmt: skip
        # of one good run, so that no method is measured by the energy that it gained or lost
        peak = float(next(course for course in courses if course.method == _SCALE).kinetic.max())
        drawn.append((start.name, peak, courses))
        for course in courses:
            row = _row(start, course, peak, steps)
            findings.rows.append(row)
            if course.library == "Treadle" and course.method in _REQUIRED:
                findings.checks += _checks(row)[quick:]
    if quick:
        findings.notes.append("a quick run is too short to show a trend, so that this is not checked")
    return findings


def _roadheader() -> _Start:
    """The machine let go with its boom out of balance and its drives running."""
    model = sprung_roadheader()
    q, v = np.array(model.initial()[0]), np.zeros(model.nv)
    for joint, offset in {"slew": 0.2, "lift": -0.2, "extend": 0.1, "shovel": 0.1}.items():
        q[model.joint(joint).q] += offset
    for joint, rate in {"cutter": 5.76, "gather_left": 3.14, "gather_right": 3.14}.items():
        v[model.joint(joint).v] = rate
    return _Start("roadheader", model, q, v)


def _chain() -> _Start:
    """Five links let go bent at every joint, so that all modes are excited from the start."""
    model = frictionless("chain", links=5)
    return _Start("chain of 5", model, np.array([0.2, -0.2, 0.2, -0.2, 0.2]), np.zeros(5))


def _courses(start: _Start, steps: int, stride: int, notes: list[str], report: Report) -> list[_Course]:
    """The runs of every integrator, Treadle's first."""
    total = len(INTEGRATORS) + len(_MUJOCO)
    courses: list[_Course] = []
    for method in INTEGRATORS:
        report(len(courses) / total, f"{start.name}, {method}")
        courses.append(_follow(start, "Treadle", method, _treadle(start, method), steps, stride))
    try:
        mujoco = peer("mujoco")
    except MissingPeer as error:
        notes += [] if str(error) in notes else [str(error)]
        return courses
    # that a state is lost, the table says
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        for method in _MUJOCO:
            report(len(courses) / total, f"{start.name}, MuJoCo {method}")
            run = _mujoco(start, method)
            courses.append(_follow(start, peer_name("mujoco"), method, run, steps, stride))
    finally:
        mujoco.set_mju_user_warning(None)
    return courses


def _treadle(start: _Start, method: str) -> _Run:
    sim = Simulation(start.model, DT, method, start.q, start.v)

    def advance(count: int) -> tuple[np.ndarray, np.ndarray]:
        sim.step(count)
        return sim.q, sim.v

    return advance


def _mujoco(start: _Start, method: str) -> _Run:
    other = MujocoModel(start.model, DT)
    mujoco = other.mujoco
    other.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{_MUJOCO[method]}")
    # a state that is lost stays so
    other.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    other.set(start.q, start.v)

    def advance(count: int) -> tuple[np.ndarray, np.ndarray]:
        other.step(count)
        return other.state()

    return advance


def _follow(start: _Start, library: str, method: str, run: _Run, steps: int, stride: int) -> _Course:
    """Energies after every stride; the run ends early where its state is lost."""
    energies = _energies(start.model)
    samples = [(0.0, *energies(start.q, start.v))]
    seconds, number = 0.0, 0
    while number < steps:
        count = min(stride, steps - number)
        started = time.perf_counter()
        try:
            q, v = run(count)
        except SimulationDiverged:
            break
        # what compiles, compiles in the first stride
        seconds += time.perf_counter() - started if number else 0.0
        number += count
        if not (np.isfinite(q).all() and np.abs(v).max() < _LOST):
            break
        samples.append((number * DT, *energies(q, v)))
    times, kinetic, total = np.array(samples).T
    return _Course(library, method, times, kinetic, total, seconds / max(number - stride, 1) * 1e6)


def _energies(model: Model) -> Callable[[np.ndarray, np.ndarray], tuple[float, float]]:
    """A function for the kinetic and the total energy (J) in a state."""
    stiffness = np.array([k for joint in model.joints for k in joint.stiffness], dtype=float)
    reference = np.array([x for joint in model.joints for x in joint.reference], dtype=float)

    def energies(q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        kinetic = kinetic_energy(model, q, v)
        springs = 0.5 * float(stiffness @ (q - reference) ** 2)
        return kinetic, kinetic + potential_energy(model, q) + springs

    return energies


def _row(start: _Start, course: _Course, peak: float, steps: int) -> dict[str, Any]:
    errors = course.errors(peak)
    end = float(course.times[-1])
    lost = end < (steps - 0.5) * DT
    tenth = steps * DT / 10.0
    first = float(errors[course.times <= tenth].max())
    last = math.inf if lost else float(errors[course.times >= 9.0 * tenth].max())
    return {
        "machine": start.name,
        "library": course.library,
        "method": course.method,
        "label": course.label,
        "steps": round(end / DT),
        "first": first,
        "last": last,
        "trend": last / max(first, float(np.finfo(float).eps)),
        "error": math.inf if lost else float(errors.max()),
        "step_time": course.step_time,
        "end": end if lost else None,
    }


def _checks(row: dict[str, Any]) -> list[Check]:
    what = f"{row['machine']}, {row['method']}"
    return [
        at_most(f"{what}: energy error, last tenth by first", row["trend"], TREND_LIMIT),
        at_most(f"{what}: energy error by peak kinetic energy", row["error"], ERROR_LIMIT),
    ]


def _draw(drawn: list[tuple[str, float, list[_Course]]]) -> Figure:
    from matplotlib import colormaps

    figure = new_figure(len(drawn))
    for axes, (name, peak, courses) in zip(figure.axes, drawn, strict=True):
        ours = sum(course.library == "Treadle" for course in courses)
        colors = [
            *colormaps["turbo"](np.linspace(0.0, 1.0, ours)),
            *colormaps["gray"](np.linspace(0.0, 0.6, len(courses) - ours)),
        ]
        for course, color in zip(courses, colors, strict=True):
            # evenly on the logarithmic axis
            edges = np.unique(np.geomspace(1, len(course.times), 60).astype(int)) - 1
            # the largest error up to a time: what vibrates would fill the plot
            errors = np.maximum.accumulate(course.errors(peak))[edges]
            style = "-" if course.library == "Treadle" else "--"
            # of two lines that lie on each other, both can be seen
            width = {"implicit_midpoint": 4.0, "variational": 2.0}.get(course.method, 1.3)
            axes.loglog(
                course.times[edges], np.maximum(errors, 1e-17), style, color=color, linewidth=width,
                label=course.label,
            )  # fmt: skip
        axes.set(xlabel="time (s)", title=f"{name}, steps of {DT * 1e3:g} ms", ylim=(1e-16, 1e2))
        axes.set_ylabel("largest energy error so far / peak kinetic energy")
        axes.grid(alpha=0.3)
    figure.axes[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    return figure
