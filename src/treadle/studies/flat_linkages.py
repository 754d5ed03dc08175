"""Linkages that pass flat positions, where the rank of their constraints drops and other motions branch off.

Lengths, masses and springs are random. Each has one degree of freedom, that of its own branch, and a number
that is zero there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import numpy as np

from treadle.model import ModelSpec
from treadle.model.model import Model

__all__ = ["FLAT_LINKAGES", "FlatLinkage"]

Rng = np.random.Generator

_HINGE = {"axis": (0.0, 1.0, 0.0)}


@dataclass(frozen=True)
class FlatLinkage:
    """A linkage in motion, the joint and its angle (rad) where it is flat, and its branch.

    `off_branch` (rad) of a position is zero on the branch, and of order one on the others.
    """

    model: Model
    q: np.ndarray
    v: np.ndarray
    flat: str
    offset: float
    off_branch: Callable[[np.ndarray], float]

    def flatness(self, q: np.ndarray) -> float:
        """Sine of the angle from the nearest flat position."""
        return abs(float(self.side(q)))

    def side(self, q: np.ndarray) -> np.ndarray:
        """The same with a sign, which changes in flat positions."""
        return np.sin(q[..., self.model.joint(self.flat).q.start] - self.offset)


def parallelogram(rng: Rng) -> FlatLinkage:
    """Two cranks and a coupler that swing and turn over."""
    return _four_bars(rng, 1)


def four_bars(rng: Rng) -> FlatLinkage:
    """Two parallelograms in a row."""
    return _four_bars(rng, 2)


def _four_bars(rng: Rng, cells: int) -> FlatLinkage:
    spec = ModelSpec(f"parallelograms: {cells}")
    length, base = rng.uniform(0.4, 1.0), rng.uniform(0.4, 1.2)
    rates = float(rng.uniform(0.5, 3.0)) * float(rng.choice([-1.0, 1.0]))
    start = float(rng.uniform(-0.5, 0.5))
    for k in range(cells + 1):
        _bar(spec, rng, f"rod{k}", length, along=2)
        spec.add_joint(f"pin{k}", "continuous", None, f"rod{k}", position=(k * base, 0.0, 0.0), **_HINGE)
    for k in range(cells):
        _bar(spec, rng, f"bar{k}", base)
        spec.add_joint(f"elbow{k}", "continuous", f"rod{k}", f"bar{k}", position=(0.0, 0.0, length), **_HINGE)
        ends = {"position": (base, 0.0, 0.0), "child_position": (0.0, 0.0, length)}
        spec.add_joint(f"close{k}", "revolute", f"bar{k}", f"rod{k + 1}", **ends, **_HINGE)
    model = spec.compile()
    names = [joint.name for joint in model.joints]
    q = np.array([start if name.startswith("pin") else -start for name in names])
    v = np.array([rates if name.startswith("pin") else -rates for name in names])
    pins = [model.joint(f"pin{k}").q.start for k in range(cells + 1)]
    return FlatLinkage(model, q, v, "pin0", pi / 2, lambda q: float(np.ptp(q[pins])))


def rhombus(rng: Rng) -> FlatLinkage:
    """Four equal bars, one corner on a pin and the opposite one on a rail: both halves fold through the
    rail.
    """
    spec = ModelSpec("rhombus", gravity=(0.0, 0.0, 0.0))
    side = rng.uniform(0.4, 1.0)
    for half in ("upper", "lower"):
        for part in ("inner", "outer"):
            _bar(spec, rng, f"{half}_{part}", side)
        stiffness = float(rng.uniform(2.0, 10.0))
        spec.add_joint(f"{half}_pin", "revolute", None, f"{half}_inner", stiffness=stiffness, **_HINGE)
        place = (side, 0.0, 0.0)
        spec.add_joint(f"{half}_knee", "revolute", f"{half}_inner", f"{half}_outer", position=place, **_HINGE)
    end = (side, 0.0, 0.0)
    spec.add_joint(
        "tip", "revolute", "upper_outer", "lower_outer", position=end, child_position=end, **_HINGE
    )
    spec.add_joint("rail", "point_on_line", None, "upper_outer", axis=(1, 0, 0), child_position=end)
    model = spec.compile()
    open_by, rate = float(rng.uniform(0.3, 0.9)), float(rng.uniform(-1.0, 1.0))
    place = {"upper_pin": -1.0, "upper_knee": 2.0, "lower_pin": 1.0, "lower_knee": -2.0}
    q = np.array([open_by * place[joint.name] for joint in model.joints])
    v = np.array([rate * place[joint.name] for joint in model.joints])
    pins = [model.joint(name).q.start for name in ("upper_pin", "lower_pin")]
    return FlatLinkage(model, q, v, "upper_pin", 0.0, lambda q: abs(float(q[pins].sum())))


def scissors(rng: Rng) -> FlatLinkage:
    """Two crossed pairs of bars on a hinge and a sliding foot, with a spring, through where all bars lie
    flat.
    """
    spec = ModelSpec("scissors", gravity=(0.0, 0.0, 0.0))
    length, cells = rng.uniform(0.5, 1.2), 2
    middle, end = (length / 2, 0.0, 0.0), (length, 0.0, 0.0)
    for k in range(cells):
        for bar in "ab":
            _bar(spec, rng, f"{bar}{k}", length)
        parent, at = (f"b{k - 1}", end) if k else (None, (0.0, 0.0, 0.0))
        spec.add_joint(f"end{k}", "revolute", parent, f"a{k}", position=at, **_HINGE)
        options = {"position": middle, "child_position": middle}
        spec.add_joint(f"middle{k}", "revolute", f"a{k}", f"b{k}", **options, **_HINGE)
        if k:
            spec.add_joint(f"close{k}", "revolute", f"a{k - 1}", f"b{k}", position=end, **_HINGE)
    spec.add_joint("foot", "point_on_line", None, "b0", axis=(1, 0, 0))
    spec.joint("end0").stiffness = float(rng.uniform(5.0, 20.0))
    model = spec.compile()
    lean, rate = float(rng.uniform(0.3, 0.8)), float(rng.uniform(-1.0, 1.0))
    # bars a lean by -lean about y, bars b by pi + lean
    turns = {"end0": (-1.0, 0.0), "end1": (-2.0, -pi)} | {f"middle{k}": (2.0, pi) for k in range(cells)}
    q = np.array([turns[joint.name][0] * lean + turns[joint.name][1] for joint in model.joints])
    v = np.array([turns[joint.name][0] * rate for joint in model.joints])
    place = {name: model.joint(name).q.start for name in turns}

    def off_branch(q: np.ndarray) -> float:
        first = q[place["end0"]]
        return max(
            abs(float(q[place[name]] - shift - factor * -first)) for name, (factor, shift) in turns.items()
        )

    return FlatLinkage(model, q, v, "end0", 0.0, off_branch)


FLAT_LINKAGES: dict[str, Callable[[Rng], FlatLinkage]] = {
    "parallelogram": parallelogram,
    "two four-bars": four_bars,
    "rhombus": rhombus,
    "scissors": scissors,
}


def _bar(spec: ModelSpec, rng: Rng, name: str, length: float, along: int = 0) -> None:
    """A bar from the body's origin along one of its axes, its centre of mass anywhere near its middle."""
    mass = float(rng.uniform(0.5, 2.0))
    center = [0.0, 0.0, 0.0]
    center[along] = float(rng.uniform(0.3, 0.7)) * length
    across = mass * length**2 / 12.0
    inertia = [across] * 3
    inertia[along] = 0.01 * across
    spec.add_body(name, mass, center=tuple(center), inertia=tuple(inertia))
