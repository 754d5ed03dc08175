"""Events of many worlds: closed forms of their times, directions, and what is refused."""

import numpy as np
import pytest

import treadle as td

WORLDS, DT, G = 13, 1e-3, 9.81


@pytest.fixture
def balls() -> td.Batch:
    """Masses on vertical rails, thrown upward at speeds of their own."""
    spec = td.ModelSpec("ball", gravity=(0, 0, -G))
    spec.add_body("ball", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "ball", axis=(0, 0, 1))
    worlds = td.Batch(spec.compile(), WORLDS, dt=DT, integrator="rk4")
    worlds.v = np.linspace(1.0, 4.0, WORLDS)[:, None]
    worlds.q = np.full((WORLDS, 1), 0.05)
    return worlds


def landing(speed: np.ndarray) -> np.ndarray:
    return (speed + np.sqrt(speed**2 + 2.0 * G * 0.05)) / G


def test_times_are_those_of_the_closed_form(balls):
    speed = balls.v[:, 0].copy()
    tops = balls.watch(td.Event(lambda q, v, t: v["rail"], direction=-1))
    lands = balls.watch(td.Event(lambda q, v, t: q["rail"], direction=-1))
    never = balls.watch(td.Event(lambda q, v, t: q["rail"], direction=1))
    balls.step(500)
    balls.step(500)
    assert sorted(tops.worlds) == sorted(lands.worlds) == list(range(WORLDS)) and not len(never.worlds)
    # the speed is linear in time, the height is not
    np.testing.assert_allclose(tops.times, (speed / G)[tops.worlds], rtol=1e-9)
    np.testing.assert_allclose(lands.times, landing(speed)[lands.worlds], atol=G * DT**2)
    assert (np.diff(lands.times) >= -DT).all()


def test_a_reset_is_no_crossing(balls):
    lands = balls.watch(td.Event(lambda q, v, t: q["rail"] - 0.01, direction=0))
    balls.step(10)
    balls.reset(slice(0, 4), q=[-0.5], v=[0.0])
    balls.step(10)
    assert not len(lands.worlds)


def test_watching_changes_no_bit(balls):
    start = balls.save()
    balls.step(50)
    plain = balls.q.copy()
    balls.restore(start)
    balls.watch(td.Event(lambda q, v, t: q["rail"]))
    balls.step(50)
    np.testing.assert_array_equal(balls.q, plain)


def test_events_that_act_are_refused(balls):
    with pytest.raises(td.InputError, match="acts"):
        balls.watch(td.Event(lambda q, v, t: q["rail"], terminal=True))
    with pytest.raises(td.InputError, match=r"td\.Event"):
        balls.watch(lambda q, v, t: q["rail"])
