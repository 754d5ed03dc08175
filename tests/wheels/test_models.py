"""Wheel-ground models: exact Jacobians, passivity, limits, and a user's own."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treadle as td
from treadle.graph import Graph, evaluate, forward
from treadle.model import Settings, Wheel
from treadle.wheels import WHEEL_MODELS, WheelContact, model_force, model_parameters

MODELS = sorted(WHEEL_MODELS)


def contact(vx=0.0, vy=0.0, vz=0.0, rolling=1.0, depth=0.01, friction=0.8) -> WheelContact:
    return WheelContact(vx, vy, vz, rolling, depth, 0.2, 0.1, friction, td.Soil())


def wheel(model: str, **parameters: float) -> Wheel:
    return Wheel("w", "axle", 0, 0, (0, 1, 0), 0.2, 0.1, model, Settings(parameters))


speeds = st.floats(-3.0, 3.0)


@pytest.mark.parametrize("model", MODELS)
def test_exact_jacobians_are_those_of_finite_differences(model):
    def force(x):
        return model_force(wheel(model), contact(*x[:4], depth=x[4]))

    graph = Graph()
    inputs = graph.inputs(5)
    outputs = force(inputs)
    slopes = forward(outputs, {x: {k: 1.0} for k, x in enumerate(inputs)}, 5)
    flat = [x for row in slopes for x in row]
    rng, checked = np.random.default_rng(0), 0
    for _ in range(200):
        x = rng.uniform([-1.0, -1.0, -0.2, -2.0, 0.001], [1.0, 1.0, 0.2, 2.0, 0.03])
        exact = np.array(evaluate(graph, flat, x.tolist()), dtype=float).reshape(4, 5)
        around = []
        for h in (1e-6, 0.5e-6):
            steps = [(np.array(force(x + h * e)) - np.array(force(x - h * e))) / (2 * h) for e in np.eye(5)]
            around.append(np.array(steps, dtype=float).T)
        # across a kink finite differences of two sizes disagree
        if np.abs(around[0] - around[1]).max() > 1e-3 * (1.0 + np.abs(exact).max()):
            continue
        checked += 1
        np.testing.assert_allclose(exact, around[1], atol=1e-4 * (1.0 + np.abs(exact).max()))
    assert checked > 150


@pytest.mark.parametrize("model", MODELS)
@given(vx=speeds, vy=speeds, rolling=speeds, depth=st.floats(-0.01, 0.03), vz=st.floats(-0.5, 0.5))
def test_slipping_never_gains_energy_and_the_ground_never_pulls(model, vx, vy, rolling, depth, vz):
    fx, fy, fz, drag = model_force(wheel(model), contact(vx, vy, vz, rolling, depth))
    assert all(math.isfinite(f) for f in (fx, fy, fz, drag))
    assert fz >= 0.0
    if depth <= 0.0:
        assert (fx, fy, fz) == (0.0, 0.0, 0.0)
    # what the slip takes away; of a wheel in soil also what moving the soil costs at the wheel's centre
    assert fx * vx + fy * vy + drag * rolling <= 1e-9 * (1.0 + abs(fz))


@pytest.mark.parametrize("model", ["linear", "pacejka"])
@given(vx=speeds, vy=speeds, rolling=speeds)
def test_friction_stays_within_its_limit(model, vx, vy, rolling):
    fx, fy, fz, _ = model_force(wheel(model), contact(vx, vy, 0.0, rolling, friction=0.6))
    each = math.sqrt(2.0) if model == "linear" else 1.0
    assert math.hypot(fx, fy) <= 0.6 * fz * each * 1.05 + 1e-9


@pytest.mark.parametrize("model", [name for name in MODELS if name != "roller"])
def test_force_opposes_slip_on_either_side_alike(model):
    left = model_force(wheel(model), contact(vx=0.02, vy=0.1))
    right = model_force(wheel(model), contact(vx=0.02, vy=-0.1))
    assert left[1] < 0.0 < right[1]
    assert left[1] == pytest.approx(-right[1]) and left[0] == pytest.approx(right[0])


def test_pacejka_reaches_its_peak_and_its_slope():
    """Slopes kx = B C D K, ky alike by the angle; together kx ky / hypot(kx, ky); peak force D mu fz."""
    made = wheel("pacejka")
    _, _, fz, _ = model_force(made, contact())
    small = model_force(made, contact(vx=-1e-4, rolling=1.0 + 1e-4))[0]
    kx, ky = 100.0 / 15.0 * 1.5, 800.0 / 75.0 * 1.5 * 2.0 / math.pi
    assert small / (0.8 * fz) == pytest.approx(kx * ky / math.hypot(kx, ky) * 1e-4, rel=1e-3)
    forces = [model_force(made, contact(vx=-s, rolling=1.0 + s))[0] for s in np.linspace(0.0, 1.0, 400)]
    assert 0.95 * 0.8 * fz < max(forces) <= 0.8 * fz


SOIL = td.Soil()


@pytest.mark.parametrize("model", ["bekker", "ishigami"])
@given(vx=speeds, vy=speeds, rolling=speeds)
def test_soil_gives_no_more_than_its_strength(model, vx, vy, rolling):
    """c A + fz tan(phi), and the resistance of the rut."""
    fx, fy, fz, drag = model_force(wheel(model), contact(vx, vy, 0.0, rolling))
    area = 2.0 * 0.2 * math.acos(1.0 - 0.01 / 0.2) * 0.1
    strength = SOIL.cohesion * area + fz * math.tan(SOIL.friction_angle)
    assert math.hypot(fx - drag, fy) <= 1.05 * strength


@given(vx=speeds, vy=speeds, rolling=speeds, depth=st.floats(0.004, 0.1))
def test_the_table_follows_the_integral(vx, vy, rolling, depth):
    """Above 2 % of the radius, within 2 % of the bearing force."""
    here = contact(vx, vy, 0.0, rolling, depth)
    table, exact = (model_force(wheel(name), here) for name in ("ishigami", "ishigami_direct"))
    np.testing.assert_allclose(table, exact, atol=0.02 * exact[2])


def test_a_wheel_in_soil_needs_slip_to_pull():
    """A rolling wheel is held back by its rut, one that spins pulls; a locked one is held back most."""

    def pull(slip: float) -> float:
        rolling = 0.5 / (1.0 - slip) if slip >= 0.0 else 0.5 * (1.0 + slip)
        return model_force(wheel("ishigami"), contact(vx=0.5 - rolling, rolling=rolling))[0]

    forces = [pull(slip) for slip in (-1.0, -0.5, 0.0, 0.3, 0.8)]
    assert forces == sorted(forces) and forces[0] < 0.0 < forces[-1]


def test_sinkage_by_bekker():
    """h = (3 W / ((3 - n) b k sqrt(2 r)))^(2 / (2 n + 1)) carries the weight W."""
    k = SOIL.cohesive_modulus / 0.1 + SOIL.frictional_modulus
    depth = (3 * 80.0 / (2 * 0.1 * k * math.sqrt(0.4))) ** (2 / 3)
    assert model_force(wheel("bekker"), contact(depth=depth))[2] == pytest.approx(80.0)


def test_rolling_resistance_drags_on_the_turning():
    forward_, back = (
        model_force(wheel("linear", rolling_resistance=0.02), contact(rolling=r)) for r in (1.0, -1.0)
    )
    assert forward_[3] == pytest.approx(-0.02 * forward_[2]) and back[3] == -forward_[3]


def test_rollers_hold_along_their_axle_alone():
    omni = model_force(wheel("roller"), contact(vx=0.01, vy=0.5))
    assert omni[0] == pytest.approx(-100.0) and omni[1] == 0.0
    quarter = math.pi / 4
    mecanum = model_force(wheel("roller", angle=quarter), contact(vx=0.01, vy=0.01))
    # the point moves across the roller's axle, which turns
    assert mecanum[:2] == pytest.approx([0.0, 0.0], abs=1e-9)
    held = model_force(wheel("roller", angle=quarter), contact(vx=0.01, vy=-0.01))
    assert held[0] == pytest.approx(-100.0) and held[1] == pytest.approx(100.0)


def test_a_model_of_ones_own():
    @td.wheel_model
    def sandpaper(contact, stiffness=1e4, mu=0.3):
        fz = td.maximum(stiffness * contact.depth, 0.0)
        return -mu * fz * td.tanh(contact.vx / 0.01), -mu * fz * td.tanh(contact.vy / 0.01), fz

    try:
        force = model_force(wheel("sandpaper", mu=0.5), contact(vx=1.0))
        assert force == pytest.approx([-50.0, 0.0, 100.0, 0.0])
        assert model_parameters(wheel("sandpaper")) == {"stiffness": 1e4, "mu": 0.3}
        with pytest.raises(td.InputError, match="has no 'my'; it has 'stiffness', 'mu'"):
            model_parameters(wheel("sandpaper", my=1.0))
    finally:
        del WHEEL_MODELS["sandpaper"]
    with pytest.raises(td.InputError, match="no wheel model 'sandpaper'"):
        model_parameters(wheel("sandpaper"))
    with pytest.raises(td.InputError, match="give its 'k' a value"):
        td.wheel_model(lambda contact, k: (0.0, 0.0, k))
