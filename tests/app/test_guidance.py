"""What newcomers are told of each machine."""

import numpy as np
import pytest

import treadle as td
from treadle.app.guidance import guidance
from treadle.app.panels.scenes import scene_of
from treadle.scenes import SCENES, scene_names
from treadle.solvers.assembly import closure_evaluation


def test_every_scene_has_a_link():
    assert {name: scene_of(SCENES[name]().name) for name in scene_names()} == {n: n for n in scene_names()}
    assert scene_of("my own") is None


@pytest.mark.parametrize(
    ("name", "first"),
    [("pendulum", "a push"), ("rocky7", "arrow keys"), ("remus", "Press P"), ("arm", "Hold a key")],
)
def test_what_to_do_first(live, name, first):
    app = live(td.Simulation(td.scene(name)))
    told = guidance(app.stage)
    assert told["scene"] == name
    assert len(told["text"]) > 20
    assert first in told["steps"][0]
    keys = {keys for keys, _ in told["keys"]}
    assert {"Space", "?", "N"} <= keys
    routine = app.stage.routine
    assert ("P" in keys) is bool(told["routine"]) is (routine.available or routine.pushed)


@pytest.mark.parametrize("name", ["pendulum", "chain", "four-bar-chain"])
def test_a_machine_that_hangs_at_rest_is_pushed(live, until, name):
    app = live(td.Simulation(td.scene(name), contact=False))
    sim = app.sim
    app.pace.pause()
    before = app.send(lambda sim: sim.v.copy()).result()
    app.stage.routine.toggle()
    app.send(lambda sim: None).result()
    until(lambda: np.abs(sim.v - before).max() > 0.1)
    # loops stay closed
    time = sim.time
    until(lambda: sim.time > time + 0.2)
    q = app.send(lambda sim: sim.q.copy()).result()
    assert sim.model.closed == (name == "four-bar-chain")
    if sim.model.closed:
        assert np.abs(closure_evaluation(sim.model)(q)[0]).max() < 1e-8


def test_the_routine_is_played_from_the_start(live, until):
    app = live(td.Simulation(td.scene("slope"), contact=False))
    sim, routine = app.sim, app.stage.routine
    app.send(lambda sim: setattr(sim.actuator("tilt"), "command", 0.2)).result()
    until(lambda: sim.time > 0.3)
    routine.toggle()
    until(lambda: routine.playing and 0.02 < sim.time < 0.3)
    command, time = app.send(lambda sim: (sim.actuator("tilt").command, sim.time)).result()
    assert abs(command - td.Routine(sim.model).commands(time)["tilt"]) < 0.02
    # someone drives
    app.stage.drive.fields["tilt"].value = 0.3
    until(lambda: sim.actuator("tilt").command == pytest.approx(0.3, abs=0.01))
    assert not routine.playing
    now = sim.time
    until(lambda: sim.time > now + 0.1)
    assert sim.actuator("tilt").command == pytest.approx(0.3, abs=0.01)


def test_a_routine_that_is_stopped_brings_drives_to_rest(live, until):
    app = live(td.Simulation(td.scene("mobile-manipulator"), contact=False))
    sim, routine = app.sim, app.stage.routine
    moving = [control for control in app.stage.drive.controls if not control.held]
    routine.toggle()
    until(lambda: any(control.read(sim) != 0.0 for control in moving))
    routine.toggle()
    until(lambda: all(control.read(sim) == 0.0 for control in moving))
    assert not routine.playing
