import math

import pytest

from treadle.errors import ModelError
from treadle.model import ModelSpec


def machine() -> ModelSpec:
    """A base, an arm on a hinge, and a frame: nothing wrong with it."""
    spec = ModelSpec("good")
    spec.add_body("base", 5.0, inertia=(1, 1, 1))
    spec.add_body("arm", 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("mount", "fixed", None, "base")
    spec.add_joint("elbow", "revolute", "base", "arm", axis=(0, 1, 0), lower=-1, upper=1)
    spec.add_frame("tip", "arm")
    return spec


def test_the_machine_itself_is_fine():
    assert machine().compile().nv == 1


def refused(spec: ModelSpec, element: str, message: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        spec.compile()
    assert caught.value.element == element
    assert message in caught.value.message
    return caught.value


BAD_BODY = [
    ("mass", -1.0, "negative mass"),
    ("mass", math.nan, "mass needs finite"),
    ("mass", "heavy", "mass needs numbers"),
    ("mass", None, "mass needs"),
    ("mass", (1, 2), "mass needs one number"),
    ("center", (0, 0), "center needs 3 numbers"),
    ("center", (0, 0, math.inf), "center needs finite"),
    ("inertia", (1, 1), "inertia needs a 3 x 3"),
    ("inertia", (1, 1, math.nan), "inertia needs finite"),
    ("inertia", [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "not symmetric"),
    ("inertia", (1, 1, -1), "negative"),
    ("inertia", (1, 1, 1, 2, 0, 0), "negative"),
    ("inertia", (1, 1, 2.1), "exceeds"),
    ("type", "cone", "unknown type 'cone'"),
    ("type", "box", "size needs 3 numbers"),
    ("size", (1, 2, 3), "a size but no type"),
    ("size", 1.0, "a size but no type"),
]


@pytest.mark.parametrize(("field", "value", "message"), BAD_BODY)
def test_bad_body(field, value, message):
    spec = machine()
    setattr(spec.bodies[1], field, value)
    refused(spec, 'body "arm"', message)


BAD_JOINT = [
    ({"type": "hinge"}, "unknown joint type 'hinge'"),
    ({"type": None}, "unknown joint type"),
    ({"parent": "bse"}, "parent 'bse' is not a body"),
    ({"child": "amr"}, "child 'amr' is not a body"),
    ({"child": None}, "no child"),
    ({"position": (0, 0)}, "position needs 3 numbers"),
    ({"rotation": ((1, 0, 0), (0, 1, 0), (0, 0, -1))}, "rotation needs a rotation matrix"),
    ({"child_position": (0, 0)}, "child_position needs 3 numbers"),
    ({"child_position": (0, 0, math.nan)}, "child_position needs finite"),
    ({"child_rotation": ((1, 0, 0), (0, 1, 0), (0, 0, 2))}, "child_rotation needs a rotation matrix"),
    ({"axis": (0, 0, 0)}, "axis is zero"),
    ({"axis": (0, 1)}, "axis needs 3 numbers"),
    ({"axis": (0, 1, math.nan)}, "axis needs finite"),
    ({"second_axis": (1, 0, 0)}, "no second axis"),
    ({"pitch": 0.1}, "no pitch"),
    ({"type": "helical", "pitch": "steep"}, "pitch needs numbers"),
    ({"type": "universal", "second_axis": (0, 2, 0), "lower": None, "upper": None}, "parallel"),
    ({"lower": 2.0}, "lower limit is above its upper"),
    ({"lower": math.inf, "upper": math.inf}, "lower limit is above its upper"),
    ({"lower": (0, 0)}, "lower needs one number or 1"),
    ({"lower": math.nan}, "lower needs numbers"),
    ({"type": "continuous"}, "no position limits"),
    ({"type": "ball"}, "cannot have position limits"),
    ({"effort": -5}, "effort limit is negative"),
    ({"speed": -5}, "speed limit is negative"),
    ({"damping": -1}, "damping is negative"),
    ({"friction": -1}, "friction is negative"),
    ({"stiffness": -1}, "stiffness is negative"),
    ({"armature": -1}, "armature is negative"),
    ({"damping": math.inf}, "damping needs finite"),
    ({"reference": "left"}, "reference needs numbers"),
    ({"damping": (1, 2)}, "damping needs one number or 1"),
    ({"type": "ball", "lower": None, "upper": None, "stiffness": 1}, "cannot have a spring"),
    ({"type": "free", "lower": None, "upper": None, "stiffness": 1}, "cannot have a spring"),
]


@pytest.mark.parametrize(("changes", "message"), BAD_JOINT)
def test_bad_joint(changes, message):
    spec = machine()
    for field, value in changes.items():
        setattr(spec.joints[1], field, value)
    refused(spec, 'joint "elbow"', message)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("body", "arn", "body 'arn' is not"),
        ("position", (1,), "3 numbers"),
        ("rotation", (0, 0, 0, 0), "not zero"),
    ],
)
def test_bad_frame(field, value, message):
    spec = machine()
    setattr(spec.frames[0], field, value)
    refused(spec, 'frame "tip"', message)


def test_bad_gravity():
    spec = machine()
    spec.gravity = (0, -9.81)
    refused(spec, 'model "good"', "gravity needs 3 numbers")


@pytest.mark.parametrize("name", ["", "  ", None, 7])
def test_missing_names(name):
    spec = machine()
    spec.bodies[1].name = name
    refused(spec, "body number 2", "no name")
    spec = machine()
    spec.joints[1].name = name
    refused(spec, "joint number 2", "no name")


def test_names_taken_twice():
    spec = machine()
    spec.add_body("arm")
    refused(spec, 'body "arm"', "already that of another body")
    spec = machine()
    spec.add_joint("elbow", "fixed", "arm", "arm")
    refused(spec, 'joint "elbow"', "already that of another joint")
    spec = machine()
    spec.add_frame("arm", "base")
    refused(spec, 'frame "arm"', "already that of another body")


def test_a_joint_and_a_body_may_share_a_name():
    spec = machine()
    spec.joints[1].name = "arm"
    assert spec.compile().joint("arm").name == "arm"


def test_suggestions():
    spec = machine()
    spec.joints[1].parent = "bse"
    assert "'base'" in str(refused(spec, 'joint "elbow"', "bse"))
    spec.joints[1].parent = "world"
    assert "None for the world" in str(refused(spec, 'joint "elbow"', "world"))


def test_body_without_a_joint():
    spec = machine()
    spec.add_body("loose", 1.0)
    error = refused(spec, 'body "loose"', "no joint connects")
    assert "fixed or free joint from the world" in error.hint


def test_joint_against_the_direction():
    spec = machine()
    spec.add_body("rod", 1.0)
    spec.add_joint("pin", "revolute", "rod", "arm")
    error = refused(spec, 'joint "pin"', 'leads from "rod", which no joint connects to the world')
    assert "exchange its predecessor" in error.hint
    spec.joints[-1].parent, spec.joints[-1].child = "arm", "rod"
    spec.bodies[-1].inertia = (1, 1, 1)
    assert spec.compile().nv == 2


def test_loop_of_a_body_with_itself():
    spec = machine()
    spec.add_joint("knot", "revolute", "arm", "arm")
    refused(spec, 'joint "knot"', "connects a body with itself")


def test_parents_in_a_circle():
    spec = machine()
    spec.joints[0].parent = "arm"
    error = refused(spec, 'body "base"', "circle")
    assert '"base" -> "arm" -> "base"' in error.message


def test_body_on_itself():
    spec = machine()
    spec.joints[0].parent = "base"
    refused(spec, 'body "base"', "circle")


def test_massless_body_that_moves():
    spec = machine()
    spec.bodies[1].mass, spec.bodies[1].inertia = 0.0, (0, 0, 0)
    error = refused(spec, 'joint "elbow"', 'body "arm"')
    assert "mass" in error.hint


def test_file_and_line_are_told():
    spec = machine()
    spec.file, spec.bodies[1].line, spec.bodies[1].mass = "robot.urdf", 17, -1.0
    assert str(refused(spec, 'body "arm"', "negative mass")).startswith(
        'robot.urdf:17: body "arm": has the negative'
    )


def test_rounding_of_a_file_is_tolerated():
    spec = machine()
    spec.bodies[1].inertia = (0.1, 0.1, 0.2000001)
    assert spec.compile().nv == 1
    spec.bodies[1].inertia = (0.0, 0.0, 0.0)
    assert spec.compile().nv == 1
