import json
from contextlib import closing
from random import Random
from time import sleep

import pytest
from websockets.sync.client import connect

import treadle as td
from tests.app.pages import PATIENCE, Page
from treadle.app.page_line import PATH


@pytest.fixture
def app(live):
    return live(td.Simulation(td.scene("pendulum"), q=[0.5, 0.0]))


def test_one_drives_and_the_others_watch(app, until):
    field = app.stage.drive.fields["shoulder"]
    with closing(Page(app.server)) as first, closing(Page(app.server)) as second:
        first.set(field, 2.0)
        until(lambda: app.sim.joint("shoulder").torque == 2.0)
        assert app.driver_lock.driver == first.number
        second.set(field, 3.0)
        second.set(app.stage.run.speed, "5x")
        # what a watcher says to the driver's controls comes to nothing, and is undone on their page
        first.set(field, 2.5)
        until(lambda: app.sim.joint("shoulder").torque == 2.5)
        assert (field.value, app.pace.speed) == (2.5, 1.0)
        until(lambda: app.driver_lock._buttons[second.number].visible)
        assert not app.driver_lock._buttons[first.number].visible
        second.set(app.driver_lock._buttons[second.number], True)
        until(lambda: app.driver_lock.driver == second.number)
        second.set(field, 3.0)
        until(lambda: app.sim.joint("shoulder").torque == 3.0)
        assert len(app.driver_lock) == 2
    until(lambda: app.driver_lock.driver is None and len(app.driver_lock) == 0)


def test_a_dragged_force_ends_when_its_page_goes(app, until):
    mesh = app.stage.scene.meshes["lower"][0]
    for leave in (Page.close, Page.vanish):
        page = Page(app.server)
        page.drag(mesh, "start", (0.0, 0.0, -1.0), (0.0, 0.0, -1.0))
        page.drag(mesh, "update", (0.0, 0.0, -1.0), (2.0, 0.0, -1.0))
        until(lambda: bool(app.sim.loads.any()))
        leave(page)
        until(lambda: not app.sim.loads.any())


def test_taking_over_ends_a_pull(app, until):
    mesh = app.stage.scene.meshes["lower"][0]
    with closing(Page(app.server)) as first, closing(Page(app.server)) as second:
        first.drag(mesh, "start", (0.0, 0.0, -1.0), (1.0, 0.0, -1.0))
        until(lambda: bool(app.sim.loads.any()))
        second.set(app.driver_lock._buttons[second.number], True)
        until(lambda: not app.sim.loads.any())


def test_keys_are_held_and_let_go(live, until):
    app = live(td.Simulation(td.scene("roadheader")))
    sim = app.sim
    given = []
    app.driver_lock.on_join.append(lambda client: given.extend(k for k, n in app.line._clients.items()))
    with closing(Page(app.server)) as page:
        until(lambda: given)
        with connect(f"ws://127.0.0.1:{app.server.get_port()}{PATH}") as line:
            line.send(given[0])
            line.send(json.dumps({"down": "i"}))
            until(lambda: sim.actuator("lift_left").command == sim.actuator("lift_right").command == 1.0)
            until(lambda: sim.joint("lift").position > 0.001)
            line.send(json.dumps({"up": "i"}))
            until(lambda: sim.actuator("lift_left").command == 0.0)
            line.send(json.dumps({"down": "c"}))
            until(lambda: sim.actuator("cutter").command > 1.0)
            line.send(json.dumps({"down": " "}))
            until(lambda: app.pace.paused)
            line.send("nonsense")
            line.send(json.dumps({"down": 7}))
            until(lambda: app.server.guard.dropped["malformed"] == 2)
            line.send(json.dumps({"down": " "}))
            until(lambda: not app.pace.paused)
            line.send(json.dumps({"down": "k"}))
            until(lambda: sim.actuator("lift_left").command == -1.0)
        # the line is gone, and with it the key
        until(lambda: sim.actuator("lift_left").command == 0.0)
        assert page.number == app.driver_lock.driver


def test_scripts_of_a_lost_page_do_not_take_the_seat(app, until):
    given = []
    app.driver_lock.on_join.append(lambda client: given.extend(app.line._clients))
    first = Page(app.server)
    until(lambda: given)
    with connect(f"ws://127.0.0.1:{app.server.get_port()}{PATH}") as line:
        line.send(given[0])
        until(lambda: app.line.clients == [first.number])
        first.close()
        until(lambda: len(app.driver_lock) == 0)
        # a key of the scripts that are left counts for nothing; what makes no sense is to wait for
        line.send(json.dumps({"down": " "}))
        line.send("nonsense")
        until(lambda: app.server.guard.dropped["malformed"] == 1)
    assert app.driver_lock.driver is None
    assert not app.pace.paused


def test_a_button_that_is_held(live, until):
    app = live(td.Simulation(td.scene("roadheader")))
    sim, button = app.sim, app.stage.drive.buttons["Swing left"]
    with closing(Page(app.server)) as page:
        until(lambda: sim.time > 0.05)

        def held(condition) -> bool:
            # as pages do while a button is down
            page.hold(button)
            sleep(0.05)
            return condition()

        until(lambda: held(lambda: sim.actuator("slew_right").command == 1.0))
        until(lambda: held(lambda: sim.joint("slew").position > 1e-4))
    until(lambda: sim.actuator("slew_right").command == 0.0)


def test_strangers_have_no_keys(app):
    with connect(f"ws://127.0.0.1:{app.server.get_port()}{PATH}") as line:
        line.send("guess")
        with pytest.raises(Exception, match=r"1000|closed"):
            line.recv(timeout=PATIENCE)


def test_pages_that_come_and_go_stop_nothing(app, until, caplog):
    random = Random(1)
    watcher = Page(app.server)
    field = app.stage.drive.fields["elbow"]
    for _ in range(20):
        pages = [Page(app.server) for _ in range(2)]
        for page in pages:
            page.set(field, random.uniform(-1.0, 1.0))
            page.hold(app.stage.run.run)
        for page in pages:
            random.choice([Page.close, Page.vanish])(page)
        # the machine goes on, and who stayed may still drive it
        time = app.sim.time
        until(lambda time=time: app.sim.time > time)
        until(lambda: len(app.driver_lock) == 1)
        command = random.uniform(1.0, 2.0)
        watcher.set(field, command)
        until(lambda command=command: app.sim.joint("elbow").torque == command)
    assert app.driver_lock.driver == watcher.number
    watcher.vanish()
    until(lambda: len(app.driver_lock) == 0)
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
