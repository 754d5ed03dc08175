"""Three formulations of stops, friction and loops give one velocity: SIMGC, active set, dense null space."""

from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings

import treadle as td
from tests.loops import loop_machines, with_bounds
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limit_rows
from treadle.constraints.rows import closure_rows
from treadle.graph import through_graph
from treadle.solvers.active_set import active_set
from treadle.solvers.impulses import response_at
from treadle.solvers.sequential.rows import CONJUGATE, IN_TURN, TOGETHER
from treadle.studies.baselines import PointContact, Simgc

DT = 0.01


def free_motion(model, q, v):
    """M, the velocity after a step of the tree alone, and the Jacobian of the loops."""
    tree = model.without_loops()
    M = td.mass_matrix(tree, q)
    free = v + DT * td.forward_dynamics(tree, q, v, np.zeros(model.nv))

    def jacobian(x):
        rows = closure_rows(model, x)
        return [row.jacobian.get(k, 0.0) for row in rows for k in range(model.nv)]

    return M, free, np.array(through_graph(jacobian, list(q))).reshape(-1, model.nv)


def null_space_velocity(M, free, J, rows):
    """The best of all sets of rows, in coordinates of the null space of J.

    v' minimizes (v' - free).M (v' - free) / 2 plus what friction dissipates, within the stops.
    """
    _, sizes, right = np.linalg.svd(J) if len(J) else (None, np.zeros(0), np.eye(len(M)))
    N = right[int((sizes > 1e-9).sum()) :].T
    reduced, force = N.T @ M @ N, N.T @ M @ free
    R = np.array([[row.jacobian.get(k, 0.0) for k in range(len(M))] for row in rows]).reshape(-1, len(M)) @ N
    best, result = np.inf, None
    # of friction: holds, pushes, pulls; of a stop: holds at either end, or does nothing
    choices = [(0, 1, 2) if row.high < 1e20 else (0, 2, 3) for row in rows]
    for states in product(*choices):
        held = [i for i, state in enumerate(states) if state in (0, 3)]
        push = force.copy()
        for i, state in enumerate(states):
            if rows[i].high < 1e20 and state:
                push += R[i] * (rows[i].high if state == 1 else rows[i].low)
        goals = [rows[i].slowest if states[i] == 0 else rows[i].fastest for i in held]
        size, count = len(reduced), len(held)
        matrix = np.zeros((size + count, size + count))
        matrix[:size, :size], matrix[:size, size:], matrix[size:, :size] = reduced, R[held].T, R[held]
        w = np.linalg.lstsq(matrix, np.concatenate([push, goals]), rcond=1e-13)[0][:size]
        speeds = R @ w
        if any(
            speed < row.slowest - 1e-9 or speed > row.fastest + 1e-9
            for row, speed in zip(rows, speeds, strict=True)
            if row.high > 1e20
        ):
            continue
        away = N @ w - free
        value = 0.5 * away @ M @ away
        value += sum(row.high * abs(x) for row, x in zip(rows, speeds, strict=True) if row.high < 1e20)
        if value < best:
            best, result = value, N @ w
    return result


@given(loop_machines())
@settings(max_examples=6, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_simgc_active_set_and_null_space_agree(machine):
    model, q, rng = machine
    model = with_bounds(model, q, rng)
    v = td.assemble(model, q, rng.uniform(-1.0, 1.0, model.nv)).v
    M, free, J = free_motion(model, q, v)
    inverse = np.linalg.inv(M)
    sizes = np.linalg.svd(J @ np.linalg.cholesky(inverse), compute_uv=False)
    # next to a singular position there is no answer that rounding leaves alone
    assume(all(x > 1e-3 * sizes[0] or x < 1e-12 * sizes[0] for x in sizes))
    position = q.tolist()
    rows = [*limit_rows(model, position, free.tolist(), DT, v.tolist()), *friction_rows(model, position, DT)]
    assume(rows)

    dense = null_space_velocity(M, free, J, rows)
    assume(dense is not None)
    scale = 1e-8 * (1.0 + np.abs(free).max())

    held = free - inverse @ J.T @ np.linalg.pinv(J @ inverse @ J.T, rcond=1e-11) @ J @ free

    velocity = held.tolist()

    def direct(x):
        response = response_at(model, x, rows)
        return response.after(velocity, rows, active_set(response.matrix(rows), rows, velocity)).v

    np.testing.assert_allclose(through_graph(direct, list(q)), dense, atol=scale)

    sim = Simgc(model, DT, q, v, iterations=200_000, tolerance=1e-14, share=0.0)
    sim.step()
    np.testing.assert_allclose(sim.v, dense, atol=scale)

    # loops did no work: all that changed the energy of the closed machine are stops and friction
    loops = len(sim.machine.moment.gap)
    work = sum(
        p * 0.5 * (row.speed(held) + row.speed(sim.v))
        for p, row in zip(sim.rows.impulse[loops:], rows, strict=False)
    )
    gained = 0.5 * sim.v @ M @ sim.v - 0.5 * held @ M @ held
    assert gained == pytest.approx(work, abs=1e-8 * (1.0 + held @ M @ held))


def box_on_table(friction=0.5, slope=0.0):
    """A box of 1 kg on four corners; gravity leans by the slope."""
    spec = td.ModelSpec("box", gravity=(9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    spec.add_body("box", 1.0, inertia=(1 / 600, 1 / 600, 1 / 600))
    spec.add_joint("box", "free", None, "box", position=(0, 0, 0.05))
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    contacts = [PointContact("box", corner, None, (0, 0, 0), (0, 0, 1), friction) for corner in corners]
    return spec.compile(), contacts


@pytest.mark.parametrize("way", [IN_TURN, CONJUGATE, TOGETHER])
def test_a_box_sticks_or_slides_by_its_friction(way):
    for slope, slides in ((0.40, False), (0.55, True)):
        model, contacts = box_on_table(friction=0.5, slope=slope)
        sim = Simgc(model, 1e-3, iterations=10_000, tolerance=1e-13, contacts=contacts, way=way)
        sim.step(500)
        position = sim.pose("box")[:3, 3]
        # symplectic Euler: n (n + 1) / 2 h^2 of constant acceleration
        away = 9.81 * (np.sin(slope) - 0.5 * np.cos(slope)) * 1e-6 * 500 * 501 / 2 if slides else 0.0
        np.testing.assert_allclose(position, (away, 0.0, 0.05), atol=1e-9)


def test_freedoms_of_many_bodies_stay_sparse():
    spec = td.ModelSpec("bodies")
    for number in range(12):
        spec.add_body(f"b{number}", 1.0, inertia=(0.1, 0.1, 0.1))
        spec.add_joint(f"b{number}", "free", None, f"b{number}")
    model = spec.compile()
    contacts = [PointContact("b0", (0, 0, 0), "b11", (0, 0, 0), (0, 0, 1), 0.5)]
    sim = Simgc(model, 1e-2, contacts=contacts)
    sim.step()
    assert len(sim.machine.moment.L) == 12 * 15
    assert len(sim.machine.pattern.support) == 3 * 12
    # all fall alike
    np.testing.assert_allclose(sim.v.reshape(12, 6)[:, 5], -0.0981, atol=1e-12)


def test_an_explosion_is_an_error():
    model, contacts = box_on_table()
    sim = Simgc(model, 1e-3, contacts=contacts)
    sim.v[0] = np.inf
    with pytest.raises(td.SimulationDiverged, match="shorter dt"):
        sim.step()
