"""The differential equation that integrators see."""

from dataclasses import replace

import numpy as np
from hypothesis import given

from tests.machines import machines, random_state
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.rnea import rnea
from treadle.forces.load import LOAD_SIZE, body_loads
from treadle.integrators import System


def close(a, b, M) -> None:
    np.testing.assert_allclose(a, b, atol=1e-12 * np.linalg.cond(M) * (1.0 + np.abs(b).max()))


@given(machines(largest=4))
def test_acceleration_is_forward_dynamics_with_loads(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    loads = rng.uniform(-1.0, 1.0, LOAD_SIZE * len(model.bodies)).tolist()
    expected = aba(model, q, v, tau, body_loads(model, q, loads))
    close(System(model, tau, loads).acceleration(q, v, 0.0), expected, crba(model, q))
    close(System(model, tau).acceleration(q, v, 0.0), aba(model, q, v, tau), crba(model, q))


@given(machines(largest=4))
def test_implicit_dampers_act_on_the_new_velocity(machine):
    """M a + C = tau - D (v + h a)."""
    model, rng = machine
    h = 0.3
    D = rng.uniform(0.0, 2.0, model.nv)
    # damped joints, as the description would give them
    bodies = []
    for body in model.bodies:
        joint = replace(body.joint, damping=tuple(D[body.joint.v].tolist()))
        bodies.append(replace(body, joint=joint))
    model = replace(model, bodies=tuple(bodies))
    q, v, tau = random_state(model, rng)
    a = np.array(System(model, tau).acceleration(q, v, 0.0, implicit_damping=h))
    residual = np.array(rnea(model, q, v, a.tolist())) - (tau - D * (v + h * a))
    scale = 1.0 + np.abs(np.array(crba(model, q))).max() * np.abs(a).max()
    np.testing.assert_allclose(residual, 0.0, atol=1e-10 * scale)


@given(machines(largest=4))
def test_integrate_goes_along_the_velocity(machine):
    model, rng = machine
    q, v, tau = random_state(model, rng)
    system, h = System(model, tau), 1e-6
    ahead, behind = (np.array(system.integrate(q, [s * x for x in v])) for s in (h, -h))
    rate = [x for j in model.joints for x in j.type.rate(q[j.q], v[j.v])]
    np.testing.assert_allclose((ahead - behind) / (2 * h), rate, atol=1e-8)
    assert system.tangent_rate([0.0] * model.nv, v) == list(v)
