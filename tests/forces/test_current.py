"""Currents that vary with place and time: profiles, formulas, functions."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.forces.current import Current
from treadle.spatial import Vec3


def neutral_ball(fluid: td.Fluid, density: float = 1000.0, **options) -> td.Model:
    """A ball as heavy as the water, unless said otherwise."""
    spec = td.ModelSpec("ball")
    mass = density * 4.0 / 3.0 * math.pi * 0.05**3
    spec.add_body("ball", mass, inertia=(0.4 * mass * 0.05**2,) * 3)
    spec.add_joint("free", "free", None, "ball")
    fluid.surround(spec)
    spec.add_hull("hull", "ball", size=(0.05,) * 3, **options)
    return spec.compile()


def test_a_profile_is_linear_between_its_rows_and_constant_beyond():
    current = Current((0.0, 0.1, 0.0), ((-10.0, 0.2, 0.0, 0.0), (-2.0, 1.0, 0.0, 0.0), (0.0, 1.5, 0.0, 0.3)))
    for height, expected in ((-20, 0.2), (-10, 0.2), (-6, 0.6), (-2, 1.0), (-1, 1.25), (0, 1.5), (3, 1.5)):
        found = current.at(Vec3(1.0, 2.0, float(height)), 0.0)
        assert [found.x, found.y] == pytest.approx([expected, 0.1], rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_acceleration_is_that_of_a_particle(seed):
    """dU/dt + (U . grad) U, by central differences along the particle's way."""
    current = Current(("0.3*sin(x + 2*t)*z", "exp(-y**2) + t", "cos(z)*x"))
    place, t = np.random.default_rng(seed).uniform(-1, 1, 3), 0.3 * seed
    step, velocity = 1e-5, np.array(list(current.at(Vec3(*place.tolist()), t)))
    ahead, behind = (
        np.array(list(current.at(Vec3(*(place + h * velocity).tolist()), t + h))) for h in (step, -step)
    )
    found = np.array(list(current.acceleration(Vec3(*place.tolist()), t)))
    np.testing.assert_allclose(found, (ahead - behind) / (2.0 * step), atol=1e-8)


@pytest.mark.parametrize("way", ["formula", "function"])
def test_a_ball_as_heavy_as_the_water_moves_with_it(way):
    """In a flow that swings to and fro its pressure carries the ball along, without any drag."""
    formulas = ("0.3*cos(2*t)", 0, 0)
    current = formulas if way == "formula" else lambda x, y, z, t: (0.3 * td.cos(2.0 * t), 0.0, 0.0)
    model = neutral_ball(td.Fluid(1000.0, current=current))
    sim = td.Simulation(model, 1e-3, "rk4", v=[0, 0, 0, 0.3, 0, 0])
    sim.run(1.0)
    assert sim.v[3] == pytest.approx(0.3 * math.cos(2.0), abs=1e-12)


def test_a_ball_in_swinging_water_follows_the_formula():
    """(rho_s + rho_f / 2) dv/dt = 3/2 rho_f dU/dt: the water's pressure and its added mass, without drag."""
    model = neutral_ball(td.Fluid(1000.0, current=("0.3*sin(2*t)", 0, 0)), density=2000.0)
    sim = td.Simulation(model, 1e-3, "rk4")
    sim.run(0.5)
    assert sim.v[3] == pytest.approx(1500.0 / 2500.0 * 0.3 * math.sin(1.0), abs=1e-9)


def test_a_ball_drifts_with_the_profile_at_its_depth():
    fluid = td.Fluid(1000.0, profile=[(-10.0, 0.5, 0, 0), (0.0, 1.5, 0, 0)])
    sim = td.Simulation(neutral_ball(fluid, linear_drag=(1, 1, 1, 5, 5, 5)), dt=1e-2)
    sim.joint("free").position = (1, 0, 0, 0, 0, 0, -4)
    sim.run(10.0)
    assert sim.v[3] == pytest.approx(1.1, abs=1e-6)


def test_propellers_and_foils_see_the_same_current():
    fluid = td.Fluid(1000.0, current=("0.1*t", 0, 0), profile=[(-1, 0, 0.2, 0), (1, 0, 0.4, 0)])
    spec = td.ModelSpec("parts")
    spec.add_body("body", 1.0, inertia=(1, 1, 1))
    spec.add_joint("free", "free", None, "body")
    fluid.surround(spec)
    spec.add_element("foil", "foil", ("body",), area=0.1)
    spec.add_element("propeller", "propeller", ("body",), thrust=(0.4, -0.3))
    for element in spec.compile().elements:
        assert element.parameters["current"] == ("0.1*t", 0.0, 0.0)
        assert element.parameters["profile"] == ((-1.0, 0.0, 0.2, 0.0), (1.0, 0.0, 0.4, 0.0))


def test_a_current_survives_the_file(tmp_path):
    fluid = td.Fluid(
        1025.0, current=("0.1*t", 0, "0.2*z"), surface=0.0, profile=[(-1, 0, 0.2, 0), (1, 0, 0.4, 0)]
    )
    model = neutral_ball(fluid)
    td.save(model, tmp_path / "robot.toml")
    again = td.load(tmp_path / "robot.toml")
    assert again.elements[0].parameters == model.elements[0].parameters


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"current": (1, 2)}, "three"),
        ({"current": ("w", 0, 0)}, "no part of a formula"),
        ({"current": lambda x, y, z, t: (x, y)}, "three velocities"),
        ({"profile": [(0, 1, 0, 0), (-1, 1, 0, 0)]}, "rise"),
        ({"profile": [(0, 1)]}, "four numbers"),
    ],
)
def test_mistakes_are_named(options, match):
    with pytest.raises(td.InputError, match=match):
        td.Fluid(1000.0, **options)
