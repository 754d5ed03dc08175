"""Where a force limits the step: the stiffest force that the method takes as it is at the start of a step.

A stiffness k against a coordinate with the moment arms J gives the machine the frequency
w = sqrt(k J M^-1 J^T). An explicit method with steps h is unstable beyond h w = 2 (Runge-Kutta of order four:
2.8), and resolves the motion poorly from 1 on. Force elements that the default integrator takes implicitly do
not limit it; nor do servos and the springs of loop joints and tendons. Of force laws it is the highest
frequency of M^-1 K, or the highest rate of M^-1 D, with their derivatives K and D by position and velocity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treadle.dynamics.compiled import mass_matrix
from treadle.forces.input import law_inputs, reading
from treadle.forces.law import ForceLaw
from treadle.forces.stiff_law import is_stiff, law_slopes
from treadle.forces.tendon import tendon_coordinate
from treadle.model.model import Model
from treadle.sim.quality.measure import Measure, rate
from treadle.sim.quality.run import Run

__all__ = ["force_step"]

#: Largest phases (rad) per step that are good and fair.
_GOOD, _FAIR = 1.0, 1.8

#: Methods that take forces as they are at the start of a step, or of a stage of it.
_EXPLICIT = ("explicit_euler", "midpoint", "rk4", "rk6")


class _Stiff(NamedTuple):
    """A force and the square of the frequency (1/s2) that it gives the machine."""

    what: str
    square: float


def force_step(run: Run) -> Measure | None:
    """Phase per step of the fastest motion that a force taken explicitly causes."""
    found = list(_explicit_forces(run))
    if not found or not run.model.nv:
        return None
    worst = max(found, key=lambda item: item.square)
    phase = run.sim.dt * float(np.sqrt(worst.square))
    rating = rate(phase, _GOOD, _FAIR)
    good = rating == "good"
    return Measure(
        "force step",
        phase,
        "rad",
        f"phase per step of the fastest motion of {worst.what}; unstable from 2 on",
        rating,
        _GOOD,
        f"the step resolves {worst.what}" if good else f"{worst.what} is too stiff for the step",
        f"take dt = {_GOOD / np.sqrt(worst.square):.1g} s, or integrator='implicit_midpoint'",
    )


def _explicit_forces(run: Run) -> Iterator[_Stiff]:
    sim, model = run.sim, run.model
    default = sim.integrator == "symplectic_euler"
    if not default and sim.integrator not in _EXPLICIT:
        return
    for element in model.elements:
        if element.stiffness_rate > 0.0 and not (default and element.implicit):
            yield _Stiff(f"force element {element.name!r}", float(element.stiffness_rate))
    for law in sim.laws:
        if not (default and is_stiff(law)):
            yield from _of_law(run, law)
    yield from _joint_forces(model, sim.q, servos=not default)


def _of_law(run: Run, law: ForceLaw) -> Iterator[_Stiff]:
    sim, model = run.sim, run.model
    inputs = law_inputs(model, [law])
    with reading(inputs, [float(x) for given in inputs for x in given.numbers().ravel()]):
        slopes = law_slopes(model, law, sim.q.tolist(), sim.v.tolist(), sim.time)
    inverse = np.linalg.pinv(mass_matrix(model, sim.q), hermitian=True)
    K, D = (np.array(x, dtype=float) for x in slopes)
    square = np.linalg.eigvals(inverse @ K).real.max(initial=0.0)
    rate = np.linalg.eigvals(inverse @ D).real.max(initial=0.0)
    name = getattr(law, "__name__", "without a name")
    if max(square, rate) > 0.0:
        yield _Stiff(f"force law {name!r}", max(float(square), float(rate) ** 2))


def _joint_forces(model: Model, q: np.ndarray, servos: bool) -> Iterator[_Stiff]:
    """Joint springs and, where the method takes them explicitly too, servos and springs of tendons."""
    stiff = [(f"the spring of joint {x.name!r}", {x.v.start + k: 1.0}, s)
             for x in model.joints for k, s in enumerate(x.stiffness) if s != 0.0]  # fmt: skip
    if servos:
        for actuator in model.actuators:
            if actuator.type == "position" and actuator.v is not None:
                stiff.append((f"actuator {actuator.name!r}", {actuator.v: 1.0}, actuator.stiffness))
        for tendon in model.tendons:
            if tendon.stiffness[0] != 0.0:
                arms = tendon_coordinate(model, tendon, q.tolist())[1]
                stiff.append((f"tendon {tendon.name!r}", arms, tendon.stiffness[0]))  # type: ignore[arg-type]
    if not stiff:
        return
    inverse = np.linalg.pinv(mass_matrix(model, q), hermitian=True)
    for what, arms, stiffness in stiff:
        J = np.zeros(model.nv)
        for k, arm in arms.items():
            J[k] = arm
        yield _Stiff(what, float(stiffness) * float(J @ inverse @ J))
