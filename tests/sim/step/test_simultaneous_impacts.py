"""Boxes that hit face on or edge on, beside others that they touch: no impulse depends on rounding.

Steps end 1e-6 s after the impact, so that what is compared is the impact.
"""

import numpy as np
import pytest

import treadle as td

DT, GAP = 2e-6, 1e-6


def row_of_boxes(seed, tilt, most=4):
    """Boxes on a floor, one of which hits a row of others that touch each other, with its face or an edge."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("boxes")
    restitution, friction = float(rng.choice([0.0, 0.3, 0.7, 1.0])), float(rng.choice([0.2, 0.5, 0.9]))
    spec.add_material("stone", friction=friction, restitution=restitution)
    spec.add_shape("floor", None, "plane", role="collision", material="stone")
    places, speeds, end = {}, {}, 0.0
    for k in range(min(int(rng.integers(2, 5)), most)):
        size, name = rng.uniform(0.05, 0.3, 3), f"box{k}"
        spec.add_body(name, float(10.0 ** rng.uniform(-1.0, 1.0)), type="box", size=size.tolist())
        spec.add_shape(name, name, "box", size.tolist(), role="collision", material="stone")
        spec.add_joint(name, "free", None, name)
        turn = 0.3 if k == 0 and seed % 5 == 4 else tilt * float(rng.choice([-1.0, 1.0]))
        half = 0.5 * float(size[0] * np.cos(turn) + size[1] * abs(np.sin(turn)))
        x = end + half + (GAP if k == 1 else 0.0)
        end, y = x + half, float(rng.uniform(-0.02, 0.02))
        places[name] = (np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn), x, y, 0.5 * size[2])
        speeds[name] = (0.0, 0.0, 0.0, 1.0 if k == 0 else 0.0, 0.0, 0.0)
    spec.add_keyframe("initial", places, velocities=speeds)
    return spec.compile()


def after(model, disturbed, seed):
    sim = td.Simulation(model, dt=DT, contact=True)
    sim.v += disturbed * np.random.default_rng(seed).uniform(-1.0, 1.0, len(sim.v))
    sim.step()
    return sim.v.copy()


def largest_change(model):
    """Of the velocities (m/s) after an impact, by disturbances (m/s) before it."""
    expected = after(model, 0.0, 0)
    assert expected[3] < 1.0 - 1e-3, "they hit"
    runs = [(size, k) for size in (1e-13, 1e-11) for k in range(3)]
    return max(np.abs(after(model, size, k) - expected).max() for size, k in runs)


@pytest.mark.parametrize("tilt", [0.0, 1e-16, 1e-12])
@pytest.mark.parametrize("seed", range(9))
def test_rounding_does_not_choose_the_impulses_of_an_impact(seed, tilt):
    """Friction may hold boxes down on the floor, as hard as it likes: contacts that yield a little decide."""
    assert largest_change(row_of_boxes(seed, tilt)) < 1e-7


@pytest.mark.parametrize("tilt", [1e-10, 1e-9, 1e-8])
@pytest.mark.parametrize("seed", range(9))
def test_corners_that_arrive_together_but_for_rounding_collide_together(seed, tilt):
    """What is tilted by so much leaves an impact as what is not tilted does."""
    flush, tilted = (after(row_of_boxes(seed, x, 2), 0.0, 0) for x in (0.0, tilt))
    assert np.abs(flush - tilted).max() < 100.0 * tilt + 1e-8
    assert largest_change(row_of_boxes(seed, tilt, 2)) < 1e-7
