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
