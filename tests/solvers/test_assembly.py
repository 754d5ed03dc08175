"""Consistent states from approximate ones."""

import numpy as np
import pytest
from hypothesis import given

import treadle as td
from tests.loops import loop_machines
from treadle.constraints.rows import residuals
from treadle.integrators import System
from treadle.solvers.gaps import loop_gaps


def four_bar(coupler: float = 1.0) -> td.Model:
    """A crank of 0.5 m and a rocker of 1 m, 1 m apart, with a coupler between them."""
    spec = td.ModelSpec("four-bar")
    for name, length in (("crank", 0.5), ("coupler", coupler), ("rocker", 1.0)):
        spec.add_body(name, 1.0, center=(0, 0, length / 2), inertia=(0.1, 0.1, 0.01))
    hinge = {"axis": (0, 1, 0)}
    spec.add_joint("a", "revolute", None, "crank", **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, 0, 0.5), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(1, 0, 0), **hinge)
    spec.add_joint(
        "c", "revolute", "coupler", "rocker", position=(0, 0, coupler), child_position=(0, 0, 1.0), **hinge
    )
    return spec.compile()


def test_a_linkage_is_assembled_from_far_away():
    model = four_bar()
    assembly = td.assemble(model, q=[0.3, 1.0, -0.2], v=[1.0, 0.0, 0.0])
    assert assembly.residual < 1e-12
    assert np.abs(residuals(model, assembly.q.tolist())).max() < 1e-12
    assert (assembly.mobility, assembly.redundant) == (1, 3)
    assert assembly.weak == ()
    # the velocity keeps the loop closed, and is the nearest that does
    system, h = System(model, [0.0] * 3), 1e-6
    ahead = system.integrate(assembly.q.tolist(), (h * assembly.v).tolist())
    assert np.abs(residuals(model, ahead)).max() < 1e-11
    assert (assembly.v - [1.0, 0.0, 0.0]) @ assembly.v == pytest.approx(0.0, abs=1e-9)
    text = str(assembly)
    assert "1 degree of freedom left" in text and "3 redundant constraints" in text


def test_a_simulation_starts_assembled():
    sim = td.Simulation(four_bar(), q=[0.3, 1.0, -0.2])
    assert np.abs(residuals(sim.model, sim.q.tolist())).max() < 1e-12


@pytest.mark.parametrize("coupler", [2.6, 4.0])
def test_a_loop_longer_than_its_links_is_named(coupler):
    model = four_bar(coupler)
    with pytest.raises(td.ModelError, match=r"cannot be assembled .* its loop 'c' stays open by") as caught:
        td.assemble(model)
    assert "correct the lengths of its links" in str(caught.value)
    with pytest.raises(td.ModelError, match="cannot be assembled"):
        td.Simulation(model)


def test_a_singular_position_is_told():
    """A parallelogram that lies flat can fold either way."""
    spec = td.ModelSpec("parallelogram")
    for name in ("left", "top", "right"):
        spec.add_body(name, 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.01))
    hinge = {"axis": (0, 1, 0)}
    spec.add_joint("a", "revolute", None, "left", **hinge)
    spec.add_joint("b", "revolute", "left", "top", position=(0, 0, 1), **hinge)
    spec.add_joint("d", "revolute", None, "right", position=(1, 0, 0), **hinge)
    spec.add_joint("c", "revolute", "top", "right", position=(0, 0, 1), child_position=(0, 0, 1), **hinge)
    model = spec.compile()
    upright = td.assemble(model, q=[0.0, np.pi / 2, 0.0])
    assert upright.mobility == 1 and upright.weak == ()
    flat = td.assemble(model, q=[np.pi / 2, 0.0, np.pi / 2])
    assert flat.mobility == 2
    nearly = td.assemble(model, q=[np.pi / 2 + 1e-6, -1e-6, np.pi / 2 + 1e-6])
    assert nearly.mobility == 2 or nearly.weak


@given(loop_machines())
def test_random_machines_are_assembled_near_a_closed_position(machine):
    model, q, rng = machine
    system = System(model, [0.0] * model.nv)
    near = system.integrate(q.tolist(), (1e-3 * rng.uniform(-1.0, 1.0, model.nv)).tolist())
    assembly = td.assemble(model, near, rng.uniform(-1.0, 1.0, model.nv))
    assert np.abs(residuals(model, assembly.q.tolist())).max() < 1e-9


def test_machines_without_loops_stay_as_they_are():
    model = td.scene("pendulum")
    assembly = td.assemble(model, q=[0.1, 0.2])
    assert assembly.q.tolist() == [0.1, 0.2]
    assert (assembly.mobility, assembly.redundant, assembly.residual) == (2, 0, 0.0)
    with pytest.raises(td.InputError, match="q must be 2 finite numbers"):
        td.assemble(model, q=[0.1])


def test_positions_and_velocities_can_be_held():
    """A crank at 1.2 rad and 6 rad/s stays there; without holding it gives way a little."""
    model = td.scene("slider-crank")
    crank = model.joints[0].name
    q, v = (list(x) for x in model.initial())
    place, rate = model.joint(crank).q.start, model.joint(crank).v.start
    q[place], v[rate] = 1.2, 6.0
    free = td.assemble(model, q, v)
    held = td.assemble(model, q, v, hold_positions=[crank], hold_velocities=[crank])
    assert abs(free.q[place] - 1.2) > 1e-3 and abs(free.v[rate] - 6.0) > 1e-3
    assert (held.q[place], held.v[rate]) == (1.2, 6.0)
    assert held.residual < 1e-12
    gaps, rates = loop_gaps(model)(held.q, held.v)
    assert np.abs(gaps).max() < 1e-12 and np.abs(rates).max() < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_what_is_held_is_kept_to_the_last_bit(seed):
    model = td.scene("four-bar-chain", cells=2 + seed)
    rng = np.random.default_rng(seed)
    q, v = (np.array(x) for x in model.initial())
    q, v = td.assemble(model, q, rng.uniform(-2.0, 2.0, model.nv)).q, rng.uniform(-2.0, 2.0, model.nv)
    name = model.joints[int(rng.integers(len(model.joints)))].name
    place, rate = model.joint(name).q, model.joint(name).v
    q[place] += 0.05
    held = td.assemble(model, q, v, hold_positions=[name], hold_velocities=[name])
    assert held.q[place].tobytes() == q[place].tobytes()
    assert held.v[rate].tobytes() == v[rate].tobytes()


def test_what_cannot_be_held_is_refused():
    model = td.scene("slider-crank")
    q, v = model.initial()
    names = [joint.name for joint in model.joints]
    with pytest.raises(td.ModelError, match="hold fewer positions, or others"):
        td.assemble(model, np.array(q) + 0.3, v, hold_positions=names)
    with pytest.raises(td.ModelError, match="hold fewer velocities"):
        td.assemble(model, q, np.array(v) + 1.0, hold_velocities=names)
    with pytest.raises(td.InputError, match="did you mean"):
        td.assemble(model, q, v, hold_positions=[names[0][:-1]])
    with pytest.raises(td.InputError, match="a list of names"):
        td.assemble(model, q, v, hold_positions=names[0])


def two_sizes(small: float, large: float) -> td.Model:
    """A four-bar linkage of one size beside one of another."""
    spec = td.ModelSpec("two sizes")
    for name, size in (("small", small), ("large", large)):
        for part in ("crank", "coupler", "rocker"):
            spec.add_body(
                f"{name} {part}", size**3, center=(0, 0, size / 2), inertia=np.full(3, 0.1) * size**5
            )
        parts = [f"{name} {part}" for part in ("crank", "coupler", "rocker")]
        spec.add_joint(f"{name} a", "revolute", None, parts[0], axis=(0, 1, 0))
        spec.add_joint(
            f"{name} b", "revolute", parts[0], parts[1], axis=(0, 1, 0), position=(0, 0, 0.5 * size)
        )
        spec.add_joint(f"{name} d", "revolute", None, parts[2], axis=(0, 1, 0), position=(size, 0, 0))
        spec.add_joint(
            f"{name} c", "revolute", parts[1], parts[2], axis=(0, 1, 0), position=(0, 0, size),
            child_position=(0, 0, size),
        )  # fmt: skip
    return spec.compile()


@pytest.mark.parametrize(("small", "large"), [(1e-3, 100.0), (1e-2, 1e3)])
def test_loops_of_very_different_sizes_are_closed_together(small, large):
    model = two_sizes(small, large)
    start = [{"a": 0.3, "b": 1.0, "d": -0.2}[joint.name[-1]] for joint in model.joints]
    rates = [2.0 if joint.name.endswith("a") else 0.0 for joint in model.joints]
    assembly = td.assemble(model, start, rates)
    assert (assembly.mobility, assembly.redundant) == (2, 6)
    assert model.summary().mobility == 2
    gaps, opening = loop_gaps(model)(assembly.q, assembly.v)
    assert np.abs(gaps[: len(gaps) // 2]).max() < 1e-12 * small
    assert np.abs(opening[: len(gaps) // 2]).max() < 1e-9 * small
    assert np.abs(gaps).max() < 1e-12 * large


@pytest.mark.parametrize("offset", [0.0, 1e-17, 1e-9, 1e-7, 1e-4])
def test_a_loop_of_sliding_joints_may_be_larger_than_its_frames_are_apart(offset):
    """A table on two slides and a hinge; a guide across holds its angle, too."""
    spec = td.ModelSpec("table")
    for name in ("x", "z", "table"):
        spec.add_body(name, 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("x", "prismatic", None, "x", axis=(1, 0, 0), position=(offset, 0, 0))
    spec.add_joint("z", "prismatic", "x", "z", axis=(0, 0, 1))
    spec.add_joint("turn", "revolute", "z", "table", axis=(0, 1, 0))
    spec.add_joint("guide", "prismatic", None, "table", axis=(1, 0, 1))
    model = spec.compile()
    assembly = td.assemble(model, [0.7, 0.5, 0.1])
    assert assembly.mobility == 1
    sim = td.Simulation(model, 1e-3, "rk4", q=assembly.q)
    sim.tau[2] = 3.0
    sim.run(0.3)
    assert abs(sim.q[2]) < 1e-9
    # both slides carry 5 kg along the guide, and 2 kg are lifted
    assert sim.v[:2] == pytest.approx([-0.3 * 9.81 * 2.0 / 5.0] * 2, rel=1e-9)
