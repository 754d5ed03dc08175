"""Numbers of a model that are told apart."""

import pytest

import treadle as td
from treadle.model.apart import told_apart
from treadle.native.emit import is_pooled
from treadle.native.program import _graph_digest
from treadle.sim.step.options import StepOptions
from treadle.sim.step.program import StepKind, step_program


def legs(**changes: float) -> td.ModelSpec:
    """A body with two legs that are the same but for the changes of the left one's joint."""
    spec = td.ModelSpec("legs")
    spec.add_body("trunk", 8.0, inertia=(0.2, 0.3, 0.3))
    spec.add_joint("rail", "prismatic", None, "trunk", axis=(1, 0, 0), damping=1.0)
    for side, place in (("left", 0.2), ("right", -0.2)):
        spec.add_body(side, 1.0, center=(0, 0, -0.25), inertia=(0.02, 0.02, 0.001))
        options = {"damping": 0.5, "stiffness": 3.0, "lower": -1.0, "upper": 1.0, "friction": 0.2}
        options |= changes if side == "left" else {}
        spec.add_joint(side, "revolute", "trunk", side, axis=(0, 1, 0), position=(0, place, 0), **options)
        spec.add_actuator(side, "motor", side, gain=2.0, effort=30.0)
    return spec


def shape(spec: td.ModelSpec) -> str:
    """What the code of the step depends on: the graph without the machine's numbers."""
    graph, outputs = step_program(
        spec.compile(), StepOptions(), StepKind(bounded=True, accounted=True)
    ).trace()
    kept = {i: None if is_pooled(x, 1, "double") else x for i, x in graph.constants.items()}
    return _graph_digest(graph, outputs, kept)


def test_the_numbers_are_the_same():
    model = legs().compile()
    apart = told_apart(model)
    assert apart.digest == model.digest and apart.joints == model.joints
    assert apart.joint("left").damping is not model.joint("left").damping


@pytest.mark.parametrize("name", ["damping", "stiffness", "friction", "upper", "lower"])
def test_one_of_two_equal_numbers_changes_without_other_code(name):
    assert shape(legs(**{name: -0.7 if name == "lower" else 0.7})) == shape(legs())


@pytest.mark.parametrize("name", ["damping", "stiffness", "friction"])
def test_a_number_that_becomes_zero_needs_other_code(name):
    assert shape(legs(**{name: 0.0})) != shape(legs())


@pytest.mark.parametrize("value", [1.0, 2.0])
def test_plain_numbers_need_no_other_code(value):
    """One and two are part of the code where they belong to an algorithm."""
    assert shape(legs(damping=value)) == shape(legs())
    heavier = legs()
    heavier.body("trunk").mass = value
    assert shape(heavier) == shape(legs())


def test_the_actuators_are_told_apart():
    spec = legs()
    spec.actuators[0].gain = 2.5
    spec.actuators[1].effort = 20.0
    assert shape(spec) == shape(legs())
