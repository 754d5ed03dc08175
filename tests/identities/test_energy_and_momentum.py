"""Energy and momentum change as forces and torques say, at any instant of any motion."""

import numpy as np
from hypothesis import given

from tests.machines import MOVING_KINDS, machines, random_state
from tests.numeric import complex_step, position_rate, relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.energy import kinetic_energy, potential_energy
from treadle.dynamics.jacobian import frame_jacobian
from treadle.dynamics.kinematics import frame_placements
from treadle.dynamics.momentum import center_of_mass, momentum
from treadle.dynamics.rnea import rnea

# momentum knows nothing of a rotor between the world and a floating body
NO_ROTOR_ON_FREE = tuple(kind for kind in MOVING_KINDS if kind != "free")


@given(machines(largest=10))
def test_kinetic_energy_is_half_the_square_of_velocity(machine):
    model, rng = machine
    q, v, _ = random_state(model, rng)
    expected = 0.5 * np.array(v) @ np.array(crba(model, q)) @ v
    assert relative_error(kinetic_energy(model, q, v), expected) < 1e-13


@given(machines(largest=8))
def test_kinetic_energy_is_the_sum_over_the_links(machine):
    """Each link, fixed ones too, as a body of its own: m |v_c|^2 / 2 + w . I_c w / 2; and the rotors."""
    model, rng = machine
    q, v, _ = random_state(model, rng)
    total = sum(
        0.5 * a * x * x for joint in model.joints for a, x in zip(joint.armature, v[joint.v], strict=True)
    )
    poses = {frame.name: X for frame, X in zip(model.frames, frame_placements(model, q), strict=True)}
    for link in model.links:
        angular, origin = np.split(np.array(frame_jacobian(model, q, model.frame(link.name))) @ v, 2)
        R = np.array(poses[link.name].rotation.to_rows())
        center = origin + np.cross(angular, R @ list(link.center))
        turning = R @ np.array(link.rotational.to_rows()) @ R.T
        total += 0.5 * link.mass * (center @ center) + 0.5 * angular @ turning @ angular
    assert relative_error(kinetic_energy(model, q, v), total) < 1e-13


@given(machines(largest=8))
def test_power_balance(machine):
    """d/dt (kinetic + potential energy) = v . tau."""
    model, rng = machine
    q, v, tau = random_state(model, rng)
    point, rate = (q, v), (position_rate(model, q, v), aba(model, q, v, tau))
    kinetic = complex_step(lambda q, v: kinetic_energy(model, q, v), point, rate)
    potential = complex_step(lambda q, v: potential_energy(model, q), point, rate)
    power = float(np.dot(v, tau))
    scale = float(np.abs(v) @ np.abs(np.array(crba(model, q))) @ np.abs(rate[1])) + abs(float(potential))
    assert relative_error(kinetic + potential, power, scale) < 1e-12


@given(machines(largest=8))
def test_gravity_is_the_slope_of_the_potential_energy(machine):
    """At rest joint forces hold the machine against dV/dq."""
    model, rng = machine
    q, _, _ = random_state(model, rng)
    zeros = [0.0] * model.nv
    holding = rnea(model, q, zeros, zeros)
    slope = [
        complex_step(lambda q: potential_energy(model, q), (q,), (position_rate(model, q, e.tolist()),))
        for e in np.eye(model.nv)
    ]
    assert relative_error(slope, holding, model.mass) < 1e-12


@given(machines(largest=8))
def test_center_of_mass_moves_with_the_linear_momentum(machine):
    model, rng = machine
    q, v, _ = random_state(model, rng)
    rate = complex_step(lambda q: list(center_of_mass(model, q)), (q,), (position_rate(model, q, v),))
    linear = list(momentum(model, q, v).linear)
    assert relative_error(model.mass * rate, linear, model.mass) < 1e-13


@given(machines(largest=8, root="free", one_root=True, armature=NO_ROTOR_ON_FREE))
def test_momentum_in_free_flight_changes_by_the_weight_only(machine):
    """Joint forces inside the machine, rotors included, do not change its momentum."""
    model, rng = machine
    q, v, tau = random_state(model, rng)
    # forces of the free joint come from outside
    tau[:6] = [0.0] * 6
    rate = position_rate(model, q, v), aba(model, q, v, tau)
    change = complex_step(lambda q, v: list(momentum(model, q, v)), (q, v), rate)
    weight = model.mass * np.array(model.gravity)
    center = np.array(list(center_of_mass(model, q)))
    expected = np.concatenate([np.cross(center, weight), weight])
    internal = float((np.abs(np.array(crba(model, q))) @ np.abs(rate[1])).max())
    assert relative_error(change, expected, internal) < 1e-11


@given(machines(largest=8, root="free", one_root=True))
def test_momentum_is_the_momentum_conjugate_to_the_base(machine):
    """The free joint's rows of M v are the momentum about the base, in its mixed axes."""
    model, rng = machine
    q, v, _ = random_state(model, rng)
    armature = np.array(model.joints[0].armature)
    rows = (np.array(crba(model, q)) @ v)[:6] - armature * v[:6]
    base = model.bodies[0]
    X = (base.placement @ base.joint.type.transform(q[:7])).to_matrix()
    h = np.array(list(momentum(model, q, v)))
    # linear momentum in the axes of the joint's frame; angular momentum about the base in body axes
    linear = np.array(base.placement.rotation.to_rows()).T @ h[3:]
    angular = X[:3, :3].T @ (h[:3] - np.cross(X[:3, 3], h[3:]))
    scale = np.abs(h).max()
    assert relative_error(rows, np.concatenate([angular, linear]), scale) < 1e-12
