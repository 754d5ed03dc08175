"""The study of SimBenchmark: its scenes, its measures, and errors that it would notice."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from treadle.bench.race import QUICK
from treadle.sim import Simulation
from treadle.studies.simbenchmark import anymal, bouncing, pile, rolling, study
from treadle.studies.simbenchmark.measure import energy
from treadle.studies.simbenchmark.worlds import ELASTIC, WORLDS, TreadleWorld


@pytest.fixture(scope="module")
def findings():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "_QUICK_SECONDS", 0.4)
        patch.setattr(study, "_QUICK_STEPS", (0.04,))
        patch.setattr(study, "QUICK", replace(QUICK, seconds=0.01))
        return study.run(True, lambda done, what: None)


def test_every_test_has_every_engine(findings):
    engines = {}
    for row in findings.rows:
        engines.setdefault(row["test"], []).append(row["engine"])
    absent = {name for name in WORLDS if name not in engines["666"]}
    assert engines["rolling, xy"] == engines["rolling, y"] == engines["666"]
    assert engines["bouncing"] == engines["elastic 666"] == [name for name in ELASTIC if name not in absent]
    assert engines["ANYmal PD, 1"] == ["Treadle", *anymal.OPTIONS]
    # one note says what the numbers are, one each what is not installed
    assert len(findings.notes) == 1 + len(absent)
    assert [bool(axes.lines) for axes in findings.draw().axes] == [True, True, True]


def test_errors_are_below_the_bounds(findings):
    checks = {check.name: check for check in findings.checks}
    assert len(checks) == 8
    assert [name for name, check in checks.items() if "speed" not in name and not check.holds] == []


def test_larger_errors_and_times_are_noticed(findings):
    worse = [
        row | {"error": 1e8, "figure": 1e30, "step_time": 1e9} if row["engine"] == "Treadle" else row
        for row in findings.rows
    ]
    assert [check.holds for check in study._checks(worse)] == 9 * [False]


def test_without_others_there_is_no_comparison(findings):
    alone = [row for row in findings.rows if row["engine"] == "Treadle"]
    unknown = [check for check in study._checks(alone) if check.value is None]
    assert len(unknown) == 4
    assert not any(check.holds for check in unknown)


# ---------------------------------------------------------------------------------------------------------
# balls
# ---------------------------------------------------------------------------------------------------------


def test_analytic_accelerations():
    assert rolling.accelerations() == pytest.approx((0.7385, 0.211), abs=1e-9)


def test_another_push_has_another_error(monkeypatch):
    box, ball = rolling.accelerations()
    monkeypatch.setattr(rolling, "accelerations", lambda: (box + 0.0115, ball))
    found = rolling.roll(TreadleWorld, (0.0, 1.0), 0.01)
    # the mean of (0.0115 t)^2 over ten steps of 1 ms
    assert found.error == pytest.approx(0.0115**2 * 38.5e-6, rel=1e-3)
    assert found.steps == 10


def test_balls_that_fall_through_the_ground_are_noticed():
    class Ghosts(TreadleWorld):
        def __init__(self, scene, dt):
            self.sim, self.places = Simulation(scene.model(), dt, contact=False), scene.places()

    assert bouncing.bounce(Ghosts, 0.1, 1.2).error == inf


def test_start_energy_is_the_published_one():
    scene = bouncing.bouncing()
    assert energy(scene, TreadleWorld(scene, 0.1)) == pytest.approx(24034.5, rel=1e-12)


def test_cube_of_balls():
    scene = pile.pile(6, elastic=False)
    places = scene.places()
    assert places.shape == (216, 3)
    assert places.min(axis=0)[2] >= 0.101
    chance = places - np.round((places - (0, 0, 0.101)) / 0.21) * 0.21 - (0, 0, 0.101)
    assert 0.0 <= chance.min() < chance.max() < 1e-3
    assert pile.depths(places) == 0.0
    higher = pile.pile(6, elastic=True).places()
    np.testing.assert_allclose(higher, places + np.array([0.0, 0.0, 1.0]), atol=1e-15)


def test_depths_of_balls():
    centres = np.array([[0.0, 0.0, 0.07], [0.15, 0.0, 0.07], [1.0, 0.0, 0.2]])
    assert pile.depths(centres) == pytest.approx(2 * 0.03**2 + 0.05**2)
    assert pile.depths(np.full((2, 3), np.nan)) == inf


@pytest.mark.parametrize("engine", ["MuJoCo", "Bullet"])
def test_scenes_are_the_same_in_all_engines(engine):
    scene = rolling.rolling()
    own, other = TreadleWorld(scene, 1e-3), WORLDS[engine](scene, 1e-3)
    np.testing.assert_allclose(other.centres(), own.centres(), atol=1e-15)
    for world in (own, other):
        world.push(0, np.array([150.0, 0.0, 0.0]))
        for _ in range(300):
            world.step()
    # the box slides and the balls roll, in one as in the other
    np.testing.assert_allclose(other.velocities()[:, 0], own.velocities()[:, 0], rtol=0.2)
    other.close()


# ---------------------------------------------------------------------------------------------------------
# robots
# ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def robot():
    return anymal.robots(1)


def test_robots_stand_alike(robot):
    engines = [anymal.TreadleRobots(robot), anymal.MujocoRobots(robot, anymal.OPTIONS["MuJoCo, no slip"])]
    for engine in engines:
        assert engine.height() == 0.54
        engine.step(400)
    assert engines[0].height() == pytest.approx(engines[1].height(), abs=5e-3)
    contacts = engines[0].sim.contacts()
    weight = 9.81 * sum(body.inertia.mass for body in robot.bodies)
    assert len(contacts) == 4
    assert sum(contact.force[2] for contact in contacts) == pytest.approx(weight, rel=0.02)


def test_slip_is_measured(robot):
    """A base that is pushed sideways takes its feet along."""
    engine = anymal.TreadleRobots(robot)
    engine.step(600)
    assert anymal.largest_slip(engine, robot, 10) < 1e-8
    engine.sim.joint("0/floating_base").torque = [0.0, 0.0, 0.0, 400.0, 0.0, 0.0]
    assert anymal.largest_slip(engine, robot, 40) > 1e-2


def test_robots_have_names_and_places_of_their_own():
    four = anymal.robots(2)
    assert [joint.name for joint in four.joints if joint.type.kind == "free"] == [
        f"{k}/floating_base" for k in range(4)
    ]
    assert sum(shape.type == "sphere" for shape in four.shapes) == len(four.actuators) / 3 == 16
    assert anymal._places(4) == [(0, 0, 0.54), (0, 2, 0.54), (2, 0, 0.54), (2, 2, 0.54)]
