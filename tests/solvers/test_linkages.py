"""Overconstrained linkages, as they are and with their numbers rounded: assembled, and run."""

import re
from collections.abc import Sequence
from math import pi

import numpy as np
import pytest

import treadle as td
from tests.energy import stored_energy
from treadle.constraints.rows import residuals
from treadle.graph import Scalar
from treadle.integrators.rounded_loops import opening
from treadle.integrators.system import System
from treadle.model import rpy
from treadle.native.program import Program, compile_program
from treadle.studies.overconstrained import drawn, passage
from treadle.studies.overconstrained_linkages import LINKAGES, four_bar, in_frames_of_files, scissors


@pytest.mark.parametrize("digits", [None, 9, 6])
@pytest.mark.parametrize("name", LINKAGES)
def test_linkages_move_whether_their_numbers_are_rounded_or_not(name, digits):
    """For 10 s at 5 ms; what stays open is at the level of the rounding, and told."""
    for seed in range(3):
        spec, q, v = LINKAGES[name](np.random.default_rng(seed), digits)
        model = spec.compile()
        assembly = td.assemble(model, q, v)
        open_by = 1e-12 if digits is None else 20.0 * 10.0**-digits
        assert assembly.mobility == 1
        assert assembly.residual < open_by
        sim = td.Simulation(model, 5e-3, q=q, v=v)
        first, errors, moved = stored_energy(model, sim.q, sim.v), [], 0.0
        for _ in range(100):
            sim.run(0.1)
            energy = stored_energy(model, sim.q, sim.v)
            errors.append(energy - first)
            moved = max(moved, energy - stored_energy(model, sim.q, 0.0 * sim.v))
        assert np.abs(errors).max() < 0.1 * moved
        gap = np.abs(residuals(model, sim.q.tolist())).max()
        said = sim.quality()["loop residual"]
        assert gap <= said + 1e-15 and said < open_by
        if assembly.residual > 1e-10:
            assert "as far as rounded numbers let" in str(assembly)


def energy_error(sim: td.Simulation) -> float:
    """The largest error of the energy in 10 s, by the most kinetic energy."""
    first, errors, moved = stored_energy(sim.model, sim.q, sim.v), [], 0.0
    for _ in range(200):
        sim.run(0.05)
        energy = stored_energy(sim.model, sim.q, sim.v)
        errors.append(abs(energy - first))
        moved = max(moved, energy - stored_energy(sim.model, sim.q, 0.0 * sim.v))
    return max(errors) / moved


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("name", LINKAGES)
def test_linkages_in_frames_of_files_run_as_exact_ones(name, integrator):
    """Every body in a frame of its own, every number rounded: lengths and axes differ from joint to joint."""
    for seed in (11,) if name == "scissors" else (11, 12):
        rng = np.random.default_rng(seed)
        spec, q, v = LINKAGES[name](rng, None)
        model = in_frames_of_files(spec, rng, 6).compile()
        assembly = td.assemble(model, q, v)
        assert assembly.mobility == 1
        sim = td.Simulation(model, 5e-3, integrator, q=q, v=v)
        exact = td.Simulation(spec.compile(), 5e-3, integrator, q=q, v=v)
        assert energy_error(sim) == pytest.approx(energy_error(exact), rel=0.1, abs=2e-5)
        gap, said = np.abs(residuals(model, sim.q.tolist())).max(), sim.quality()["loop residual"]
        assert assembly.residual < 2e-5
        assert gap <= said + 1e-15 and 1e-9 < said < 2e-5


@pytest.mark.parametrize(
    ("seed", "integrator", "digits"),
    [
        (6, "symplectic_euler", 6),
        (10, "symplectic_euler", 6),
        (100, "symplectic_euler", 7),
        (6, "rk4", 6),
        (20, "rk4", 6),
        (23, "implicit_midpoint", 6),
    ],
)
def test_steps_that_end_at_a_fold_of_rounded_lengths_keep_the_energy(seed, integrator, digits):
    """Sarrus' linkages with a step so near their fold that directions of rows are noise of the rounding."""
    exact = passage(*drawn("sarrus", seed, "exact"), integrator)
    rounded = passage(*drawn("sarrus", seed, "frames", digits), integrator)
    assert not exact.failed and not rounded.failed
    assert rounded.error < 1.1 * exact.error + 1e-4
    assert rounded.gap < 20.0 * 10.0**-digits


@pytest.mark.parametrize("integrator", ["rk4", "implicit_midpoint"])
def test_rows_that_are_dependent_everywhere_are_no_singular_position(integrator):
    """Bennett's linkage that turns back before its fold; rounding leaves seven times itself of such rows."""
    exact = passage(*drawn("bennett", 75, "exact"), integrator)
    rounded = passage(*drawn("bennett", 75, "frames"), integrator)
    assert not rounded.failed
    assert rounded.error < 1.1 * exact.error + 1e-4


@pytest.mark.parametrize("seed", [12, 102])
def test_gaps_at_a_singular_position_are_found_from_afar(seed):
    """Those of Sarrus' linkage where its legs fold, from positions up to a radian before and after it."""
    rng = np.random.default_rng(seed)
    spec, q, v = LINKAGES["sarrus"](rng, None)
    model = in_frames_of_files(spec, rng, 6).compile()
    sim = td.Simulation(model, 1e-3, q=q, v=v)

    def found(q: Sequence[Scalar], v: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
        return {"opening": opening(System(model, [0.0] * model.nv), q, v, 1e-2, q[0] < 1e9).flat()}

    look = compile_program(Program("opening", {"q": model.nq, "v": model.nv}, found, hot=False))
    gaps, times = [], []
    time, zone = 0.0, 0.0
    # past the first one
    while sim.time < 1.0 and not (zone > 0.0 and time < -0.02):
        sim.step(5)
        time, _, zone, _, *here = look(sim.q, sim.v)[0]
        if zone > 0.0 and abs(time) * np.abs(sim.v).max() > 0.05:
            gaps.append(here)
            times.append(time)
    assert min(times) < 0.0 < max(times)
    assert len(gaps) > 10
    size = np.abs(gaps).max()
    assert 1e-9 < size < 1e-5
    assert np.abs(gaps - np.median(gaps, axis=0)).max() < 0.02 * size


def test_a_long_lift_of_rounded_numbers_runs():
    spec, q, v = scissors(np.random.default_rng(0), 6, cells=10)
    sim = td.Simulation(spec.compile(), 5e-3, q=q, v=v)
    sim.run(10.0)
    assert sim.quality()["loop residual"] < 2e-5


@pytest.mark.parametrize("closing", ["revolute", "ball"])
@pytest.mark.parametrize("tilt", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
def test_gaps_are_those_of_the_rounding_in_every_plane(tilt, closing):
    """In a plane at a small angle to an axis, two coordinates of a point tell nearly the same."""
    turn = np.array(rpy(0.4, 0.0, 0.0)) @ np.array(rpy(0.0, 0.0, 0.7))
    for plane in (turn @ np.array(rpy(0.0, tilt, 0.0)), np.array(rpy(tilt, 0.3, 0.8 + tilt))):
        spec, q, v = four_bar(np.random.default_rng(4), 6, plane)
        spec.joint("c").type = closing
        if closing == "ball":
            spec.joint("c").axis = None
        sim = td.Simulation(spec.compile(), 5e-3, q=q, v=v)
        sim.run(1.0)
        assert sim.quality()["loop residual"] < 2e-5


def planar(off: float = 0.0, quarter: float = pi / 2) -> td.Model:
    """A four-bar linkage with one pivot `off` (m) its plane, and hinges turned by a quarter turn."""
    return planar_spec(off, quarter).compile()


def planar_spec(off: float, quarter: float = pi / 2) -> td.ModelSpec:
    spec = td.ModelSpec("four-bar")
    for name, length in (("crank", 0.5), ("coupler", 1.0), ("rocker", 1.0)):
        spec.add_body(name, 1.0, center=(0, 0, length / 2), inertia=(0.1, 0.1, 0.01))
    hinge = {"axis": (0, 0, 1), "rotation": rpy(-quarter, 0, 0), "child_rotation": rpy(-quarter, 0, 0)}
    spec.add_joint("a", "revolute", None, "crank", **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, off, 0.5), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(1, 0, 0), axis=(0, 1, 0))
    spec.add_joint(
        "c", "revolute", "coupler", "rocker", position=(0, 0, 1), child_position=(0, 0, 1), **hinge
    )
    return spec


@pytest.mark.parametrize("options", [{"off": 1e-9}, {"off": 1e-6}, {"quarter": 1.5707963}])
def test_a_planar_linkage_that_is_not_quite_planar_is_assembled(options):
    start = [0.3, 1.0, -0.2]
    exact, rounded = planar(), planar(**options)
    assembly = td.assemble(rounded, start)
    assert (assembly.mobility, assembly.redundant) == (1, 3)
    ends = []
    for model in (exact, rounded):
        sim = td.Simulation(model, 1e-3, q=start)
        sim.run(2.0)
        ends.append(sim.q.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-4)


def test_what_is_more_than_rounding_is_refused_with_a_move_that_closes_it():
    spec, start = planar_spec(off=1e-3), [0.3, 1.0, -0.2]
    with pytest.raises(td.ModelError, match=r"its loop 'c' stays open by 0.001") as refused:
        td.assemble(spec.compile(), start)
    (move,) = re.findall(r"its frame on 'rocker' would fit if you move it by \((.*)\) m$", str(refused.value))
    move = np.array([float(x) for x in move.split(",")])
    assert move == pytest.approx([0.0, 1e-3, 0.0], abs=1e-5)
    spec.joint("c").child_position = np.array([0.0, 0.0, 1.0]) + move
    assert td.assemble(spec.compile(), start).residual < 1e-5


def test_a_hinge_that_is_askew_would_fit_if_it_were_turned():
    spec = td.ModelSpec("two hinges")
    for name, place in (("left", 0.0), ("right", 1.0)):
        spec.add_body(name, 1.0, inertia=(1, 1, 1))
        spec.add_joint(name, "prismatic", None, name, axis=(0, 0, 1), position=(place, 0, 0))
    askew = rpy(0.01, 0.0, 0.0)
    spec.add_joint("pin", "revolute", "left", "right", axis=(0, 1, 0), position=(1, 0, 0), rotation=askew)
    with pytest.raises(td.ModelError, match=r"turn it by \(0\.01\d*, 0, 0\) rad$"):
        td.assemble(spec.compile())
