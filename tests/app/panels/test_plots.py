import numpy as np
import pytest

import treadle as td


def test_a_signal_is_plotted_as_it_is(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    plots = app.stage.plots
    plots.of.value = "joint.shoulder"
    plots.quantity.value = "velocity"
    plots.add.value = True
    (title,) = plots.plots
    until(lambda: len(plots.plots[title].chart.data[0]) > 10)
    app.pace.pause()
    app.pace.send(lambda sim: None).result()
    table = plots.plots[title].table()
    again = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    for time, velocity in table[:20]:
        again.step(round((time - again.time) / again.dt))
        assert velocity == again.joint("shoulder").velocity


def test_formulas_vectors_and_files(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    plots = app.stage.plots
    plots.formula.value = "joint.elbow.position * 2 + time"
    plots.add.value = True
    (title,) = plots.plots
    assert plots.plot("center_of_mass.position", title) == title
    plot = plots.plots[title]
    assert [curve.name for curve in plot.curves][1:] == [f"center_of_mass.position.{x}" for x in "xyz"]
    until(lambda: len(plot.table()) > 3)
    lines = plot.csv().decode().splitlines()
    assert lines[0].startswith("time [s],joint.elbow.position * 2 + time [],center_of_mass.position.x [m]")
    numbers = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    np.testing.assert_allclose(numbers[:, 2:], plot.table()[: len(numbers), 2:])
    plots.formula.value = "joint.elbow.positoin"
    plots.add.value = True
    assert "did you mean" in app.stage.message.content
    plots.remove(title)
    assert plots.plots == {}
    assert plots.into.options == ("a new plot",)


def test_a_paused_plot_stands_still_but_remembers(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    plot = app.stage.plots.plots[app.stage.plots.plot("energy.total")]
    until(lambda: len(plot.chart.data[0]) > 3)
    plot.paused = True
    drawn = len(plot.chart.data[0])
    samples = len(plot.table())
    until(lambda: len(plot.table()) > samples + 10)
    assert len(plot.chart.data[0]) <= drawn + 20 < len(plot.table()) + 20
    plot.paused = False
    until(lambda: plot.chart.data[0][-1] > 0.0 and len(plot.chart.data[0]) > drawn)


def test_going_back_in_time_forgets_what_came_after(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    plot = app.stage.plots.plots[app.stage.plots.plot("energy.total")]
    until(lambda: app.sim.time > 0.3)
    app.stage.run.reset()
    until(lambda: app.sim.time < 0.2)
    until(lambda: len(plot.table()) > 2)
    assert (np.diff(plot.table()[:, 0]) > 0.0).all()


def test_there_is_an_end_to_plots(live):
    app = live(td.Simulation(td.scene("pendulum")))
    for _ in range(10):
        app.stage.plots.plot("energy.total")
    assert len(app.stage.plots.plots) == 8
    assert "remove one" in app.stage.message.content
    title = next(iter(app.stage.plots.plots))
    for _ in range(15):
        app.stage.plots.plot("energy.total", title)
    assert len(app.stage.plots.plots[title].curves) == 12


@pytest.mark.parametrize("what", ["drive.shoulder.command", "joint.shoulder.torque"])
def test_drives_are_signals(live, until, what):
    app = live(td.Simulation(td.scene("pendulum")))
    app.stage.drive.fields["shoulder"].value = 2.5
    plot = app.stage.plots.plots[app.stage.plots.plot(what)]
    until(lambda: len(plot.table()) > 0 and plot.table()[-1, 1] == 2.5)
