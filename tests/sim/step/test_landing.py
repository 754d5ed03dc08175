"""Rigid bodies that meet, fast or slow, and how exactly that is found inside a step."""

import numpy as np
import pytest

import treadle as td

STEP, G = 0.01, 9.81


def dropped(kind, size, heights, dt=STEP, **material):
    """Bodies of one kind above a plane, centre above centre."""
    spec = td.ModelSpec("dropped")
    spec.add_material("skin", **material)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    for i, height in enumerate(heights):
        spec.add_body(f"body{i}", 1.0, type=kind, size=size)
        spec.add_joint(f"float{i}", "free", None, f"body{i}", position=(0.0, 0.0, height))
        spec.add_shape(f"skin{i}", f"body{i}", kind, size, role="collision", material="skin")
    return td.Simulation(spec.compile(), dt=dt)


@pytest.mark.parametrize(("kind", "size"), [("sphere", (0.1,)), ("box", (0.2, 0.2, 0.2))])
def test_what_does_not_rebound_lies_where_it_landed(kind, size):
    for height in np.linspace(0.3, 0.7, 9):
        sim = dropped(kind, size, [height])
        sim.run(1.0)
        assert sim.quality()["rigid overlap"] < 1e-12
        assert sim.quality()["energy drift"] < 1e-12
        assert sim.body("body0").position[2] == pytest.approx(0.1, abs=1e-12)


def test_what_lands_too_slowly_for_an_impact_is_not_let_in_either():
    sim = dropped("sphere", (0.1,), [0.1005])
    sim.run(0.2)
    assert sim.quality()["rigid overlap"] < 1e-12
    assert sim.body("body0").position[2] == pytest.approx(0.1, abs=1e-12)


def test_the_way_that_a_box_slides_after_it_fell():
    mu, height, speed = 0.3, 0.35, 2.0
    sim = dropped("box", (0.2, 0.2, 0.2), [0.1 + height], friction=mu)
    sim.v[3] = speed
    sim.run(2.0)
    fall = np.sqrt(2.0 * height / G)
    # friction has the impulse of the landing, too
    after = speed - mu * G * fall
    expected = speed * fall + after**2 / (2.0 * mu * G)
    # it brakes to rest within a step, of which Moreau's rule knows the mean
    assert sim.body("body0").position[0] == pytest.approx(expected, abs=0.5 * mu * G * STEP**2)
    assert np.abs(sim.v).max() < 1e-12


def test_no_meeting_of_two_boxes_is_missed():
    """Turned by rounding alone, they meet where the search finds a distance of exactly nothing."""
    sim = dropped("box", (0.2, 0.2, 0.2), [0.5, 0.75], restitution=0.5)
    sim.run(2.0)
    assert sim.quality()["rigid overlap"] < 1e-9
    assert sim.quality()["energy drift"] < 1e-3


def test_a_violated_stop_is_left_slowly_however_short_the_spans():
    spec = td.ModelSpec("slider beside a ball")
    spec.add_material("rubber", restitution=0.8)
    spec.add_shape("floor", None, "plane", role="collision", material="rubber")
    spec.add_body("ball", 1.0, type="sphere", size=(0.1,))
    spec.add_joint("float", "free", None, "ball", position=(0.0, 0.0, 0.1 + 1e-5))
    spec.add_shape("skin", "ball", "sphere", (0.1,), role="collision", material="rubber")
    spec.add_body("slider", 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("slide", "prismatic", None, "slider", position=(1, 0, 0.5), axis=(1, 0, 0), lower=0.0)
    sim = td.Simulation(spec.compile(), dt=STEP)
    depth = 1e-4
    sim.joint("slide").position = -depth
    sim.joint("float").velocity = (0, 0, 0, 0, 0, -1.0)
    fastest = 0.0
    for _ in range(200):
        sim.step()
        fastest = max(fastest, sim.joint("slide").velocity)
    # as fast as in steps that nothing cuts: a fifth of the way in half of a step
    assert 0.0 < fastest < 1.01 * 0.2 * depth / (0.5 * STEP)
    assert sim.joint("slide").position > -1e-3 * depth
