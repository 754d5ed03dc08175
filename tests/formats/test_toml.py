import json
import math
import tomllib
from dataclasses import MISSING, fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from tests.furnished import furnished_machines
from treadle import InputError, Model, ModelError, ModelSpec, Simulation, load, load_spec, save
from treadle.formats.schema import toml_schema, toml_schema_text
from treadle.formats.toml import read, text
from treadle.formats.toml_keys import LIMITS, POSE, TABLES, TOP
from treadle.formats.toml_lines import Lines
from treadle.model import WORLD, parameter_value, rpy
from treadle.model.describe import describe
from treadle.model.parts import ACTUATOR_TYPES, SHAPE_TYPES

DOCS = Path(__file__).parents[2] / "docs" / "formats"
EXAMPLE = DOCS / "example" / "robot.toml"

HEAD = 'format = "treadle-1"\nunits = "SI"\nname = "robot"\n'
ARM = (
    HEAD
    + """
[[body]]
name = "arm"
mass = 2.0
inertia = [0.1, 0.1, 0.1]

[[joint]]
name = "turn"
type = "hinge"
predecessor = "world"
successor = "arm"
"""
)


def parsed(content: str) -> ModelSpec:
    return read(content.encode(), "file")


# ---------------------------------------------------------------------------------------------------
# round trip
# ---------------------------------------------------------------------------------------------------


@given(furnished_machines())
def test_a_machine_survives_the_file(spec):
    back = parsed(text(spec))
    spec.name = spec.name or "file"
    back.report = []
    assert back == spec
    assert text(back) == text(spec)
    first, second = spec.compile(strict=False), back.compile(strict=False)
    assert first.digest == second.digest
    assert [loop.name for loop in first.loops] == [loop.name for loop in second.loops]
    assert (first.keyframes, first.actuators) == (second.keyframes, second.actuators)
    assert first.report == second.report


LISTS = [table.list for table in TABLES.values()]


@given(furnished_machines())
def test_a_model_can_be_described_again(spec):
    model = spec.compile(strict=False)
    again = describe(model).compile(strict=False)
    assert [body.name for body in model.bodies] == [body.name for body in again.bodies]
    for name in ("bodies", "links", "frames", "shapes"):
        for one, other in zip(getattr(model, name), getattr(again, name), strict=True):
            assert one.name == other.name
            np.testing.assert_allclose(one.placement.to_list(), other.placement.to_list(), atol=1e-12)
    for one, other in zip(model.bodies, again.bodies, strict=True):
        assert one.parent == other.parent
        np.testing.assert_allclose(list(one.inertia.moment), list(other.inertia.moment), atol=1e-12)
        np.testing.assert_allclose(
            one.inertia.rotational.to_rows(), other.inertia.rotational.to_rows(), atol=1e-12
        )
        assert replace(one.joint, type=other.joint.type) == other.joint
    for one, other in zip(model.loops, again.loops, strict=True):
        assert (one.predecessor, one.successor, one.lower) == (
            other.predecessor,
            other.successor,
            other.lower,
        )
        for side in ("predecessor_placement", "successor_placement"):
            np.testing.assert_allclose(
                getattr(one, side).to_list(), getattr(other, side).to_list(), atol=1e-12
            )
    assert (model.actuators, model.couplings, model.contacts) == (
        again.actuators,
        again.couplings,
        again.contacts,
    )
    for one, other in zip(model.keyframes, again.keyframes, strict=True):
        np.testing.assert_allclose(one.q, other.q, atol=1e-15)
    assert model.report == again.report


@pytest.mark.parametrize(
    "value", [0.1, 1e-300, 5e-324, 1.7976931348623157e308, 1e16, 123456789.123456789, 2 / 3]
)
def test_every_float_is_written_exactly(value):
    spec = ModelSpec("x")
    spec.add_body("b", value)
    assert parsed(text(spec)).bodies[0].mass == value


def test_endless_limits_are_none():
    spec = ModelSpec("x")
    spec.add_body("b", 1.0)
    spec.add_joint("j", "cylindrical", None, "b", lower=(-1.0, None), upper=math.inf, effort=(None, 3.0))
    joint = parsed(text(spec)).joints[0]
    assert (joint.lower, joint.upper, joint.effort) == ((-1.0, None), None, (None, 3.0))


def test_the_order_of_shapes_is_kept():
    spec = ModelSpec("x")
    for name in "ab":
        spec.add_body(name, 1.0)
        spec.add_joint(f"to {name}", "free", None, name)
    spec.add_shape("1", "a", "sphere", (1.0,))
    spec.add_shape("2", "b", "sphere", (1.0,))
    assert text(spec).count("[[body.shape]]") == 2
    spec.add_shape("3", "a", "sphere", (1.0,))
    assert text(spec).count("[[shape]]") == 3
    assert [shape.name for shape in parsed(text(spec)).shapes] == ["1", "2", "3"]


def test_a_body_named_world():
    spec = ModelSpec("x")
    spec.add_body("world", 1.0)
    spec.add_body("moon", 1.0)
    spec.add_joint("a", "free", None, "world")
    spec.add_joint("b", "free", "world", "moon")
    spec.add_frame("f", None)
    assert parsed(text(spec)) == spec
    assert 'predecessor = ""' in text(spec)


def test_the_report_is_written_as_comments():
    spec = parsed(ARM)
    spec.report = ["guessed\nthe colour", "lost a mesh"]
    assert text(spec).startswith("# guessed the colour\n# lost a mesh\n\nformat")
    assert parsed(text(spec)).report == []


@pytest.mark.parametrize("name", ["\ud800", None])
def test_what_cannot_be_written(name, tmp_path):
    spec = parsed(ARM)
    spec.settings = {"odd": name}
    with pytest.raises(ModelError, match=r"written|write") as caught:
        save(spec, tmp_path / "robot.toml")
    assert caught.value.file == str(tmp_path / "robot.toml")
    assert not (tmp_path / "robot.toml").exists()


# ---------------------------------------------------------------------------------------------------
# load and save
# ---------------------------------------------------------------------------------------------------


def test_load_and_save(tmp_path):
    path = tmp_path / "robot.TOML"
    path.write_text(ARM.replace('"SI"', '"SI"\ngravity = [0, 0, -1.62]'))
    model = load(path)
    assert isinstance(model, Model)
    assert (model.name, model.nv, model.gravity, model.file) == ("robot", 1, (0.0, 0.0, -1.62), str(path))
    assert load(path, gravity=(0, 0, -3)).gravity == (0.0, 0.0, -3.0)
    assert save(model, tmp_path / "copy.toml") == ()
    assert load(tmp_path / "copy.toml").digest == model.digest
    assert save(load_spec(path), tmp_path / "copy.toml") == ()
    assert load_spec(tmp_path / "copy.toml") == load_spec(path)


def test_byte_order_mark_and_line_ends_of_other_systems():
    assert read(b"\xef\xbb\xbf" + ARM.replace("\n", "\r\n").encode(), "x") == parsed(ARM)


def test_a_file_without_a_name_is_called_after_itself(tmp_path):
    path = tmp_path / "digger.toml"
    path.write_text(ARM.replace('name = "robot"', ""))
    model = load(path)
    assert model.name == "digger"
    assert "no name" in model.report[0]


def test_save_refuses_other_things(tmp_path):
    with pytest.raises(InputError, match="Model or a ModelSpec"):
        save("robot", tmp_path / "robot.toml")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"ends in '.stl'") as caught:
        save(parsed(ARM), tmp_path / "robot.stl")
    assert ".toml" in caught.value.hint
    with pytest.raises(ModelError, match="cannot be written"):
        save(parsed(ARM), tmp_path / "absent" / "robot.toml")


def test_floating_base_is_refused(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text(ARM)
    with pytest.raises(ModelError, match="defined by the file itself") as caught:
        load(path, floating_base=True)
    assert "free joint" in caught.value.hint


def with_mesh(file: str) -> str:
    return ARM.replace(
        "\n[[joint]]", f'\n[[body.shape]]\ntype = "mesh"\nfile = {json.dumps(file)}\n\n[[joint]]'
    )


def test_missing_files_are_reported(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text(with_mesh("meshes/arm.stl").replace('"SI"', '"SI"\ngeometry = "robot.3dt"'))
    assert load(path).report == ('files that are missing: "robot.3dt", "meshes/arm.stl"',)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "arm.stl").touch()
    (tmp_path / "robot.3dt").touch()
    assert load(path).report == ()
    (tmp_path / "elsewhere").mkdir()
    assert save(load_spec(path), tmp_path / "elsewhere" / "digger.toml") == ()
    assert load(tmp_path / "elsewhere" / "digger.toml").report == ()
    assert (tmp_path / "elsewhere" / "digger.3dt").is_file()
    assert (tmp_path / "elsewhere" / "digger_meshes" / "arm.stl").is_file()


@pytest.mark.parametrize(
    "file", ["../secret.stl", "a/../../secret.stl", "link.stl", "folder/secret.stl", "ABSOLUTE"]
)
def test_files_outside_the_folder_are_refused(tmp_path, file):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.stl").touch()
    (home / "link.stl").symlink_to(tmp_path / "secret.stl")
    (home / "folder").symlink_to(tmp_path, target_is_directory=True)
    path = home / "robot.toml"
    path.write_text(with_mesh(file.replace("ABSOLUTE", str(tmp_path / "secret.stl"))))
    with pytest.raises(ModelError, match=r"absolute path|outside the folder") as caught:
        load(path)
    assert (caught.value.file, caught.value.line) == (str(path), 10)
    assert caught.value.element == 'shape "arm"'
    assert "allow_outside" in caught.value.hint
    assert load(path, allow_outside=True).report == ()


def test_links_inside_the_folder_are_followed(tmp_path):
    (tmp_path / "real.stl").touch()
    (tmp_path / "link.stl").symlink_to("real.stl")
    path = tmp_path / "robot.toml"
    path.write_text(with_mesh("sub/../link.stl"))
    (tmp_path / "sub").mkdir()
    assert load(path).report == ()


# ---------------------------------------------------------------------------------------------------
# what the keys mean
# ---------------------------------------------------------------------------------------------------


def test_joint_keys():
    spec = parsed(
        ARM + "offset = [1, 2, 3]\nrpy = [0.1, 0.2, 0.3]\nsuccessor_offset = [4, 5, 6]\naxis = [0, 1, 0]\n"
        "successor_quaternion = [1, 0, 0, 1]\nlimits = {lower = -1, upper = 2, effort = inf, speed = 4}\n"
        "friction = 0.5\ndamping = [0.25]\nstiffness = 7\nreference = 0.125\narmature = 1e-3"
    )
    joint = spec.joints[0]
    assert (joint.type, joint.parent, joint.child) == ("revolute", None, "arm")
    assert (joint.position, joint.rotation) == ((1.0, 2.0, 3.0), rpy(0.1, 0.2, 0.3))
    assert (joint.child_position, joint.child_rotation) == ((4.0, 5.0, 6.0), (1.0, 0.0, 0.0, 1.0))
    assert (joint.lower, joint.upper, joint.effort, joint.speed) == (-1.0, 2.0, None, 4.0)
    assert (joint.friction, joint.damping, joint.stiffness) == (0.5, (0.25,), 7.0)
    assert (joint.reference, joint.armature, joint.line) == (0.125, 1e-3, 10)


def test_other_names_of_joint_types():
    assert parsed(ARM.replace("hinge", "slider")).joints[0].type == "prismatic"
    assert parsed(ARM.replace("hinge", "ball")).joints[0].type == "ball"


def test_shapes_are_named_after_their_body():
    shape = '\n[[body.shape]]\ntype = "sphere"\nsize = [1]\n'
    spec = parsed(
        ARM.replace("\n[[joint]]", shape + shape + "\n[[joint]]")
        + '[[shape]]\nbody = "world"\ntype = "plane"\n'
    )
    assert [(shape.name, shape.body) for shape in spec.shapes] == [
        ("arm", "arm"),
        ("arm_2", "arm"),
        ("world", None),
    ]


def test_mass_and_type_give_the_inertia():
    spec = parsed(ARM.replace("inertia = [0.1, 0.1, 0.1]", 'type = "sphere"\nsize = [0.5]'))
    assert np.diag(spec.compile().links[0].rotational.to_rows()) == pytest.approx([0.2, 0.2, 0.2])


POSED = (
    HEAD
    + """
[[body]]
name = "lower"
mass = 1
type = "box"
size = [1, 1, 1]
position = [1, 2, 3]
rpy = [0.1, 0.2, 0.3]

[[body]]
name = "upper"
mass = 1
type = "box"
size = [1, 1, 1]
position = [-1, 0, 5]
quaternion = [0.5, 0.5, -0.5, 0.5]

[[joint]]
name = "first"
type = "revolute"
predecessor = "world"
successor = "lower"
offset = [1, 1, 1]

[[joint]]
name = "second"
type = "revolute"
predecessor = "lower"
successor = "upper"
offset = [0.5, 0, 0]
rpy = [0.3, 0, 0]

[[joint]]
name = "closing"
type = "ball"
predecessor = "world"
successor = "upper"
offset = [0, 0, 7]
"""
)


def test_bodies_with_poses_are_where_they_say():
    model = parsed(POSED).compile()
    X_WB: list[np.ndarray] = []
    for body in model.bodies:
        X_PB = body.placement.to_matrix()
        X_WB.append(X_PB if body.parent == WORLD else X_WB[body.parent] @ X_PB)
    for name, position, rotation in (
        ("lower", (1, 2, 3), rpy(0.1, 0.2, 0.3)),
        ("upper", (-1, 0, 5), [[0, -1, 0], [0, 0, -1], [1, 0, 0]]),
    ):
        frame = model.frame(name)
        X_WL = X_WB[frame.body] @ frame.placement.to_matrix()
        np.testing.assert_allclose(X_WL[:3, 3], position, atol=1e-14)
        np.testing.assert_allclose(X_WL[:3, :3], rotation, atol=1e-14)
    # the loop is closed there
    (loop,) = model.loops
    closed = X_WB[loop.successor] @ loop.successor_placement.to_matrix()
    np.testing.assert_allclose(closed, loop.predecessor_placement.to_matrix(), atol=1e-14)
    assert loop.predecessor == WORLD
    assert loop.predecessor_placement.to_list()[9:] == [0.0, 0.0, 7.0]


def test_poses_survive_as_joint_frames():
    spec = parsed(POSED)
    assert parsed(text(spec)) == spec


# ---------------------------------------------------------------------------------------------------
# lines
# ---------------------------------------------------------------------------------------------------


def test_lines_of_tables_and_keys():
    source = '''
# a = 1
top = """
fake = 1 ] [[body]]
\\""" still """
list = [
    # [[body]]
    [1, 2], "]", '#',
] # end
[settings]
"odd key" . x = { a = [1], b = "}" }
[[body]]
name = 'a'
  [[body.shape]]
  size = [1]
[[ body ]]
[[body.shape]]
[[body.shape]]
size.deep = 3
[body.extra]
last = \'\'\'
x = 1\'\'\'\'
end = 1'''
    tomllib.loads(source)
    lines = Lines(source)
    expected = {
        ("top",): 3, ("list",): 6, ("settings",): 10, ("settings", "odd key"): 11,
        ("settings", "odd key", "x"): 11, ("settings", "odd key", "x", "a"): 11, ("body", 0): 12,
        ("body", 0, "name"): 13, ("body", 0, "shape", 0): 14, ("body", 0, "shape", 0, "size"): 15,
        ("body", 1): 16, ("body", 1, "shape", 0): 17,
        ("body", 1, "shape", 1): 18, ("body", 1, "shape", 1, "size", "deep"): 19, ("body", 1, "extra"): 20,
        ("body", 1, "extra", "last"): 21, ("body", 1, "extra", "end"): 23, ("nothing",): None,
    }  # fmt: skip
    assert {path: lines.find(*path) for path in expected} == expected


@given(furnished_machines())
def test_every_table_gets_the_line_of_its_header(spec):
    source = text(spec)
    rows = source.split("\n")
    back = parsed(source)
    for kind, table in TABLES.items():
        for item in getattr(back, table.list):
            assert rows[item.line - 1] in (f"[[{kind}]]", f"[[body.{kind}]]")


# ---------------------------------------------------------------------------------------------------
# documentation and schema
# ---------------------------------------------------------------------------------------------------


def test_every_field_has_a_key():
    for table in TABLES.values():
        limits = [key.target for key in LIMITS] if table.list == "joints" else []
        # rows of Denavit and Hartenberg say what other keys say
        targets = {key.target for key in table.keys if key.kind != "row"} - {"limits"} | set(limits)
        assert targets == {field.name for field in fields(table.spec)} - {"line"}
        for key in table.keys:
            if key.required:
                assert table.default(key.target) is MISSING
    spec = {field.name for field in fields(ModelSpec)} - {"report", "file"} - set(LISTS)
    assert {key.target for key in TOP} - {"format", "units"} == spec


def test_example():
    model = load(EXAMPLE)
    assert (model.nv, len(model.loops), len(model.couplings)) == (5, 1, 1)
    assert {table.list for table in TABLES.values() if not getattr(load_spec(EXAMPLE), table.list)} == {
        "wheels"
    }
    # the pin of the rod is where the eye of the boom is
    tree = Simulation(model.without_loops())
    (loop,) = model.loops
    rod, boom = (model.bodies[index].name for index in (loop.predecessor, loop.successor))
    eye = tree.body(boom).pose @ loop.successor_placement.to_matrix()
    pin = tree.body(rod).pose @ loop.predecessor_placement.to_matrix()
    np.testing.assert_allclose(eye[:3, 3], pin[:3, 3], atol=1e-15)
    assert tree.joint("left slide").position == 0.02
    assert parameter_value(model, "rod.mass") == 4.0
    spec = load_spec(EXAMPLE)
    assert parsed(text(spec)) == spec


def test_the_page_explains_every_key():
    page = (DOCS / "toml.md").read_text()
    for key in (*TOP, *POSE, *LIMITS, *(key for table in TABLES.values() for key in table.keys)):
        rows = [
            row
            for row in page.split("\n")
            if row.startswith(f"| `{key.name}`") and row.endswith(f"| {key.meaning} |")
        ]
        assert any(("(required)" in row) == key.required for row in rows), key
    for name, meaning in (*SHAPE_TYPES.items(), *ACTUATOR_TYPES.items()):
        assert f"| `{name}` | {meaning} |" in page


def test_the_page_shows_a_file_that_loads():
    page = (DOCS / "toml.md").read_text()
    shown = page.split("```toml\n")[1].split("```")[0]
    assert parsed(shown).compile().nv == 3


def test_schema_is_up_to_date():
    hint = "python -m treadle.formats.schema > docs/formats/robot.schema.json"
    assert (DOCS / "robot.schema.json").read_text() == toml_schema_text(), hint


@given(furnished_machines())
def test_written_files_fit_the_schema(spec):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft7Validator.check_schema(toml_schema())
    jsonschema.validate(tomllib.loads(text(spec)), toml_schema())


def test_schema_refuses_what_the_reader_refuses():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(tomllib.loads(ARM), toml_schema())
    jsonschema.validate(tomllib.loads(EXAMPLE.read_text()), toml_schema())
    for content in (
        ARM.replace('units = "SI"\n', ""),
        ARM.replace("hinge", "knee"),
        ARM.replace("2.0", '"2.0"'),
        ARM + "dampng = 1\n",
        ARM + "offset = [1, 2]\n",
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(content), toml_schema())
