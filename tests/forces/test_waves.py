"""Waves, propellers and foils: what must hold of them."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.forces.waves import wave_motion
from treadle.graph import Graph, evaluate, forward
from treadle.model.hydrodynamics import irregular_waves
from treadle.spatial import Vec3

WAVES = ((0.3, 1.1, 0.4, 0.2), (0.1, 2.0, -1.0, 1.0))


def test_the_water_of_a_wave_moves_as_its_equations_say():
    graph = Graph()
    x, y, z, t = symbols = graph.inputs(4)
    found = wave_motion(WAVES, 9.81, Vec3(x, y, z), z, t)
    outputs = [found.elevation, *found.slope, *found.velocity, *found.acceleration]
    seeds = {symbol: {k: 1.0} for k, symbol in enumerate(symbols)}
    rows = forward([graph.lift(value) for value in outputs], seeds, 4)
    at = [0.7, -0.4, -0.5, 0.9]
    values = np.array(evaluate(graph, [graph.lift(x) for x in outputs], at))
    slopes = np.array(evaluate(graph, [graph.lift(x) for row in rows for x in row], at)).reshape(9, 4)
    # slope of the elevation, no divergence, no rotation, acceleration of the velocity
    np.testing.assert_allclose(slopes[0, :2], values[1:3], atol=1e-12)
    gradient = slopes[3:6, :3]
    assert abs(np.trace(gradient)) < 1e-12
    np.testing.assert_allclose(gradient, gradient.T, atol=1e-12)
    np.testing.assert_allclose(slopes[3:6, 3] + gradient @ values[3:6], values[6:9], atol=1e-12)


def test_the_surface_moves_with_the_water():
    t, h = 0.9, 1e-6
    eta = [wave_motion(WAVES, 9.81, Vec3(0.7, -0.4, 0.0), 0.0, t + s * h).elevation for s in (1, -1)]
    speed = wave_motion(WAVES, 9.81, Vec3(0.7, -0.4, 0.0), 0.0, t).velocity.z
    assert speed == pytest.approx((eta[0] - eta[1]) / (2.0 * h), abs=1e-8)


def test_a_sea_has_its_significant_height():
    waves = irregular_waves(2.5, 8.0, count=40, seed=3)
    energy = sum(wave[0] ** 2 / 2.0 for wave in waves)
    assert 4.0 * math.sqrt(energy) == pytest.approx(2.5)
    assert waves == irregular_waves(2.5, 8.0, count=40, seed=3) != irregular_waves(2.5, 8.0, count=40, seed=4)
    # half of the energy is on either side of the median frequency, a little above the peak
    middle = 2.0 * math.pi / 8.0 * (0.8 * math.log(2.0)) ** -0.25
    assert np.median([wave[1] for wave in waves]) == pytest.approx(middle, rel=0.02)


def drop(waves, depth: float) -> td.Model:
    """A ball that weighs as much as the water it displaces, at a depth."""
    spec = td.ModelSpec("drop")
    mass = 1000.0 * 4.0 / 3.0 * math.pi * 0.1**3
    spec.add_body("ball", mass, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("free", "free", None, "ball", position=(0, 0, -depth))
    td.Fluid(1000.0, surface=0.0, waves=waves).surround(spec)
    spec.add_hull("hull", "ball", size=(0.1, 0.1, 0.1))
    return spec.compile()


def test_a_ball_as_heavy_as_water_moves_with_it():
    wave = ((0.02, 1.5, 0.3, 0.4),)
    model = drop(wave, 2.0)
    water = wave_motion(wave, 9.81, Vec3(0.0, 0.0, -2.0), -2.0, 0.0)
    sim = td.Simulation(model, dt=1e-3, integrator="rk4", v=[0, 0, 0, *water.velocity])
    np.testing.assert_allclose(td.derivatives(sim).acceleration[3:], list(water.acceleration), atol=1e-12)
    sim.run(2.0 * math.pi / 1.5)
    # once around its orbit, but for the drift of Stokes
    drift = 0.02**2 * 1.5 * (1.5**2 / 9.81) * math.exp(-2.0 * 1.5**2 / 9.81 * 2.0) * 2.0 * math.pi / 1.5
    expected = drift * np.array([math.cos(0.3), math.sin(0.3), 0.0])
    np.testing.assert_allclose(sim.q[4:], expected, atol=0.02 * drift)


def test_a_float_follows_long_waves():
    wave = ((0.2, 0.5, 0.0, 0.0),)
    spec = td.ModelSpec("float")
    spec.add_body("float", 50.0, inertia=(1, 1, 1))
    spec.add_joint("heave", "prismatic", None, "float")
    td.Fluid(1000.0, surface=0.0, waves=wave).surround(spec)
    spec.add_hull("hull", "float", shape="box", size=(0.5, 0.5, 0.4), linear_drag=(0, 0, 0, 0, 0, 300))
    sim = td.Simulation(spec.compile(), dt=1e-2)
    heights, waves = [], []
    for _ in range(300):
        sim.run(0.1)
        heights.append(sim.q[0])
        waves.append(wave_motion(wave, 9.81, Vec3(), 0.0, sim.time).elevation)
    np.testing.assert_allclose(heights[150:], waves[150:], atol=0.02 * 0.2)


def test_waves_need_a_surface_and_four_numbers():
    with pytest.raises(td.InputError, match="waves need a surface"):
        td.Fluid(waves=WAVES)
    with pytest.raises(td.InputError, match="4 numbers"):
        td.Fluid(surface=0.0, waves=((1.0, 2.0),))


def test_the_propeller_of_remus_drives_it():
    """1525 1/min and 2.5 m/s: J = 0.66, where KT is 0.18; at rest it is 0.4566."""
    D, n, rho = 0.14, 1525.0 / 60.0, 1026.0
    spec = td.ModelSpec("thruster", gravity=(0, 0, 0))
    for name in ("hull", "screw"):
        spec.add_body(name, 1.0, inertia=(1, 1, 1))
    spec.add_joint("surge", "prismatic", None, "hull", axis=(1, 0, 0))
    spec.add_joint("shaft", "revolute", "hull", "screw", axis=(1, 0, 0))
    td.Fluid(rho).surround(spec)
    kt = (0.4566, (0.1798 - 0.4566) / 0.6632)
    spec.add_element("propeller", "propeller", ("screw",), diameter=D, thrust=kt, torque=(0.07, -0.05))
    model = spec.compile()
    for speed, expected in ((0.0, 0.4566), (0.6632 * n * D, 0.1798)):
        sim = td.Simulation(model, v=[speed, 2.0 * math.pi * n])
        surge, spin = td.derivatives(sim).acceleration
        assert 2.0 * surge == pytest.approx(expected * rho * n**2 * D**4, rel=1e-12)
        kq = 0.07 - 0.05 * speed / (n * D)
        assert spin == pytest.approx(-kq * rho * n**2 * D**5, rel=1e-12)
    # backwards it pushes back
    back = td.derivatives(td.Simulation(model, v=[0.0, -2.0 * math.pi * n])).acceleration
    assert 2.0 * back[0] == pytest.approx(-0.4566 * rho * n**2 * D**4, rel=1e-12)


@pytest.mark.parametrize("angle", [0.0, 0.1, -0.3, 1.2])
def test_lift_is_normal_to_the_flow_and_drag_along_it(angle):
    spec = td.ModelSpec("wing", gravity=(0, 0, 0))
    spec.add_body("wing", 1.0, inertia=(1, 1, 1))
    spec.add_joint("free", "free", None, "wing")
    td.Fluid(1000.0, current=(0.5, 0.0, 0.0)).surround(spec)
    spec.add_element("foil", "foil", ("wing",), area=0.02, lift_slope=5.0, drag=(0.01, 1.2))
    model = spec.compile()
    speed = 3.0 * np.array([math.cos(angle), 0.0, -math.sin(angle)])
    sim = td.Simulation(model, v=[0, 0, 0, speed[0] + 0.5, *speed[1:]])
    force = td.derivatives(sim).acceleration[3:]
    pressure = 0.5 * 1000.0 * 0.02 * 9.0
    along, normal = speed / 3.0, np.array([math.sin(angle), 0.0, math.cos(angle)])
    assert force @ normal == pytest.approx(pressure * 5.0 * math.sin(angle) * math.cos(angle), abs=1e-9)
    assert force @ along == pytest.approx(-pressure * (0.01 + 1.2 * math.sin(angle) ** 2), abs=1e-9)
