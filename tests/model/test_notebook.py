"""Short lines and tables for notebooks."""

import pytest

import treadle as td


@pytest.fixture(scope="module")
def sim():
    return td.Simulation(td.scene("slider-crank"))


def test_a_model_is_a_short_line(sim):
    text = repr(sim.model)
    assert text.startswith("<Model 'slider-crank', degrees of freedom ")
    assert "\n" not in text
    assert len(text) < 200


def test_simulations_and_handles_say_what_they_are(sim):
    assert repr(sim).startswith("<Simulation of 'slider-crank', time 0 s, step 0.001 s")
    joint, link = sim.model.joints[0].name, sim.model.links[0].name
    assert repr(sim.joint(joint)).startswith(f"<joint '{joint}' of 'slider-crank', position ")
    assert repr(sim.body(link)) == f"<body '{link}' of 'slider-crank'>"
    assert repr(sim.loop(sim.model.loops[0].name)).startswith("<loop ")


def test_tables_for_notebooks(sim):
    sim.step(2)
    for shown in (sim.model, sim, sim.joint(sim.model.joints[0].name), sim.quality()):
        html = shown._repr_html_()
        assert html.startswith("<table>")
        assert html.count("<tr>") == html.count("</tr>") >= 2


def test_names_are_escaped():
    spec = td.ModelSpec("<b>bold</b>")
    spec.add_body("arm", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "arm")
    assert "<b>bold" not in spec.compile()._repr_html_().replace("<b>Model", "")
