import copy
import json
import math
import pickle

import numpy as np
import pytest

import treadle as td
from treadle.errors import InputError, ModelError
from treadle.model import BodySpec, FrameSpec, JointSpec, ModelSpec, rpy


def machine() -> ModelSpec:
    spec = ModelSpec("crane", gravity=(0, 0, -1.62), report=["guessed the colour"])
    spec.add_body("mast", 0.1 + 0.2, center=np.array([0.0, 0.0, 1.0]), inertia=(1, 1, 0.1), line=12)
    spec.add_body("hook", 2.0, inertia=[[0.1, 0, 0], [0, 0.1, 0], [0, 0, 1 / 7]])
    spec.add_joint("turn", "revolute", None, "mast", lower=-math.inf, upper=1.5, damping=0.3)
    swing = spec.add_joint("swing", "universal", "mast", "hook", axis=(1, 0, 0), second_axis=(0, 1, 0))
    swing.position, swing.rotation = (1 / 3, 0.0, 2.0), rpy(0.1, 0.2, 0.3)
    swing.effort, swing.stiffness, swing.reference = (10.0, None), (1.0, 2.0), (0.1, 0.2)
    swing.armature = 1e-3
    spec.add_frame("eye", "hook", position=(0, 0, -0.1))
    return spec


def test_all_parts_survive_json():
    spec = machine()
    spec.add_shape("pipe", "mast", "cylinder", (0.1, 2), color=(1, 0, 0, 1), line=3)
    spec.add_material("steel", friction=0.5)
    spec.add_contact("mast", None, enabled=False)
    spec.add_actuator("motor", "motor", "swing", freedom=1, effort=math.inf)
    spec.add_coupling("gear", "turn", None, (0.5,))
    spec.add_keyframe("initial", {"swing": (0.1, 0.2)}, velocities={"turn": 1})
    spec.geometry, spec.settings = "crane.3dt", {"dt": 1e-3, "steps": 5, "list": [1, "two", {"three": False}]}
    spec.joints[1].child_position = (1, 2, 3)
    back = ModelSpec.from_dict(json.loads(json.dumps(spec.to_dict(), allow_nan=False)))
    spec.joints[0].lower = spec.actuators[0].effort = None
    spec.joints[1].child_position = (1.0, 2.0, 3.0)
    assert back == spec
    assert isinstance(back.actuators[0].freedom, int)
    assert isinstance(back.settings["steps"], int)
    assert back.shapes[0].line == 3
    assert back.compile().digest == spec.compile().digest


def test_settings_are_plain():
    assert ModelSpec(settings={"a": (1, np.array([2.0])), "b": np.float64(3)}).settings == {
        "a": [1, [2.0]],
        "b": 3.0,
    }


def test_add_returns_the_item():
    spec = ModelSpec("one")
    body = spec.add_body("box", 1.0, inertia=(1, 1, 1))
    joint = spec.add_joint("float", "free", None, "box")
    frame = spec.add_frame("corner", "box", position=(1, 1, 1))
    assert (body, joint, frame) == (spec.bodies[0], spec.joints[0], spec.frames[0])
    assert isinstance(body, BodySpec)
    assert isinstance(joint, JointSpec)
    assert isinstance(frame, FrameSpec)
    body.mass = 3.0
    assert spec.compile().mass == 3.0


def test_unknown_field_is_refused():
    with pytest.raises(InputError, match="no 'colour'"):
        ModelSpec().add_body("box", 1.0, colour="red")


def test_round_trip_through_json_is_exact():
    spec = machine()
    data = json.loads(json.dumps(spec.to_dict(), allow_nan=False))
    back = ModelSpec.from_dict(data)
    # an endless limit is the same as none
    spec.joints[0].lower = None
    assert back == spec
    assert back.bodies[0].line == 12
    assert back.to_dict() == data
    assert back.compile().digest == machine().compile().digest


def test_edits_after_construction_survive_the_round_trip():
    spec = machine()
    spec.bodies[0].center = np.array([0.1, 0.2, 0.3])
    spec.joints[1].position = [1, 2, 3]
    back = ModelSpec.from_dict(json.loads(json.dumps(spec.to_dict())))
    assert back.bodies[0].center == (0.1, 0.2, 0.3)
    assert back.joints[1].position == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("data", [{}, {"bodies": [{"colour": 1}]}, {"bodies": 5}, {"bodies": [5]}])
def test_from_dict_refuses_other_data(data):
    with pytest.raises(ModelError, match="not a machine's description"):
        ModelSpec.from_dict(data)


def test_compile_keeps_report_and_gravity():
    model = machine().compile()
    assert model.report == ("guessed the colour",)
    assert model.gravity == (0.0, 0.0, -1.62)
    assert model.name == "crane"


def test_lenient_compile_reports_what_strict_refuses():
    spec = ModelSpec()
    spec.add_body("odd", 1.0, inertia=(1, 1, 5))
    spec.add_body("ghost")
    spec.add_joint("hinge", "revolute", None, "odd")
    spec.add_joint("thumb", "revolute", "odd", "ghost")
    with pytest.raises(ModelError, match="odd"):
        spec.compile()
    report = spec.compile(strict=False).report
    assert len(report) == 2
    assert '"odd"' in report[0]
    assert "not physical" in report[0]
    assert '"thumb"' in report[1]
    assert spec.report == []


def test_lenient_compile_refuses_everything_else():
    spec = ModelSpec()
    spec.add_body("anti", -1.0)
    spec.add_joint("hinge", "revolute", None, "anti")
    with pytest.raises(ModelError, match="negative mass"):
        spec.compile(strict=False)


def test_empty_machine_compiles():
    model = ModelSpec("nothing").compile()
    assert (model.nq, model.nv, model.mass) == (0, 0, 0.0)


def test_models_can_be_copied_and_pickled_after_use():
    model = td.scene("pendulum")
    M = td.mass_matrix(model, [0.3, 0.2])
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.digest == model.digest
        assert np.array_equal(td.mass_matrix(twin, [0.3, 0.2]), M)


@pytest.mark.parametrize(
    ("body", "joint", "message"),
    [
        ({"inertia": (1e308, 1e308, 1e308)}, {}, "larger than that of any machine"),
        ({}, {"axis": (0.0, 1e308, 1.0)}, "axis is too long"),
    ],
)
def test_numbers_beyond_all_machines(body, joint, message):
    spec = td.ModelSpec("absurd")
    spec.add_body("arm", 1.0, **{"inertia": (0.1, 0.1, 0.1), **body})
    spec.add_joint("hinge", "revolute", None, "arm", **joint)
    with pytest.raises(td.ModelError, match=message):
        spec.compile()


def test_names_of_thousands_of_letters_are_cut_in_errors():
    assert len(str(td.ModelError(f"unknown type {'x' * 5000}"))) < 200
