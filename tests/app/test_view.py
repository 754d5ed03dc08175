import threading
from urllib.request import urlopen

import numpy as np
import pytest

import treadle as td
from tests.app.pages import PATIENCE


def test_the_page_runs_the_simulation(until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    with td.view(sim) as page:
        assert page.url.startswith("http://127.0.0.1:")
        assert page.url in page._repr_html_()
        assert page.send(lambda sim: sim.model.name).result() == "pendulum"
        until(lambda: sim.time > 0.1)
        with pytest.raises(td.InputError, match="run=False"):
            page.show()


def test_sliders_buttons_and_plots_of_a_script(until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    with td.view(sim) as page:
        push = page.slider("push", -5.0, 5.0, 0.0, lambda sim, x: setattr(sim.joint("elbow"), "torque", x))
        page.button("swing", lambda sim: setattr(sim.joint("shoulder"), "velocity", 3.0))
        page.plot("height [m]", lambda sim: sim.body("lower").position[2])
        page.plot("joint.elbow.velocity * 2")
        page.plot("energy.total")
        push.value = 2.0
        until(lambda: sim.joint("elbow").torque == 2.0)
        plots = list(page.stage.plots.plots.values())
        assert [plot.curves[0].name for plot in plots] == [
            "height",
            "joint.elbow.velocity * 2",
            "energy.total",
        ]
        assert plots[0].curves[0].unit == "m"
        until(lambda: len(plots[0].table()) > 2)
        assert -1.0 - 1e-9 <= plots[0].table()[-1, 1] <= 1.0


def test_a_script_steps_and_the_page_follows(until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    with td.view(sim, run=False) as page:
        wanted = page.send(lambda sim: sim.time)
        for _ in range(30):
            sim.step(10)
            page._shown = 0.0
            page.show()
        assert wanted.result(timeout=PATIENCE) > 0.0
        expected = td.frame_pose(sim.model, sim.q, "lower")[:3, 3]
        np.testing.assert_allclose(page.stage.scene.nodes["lower"].position, expected, atol=1e-6)
        # a pause at the page holds the script
        page.stage.run.toggle()
        page._shown = 0.0
        script = threading.Thread(target=page.show)
        script.start()
        script.join(0.1)
        assert script.is_alive()
        page.stage.run.toggle()
        script.join(10)
        assert not script.is_alive()


def test_worlds_of_a_batch():
    batch = td.Batch(td.scene("pendulum"), 16)
    batch.q = np.linspace(0.0, 1.0, 32).reshape(16, 2)
    with td.view(batch, worlds=[3, 5]) as page:
        with urlopen(page.url) as answer:
            assert b"<html" in answer.read()
        batch.step(100)
        page._shown = 0.0
        page.show()
        for world in (3, 5):
            expected = td.frame_pose(batch.model, batch.q[world], "lower")[:3, 3]
            np.testing.assert_allclose(page.scenes[world].nodes["lower"].position, expected, atol=1e-6)
    for worlds in ([16], [-1], []):
        with pytest.raises(td.InputError, match="worlds must be"):
            td.view(batch, worlds=worlds)


def test_worlds_are_paused_and_driven():
    batch = td.Batch(td.scene("roadheader"), 4)
    with td.view(batch, worlds=[0, 2]) as page:
        page.fields["extend"].value = 0.5
        page.driven.value = "world 2"
        page.fields["cutter"].value = 1.25
        page._shown = 0.0
        page.show()
        names = [actuator.name for actuator in batch.model.actuators]
        assert batch.commands[:, names.index("extend")].tolist() == [0.5] * 4
        assert batch.commands[:, names.index("cutter")].tolist() == [0.0, 0.0, 1.25, 0.0]
        page.run.value = True
        page._shown = 0.0
        script = threading.Thread(target=page.show)
        script.start()
        script.join(0.1)
        assert script.is_alive()
        page.run.value = True
        script.join(10)
        assert not script.is_alive()
    pendulums = td.Batch(td.scene("pendulum"), 2)
    with td.view(pendulums) as page:
        page.fields["elbow"].value = 3.0
        page._shown = 0.0
        page.show()
        assert pendulums.tau.tolist() == [[0.0, 3.0], [0.0, 3.0]]


def test_other_things_are_refused():
    with pytest.raises(td.InputError, match="not str"):
        td.view("roadheader")  # type: ignore[call-overload]
