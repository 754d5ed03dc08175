"""Bodies in a fluid, against closed forms.

Balls that sink and rise, a pendulum, spheroids, things that float, and two underwater vehicles. Accelerations
and frequencies come from one short step, or from the machine made linear; speeds from a run to the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import at_most
from treadle.dynamics.compiled import kinetic_energy, momentum
from treadle.model.hydrodynamics import Fluid, ellipsoid_added_mass
from treadle.model.spec import ModelSpec
from treadle.sim import Simulation
from treadle.sim.linearize import linearize
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

_G, _WATER = 9.81, 1000.0

#: Lamb's coefficients k1, k2, k' of prolate spheroids by a/b, to four digits.
_LAMB = {
    1.5: (0.3037, 0.6221, 0.0951),
    2.0: (0.2100, 0.7042, 0.2394),
    3.0: (0.1220, 0.8039, 0.4657),
    5.0: (0.0591, 0.8943, 0.6999),
    10.0: (0.0207, 0.9602, 0.8835),
}

#: Steps of the Kirchhoff body, and of a quick run.
_STEPS, _QUICK_STEPS = 100_000, 2_000

_COLUMNS = (
    Column("case", "case"),
    Column("value", "Treadle", ".8g"),
    Column("exact", "closed form", ".8g"),
    Column("unit", "unit"),
    Column("error", "error", ".1e"),
)


def run(quick: bool, report: Report) -> Findings:
    """Compute every closed form; quick: with fewer steps of the body in an ideal fluid."""
    rows: list[dict[str, Any]] = []
    findings = Findings(_COLUMNS, rows, lambda: _draw(rows), timed=False)
    cases = [*_balls(), *_spheroids(), *_floating(), *_vehicles()]
    for number, (case, value, exact, unit, limit) in enumerate(cases):
        report(number / (len(cases) + 1), case)
        error = abs(value - exact)
        rows.append({"case": case, "value": value, "exact": exact, "unit": unit, "error": error})
        findings.checks.append(at_most(f"{case}: error ({unit})", error, limit))
    report(len(cases) / (len(cases) + 1), "momentum of body and fluid")
    steps = _QUICK_STEPS if quick else _STEPS
    lost, energy = _kirchhoff(steps)
    title = f"body in an ideal fluid, {steps} steps: relative change of"
    findings.checks.append(at_most(f"{title} the momentum", lost, 1e-9))
    findings.checks.append(at_most(f"{title} the energy", energy, 1e-9))
    return findings


_Case = tuple[str, float, float, str, float]


def _balls() -> Iterator[_Case]:
    for density in (7850.0, 500.0, 0.0):
        exact = -(density - _WATER) * _G / (density + 0.5 * _WATER)
        found = linearize(Simulation(_ball(density))).rate[-1]
        yield f"release from rest, {density:g} kg/m3", float(found), exact, "m/s2", 1e-9
    sim = Simulation(_ball(7850.0, drag_coefficient=0.44), dt=1e-3, integrator="rk4")
    sim.run(20.0)
    exact = math.sqrt(8.0 * 0.05 * _G * 6.85 / (3.0 * 0.44))
    yield "steel ball, terminal speed", float(-sim.v[5]), exact, "m/s", 1e-6
    sim = Simulation(_ball(2500.0, 50e-6, Fluid(_WATER, viscosity=1e-3)), dt=1e-3)
    sim.run(0.5)
    yield (
        "Stokes ball, terminal speed",
        float(-sim.v[5]),
        2.0 / 9.0 * 1500.0 * _G * 2.5e-9 / 1e-3,
        "m/s",
        1e-9,
    )
    yield "submerged pendulum", _frequency(_pendulum()), math.sqrt(_G / 0.5 * 6850.0 / 8350.0), "rad/s", 1e-9


def _spheroids() -> Iterator[_Case]:
    for ratio, expected in _LAMB.items():
        A = ellipsoid_added_mass((ratio, 1.0, 1.0), _WATER)
        mass = _WATER * 4.0 / 3.0 * math.pi * ratio
        found = A[3, 3] / mass, A[4, 4] / mass, A[1, 1] / (mass * (ratio**2 + 1.0) / 5.0)
        for name, value, exact in zip(("k1", "k2", "k'"), found, expected, strict=True):
            yield f"Lamb's {name} at a/b = {ratio:g}", float(value), exact, "1", 5.1e-5
    size, u, w = (0.6, 0.2, 0.2), 1.5, 0.4
    A = ellipsoid_added_mass(size, _WATER)
    sim = Simulation(_spheroid(size, (0.0, 0.0, 0.0)), v=[0, 0, 0, u, w, 0])
    found = linearize(sim).rate[6 + 2] * (4.0 + A[2, 2])
    yield "Munk moment", float(found), -(A[4, 4] - A[3, 3]) * u * w, "N m", 1e-9


def _floating() -> Iterator[_Case]:
    spar = ModelSpec("spar")
    spar.add_body("spar", 10.0, inertia=(1, 1, 1))
    spar.add_joint("heave", "prismatic", None, "spar")
    Fluid(_WATER, surface=0.0).surround(spar)
    spar.add_hull("hull", "spar", shape="box", size=(0.1, 0.1, 2.0))
    yield "spar of 1 m draft, heave", _frequency(spar), math.sqrt(_G), "rad/s", 1e-9
    barge = ModelSpec("barge")
    barge.add_body("barge", 500.0, type="box", size=(2.0, 1.0, 0.5))
    barge.add_joint("roll", "revolute", None, "barge", axis=(1, 0, 0))
    Fluid(_WATER, surface=0.0).surround(barge)
    barge.add_hull("hull", "barge", shape="box", size=(2.0, 1.0, 0.5))
    metacentric = 1.0 / (12.0 * 0.25) - 0.125
    exact = math.sqrt(_G * metacentric / ((1.0 + 0.25) / 12.0))
    yield "box barge, roll", _frequency(barge), exact, "rad/s", 1e-4


def _vehicles() -> Iterator[_Case]:
    for name, axis, exact in (("roll", (1, 0, 0), 6.207), ("pitch", (0, 1, 0), 0.903)):
        yield f"REMUS 100, {name}", _frequency(_remus(axis)), exact, "rad/s", 6e-4
    rov = _bluerov2()
    sim = Simulation(rov.compile(), dt=1e-2)
    sim.run(30.0)
    exact = (-13.7 + math.sqrt(13.7**2 + 4.0 * 141.0 * 40.0)) / (2.0 * 141.0)
    yield "BlueROV2, speed at 40 N", float(sim.v[0]), exact, "m/s", 1e-9


def _ball(density: float, radius: float = 0.05, fluid: Fluid | None = None, **options: Any) -> Any:
    spec = ModelSpec("ball")
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    spec.add_body("ball", mass, inertia=(0.4 * mass * radius**2,) * 3)
    spec.add_joint("free", "free", None, "ball", armature=(0.0 if mass else 1e-9,) * 3 + (0.0,) * 3)
    (fluid or Fluid(_WATER)).surround(spec)
    spec.add_hull("hull", "ball", size=(radius,) * 3, **options)
    return spec.compile()


def _pendulum() -> ModelSpec:
    spec = ModelSpec("pendulum")
    spec.add_body("bob", 7850.0 * 4.0 / 3.0 * math.pi * 0.05**3, center=(0, 0, -0.5))
    spec.add_joint("pin", "revolute", None, "bob", axis=(0, 1, 0))
    Fluid(_WATER).surround(spec)
    spec.add_hull("hull", "bob", (0, 0, -0.5), size=(0.05,) * 3)
    return spec


def _spheroid(size: tuple[float, float, float], center: tuple[float, float, float]) -> Any:
    spec = ModelSpec("spheroid", gravity=(0, 0, 0))
    spec.add_body("hull", 50.0, center=center, inertia=(1.0, 4.0, 4.0))
    spec.add_joint("free", "free", None, "hull")
    Fluid(_WATER).surround(spec)
    spec.add_hull("shape", "hull", size=size)
    return spec.compile()


def _remus(axis: tuple[int, int, int]) -> ModelSpec:
    a, b, density = 0.8, 0.095, 1026.0
    mass = density * 4.0 / 3.0 * math.pi * a * b**2
    along, across = 0.4 * mass * b**2, mass * (a**2 + b**2) / 5.0
    spec = ModelSpec("remus")
    spec.add_body("hull", mass, center=(0, 0, -0.02), inertia=(along, across, across))
    spec.add_joint("joint", "revolute", None, "hull", axis=axis)
    Fluid(density).surround(spec)
    A = ellipsoid_added_mass((a, b, b), density)
    A[0, 0] = 0.3 * along
    spec.add_hull("shape", "hull", size=(a, b, b), added_mass=A)
    return spec


def _bluerov2() -> ModelSpec:
    spec = ModelSpec("bluerov2")
    spec.add_body("vehicle", 13.5, inertia=(0.26, 0.23, 0.37))
    spec.add_joint("surge", "prismatic", None, "vehicle", axis=(1, 0, 0))
    Fluid(_WATER).surround(spec)
    spec.add_hull(
        "hull", "vehicle", (0, 0, 0.01), shape="volume", volume=0.0134,
        added_mass=(0.186, 0.135, 0.222, 6.36, 7.12, 18.69), linear_drag=(0, 0.8, 0, 13.7, 0, 33),
        quadratic_drag=(1.19, 0.47, 1.5, 141, 217, 190),
    )  # fmt: skip
    spec.add_element("thrust", "load", ("vehicle",), force=(40.0, 0, 0))
    return spec


def _frequency(spec: ModelSpec) -> float:
    """Angular frequency of small motions of a machine with one degree of freedom, at rest."""
    A = linearize(Simulation(spec.compile())).A
    return math.sqrt(-A[1, 0])


def _kirchhoff(steps: int) -> tuple[float, float]:
    """Relative change of the momentum of body and fluid and of their energy, in an ideal fluid."""
    model = _spheroid((0.6, 0.2, 0.3), (0.05, 0.0, 0.02))
    sim = Simulation(model, dt=1e-3, integrator="dopri853", v=[0.3, 0.5, -0.2, 1.0, 0.4, 0.1])
    before, energy = momentum(model, sim.q, sim.v), kinetic_energy(model, sim.q, sim.v)
    sim.step(steps)
    lost = np.abs(momentum(model, sim.q, sim.v) - before).max() / np.abs(before).max()
    return float(lost), abs(kinetic_energy(model, sim.q, sim.v) / energy - 1.0)


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure()
    (plot,) = figure.axes
    names = [row["case"] for row in rows]
    errors = [max(row["error"] / max(abs(row["exact"]), 1e-30), 1e-17) for row in rows]
    plot.barh(names, errors, color="tab:blue")
    plot.set_xscale("log")
    plot.invert_yaxis()
    plot.tick_params(axis="y", labelsize=6)
    plot.set_xlabel("relative difference from the closed form (Lamb's: of four digits)")
    plot.grid(axis="x", alpha=0.3)
    return figure
