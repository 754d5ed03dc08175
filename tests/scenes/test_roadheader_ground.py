"""The roadheader on its tracks' shoes: what the rock pushes back, friction under the tracks holds."""

import numpy as np
import pytest

import treadle as td

G = 9.81
WEIGHT = 59_980.0 * G


@pytest.fixture(scope="module")
def model():
    return td.scene("roadheader-ground")


def tracks(sim):
    """Force (N) of the floor on both tracks."""
    return sum(sim.contact_between("floor", f"crawler_{side}").force for side in ("left", "right"))


def closed(sim):
    return max(sim.loop(loop.name).gap for loop in sim.model.loops)


def test_at_rest_the_tracks_carry_the_weight(model):
    sim = td.Simulation(model)
    sim.run(1.0)
    np.testing.assert_allclose(tracks(sim), (0.0, 0.0, WEIGHT), atol=1e-6 * WEIGHT)
    for side in ("left", "right"):
        assert 0.4 * WEIGHT < sim.contact_between("floor", f"crawler_{side}").force[2] < 0.6 * WEIGHT
    assert closed(sim) < 1e-9


def test_the_head_presses_as_hard_as_the_tracks_hold(model):
    sim = td.Simulation(model)
    sim.actuator("extend").command = 1.0
    sim.run(3.0)
    sim.actuator("extend").command = 0.0
    sim.run(1.0)
    rock = sim.contact_between("rock", "cutting_head").force
    assert rock[0] < -5e4
    np.testing.assert_allclose(tracks(sim) + rock, (0.0, 0.0, WEIGHT), atol=1e-6 * WEIGHT)
    # about the centre of the base: tracks, rock and weight have no moment together
    moment = np.cross(_center(sim), (0.0, 0.0, -WEIGHT))
    for pair in (("floor", "crawler_left"), ("floor", "crawler_right"), ("rock", "cutting_head")):
        moment = moment + sim.contact_between(*pair, about=(0.0, 0.0, 0.0)).torque
    np.testing.assert_allclose(moment, 0.0, atol=1e-5 * WEIGHT)
    assert np.abs(sim.body("main_body").position[:2]).max() < 1e-3
    assert closed(sim) < 1e-9
    assert sim.quality().measure("energy drift").rating == "good"


def _center(sim):
    """Centre of mass of the machine in the world (m)."""
    model = sim.model
    total = sum(
        link.mass
        * (sim.body(link.name).pose @ np.array([link.center.x, link.center.y, link.center.z, 1.0]))[:3]
        for link in model.links
    )
    return total / model.mass
