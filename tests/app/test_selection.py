"""Bodies that are clicked."""

import pytest

import treadle as td


@pytest.fixture
def app(live):
    app = live(td.Simulation(td.scene("pendulum"), q=[0.7, 0.3]))
    app.pace.pause()
    app.send(lambda sim: None).result()
    return app


def test_the_panels_follow_the_selection(app):
    stage = app.stage
    stage.selection.choose("lower")
    assert (stage.edit.kind.value, stage.edit.name.value, stage.push.body.value) == ("body", "lower", "lower")
    node = stage.scene.nodes["lower"].name
    label = app.server.scene.get_handle_by_name(f"{node}/name of selected")
    assert label is not None
    assert label.text == "lower on joint elbow"
    # the same one again: none
    stage.selection.choose("lower")
    assert stage.selection.body is None
    assert app.server.scene.get_handle_by_name(f"{node}/selected") is None
