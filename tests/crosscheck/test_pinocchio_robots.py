"""Every robot of example-robot-data against Pinocchio, with its base fixed and free."""

from functools import cache

import numpy as np
import pytest

import treadle as td
from tests.crosscheck.robots import ROBOTS, robot
from tests.machines import random_state
from tests.numeric import relative_error
from treadle.dynamics.derivatives import linearization
from treadle.dynamics.regroup import regroup
from treadle.graph import Graph, evaluate
from treadle.model import singular_joints

# without a file that has no links, which Pinocchio refuses as well; the largest first, and derivatives
# before the rest, so that workers end together
NAMES = sorted(ROBOTS.keys() - {"ur-ur3"}, key=lambda name: (-ROBOTS[name].stat().st_size, name))
# drones that fly as a whole: nothing moves when their base is fixed
RIGID = ["hector-quadrotor_base", "iris-iris_simple"]
# some of their links have no inertia: forces do not determine accelerations
SINGULAR = ["romeo-romeo", "romeo-romeo_laas_small"]
STATES = 3
TOLERANCE = 1e-9
DERIVATIVE_TOLERANCE = 1e-7
LARGEST_COMPILED = 20

bases = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
robots = pytest.mark.parametrize("name", NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SINGULAR])
@bases
def test_derivatives(name, floating):
    model, peer = robot(name, floating)
    if model.nv == 0:
        return
    for state, actual in zip(states(name, floating), derivatives(name, floating), strict=True):
        expected = peer.derivatives(*state)
        assert relative_error(actual.acceleration, expected.acceleration) < TOLERANCE
        # where a drone's acceleration does not depend on its position or velocity only noise is left
        noise = np.abs(expected.acceleration).max() * 1e-3
        assert relative_error(actual.by_q, expected.by_q, noise) < DERIVATIVE_TOLERANCE
        assert relative_error(actual.by_v, expected.by_v, noise) < DERIVATIVE_TOLERANCE
        assert relative_error(actual.by_tau, expected.by_tau) < DERIVATIVE_TOLERANCE


@robots
@bases
def test_kinematics(name, floating):
    model, peer = robot(name, floating)
    links = [link.name for link in model.links]
    frames = dict.fromkeys([links[len(links) // 3], links[2 * len(links) // 3], links[-1]])
    for q, v, _ in states(name, floating):
        poses = dict(zip([frame.name for frame in model.frames], td.frame_poses(model, q), strict=True))
        for link, pose in peer.poses(q, links).items():
            assert relative_error(poses[link], pose) < TOLERANCE, link
        if model.nv == 0:
            continue
        expected = peer.kinematics(q, v, frames)
        for frame, J in expected.jacobians.items():
            assert relative_error(td.frame_jacobian(model, q, frame), J) < TOLERANCE, frame
        # the centre of mass and the potential energy may happen to be close to zero
        reach = np.abs([pose[:3, 3] for pose in poses.values()]).max()
        weight = model.mass * np.linalg.norm(model.gravity)
        actual = td.center_of_mass(model, q)
        assert relative_error(actual, expected.center_of_mass, reach) < TOLERANCE
        actual = td.potential_energy(model, q)
        assert relative_error(actual, expected.potential_energy, weight * reach) < TOLERANCE
        assert relative_error(td.kinetic_energy(model, q, v), expected.kinetic_energy) < TOLERANCE
        assert relative_error(td.momentum(model, q, v), expected.momentum) < TOLERANCE


@robots
def test_placements_are_rotations(name):
    """To the last digits: light links magnify what is left into accelerations."""
    model, _ = robot(name, floating=False)
    for item in (*model.bodies, *model.frames):
        R = np.array(item.placement.rotation.to_rows())
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=5e-15)


@robots
@bases
def test_dynamics(name, floating):
    model, peer = robot(name, floating)
    rng = np.random.default_rng(7)
    for q, v, tau in states(name, floating):
        a = rng.uniform(-3.0, 3.0, model.nv)
        if model.nv == 0:
            assert td.forward_dynamics(model, q, v, tau).shape == (0,)
            assert td.mass_matrix(model, q).shape == (0, 0)
            continue
        expected = peer.dynamics(q, v, tau, a)
        assert relative_error(td.inverse_dynamics(model, q, v, a), expected.inverse) < TOLERANCE
        assert relative_error(td.mass_matrix(model, q), expected.mass_matrix) < TOLERANCE
        if name not in SINGULAR:
            assert relative_error(td.forward_dynamics(model, q, v, tau), expected.forward) < TOLERANCE


def test_every_robot_is_here():
    assert len(ROBOTS) == 69
    assert len(NAMES) == 68
    assert {name for name in NAMES if robot(name, False)[0].nv == 0} == set(RIGID)
    assert {name for name in NAMES if singular_joints(robot(name, False)[0])} == set(SINGULAR)


def derivatives(name: str, floating: bool) -> list[td.Derivatives]:
    """At every state: compiled for machines of few freedoms, from the graph itself for the others.

    Machine code of hundreds of thousands of instructions would take most of the time of all tests; that
    it computes what the graph says is tested in `tests/native` and `tests/identities`.
    """
    model, _ = robot(name, floating)
    n = model.nv
    if n <= LARGEST_COMPILED:
        return [td.derivatives(model, *state) for state in states(name, floating)]
    graph = Graph()
    inputs = [graph.inputs(size) for size in (model.nq, n, n)]
    a, *matrices = linearization(regroup(model), *inputs)
    outputs = [*a, *[x for matrix in matrices for row in matrix for x in row]]
    columns = np.array([np.concatenate(state) for state in states(name, floating)]).T
    values = np.array([np.broadcast_to(x, STATES) for x in evaluate(graph, outputs, list(columns))])
    results = []
    for column in values.T:
        by_q, by_v, M_inverse = column[n:].reshape(3, n, n)
        results.append(td.Derivatives(column[:n], -(M_inverse @ by_q), -(M_inverse @ by_v), M_inverse))
    return results


@cache
def states(name: str, floating: bool) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Random states at which Pinocchio's forward and inverse dynamics agree with each other.

    They differ in the digits that are compared when light links make the inertia matrix nearly singular.
    """
    model, peer = robot(name, floating)
    rng = np.random.default_rng(list(name.encode()))
    found = []
    while len(found) < STATES:
        q, v, tau = (np.array(x) for x in random_state(model, rng))
        if model.nv == 0 or name in SINGULAR or peer.inconsistency(q, v, tau) < 1e-12:
            found.append((q, v, tau))
    return found
