import gc

import treadle as td
from treadle.scenes import scene_names


def test_all_scenes_are_there(live):
    app = live(td.Simulation(td.scene("pendulum")))
    assert list(app.stage.scenes.buttons) == scene_names()
    assert app.stage.scenes.buttons["pendulum"].disabled


def test_ten_switches_leave_nothing_behind(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))

    def weight() -> tuple[int, int, int]:
        gc.collect()
        messages = app.server._websock_server._broadcast_buffer.message_from_id
        handles = app.server.gui._gui_input_handle_from_uuid
        stages = sum(type(thing).__name__ == "Stage" for thing in gc.get_objects())
        return len(messages), len(handles), stages

    def open_(name: str) -> None:
        before = app.stage
        app.stage.scenes.open(name)
        until(lambda: app.stage is not before and app.sim.model.name == name and app.sim.time > 0.0)
        app.pace.pause()
        app.pace.send(lambda sim: None).result()

    open_("arm")
    open_("pendulum")
    first = weight()
    for _ in range(5):
        open_("arm")
        open_("pendulum")
    last = weight()
    assert last[0] <= first[0] + 20
    assert last[1] == first[1]
    # tests before this one may have left some
    assert last[2] <= first[2]


def test_a_demonstration_ends_when_someone_drives(live, until):
    app = live(td.Simulation(td.scene("roadheader")))
    app.demonstrate()
    sim = app.sim
    until(lambda: sim.actuator("lift_left").command == 1.0 and sim.actuator("cutter").command > 1.0)
    app.crew.driver = 5
    until(lambda: sim.actuator("lift_left").command == 0.0)
    time = sim.time
    until(lambda: sim.time > time + 0.1)
    assert app.stage.drive.holds.held == set()
