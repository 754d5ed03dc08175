"""A loader whose wheels run on the ground by their model and on boxes by contact, at once."""

import numpy as np
import pytest

import treadle as td

G = 9.81


@pytest.fixture(scope="module")
def model():
    return td.scene("loader")


def ground_force(sim):
    """Force (N) of wheels and contacts with terrain and world on everything."""
    total = sum(sim.wheel(wheel.name).force for wheel in sim.model.wheels)
    for (first, second), sums in sim.contact_sums().items():
        if first in (None, "terrain"):
            total = total + sums.force
        elif second in (None, "terrain"):
            total = total - sums.force
    return total


def closed(sim):
    """Largest gap of a loop (m)."""
    return max(sim.loop(loop.name).gap for loop in sim.model.loops)


def test_at_rest_the_wheels_carry_the_weight(model):
    sim = td.Simulation(model)
    sim.run(3.0)
    weight = model.mass * G
    np.testing.assert_allclose(ground_force(sim), (0.0, 0.0, weight), atol=1e-6 * weight)
    assert closed(sim) < 1e-9


def test_half_on_the_ramp_terrain_and_boxes_share_the_weight(model):
    sim, routine = (
        td.Simulation(model),
        td.Routine(model, [[1.5, _rates(2.5)], [1.9, {}], [0.8, _rates(0.0)]]),
    )
    routine.run(sim)
    sim.run(3.0)
    weight = model.mass * G
    np.testing.assert_allclose(ground_force(sim)[2], weight, rtol=1e-6)
    assert sim.wheel("rear_left").force[2] > 0.1 * weight
    assert not sim.wheel("front_left").touching
    on_ramp = sim.contact_between("ramp_skin", "front_left_wheel").force[2]
    assert on_ramp > 0.1 * weight
    assert closed(sim) < 1e-9


def test_it_climbs_the_ramp_onto_the_platform(model):
    sim, routine = td.Simulation(model), td.Routine(model)
    routine.run(sim, seconds=9.0)
    assert not any(sim.wheel(wheel.name).touching for wheel in model.wheels)
    assert sim.body("chassis").position[2] == pytest.approx(0.4 + 3.0 * np.sin(0.15), abs=2e-3)
    assert closed(sim) < 1e-9
    assert sim.quality().measure("energy drift").rating == "good"


def _rates(rate):
    return {f"{end}_{side}": rate for end in ("front", "rear") for side in ("left", "right")}
