import socket
import threading
from urllib.request import urlopen

import numpy as np
import pytest
import viser
from websockets.sync.client import connect

import treadle as td
from tests.app.pages import PATIENCE
from treadle.app import Live, open_server
from treadle.solvers import SOLVERS


def driven() -> td.Model:
    spec = td.ModelSpec("driven")
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_body("block", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0))
    spec.add_joint("rail", "prismatic", None, "block", axis=(1, 0, 0))
    spec.add_actuator("turn", "velocity", "hinge", damping=50.0, lower=-2.0, upper=2.0)
    spec.add_actuator("push", "motor", "rail")
    return spec.compile()


def test_a_running_machine_moves_on_the_page(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    with urlopen(f"http://127.0.0.1:{app.server.get_port()}") as answer:
        assert b"<html" in answer.read()
    before = app.stage.scene.nodes["lower"].position.copy()
    until(lambda: np.linalg.norm(app.stage.scene.nodes["lower"].position - before) > 0.01)
    app.pace.pause()
    # a command that does nothing, after which the frame is shown
    app.pace.send(lambda sim: None).result()
    until(lambda: np.allclose(app.stage.scene.nodes["lower"].position, sim.body("lower").position, atol=1e-6))
    assert "simulated time" in app.stage.run.status.content
    until(lambda: "energy drift" in app.stage.quality.quality.content)


def test_sliders_set_commands(live, until):
    sim = td.Simulation(driven())
    app = live(sim)
    turn, push = app.stage.drive.fields["turn"], app.stage.drive.fields["push"]
    assert (turn.min, turn.max, turn.label) == (-2.0, 2.0, "turn (rad/s)")
    # without a range there is a field for any number
    assert (hasattr(push, "marks"), push.label) == (False, "push (N)")
    turn.value, push.value = 1.5, 3.0
    until(lambda: (sim.actuator("turn").command, sim.actuator("push").command) == (1.5, 3.0))
    until(lambda: sim.joint("rail").velocity > 0.1)
    until(lambda: "turn" in app.stage.drive.measured.content)


def test_joint_torques_where_there_are_no_actuators(live, until):
    sim = td.Simulation(td.scene("pendulum"))
    app = live(sim)
    app.stage.drive.fields["shoulder"].value = 5.0
    until(lambda: sim.joint("shoulder").torque == 5.0)


def test_buttons(live, until, click):
    sim = td.Simulation(driven())
    app = live(sim)
    run, drive = app.stage.run, app.stage.drive
    # what is commanded before the first step is what Reset returns to
    until(lambda: sim.time > 0.0)
    drive.fields["turn"].value = 1.0
    until(lambda: sim.time > 0.1)
    click(run.run)
    until(lambda: app.pace.paused and run.run.label == "Start")
    app.pace.send(lambda sim: None).result()
    time = sim.time
    click(run.buttons, "Step")
    until(lambda: sim.time == pytest.approx(time + sim.dt, abs=1e-12))
    click(run.buttons, "Back 5 s")
    until(lambda: sim.time == 0.0)
    click(run.buttons, "Step")
    until(lambda: sim.time > 0.0)
    # commanded where steps are taken: the value of a field would arrive in a thread of its own
    app.pace.send(lambda sim: setattr(sim.actuator("turn"), "command", 1.0)).result()
    click(run.buttons, "Reset")
    until(lambda: sim.time == 0.0 and sim.actuator("turn").command == 0.0)
    until(lambda: drive.fields["turn"].value == 0.0)
    drive.fields["push"].value = 4.0
    until(lambda: sim.actuator("push").command == 4.0)
    click(drive.release)
    until(lambda: sim.actuator("push").command == drive.fields["push"].value == 0.0)
    run.speed.value = "0.5x"
    assert app.pace.speed == 0.5
    click(run.run)
    until(lambda: not app.pace.paused and run.run.label == "Pause")


def test_looking_back_changes_nothing_until_the_run_goes_on(live, until, click):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    run = app.stage.run
    until(lambda: sim.time > 0.6)
    run.look(0.3)
    until(lambda: run.looking == 0.3)
    now, then = sim.time, app.stage.history.at(0.3)
    assert then.time == pytest.approx(0.3, abs=0.051)
    shown = td.frame_pose(sim.model, then.q, "lower")[:3, 3]
    until(lambda: np.allclose(app.stage.scene.nodes["lower"].position, shown, atol=1e-6))
    assert sim.time == now
    run.step()
    until(lambda: run.looking is None and sim.time == pytest.approx(0.301, abs=1e-9))
    again = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    again.step(301)
    assert sim.q.tolist() == again.q.tolist()


def test_a_replay_ends_where_it_was(live, until, click):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    run = app.stage.run
    until(lambda: sim.time > 0.3)
    run.speed.value = "0.5x"
    click(run.buttons, "Replay")
    until(lambda: run.looking is not None)
    now = sim.time
    until(lambda: run.looking is None)
    assert sim.time == now


def test_integrator_and_step_change_while_it_runs(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    until(lambda: sim.time > 0.05)
    app.stage.run.integrator.value = "rk4"
    app.stage.run.dt.value = 2.0
    until(lambda: (sim.integrator, sim.dt) == ("rk4", 0.002))
    other = next(name for name in SOLVERS if name != sim.solver)
    app.stage.run.solver.value = other
    until(lambda: sim.solver == other)
    time = sim.time
    until(lambda: sim.time > time + 0.05)


def test_another_machine_on_the_same_page(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    first = app.stage
    app.switch(lambda: 1 / 0)
    until(lambda: first.message.visible)
    time = app.sim.time
    until(lambda: app.sim.time > time)
    app.switch(lambda: td.Simulation(td.scene("arm")))
    until(lambda: app.stage is not first and app.sim.time > 0.0)
    assert app.sim.model.name == "arm"
    assert "lower" not in app.stage.scene.nodes


def test_a_client_that_goes_away_stops_nothing(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    url = f"ws://127.0.0.1:{app.server.get_port()}"
    for _ in range(3):
        page = connect(url, subprotocols=[f"viser-v{viser.__version__}"], compression=None)
        assert page.recv(timeout=PATIENCE)
        page.socket.close()
        time = sim.time
        until(lambda time=time: sim.time > time + 0.05)


def test_an_error_in_a_command_is_shown_and_stops_nothing(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)

    def fail(sim):
        raise td.InputError("this <cannot> be done")

    app.stage.commands.do(fail)
    until(lambda: app.stage.message.visible)
    assert "this &lt;cannot&gt; be done" in app.stage.message.content
    time = sim.time
    until(lambda: sim.time > time + 0.05)


def test_a_frame_that_cannot_be_shown_stops_nothing(live, until, caplog, monkeypatch):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    until(lambda: sim.time > 0.0)
    monkeypatch.setattr(app.stage.scene, "show", lambda q: 1 / 0)
    time = sim.time
    until(lambda: sim.time > time + 0.1)
    assert [record.message for record in caplog.records] == ["scene: not shown; the simulation goes on"]


def test_a_run_that_diverges_pauses_and_can_be_reset(live, until, click):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    until(lambda: sim.time > 0.05)
    app.pace.send(lambda sim: sim.v.fill(1e200)).result()
    until(lambda: app.pace.paused and app.stage.message.visible)
    click(app.stage.run.buttons, "Reset")
    until(lambda: sim.time == 0.0)
    click(app.stage.run.run)
    until(lambda: sim.time > 0.05)
    assert not app.stage.message.visible


def test_closing_while_another_machine_comes(until):
    making, made = threading.Event(), threading.Event()

    def slowly():
        making.set()
        made.wait(10)
        return td.Simulation(td.scene("arm"))

    app = Live(open_server(port=0), td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    app.start()
    app.switch(slowly)
    until(making.is_set)
    closing = threading.Thread(target=app.close)
    closing.start()
    made.set()
    closing.join(20)
    assert not closing.is_alive()


def test_leaving_does_not_wait_for_a_compiler(until):
    making, made = threading.Event(), threading.Event()

    def slowly():
        making.set()
        made.wait(PATIENCE)
        return td.Simulation(td.scene("arm"))

    app = Live(open_server(port=0), td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    app.start()
    app.switch(slowly)
    until(making.is_set)
    assert not app.leave(0.05)
    # the port is free, and what went on ends when it can
    socket.create_server(("127.0.0.1", app.server.get_port())).close()
    made.set()
    app.close()
    other = Live(open_server(port=0), td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    other.start()
    until(lambda: other.sim.time > 0.0)
    until(lambda: other.leave(1.0))


def test_buttons_wait_for_the_first_frame(apps, until):
    app = apps(Live, td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    run = app.stage.run
    assert run.run.disabled
    assert not run.buttons.visible
    app.start()
    until(lambda: not run.run.disabled and run.buttons.visible)
    assert "simulated time" in run.status.content


def test_closing_ends_the_run_and_frees_the_port(until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = Live(open_server(port=0), sim)
    app.start()
    until(lambda: sim.time > 0.0)
    app.close()
    time = sim.time
    with socket.create_server(("127.0.0.1", app.server.get_port())):
        assert sim.time == time
    # it is the user's own again
    sim.step(10)
    assert sim.time == pytest.approx(time + 10 * sim.dt)


def test_the_roadheader_in_its_tunnel(apps):
    app = apps(Live, td.Simulation(td.scene("roadheader")))
    # one node for every body that moves
    assert len(app.stage.scene.nodes) == len(app.sim.model.bodies)
    assert app.stage.scene.faults == []
    assert app.stage.drive.fields["cutter"].max == pytest.approx(55 * 2 * np.pi / 60)
    assert set(app.stage.drive.fields) == {actuator.name for actuator in app.sim.model.actuators}
    roof = app.stage.scene.scenery["tunnel_roof"]
    assert roof.visible
    app.stage.view.parts["tunnel_roof"].value = False
    assert (roof.visible, app.stage.scene.scenery["tunnel_left"].visible) == (False, True)
