"""Linkages that swing through flat positions, where their loops lose rank."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from tests.energy import stored_energy
from treadle.model.describe import describe
from treadle.sim.divergence import stuck
from treadle.studies import singular
from treadle.studies.calibration.machines import FAMILIES
from treadle.studies.flat_landings import landing
from treadle.studies.flat_linkages import FLAT_LINKAGES, FlatLinkage


def passages(name: str, seed: int, integrator: str, chosen: list[float]):
    linkage = FLAT_LINKAGES[name](np.random.default_rng(seed))
    return [singular.passage_of(linkage, integrator, value) for value in chosen]


@pytest.mark.parametrize(
    ("name", "integrator"),
    [("two four-bars", "rk4"), ("parallelogram", "implicit_euler"), ("scissors", "rk6")],
)
def test_fixed_steps_keep_branch_and_energy(name, integrator):
    for found in passages(name, 3, integrator, np.linspace(2e-3, 8e-3, 12).tolist()):
        assert found.passes > 1
        assert found.off < 1e-9
        assert found.ratio < 10.0
        assert found.told >= found.passes


@pytest.mark.parametrize("name", ["two four-bars", "rhombus"])
@pytest.mark.parametrize("integrator", ["rk4", "rk6"])
def test_steps_that_end_at_a_flat_position(name, integrator):
    """Where the rank has dropped at the end of one step and at the start of the next."""
    linkage = FLAT_LINKAGES[name](np.random.default_rng(3))
    for off in (0.0, 3e-6, -1e-5, 1e-4):
        step = landing(linkage, integrator, 6e-3, off)
        assert step == pytest.approx(6e-3, rel=0.02)
        found = singular.passage_of(linkage, integrator, step)
        assert found.passes > 1
        assert found.off < 1e-9
        assert found.ratio < 2.0


@pytest.mark.parametrize("integrator", ["dopri5", "dopri853"])
def test_error_control_passes_at_any_tolerance(integrator):
    for found in passages("parallelogram", 0, integrator, [1e-4, 1e-6, 1e-8, 1e-10, 1e-12]):
        assert not found.stopped
        assert found.passes > 1
        assert found.off < 1e-9
        assert found.ratio < 10.0


def test_a_machine_that_is_never_singular_reports_nothing():
    sim = td.Simulation(td.scene("slider-crank"), 1e-3, "rk4")
    sim.run(2.0)
    assert "singular positions" not in [measure.name for measure in sim.quality().measures]


def reported(sim: td.Simulation) -> bool:
    return "singular positions" in [measure.name for measure in sim.quality().measures]


def test_a_start_next_to_a_singular_position_is_no_passage():
    """A parallelogram starts a little after its flat position and moves away; turned back it passes it."""
    linkage = FLAT_LINKAGES["parallelogram"](np.random.default_rng(0))
    sim = td.Simulation(linkage.model, 1e-3, "rk4", q=linkage.q, v=linkage.v)
    begun = side = linkage.side(sim.q)
    while side * begun > -1e-3:
        sim.step()
        side = linkage.side(sim.q)
    sim.step(10)
    q, v = sim.q.copy(), sim.v.copy()
    assert abs(side) < linkage.flatness(q) < 0.1
    away = td.Simulation(linkage.model, 1e-3, "rk4", q=q, v=v)
    away.step(20)
    assert linkage.flatness(away.q) > linkage.flatness(q)
    assert not reported(away)
    back = td.Simulation(linkage.model, 1e-3, "rk4", q=q, v=-v)
    back.step(30)
    assert linkage.side(back.q) * side < 0.0
    assert reported(back)


def test_what_a_run_passed_is_not_said_of_the_next():
    linkage = FLAT_LINKAGES["parallelogram"](np.random.default_rng(3))
    sim = td.Simulation(linkage.model, 4e-3, "rk4", q=linkage.q, v=linkage.v)
    sim.run(4.0)
    assert reported(sim)
    sim.q, sim.v = linkage.q, np.zeros(linkage.model.nv)
    sim.step()
    assert not reported(sim)


def test_error_control_next_to_a_singular_position():
    """A loop in space that comes within 0.03 of one: its accelerations are rounded to 1e-12 there."""
    rng = np.random.default_rng([list(FAMILIES).index("closed tree"), 16])
    machine = FAMILIES["closed tree"](rng)
    sim = machine.simulation("dopri853", machine.seconds / 565, tolerance=1e-12)
    sim.step(310)
    # a step that cannot go on names the loop
    assert "and the loop 'closing4' is next to a singular position" in str(stuck(sim, 10.0, 1e-4))
    sim.step(255)
    assert sim.quality()["energy drift"] == pytest.approx(0.0, abs=1e-11)
    assert "singular" not in str(stuck(machine.simulation("dopri853", 1e-3), 10.0, 1e-4))


def rounded(name: str, seed: int, size: float) -> FlatLinkage:
    """A linkage through flat positions whose hinges are off by so much (m), as if rounded."""
    rng, exact = np.random.default_rng(seed), FLAT_LINKAGES[name](np.random.default_rng(seed))
    spec = describe(exact.model)
    for joint in spec.joints:
        for field in ("position", "child_position"):
            place = np.array(getattr(joint, field), dtype=float)
            if place.any():
                setattr(joint, field, tuple(place + size * rng.uniform(-1.0, 1.0, 3) * (1.0, 0.0, 1.0)))
    return replace(exact, model=spec.compile())


@pytest.mark.parametrize(
    ("name", "integrator", "chosen", "size"),
    [
        ("parallelogram", "symplectic_euler", 4.7e-3, 1e-6),
        ("scissors", "symplectic_euler", 2.9e-3, 1e-6),
        ("two four-bars", "rk4", 2.9e-3, 1e-6),
        ("rhombus", "rk4", 4.7e-3, 1e-8),
        ("parallelogram", "dopri5", 1e-8, 1e-6),
    ],
)
def test_linkages_of_rounded_lengths_stay_on_their_branch(name, integrator, chosen, size):
    """Their loops cannot be closed at flat positions, and close next to them far off the branch."""
    linkage = rounded(name, 1, size)
    found = singular.passage_of(linkage, integrator, chosen)
    assert not found.stopped
    assert found.passes > 0
    assert found.told >= found.passes
    assert found.off < 1e-3
    exact = FLAT_LINKAGES[name](np.random.default_rng(1))
    drift, gap = drift_and_gap(linkage, integrator, chosen)
    assert drift < drift_and_gap(exact, integrator, chosen)[0] + 0.02
    assert gap < 10.0 * size


def drift_and_gap(linkage: FlatLinkage, integrator: str, chosen: float) -> tuple[float, float]:
    """The drift of the energy beside the largest kinetic energy, and the gap of the quality report."""
    dt, options = (1e-2, {"tolerance": chosen}) if integrator == "dopri5" else (chosen, {})
    sim = td.Simulation(linkage.model, dt, integrator, q=linkage.q, v=linkage.v, **options)
    energies, moving = [], 0.0
    for _ in range(round(4.0 / dt)):
        sim.step()
        energies.append(stored_energy(sim.model, sim.q, sim.v))
        moving = max(moving, energies[-1] - stored_energy(sim.model, sim.q, 0.0 * sim.v))
    return float(np.ptp(energies)) / moving, sim.quality()["loop residual"]
