"""One algorithm over every kind of scalar: Python's floats, the traced graph, machine code in any width."""

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.machines import JOINT_KINDS, machines, random_spec, random_state
from tests.numeric import relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.energy import kinetic_energy, potential_energy
from treadle.dynamics.forward import by_composite_inertia, forward_dynamics
from treadle.dynamics.impulse import impulse_response
from treadle.dynamics.jacobian import frame_jacobian
from treadle.dynamics.kinematics import frame_placements
from treadle.dynamics.momentum import center_of_mass, momentum
from treadle.dynamics.rnea import rnea
from treadle.graph import evaluate, trace
from treadle.native.program import Program, compile_program
from treadle.spatial import Force

TOLERANCE = 1e-11


def everything(model, q, v, tau) -> dict[str, list]:
    """All results for one state, each as a list of scalars."""
    tip = model.frame("tip")
    external = {i: Force.of([tau[0]] * 6) for i in range(len(model.bodies))}
    return {
        "aba": aba(model, q, v, tau, external),
        "by_composite_inertia": by_composite_inertia(model, q, v, tau),
        "rnea": rnea(model, q, v, tau, external),
        "crba": [x for row in crba(model, q) for x in row],
        "frame_placements": [x for X in frame_placements(model, q) for x in X.to_list()],
        "frame_jacobian": [x for row in frame_jacobian(model, q, tip) for x in row],
        "center_of_mass": list(center_of_mass(model, q)),
        "momentum": list(momentum(model, q, v)),
        "energy": [kinetic_energy(model, q, v), potential_energy(model, q)],
        "impulse_response": impulse_response(model, q, tau, external),
    }


def flat(results: dict[str, list]) -> list:
    return [x for values in results.values() for x in values]


@given(machines(largest=8))
def test_traced_results_are_those_of_floats(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    sizes = model.nq, model.nv, model.nv
    graph, outputs = trace(lambda q, v, tau: flat(everything(model, q, v, tau)), *sizes)
    found = iter(evaluate(graph, outputs, [*q, *v, *tau]))
    for name, expected in everything(model, q, v, tau).items():
        assert relative_error([next(found) for _ in expected], expected) < TOLERANCE, name


@given(machines(largest=6))
def test_arrays_are_many_floats(machine):
    """A graph over numpy arrays gives each world what it gets alone."""
    model, rng = machine
    states = [np.concatenate(random_state(model, rng)) for _ in range(3)]
    graph, outputs = trace(lambda q, v, tau: forward_dynamics(model, q, v, tau), model.nq, model.nv, model.nv)
    together = evaluate(graph, outputs, list(np.array(states).T))
    for world, state in enumerate(states):
        alone = evaluate(graph, outputs, state.tolist())
        assert [np.broadcast_to(x, 3)[world] for x in together] == pytest.approx(alone, rel=1e-12, abs=1e-12)


@settings(max_examples=6)
@given(machines(largest=6))
def test_compiled_results_are_those_of_floats_in_any_number_of_lanes(machine):
    model, rng = machine
    worlds = 8
    states = [random_state(model, rng) for _ in range(worlds)]
    sizes = {"q": model.nq, "v": model.nv, "tau": model.nv}
    inputs = {name: np.array([state[k] for state in states]).T.copy() for k, name in enumerate(sizes)}
    expected = [everything(model, *state) for state in states]
    program = Program(None, sizes, lambda q, v, tau: everything(model, q, v, tau))

    results = {}
    for lanes in (1, 4, 8):
        # filled with infinity, so that what is not written is noticed
        results[lanes] = {name: np.full((len(x), worlds), np.inf) for name, x in expected[0].items()}
        compile_program(program, lanes).run(inputs | results[lanes], 0, worlds)
    for name, values in results[1].items():
        np.testing.assert_array_equal(results[4][name], values)
        np.testing.assert_array_equal(results[8][name], values)
        for world in range(worlds):
            assert relative_error(values[:, world], expected[world][name]) < TOLERANCE, name


@settings(max_examples=6)
@given(machines(largest=6))
def test_public_functions_are_the_algorithms(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    tolerance = TOLERANCE + 1e-15 * np.linalg.cond(crba(model, q))

    assert relative_error(td.mass_matrix(model, q), crba(model, q)) < tolerance
    assert relative_error(td.inverse_dynamics(model, q, v, tau), rnea(model, q, v, tau)) < tolerance
    assert relative_error(td.forward_dynamics(model, q, v, tau), aba(model, q, v, tau)) < tolerance
    assert relative_error(td.kinetic_energy(model, q, v), kinetic_energy(model, q, v)) < tolerance
    assert relative_error(td.potential_energy(model, q), potential_energy(model, q), model.mass) < tolerance
    assert relative_error(td.momentum(model, q, v), list(momentum(model, q, v))) < tolerance
    assert relative_error(td.center_of_mass(model, q), list(center_of_mass(model, q)), 1.0) < tolerance
    poses = [X.to_matrix() for X in frame_placements(model, q)]
    assert relative_error(td.frame_poses(model, q), poses) < tolerance
    assert relative_error(td.frame_pose(model, q, "tip"), poses[-1]) < tolerance
    J = np.array(frame_jacobian(model, q, model.frame("tip"))).reshape(6, model.nv)
    assert relative_error(td.frame_jacobian(model, q, "tip"), J, 1.0) < tolerance

    # forces on links that are not the origin of their body as well
    external = {body.name: rng.uniform(-5.0, 5.0, 6) for body in model.bodies}
    forces = {i: Force.of(list(external[body.name])) for i, body in enumerate(model.bodies)}
    actual = td.forward_dynamics(model, q, v, tau, external)
    assert relative_error(actual, aba(model, q, v, tau, forces)) < tolerance
    actual = td.inverse_dynamics(model, q, v, tau, external)
    assert relative_error(actual, rnea(model, q, v, tau, forces)) < tolerance
    actual = td.impulse_response(model, q, tau, external)
    assert relative_error(actual, impulse_response(model, q, tau, forces)) < tolerance


@pytest.mark.parametrize("bodies", [20, 40])
def test_large_machines(bodies):
    rng = np.random.default_rng(bodies)
    model = random_spec(rng, bodies, JOINT_KINDS).compile()
    q, v, tau = random_state(model, rng)
    tolerance = TOLERANCE + 1e-15 * np.linalg.cond(crba(model, q))
    assert relative_error(td.mass_matrix(model, q), crba(model, q)) < tolerance
    assert relative_error(td.inverse_dynamics(model, q, v, tau), rnea(model, q, v, tau)) < tolerance
    expected = by_composite_inertia(model, q, v, tau)
    assert relative_error(td.forward_dynamics(model, q, v, tau), expected) < tolerance
    assert relative_error(aba(model, q, v, tau), expected) < tolerance


def test_limbs_of_one_kind():
    """Legs that are computed side by side, with other numbers in each."""
    rng = np.random.default_rng(2)
    spec = td.ModelSpec("spider")
    spec.add_body("trunk", 5.0, inertia=(0.1, 0.2, 0.3))
    spec.add_joint("base", "free", None, "trunk")
    for leg in range(6):
        parent = "trunk"
        for part, axis in enumerate([(1, 0, 0), (0, 1, 0), (0, 1, 0)]):
            name = f"leg{leg}{part}"
            spec.add_body(
                name, rng.uniform(0.5, 1.0), center=rng.uniform(-0.2, 0.2, 3), inertia=(0.01, 0.02, 0.02)
            )
            spec.add_joint(
                f"j{name}", "revolute", parent, name, axis=axis, position=rng.uniform(-0.3, 0.3, 3)
            )
            parent = name
    model = spec.compile()
    q, v, tau = random_state(model, rng)
    assert relative_error(td.mass_matrix(model, q), crba(model, q)) < TOLERANCE
    assert relative_error(td.inverse_dynamics(model, q, v, tau), rnea(model, q, v, tau)) < TOLERANCE
    expected = by_composite_inertia(model, q, v, tau)
    assert relative_error(td.forward_dynamics(model, q, v, tau), expected) < TOLERANCE
    assert relative_error(td.derivatives(model, q, v, tau).acceleration, expected) < TOLERANCE
