"""Random trees of every joint type against Pinocchio."""

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.crosscheck.conventions import Peer
from tests.crosscheck.trees import NO_ARMATURE, peer_of
from tests.machines import JOINT_KINDS, MOVING_KINDS, build_spec, random_spec, random_state, specs
from tests.numeric import relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.energy import kinetic_energy, potential_energy
from treadle.dynamics.forward import by_composite_inertia
from treadle.dynamics.jacobian import frame_jacobian
from treadle.dynamics.kinematics import frame_placements
from treadle.dynamics.momentum import center_of_mass, momentum
from treadle.dynamics.rnea import rnea

TOLERANCE = 1e-11
WITH_ARMATURE = tuple(kind for kind in MOVING_KINDS if kind not in NO_ARMATURE)


def state_of(peer: Peer, rng) -> tuple[list[float], list[float], list[float], list[float]]:
    """Position, velocity, joint forces and an acceleration."""
    return *random_state(peer.own, rng), rng.uniform(-3.0, 3.0, peer.own.nv).tolist()


@settings(max_examples=60)
@given(specs(largest=10, armature=WITH_ARMATURE))
def test_kinematics(drawn):
    spec, rng = drawn
    peer = peer_of(spec)
    model = peer.own
    q, v, _, _ = state_of(peer, rng)
    links = [link.name for link in model.links]
    for link, pose in peer.poses(np.array(q), links).items():
        actual = frame_placements(model, q)[model.frames.index(model.frame(link))]
        assert relative_error(actual.to_matrix(), pose) < TOLERANCE
    expected = peer.kinematics(np.array(q), np.array(v), links)
    for link, J in expected.jacobians.items():
        actual = np.array(frame_jacobian(model, q, model.frame(link)))
        assert relative_error(actual, J, 1.0) < TOLERANCE
    assert relative_error(list(center_of_mass(model, q)), expected.center_of_mass, 1.0) < TOLERANCE
    assert relative_error(kinetic_energy(model, q, v), expected.kinetic_energy) < TOLERANCE
    assert relative_error(potential_energy(model, q), expected.potential_energy, model.mass) < TOLERANCE
    assert relative_error(list(momentum(model, q, v)), expected.momentum) < TOLERANCE


@settings(max_examples=60)
@given(specs(largest=10, armature=WITH_ARMATURE))
def test_dynamics(drawn):
    spec, rng = drawn
    peer = peer_of(spec, own_universal=True)
    model = peer.own
    q, v, tau, a = state_of(peer, rng)
    expected = peer.dynamics(*(np.array(x) for x in (q, v, tau, a)))
    assert relative_error(rnea(model, q, v, a), expected.inverse) < TOLERANCE
    assert relative_error(crba(model, q), expected.mass_matrix) < TOLERANCE
    tolerance = TOLERANCE + 1e-14 * np.linalg.cond(expected.mass_matrix)
    assert relative_error(aba(model, q, v, tau), expected.forward) < tolerance
    assert relative_error(by_composite_inertia(model, q, v, tau), expected.forward) < tolerance


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_compiled_functions_of_every_joint(kind):
    """Two joints of each type with a hinge between, compiled, derivatives included."""
    rng = np.random.default_rng(4)
    peer = peer_of(build_spec(rng, [kind, "revolute", kind, "prismatic"], [-1, 0, 1, 1], WITH_ARMATURE))
    q, v, tau, a = (np.array(x) for x in state_of(peer, rng))
    check_compiled(peer, q, v, tau, a)
    check_derivatives(peer, q, v, tau)


@pytest.mark.parametrize("seed", range(3))
def test_compiled_functions_of_forty_bodies(seed):
    rng = np.random.default_rng(seed)
    peer = peer_of(random_spec(rng, 40, armature=WITH_ARMATURE))
    check_compiled(peer, *(np.array(x) for x in state_of(peer, rng)))


def test_derivatives_of_a_tree():
    rng = np.random.default_rng(6)
    peer = peer_of(random_spec(rng, 8, armature=WITH_ARMATURE))
    q, v, tau, _ = (np.array(x) for x in state_of(peer, rng))
    check_derivatives(peer, q, v, tau)


def check_compiled(peer: Peer, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> None:
    model = peer.own
    dynamics = peer.dynamics(q, v, tau, a)
    tolerance = TOLERANCE + 1e-14 * np.linalg.cond(dynamics.mass_matrix)
    assert relative_error(td.inverse_dynamics(model, q, v, a), dynamics.inverse) < TOLERANCE
    assert relative_error(td.mass_matrix(model, q), dynamics.mass_matrix) < TOLERANCE
    assert relative_error(td.forward_dynamics(model, q, v, tau), dynamics.forward) < tolerance

    kinematics = peer.kinematics(q, v, [model.links[-1].name])
    assert relative_error(td.kinetic_energy(model, q, v), kinematics.kinetic_energy) < TOLERANCE
    assert relative_error(td.momentum(model, q, v), kinematics.momentum) < TOLERANCE
    for link, J in kinematics.jacobians.items():
        assert relative_error(td.frame_jacobian(model, q, link), J, 1.0) < TOLERANCE


def check_derivatives(peer: Peer, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> None:
    model = peer.own
    tolerance = TOLERANCE + 1e-14 * np.linalg.cond(td.mass_matrix(model, q))
    actual, expected = td.derivatives(model, q, v, tau), peer.derivatives(q, v, tau)
    scale = np.abs(expected.acceleration).max()
    assert relative_error(actual.acceleration, expected.acceleration) < tolerance
    assert relative_error(actual.by_q, expected.by_q, scale) < tolerance
    assert relative_error(actual.by_v, expected.by_v, scale) < tolerance
    assert relative_error(actual.by_tau, expected.by_tau) < tolerance
