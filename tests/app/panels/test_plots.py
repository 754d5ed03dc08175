import io
import json
import struct
from collections.abc import Callable
from time import monotonic

import numpy as np
import pyarrow.parquet as pq
import pytest
from websockets.sync.client import connect

import treadle as td
from tests.app.pages import PATIENCE, Page
from treadle.app.page_line import PATH
from treadle.app.plot import Curve, Plot


class PlotPage:
    """A page without a browser that keeps the plots that it is sent."""

    def __init__(self, app) -> None:
        given: list[str] = []
        app.driver_lock.on_join.append(lambda client: given.extend(app.line._clients))
        self._page = Page(app.server)
        self._line = connect(f"ws://127.0.0.1:{app.server.get_port()}{PATH}", max_size=None)
        self._line.send(given[-1])
        self.titles: list[str] | None = None
        self.rows: dict[str, list[list[float]]] = {}
        self.read(lambda: self.titles is not None)

    def say(self, message: dict) -> None:
        self._line.send(json.dumps(message))

    def read(self, condition: Callable[[], bool]) -> None:
        end = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < end, "it did not come about"
            try:
                raw = self._line.recv(timeout=0.05)
            except TimeoutError:
                continue
            self._take(raw)

    def _take(self, raw: str | bytes) -> None:
        if isinstance(raw, str):
            message = json.loads(raw)
            if "plots" in message:
                self.titles = [plot["title"] for plot in message["plots"]]
            return
        length, width = struct.unpack("<II", raw[:8])
        message = json.loads(raw[8 : 8 + length])["rows"]
        rows = np.frombuffer(raw[8 + length :]).reshape(-1, width).tolist()
        before = [] if message["reset"] else self.rows[message["title"]]
        self.rows[message["title"]] = before + rows

    def close(self) -> None:
        self._line.close()
        self._page.close()


def test_a_signal_is_plotted_as_it_is(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    plots = app.stage.plots
    plots.of.value = "joint.shoulder"
    plots.quantity.value = "velocity"
    plots.add.value = True
    (title,) = plots.plots
    until(lambda: len(plots.plots[title].table()) > 10)
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
    table = pq.read_table(io.BytesIO(plot.parquet()))
    assert table.column_names == lines[0].split(",")
    assert table.num_rows >= len(lines) - 1
    assert lines[0].startswith("time [s],joint.elbow.position * 2 + time [],center_of_mass.position.x [m]")
    numbers = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    np.testing.assert_allclose(numbers[:, 2:], plot.table()[: len(numbers), 2:])
    plots.formula.value = "joint.elbow.positoin"
    plots.add.value = True
    assert "did you mean" in app.stage.message.content
    plots.remove(title)
    assert plots.plots == {}
    assert plots.into.options == ("a new plot",)


def test_a_plot_is_filled_from_the_history(live, until):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    app = live(sim)
    until(lambda: sim.time > 0.5)
    added = sim.time
    plot = app.stage.plots.plots[app.stage.plots.plot("joint.elbow.velocity")]
    until(lambda: len(plot.table()) > 3 and plot.table()[0, 0] == 0.0)
    table = plot.table()
    assert (np.diff(table[:, 0]) > 0.0).all()
    before = table[table[:, 0] < added]
    assert len(before) >= 9
    again = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
    for time, velocity in before:
        again.step(round((time - again.time) / again.dt))
        assert velocity == again.joint("elbow").velocity


def test_pages_are_sent_what_they_lack(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    page = PlotPage(app)
    title = app.stage.plots.plot("energy.total")
    plot = app.stage.plots.plots[title]
    page.read(lambda: len(page.rows.get(title, ())) > 30)
    # back to the start: what came after is taken away there, too
    app.stage.run.reset()
    until(lambda: app.sim.time < 0.2)
    page.read(lambda: len(page.rows[title]) > 3 and page.rows[title][0][0] == 0.0)
    app.pace.pause()
    app.send(lambda sim: None).result()
    page.read(lambda: len(page.rows[title]) == len(plot.table()))
    np.testing.assert_array_equal(page.rows[title], plot.table())
    page.say({"plot": {"remove": title}})
    page.read(lambda: page.titles == [])
    assert app.stage.plots.plots == {}
    for nonsense in ({"plot": {"remove": "none such"}}, {"plot": 3}, {"plot": {"sell": title}}, {"pad": [7]}):
        page.say(nonsense)
    until(lambda: app.server.guard.dropped["malformed"] == 4)
    page.close()


def test_a_long_run_is_kept_at_equal_distances():
    plot = Plot("x", [Curve("x", "m", frozenset(["x"]), lambda values: values["x"])])
    steps = 40_000
    for k in range(steps):
        plot.sample({"time": 0.02 * k, "x": float(k)})
    table = plot.table()
    assert len(table) <= 8000
    np.testing.assert_allclose(table[:, 0], 0.02 * table[:, 1])
    assert table[0, 0] == 0.0
    assert table[-1, 1] == steps - 1
    # all of the last ones, and no gap before them that is much longer than the others
    np.testing.assert_array_equal(table[-3000:, 1], np.arange(steps - 3000, steps))
    gaps = np.diff(table[:-3000, 0])
    assert gaps.max() < 5.0 * gaps.mean()


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
