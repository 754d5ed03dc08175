"""Solvers by name: the same motion, by elimination or by sequential impulses."""

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings

import treadle as td
from tests.loops import loop_machines, with_bounds
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limit_rows
from treadle.solvers.impulses import MOST_TOGETHER


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
@pytest.mark.parametrize("name", ["peaucellier", "friction-chain"])
def test_machines_move_alike(name, integrator):
    model = td.scene(name)
    first, second = (td.Simulation(model, 5e-3, integrator, solver=solver) for solver in ("direct", "simgc"))
    for sim in (first, second):
        sim.run(0.5)
    assert np.abs(first.q - first.reference.q).max() > 1e-3
    np.testing.assert_allclose(second.q, first.q, atol=1e-10)
    np.testing.assert_allclose(second.v, first.v, atol=1e-9)


@given(loop_machines())
@settings(max_examples=4, phases=(Phase.explicit, Phase.generate))
def test_random_closed_machines_with_stops_and_friction_move_alike(machine):
    model, q, rng = machine
    model = with_bounds(model, q, rng)
    start = td.assemble(model, q, rng.uniform(-1.0, 1.0, model.nv))
    # next to a singular position sequential impulses need more rounds than there are
    assume(not start.weak)
    first, second = (td.Simulation(model, 1e-2, q=q, v=start.v, solver=name) for name in ("direct", "simgc"))
    for sim in (first, second):
        sim.step(3)
    scale = 1.0 + np.abs(first.v).max()
    np.testing.assert_allclose(second.v, first.v, atol=1e-8 * scale)


def rods(friction: float, count: int = 32) -> td.Model:
    """Horizontal rods in a row, with more hinges that stick than a dense factor is made for."""
    spec = td.ModelSpec("rods")
    for k in range(count):
        spec.add_body(f"rod{k}", 0.1, center=(0.05, 0, 0), inertia=(1e-4, 1e-4, 1e-4))
        parent, place = (f"rod{k - 1}", (0.1, 0, 0)) if k else (None, (0, 0, 0))
        ends = {"lower": -0.01, "upper": 0.01} if k % 8 == 0 else {}
        options = {"axis": (0, 1, 0), "position": place, "friction": friction} | ends
        spec.add_joint(f"hinge{k}", "revolute", parent, f"rod{k}", **options)
    return spec.compile()


def test_many_joints_hold_by_friction_and_stops():
    sim = td.Simulation(rods(100.0), dt=1e-3)
    sim.run(1.0)
    assert (sim.q == 0.0).all() and (sim.v == 0.0).all()


def test_many_joints_that_slide_obey_the_laws_of_friction_and_stops():
    """Each row has the velocity that it asks for, or an impulse at its bound."""
    model = rods(1.0)
    sim = td.Simulation(model, dt=1e-3)
    sim.run(0.1)
    ahead = sim.v + 1e-3 * td.forward_dynamics(model, sim.q, sim.v, np.zeros(32))
    q, v = sim.q.tolist(), ahead.tolist()
    rows = [*limit_rows(model, q, v, 1e-3), *friction_rows(model, q, 1e-3)]
    assert len(rows) > MOST_TOGETHER
    sim.step()
    # with one freedom each, the sum of the impulses on a freedom is what changed the momentum
    total = td.mass_matrix(model, q) @ (sim.v - ahead)
    stuck = sliding = stopped = 0
    for k in range(32):
        mine = [row for row in rows if k in row.jacobian]
        speed, stops = sim.v[k], [row for row in mine if row.high > 1e20]
        if any(abs(speed - goal) < 1e-9 for row in stops for goal in (row.slowest, row.fastest)):
            stopped += 1
        elif abs(speed) < 1e-12:
            stuck += 1
            assert abs(total[k]) < 1e-3 * (1.0 + 1e-6)
        else:
            sliding += 1
            assert total[k] == pytest.approx(-1e-3 * np.sign(speed), rel=1e-6)
    assert stuck and sliding and stopped


def test_the_solver_can_be_changed_and_its_name_is_checked():
    model = td.scene("friction-chain")
    sim = td.Simulation(model, dt=1e-3, solver="simgc")
    assert sim.solver == "simgc"
    sim.step(10)
    sim.solver = "direct"
    sim.step(10)
    assert sim.time == pytest.approx(0.02)
    with sim.edit() as spec:
        spec.joints[0].friction = 1.0
    assert sim.solver == "direct"
    for wrong in (lambda: td.Simulation(model, solver="simcg"), lambda: td.Batch(model, 2, solver="simcg")):
        with pytest.raises(td.InputError, match=r"no solver named 'simcg'.*simgc"):
            wrong()


def test_a_batch_by_sequential_impulses():
    model = td.scene("friction-chain")
    worlds = td.Batch(model, 3, dt=1e-3, solver="simgc")
    sim = td.Simulation(model, dt=1e-3)
    worlds.step(100)
    sim.step(100)
    np.testing.assert_allclose(worlds.q, np.tile(sim.q, (3, 1)), atol=1e-10)
