import numpy as np
import pytest

import treadle as td
from tests.app.panels.test_edit import still
from treadle.app.additions import ADDED, Ends, removable
from treadle.app.stage import parts_of
from treadle.formats.save import save_files
from treadle.model.describe import describe

WORLD_END = Ends(None, "lower", (0.6, 0.0, 0.2), (0.0, 0.0, -0.5))

#: A part of every kind, with what it changes: the lists of the description that grow.
CASES = {
    "spring": (WORLD_END, 0.0, {"elements"}),
    "rod": (WORLD_END, 0.0, {"joints"}),
    "rope": (WORLD_END, 3.0, {"joints"}),
    "ball loop": (Ends("upper", "lower", (0.0, 0.0, -0.5)), 0.0, {"joints"}),
    "fixed loop": (Ends("upper", "lower"), 0.0, {"joints"}),
    "motion": (Ends(None, "lower"), 0.5, {"actuators"}),
    "body": (Ends("lower", None, (0.0, 0.0, -0.5)), 0.5, {"bodies", "joints", "shapes"}),
}
LISTS = ("bodies", "joints", "shapes", "elements", "actuators")


def sizes(model) -> dict[str, int]:
    spec = describe(model)
    return {name: len(getattr(spec, name)) for name in LISTS}


def shows(app) -> bool:
    """Whether the page is that of the machine as it is now."""
    return not app.stage.closed and app.stage.parts == parts_of(app.sim.model)


@pytest.fixture
def app(live):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.5]))
    still(app)
    return app


def test_there_is_a_case_of_every_kind():
    assert set(CASES) == set(ADDED)


@pytest.mark.parametrize("kind", CASES)
def test_a_part_is_added_undone_and_made_again(app, until, kind):
    ends, number, grows = CASES[kind]
    if kind == "motion":
        free = describe(app.sim.model)
        free.actuators.clear()
        sim = td.Simulation(free.compile(), q=[1.0, 0.5])
        app.switch(lambda: sim)
        until(lambda: app.sim is sim and not app.stage.closed)
        still(app)
    sim, original, before = app.sim, app.sim.model, sizes(app.sim.model)
    poses = {link.name: np.array(sim.body(link.name).pose) for link in original.links}
    app.stage.build.build(kind, ends, number)
    until(lambda: sim.model is not original and shows(app))
    changed = sim.model
    assert {name for name in LISTS if sizes(changed)[name] > before[name]} == grows
    # nothing moved
    for name, pose in poses.items():
        np.testing.assert_allclose(sim.body(name).pose, pose, atol=1e-9)
    app.stage.edit.go("Undo")
    until(lambda: sim.model.digest == original.digest and shows(app))
    assert describe(sim.model) == describe(original)
    app.stage.edit.go("Redo")
    until(lambda: sim.model.digest == changed.digest and shows(app))
    # and it runs
    time = sim.time
    app.pace.resume()
    until(lambda: sim.time > time)


def test_a_rod_keeps_its_length(app, until):
    sim = app.sim
    app.stage.build.build("rod", WORLD_END)
    until(lambda: len(sim.model.loops) == 1 and shows(app))

    def apart(sim) -> float:
        end = np.array(sim.body("lower").pose) @ (*WORLD_END.second_point, 1.0)
        return float(np.linalg.norm(end[:3] - WORLD_END.first_point))

    length = app.send(apart).result()
    time = sim.time
    app.pace.resume()
    until(lambda: sim.time > time + 0.3)
    assert app.send(apart).result() == pytest.approx(length, abs=1e-6)


@pytest.mark.parametrize("part", removable(describe(td.scene("pendulum"))))
def test_a_part_is_removed_and_undone(app, until, part):
    sim, original = app.sim, app.sim.model
    kind, _, name = part.partition(" ")
    app.stage.build.take_out(kind, name)
    if part == "body upper":
        until(lambda: "carries" in app.stage.edit.outcome.content)
        assert sim.model is original
        return
    until(lambda: sim.model is not original and shows(app))
    app.stage.edit.go("Undo")
    until(lambda: sim.model.digest == original.digest and shows(app))
    assert describe(sim.model) == describe(original)


def test_mistakes_are_said(app, until):
    app.stage.build.build("rod", Ends("lower", "lower"))
    until(lambda: "between two bodies" in app.stage.edit.outcome.content)
    app.stage.build.build("spring", Ends(None, "lower"), -1.0)
    until(lambda: "must not be negative" in app.stage.edit.outcome.content)
    app.stage.build.take_out("joint", "knee")
    until(lambda: "no joint named" in app.stage.edit.outcome.content)


def test_a_machine_with_added_parts_is_saved_and_loaded_again(app, until, tmp_path):
    sim = app.sim
    app.stage.build.build("spring", WORLD_END, 40.0)
    until(lambda: len(sim.model.elements) == 1 and shows(app))
    app.stage.build.build("body", CASES["body"][0], 0.5)
    until(lambda: len(sim.model.links) == 3 and shows(app))
    save_files(sim.model, tmp_path / "again.toml", gather=True)
    again = td.load(tmp_path / "again.toml")
    q, v, tau = sim.q.copy(), np.linspace(0.1, 0.5, sim.model.nv), np.zeros(sim.model.nv)
    expected = td.forward_dynamics(sim.model, q, v, tau)
    np.testing.assert_allclose(td.forward_dynamics(again, q, v, tau), expected, rtol=1e-9)
