import re
import weakref
from urllib.request import urlopen

import treadle as td
from tests.app.pages import PATIENCE
from treadle.app.panels.scenes import picture
from treadle.scenes import scene_names


def test_all_scenes_are_there(live):
    app = live(td.Simulation(td.scene("pendulum")))
    cards = re.findall(
        r'data-scene="([^"]+)" aria-label="Open \1"( disabled)?', app.stage.scenes.gallery.content
    )
    assert [name for name, _ in cards] == scene_names()
    assert [name for name, off in cards if off] == ["pendulum"]
    for name in scene_names():
        answer = urlopen(f"{app.url}/pictures/{name}.jpg", timeout=PATIENCE)
        assert answer.read() == picture(name)


def test_ten_switches_leave_nothing_behind(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))

    def weight() -> tuple[int, int]:
        messages = app.server._websock_server._broadcast_buffer.message_from_id
        return len(messages), len(app.server.gui._gui_input_handle_from_uuid)

    seen: list[weakref.ref] = []

    def left() -> int:
        return sum(stage() is not None for stage in seen)

    def open_(name: str) -> None:
        before = app.stage
        app.stage.scenes.open(name)
        until(lambda: app.stage is not before and app.sim.model.name == name and app.sim.time > 0.0)
        app.pace.pause()
        app.pace.send(lambda sim: None).result()
        seen.append(weakref.ref(app.stage))

    open_("arm")
    open_("pendulum")
    first = weight()
    for _ in range(5):
        open_("arm")
        open_("pendulum")
    last = weight()
    assert last[0] <= first[0] + 20
    assert last[1] == first[1]
    # what a thread still holds is let go a moment later; what leaks stays
    until(lambda: left() == 1)


def test_a_demonstration_ends_when_someone_drives(live, until):
    app = live(td.Simulation(td.scene("roadheader")))
    app.demonstrate()
    sim = app.sim
    until(lambda: sim.actuator("lift_left").command == 1.0 and sim.actuator("cutter").command > 1.0)
    app.driver_lock.driver = 5
    until(lambda: sim.actuator("lift_left").command == 0.0)
    time = sim.time
    until(lambda: sim.time > time + 0.1)
    assert app.stage.drive.held_buttons.held == set()


def test_a_demonstration_plays_the_routine_of_the_machine(live, until):
    app = live(td.Simulation(td.scene("slope"), contact=False))
    app.demonstrate()
    sim = app.sim
    until(lambda: sim.actuator("tilt").command > 0.01)
    # as the routine says for the time that has passed
    command, time = app.pace.send(lambda sim: (sim.actuator("tilt").command, sim.time)).result()
    assert abs(command - td.Routine(sim.model).commands(time)["tilt"]) < 0.02
    app.driver_lock.driver = 5
    app.pace.send(lambda sim: setattr(sim.actuator("tilt"), "command", 0.3)).result()
    now = sim.time
    until(lambda: sim.time > now + 0.2)
    assert sim.actuator("tilt").command == 0.3
