import pytest

import treadle as td


def test_an_arm_is_built_from_its_table_and_back(live, until):
    app = live(td.Simulation(td.scene("pendulum")))
    panel = app.stage.arm
    panel.fill()
    assert panel.lines.value.splitlines()[0].startswith("shoulder revolute")
    panel.lines.value = "waist revolute 0 pi/2 0.4 0\nelbow prismatic 0.5 0 0 0.6"
    panel.build()
    until(lambda: app.sim.model.name == "arm" and app.sim.time > 0.0)
    assert [joint.name for joint in app.sim.model.joints] == ["waist", "elbow"]
    app.stage.arm.fill()
    first = app.stage.arm.lines.value.splitlines()[0].split()
    assert first[:2] == ["waist", "revolute"]
    assert float(first[3]) == pytest.approx(1.5707963267948966)


def test_what_is_no_table_is_said(live):
    app = live(td.Simulation(td.scene("pendulum")))
    app.stage.arm.lines.value = "waist revolute 0"
    app.stage.arm.build()
    assert "line 1 has 3 words" in app.stage.message.content
    assert app.sim.model.name == "pendulum"
