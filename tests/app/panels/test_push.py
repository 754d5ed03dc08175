import threading

import numpy as np
import pytest

import treadle as td


def dragged(app, phase, start, end, body="lower", client=7):
    grabs = app.stage.push.grabs
    if phase == "start":
        grabs.begin(client, body, np.array(start))
    grabs.move(client, np.array(end))


def test_a_pull_moves_the_machine_and_ends_with_its_page(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[0.0, 0.0])
    app = live(sim)
    grabs = app.stage.push.grabs
    until(lambda: sim.time > 0.05)
    dragged(app, "start", (0.0, 0.0, -1.0), (1.0, 0.0, -1.0))
    until(lambda: grabs.forces.get("lower", 0.0) > 1.0)
    until(lambda: sim.joint("shoulder").position < -0.05 or sim.joint("shoulder").position > 0.05)
    until(lambda: "N" in grabs._held[7].label.text)
    # the page goes
    app.driver_lock.driver = 7
    app.driver_lock._release()
    until(lambda: not sim.loads.any())
    assert grabs.forces == {}


def test_a_pull_may_end_while_it_is_drawn(live, until, monkeypatch):
    app = live(td.Simulation(td.scene("pendulum"), q=[0.0, 0.0]))
    app.pace.pause()
    app.send(lambda sim: None).result()
    grabs, scene = app.stage.push.grabs, app.stage.scene
    dragged(app, "start", (0.0, 0.0, -1.0), (1.0, 0.0, -1.0))
    app.send(lambda sim: None).result()
    pose, enders = scene.pose, []

    def pose_while_it_ends(name):
        if not enders:
            enders.append(threading.Thread(target=grabs.end, args=(7,)))
            enders[0].start()
            # until it has removed what is drawn, or waits for this
            enders[0].join(timeout=0.5)
        return pose(name)

    monkeypatch.setattr(scene, "pose", pose_while_it_ends)
    grabs.frame(app.sim)
    enders[0].join()
    assert grabs.forces == {}


def test_while_paused_a_pull_moves_the_machine_by_hand(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[0.0, 0.0])
    app = live(sim)
    app.pace.pause()
    time = sim.time
    target = (0.6, 0.0, -0.8)
    dragged(app, "start", (0.0, 0.0, -1.0), target)
    until(lambda: np.allclose(sim.body("lower").position, target, atol=0.02))
    assert sim.v.tolist() == [0.0, 0.0]
    assert sim.time == pytest.approx(time, abs=0.1)


def test_loads_are_added_changed_and_removed(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[0.0, 0.0])
    app = live(sim)
    push = app.stage.push
    push.body.value, push.kind.value = "lower", "force"
    push.add.value = True
    ((name, (load, arrow, field, _)),) = push.items.items()
    assert load.vector == pytest.approx((0.0, 0.0, 0.1 * push._weight))
    field.value = (5.0, 0.0, 0.0)
    until(lambda: sim.loads[21:24, 0].tolist() == [5.0, 0.0, 0.0])
    # the handle at the tip: as long as the arrow of 20 N upward
    app.pace.pause()
    app.pace.send(lambda sim: None).result()
    arrow.take(app.stage.scene.pose("lower")[:3, 3] + arrow.scale * np.array([0.0, 0.0, 20.0]))
    assert field.value == pytest.approx((0.0, 0.0, 20.0), abs=1e-3)
    push.remove(name)
    app.pace.resume()
    until(lambda: not sim.loads.any())


def test_torques_and_pulls(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[0.0, 0.0])
    app = live(sim)
    push = app.stage.push
    push.put_on("upper", "torque", (0.0, 0.0, 0.0))
    push.items["torque 1"][2].value = (0.0, 4.0, 0.0)
    until(lambda: sim.loads[3:6, 0].tolist() == [0.0, 4.0, 0.0])
    name = push.put_on("lower", "pull", (0.0, 0.0, 0.0))
    push.items[name][2].value = (0.5, 0.0, -0.9)
    until(lambda: sim.loads[21, 0] > 0.1)


def test_there_is_an_end_to_loads(live):
    app = live(td.Simulation(td.scene("pendulum")))
    for _ in range(40):
        app.stage.push.put_on("lower", "force", (0.0, 0.0, 0.0))
    assert len(app.stage.push.items) == 32
    assert "remove some" in app.stage.message.content
