"""Bodies that roll and spin without loss: Euler's disk, a coin, a rattleback, a tippe top."""

from __future__ import annotations

from functools import partial
from math import cos, pi, sin, sqrt

import numpy as np

from treadle.model import Model, ModelSpec
from treadle.studies.gauntlet.case import GRAVITY, Case, Scene, Trace, turn
from treadle.studies.gauntlet.judges import finite

__all__ = ["SPINNING", "coin", "disk", "precession", "rattleback", "tippe_top"]

Rng = np.random.Generator


def disk(rng: Rng) -> Case:
    """A thin disk that rolls on its rim, its centre at rest: it precesses, W^2 = 4 g/(a sin alpha)."""
    radius, lean = float(rng.uniform(0.05, 0.15)), float(rng.uniform(0.4, 0.9))
    thick = 1e-3 * radius
    rate = sqrt(4.0 * GRAVITY / (radius * sin(lean)))
    scene = Scene("disk", 1.0)
    place = (0.0, 0.0, radius * sin(lean) + 0.5 * thick * cos(lean))
    twist = (0.0, rate * sin(lean), 0.0, 0.0, 0.0, 0.0)
    scene.add("disk", "cylinder", (radius, thick), 0.5, place, turn((1.0, 0.0, 0.0), lean), twist)
    share = partial(_precession_error, rate=rate)
    return Case("disk", scene.model(), 10.0, finite, conserves=True, watch={"precession_error": share})


def coin(rng: Rng) -> Case:
    """A coin that rolls along a curve without slip."""
    radius, lean = float(rng.uniform(0.02, 0.05)), float(rng.uniform(1.1, 1.3))
    thick = 0.1 * radius
    R = turn((1.0, 0.0, 0.0), lean)
    place = np.array([0.0, 0.0, radius * sin(lean) + 0.5 * thick * cos(lean)])
    # well above the speed sqrt(g / (3 a)) from which on rolling upright is stable
    spin = float(rng.uniform(3.0, 4.0)) * sqrt(GRAVITY / (3.0 * radius))
    # the lowest point of the rim has no velocity
    turning = np.array([0.0, 0.0, spin])
    contact = R @ np.array([0.0, -radius, -0.5 * thick])
    linear = -np.cross(R @ turning, contact)
    scene = Scene("coin", 1.0)
    scene.add("coin", "cylinder", (radius, thick), 0.02, place, R, (*turning, *linear))
    return Case("coin", scene.model(), 10.0, finite, conserves=True)


def rattleback(rng: Rng) -> Case:
    """An ellipsoid with skew principal axes, its centre of mass low: it reverses the sense of its spin.

    Dimensions and inertia of Kane and Levinson (1982).
    """
    spec = ModelSpec("rattleback", gravity=(0.0, 0.0, -GRAVITY))
    spec.add_material("skin", friction=1.0, restitution=0.0)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    half, low = (0.2, 0.03, 0.02), 0.01
    inertia = ((2e-4, -2e-5, 0.0), (-2e-5, 1.6e-3, 0.0), (0.0, 0.0, 1.7e-3))
    spec.add_body("stone", 1.0, inertia=inertia)
    spec.add_joint("stone", "free", None, "stone")
    spec.add_shape(
        "stone", "stone", "ellipsoid", half, role="collision", material="skin", position=(0.0, 0.0, low)
    )
    # slow enough for it not to lift off when all of its energy is in pitching
    spin = -2.0
    R = turn((1.0, 0.0, 0.0), float(np.radians(rng.uniform(1.0, 1.5))))
    # height of the ellipsoid's centre over its support plane, with the normal in its axes
    n = R.T @ np.array([0.0, 0.0, 1.0])
    height = float(np.sqrt(np.sum((np.array(half) * n) ** 2)))
    lowest = -(np.array(half) ** 2) * n / height + (0.0, 0.0, low)
    place = np.array([0.0, 0.0, height]) - R @ np.array([0.0, 0.0, low])
    linear = -np.cross(R @ np.array([0.0, 0.0, spin]), R @ lowest)
    return _single(spec, place, R, (0.0, 0.0, spin, *linear), 10.0, _reversed)


def tippe_top(rng: Rng, friction: float) -> Case:
    """A ball with a low centre of mass that spins fast about the vertical: friction turns it upside down.

    One that spins about its own axis does not invert: dry friction ends its slip while it leans little.
    """
    radius, mass = float(rng.uniform(0.015, 0.025)), 0.02
    name = "tippe-top" if friction else "tippe-top-smooth"
    spec = ModelSpec(name, gravity=(0.0, 0.0, -GRAVITY))
    spec.add_material("skin", friction=friction, restitution=0.0)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    low, moment = 0.15 * radius, 0.4 * mass * radius**2
    spec.add_body("top", mass, inertia=(moment, moment, moment))
    spec.add_joint("top", "free", None, "top")
    spec.add_shape(
        "top", "top", "sphere", (radius,), role="collision", material="skin", position=(0.0, 0.0, low)
    )
    R = turn((1.0, 0.0, 0.0), 0.1)
    place = np.array([0.0, 0.0, radius]) - R @ np.array([0.0, 0.0, low])
    spin = 250.0 * float(np.sqrt(0.02 / radius))
    judge = _inverted if friction else finite
    turning = R.T @ np.array([0.0, 0.0, spin])
    return _single(spec, place, R, (*turning, 0.0, 0.0, 0.0), 10.0, judge, conserves=not friction)


def precession(trace: Trace) -> float:
    """Mean angular velocity (rad/s) of a body's axis z about the vertical."""
    angles = np.unwrap([np.arctan2(*_axis(trace.model, q)[[1, 0]]) for q in trace.q])
    return float((angles[-1] - angles[0]) / (trace.times[-1] - trace.times[0]))


def _precession_error(trace: Trace, rate: float) -> float:
    return abs(precession(trace) / rate - 1.0)


def _single(
    spec: ModelSpec,
    place: np.ndarray,
    R: np.ndarray,
    twist: tuple[float, ...],
    seconds: float,
    judge,
    conserves: bool = True,
) -> Case:
    from treadle.spatial import Mat3, Quaternion

    name = spec.bodies[0].name
    quaternion = [float(x) for x in Quaternion.from_matrix(Mat3.of(R.tolist()))]  # type: ignore[arg-type]
    start = (*quaternion, *(float(x) for x in place))
    spec.add_keyframe("initial", {name: start}, velocities={name: tuple(float(x) for x in twist)})
    return Case(spec.name, spec.compile(), seconds, judge, conserves=conserves)


def _axis(model: Model, q: np.ndarray) -> np.ndarray:
    w, x, y, z = q[:4]
    return np.array([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)])


def _reversed(trace: Trace) -> str:
    wrong = finite(trace)
    spins = np.array([v[2] for v in trace.v])
    start = spins[0]
    return wrong or ("" if (spins * np.sign(start)).min() < -0.2 * abs(start) else "it does not reverse")


def _inverted(trace: Trace) -> str:
    wrong = finite(trace)
    lowest = min(float(_axis(trace.model, q)[2]) for q in trace.q)
    return wrong or (
        "" if lowest < cos(0.9 * pi) else f"its axis leans by {np.arccos(lowest):.2g} rad at most"
    )


#: Cases by name.
SPINNING = {
    "disk": disk,
    "coin": coin,
    "rattleback": rattleback,
    "tippe-top": partial(tippe_top, friction=0.3),
    "tippe-top-smooth": partial(tippe_top, friction=0.0),
}
