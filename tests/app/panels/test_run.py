"""What the page says while a machine is compiled, and the marks of the timeline."""

import treadle as td
from treadle.app.panels.run import progress_lines
from treadle.native.progress import Compilation


def test_progress_says_what_and_how_long():
    lines = progress_lines(Compilation("the kernel sim.step.advance", 65.0, 12.3), 20.0)
    assert lines[0] == "compiling the kernel sim.step.advance: 12 s of about 65 s"
    late = progress_lines(Compilation("the kernel sim.step.advance", 65.0, 90.0), 95.0)
    assert "90 s, expected 65 s" in late[0]
    assert progress_lines(None, 3.0) == ["preparing the machine: 3 s"]


def test_events_and_bookmarks_are_marks(live, until):
    event = td.Event(lambda q, v, t: q["shoulder"], name="bottom")
    app = live(td.Simulation(td.scene("pendulum"), q=[0.5, 0.0], events=[event]))
    until(lambda: len(app.sim.events.log) > 1)
    app.stage.run.mark("bookmark", "bookmark")
    until(lambda: {kind for _, kind, _ in app.stage.run.all_marks(app.sim)} == {"event", "bookmark"})
    texts = [text for _, kind, text in app.stage.run.all_marks(app.sim) if kind == "event"]
    assert set(texts) == {"bottom"}
