"""Which files MJCF may name, and what is said about those that are wrong."""

import pytest

from tests.formats.mjcf_texts import BODY, read, with_mesh, world, write_mesh
from treadle.errors import ModelError

ATTACHING = '<mujoco><asset><model name="m" file="{}"/></asset><worldbody>{}</worldbody></mujoco>'
ATTACH = '<attach model="m" body="arm" prefix="x"/>'


def test_includes(tmp_path):
    """They are looked for in the model's folder first, then beside the file that includes."""
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "parts" / "arm.xml").write_text(
        '<x><body name="arm"><include file="deep/joint.xml"/><include file="parts/geom.xml"/></body></x>'
    )
    (tmp_path / "parts" / "deep" / "joint.xml").write_text('<x><joint name="turn"/></x>')
    (tmp_path / "parts" / "geom.xml").write_text('<x>\n<!-- the\nrod -->\n<geom name="rod" size="0.1"/></x>')
    model = read(world('<include file="parts/arm.xml"/>'), tmp_path).compile()
    assert (model.joints[0].name, model.shapes[0].name) == ("turn", "rod")


@pytest.mark.parametrize(
    ("file", "compiler", "found"),
    [
        ("part.obj", '<compiler meshdir="meshes"/>', "meshes/part.obj"),
        ("part.obj", '<compiler assetdir="others" meshdir="meshes"/>', "meshes/part.obj"),
        ("part.obj", '<compiler meshdir="meshes"/><compiler assetdir="others"/>', "others/part.obj"),
        ("../part.obj", '<compiler assetdir="meshes" texturedir="/"/>', "part.obj"),
        ("C:\\robot\\part.obj", '<compiler strippath="true" meshdir="meshes/"/>', "meshes/part.obj"),
        ("meshes\\part.obj", "", "meshes/part.obj"),
    ],
)
def test_folders_of_assets(tmp_path, file, compiler, found):
    for path in ("part.obj", "meshes/part.obj", "others/part.obj"):
        write_mesh(tmp_path / path, size=len(path))
    assert {shape.file for shape in read(with_mesh(file, "", compiler), tmp_path).shapes} == {found}


def test_a_mesh_without_a_name_is_called_after_its_file(tmp_path):
    write_mesh(tmp_path / "part.obj")
    assert read(with_mesh("part.obj").replace("name='part' file", "file"), tmp_path).shapes


def test_meshes_of_one_name_are_told_apart(tmp_path):
    """MuJoCo keeps meshes that it has seen, by their names."""
    masses = []
    for size in (1.0, 2.0):
        write_mesh(tmp_path / "part.obj", size)
        masses.append(read(with_mesh("part.obj"), tmp_path).compile().mass)
    assert masses[1] / masses[0] == pytest.approx(8.0)


def test_attached_models(tmp_path):
    write_mesh(tmp_path / "hand" / "part.obj")
    (tmp_path / "hand" / "hand.xml").write_text(with_mesh("part.obj").replace("<body>", "<body name='arm'>"))
    spec = read(ATTACHING.format("hand/hand.xml", BODY + ATTACH), tmp_path)
    assert [body.name for body in spec.bodies] == ["arm", "xarm"]
    assert "hand/part.obj" in [shape.file for shape in spec.shapes]


@pytest.mark.parametrize("tag", ["mesh", "include", "model"])
@pytest.mark.parametrize("way", ["absolute", "up", "link"])
def test_files_outside_the_folder_are_not_read(tmp_path, tag, way):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    write_mesh(away / "part.obj")
    (away / "part.xml").write_text(world(BODY))
    (home / "link").symlink_to(away)
    folder = {"absolute": str(away), "up": "../away", "link": "link"}[way]
    xml = {
        "mesh": with_mesh(f"{folder}/part.obj"),
        "include": f'<mujoco><include file="{folder}/part.xml"/></mujoco>',
        "model": ATTACHING.format(f"{folder}/part.xml", ATTACH),
    }[tag]
    with pytest.raises(ModelError, match=r"outside the folder|absolute path") as caught:
        read(xml, home)
    assert (caught.value.line, caught.value.element) == (1, f"<{tag}>")
    assert "allow_outside=True" in str(caught.value.hint)
    assert read(xml, home, allow_outside=True).compile().nv == 1


def test_without_a_folder_no_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_mesh(tmp_path / "part.obj")
    with pytest.raises(ModelError, match=r"names the file 'part\.obj', but has no folder"):
        read(with_mesh("part.obj"))


INCLUDE = '<mujoco>\n<include file="x.xml"/></mujoco>'
MODEL = ATTACHING.format("x.xml", ATTACH)

#: Content, part of the message, line, and what lies beside it.
MALFORMED = {
    "empty": (b"", "is not XML", 1, {}),
    "rubbish": (bytes(range(256)), "XML", 1, {}),
    "truncated": ("<mujoco>\n<worldbody><body>", "not well-formed", 2, {}),
    "another format": ("\n<robot name='x'/>", "is URDF", 2, {}),
    "another root": ("<sdf/>", "is not MJCF: the outermost element is <sdf>", 1, {}),
    "entity bomb": (
        '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>', "entities", None, {},
    ),
    "external entity": (
        '<!DOCTYPE x [<!ENTITY a SYSTEM "/etc/passwd">]><mujoco>&a;</mujoco>', "entities", None, {},
    ),
    "endless nesting": ("<mujoco>" + "<body>" * 1_000_000, "depth", 1, {}),
    "unknown element": (world(BODY, "<foo/>"), "unrecognized element", 5, {}),
    "unknown attribute": (world('<body foo="1"/>'), "unrecognized attribute", 3, {}),
    "unknown word": (world('<body><joint type="foo"/></body>'), "invalid keyword: 'foo'", 3, {}),
    "no number": (world('<body pos="0 x 0"/>'), "bad format in attribute 'pos'", 3, {}),
    "too few numbers": (world('<body pos="0 0"/>'), "does not have enough data", 3, {}),
    "not a number": (world('<body pos="0 NaN 0"/>'), "pos='0 NaN 0' is not finite", 3, {}),
    "infinity": (world('<body pos="0 0 -inf"/>'), "is not finite", 3, {}),
    "overflow": (world('<body pos="0 0 1e999"/>'), "too large", 3, {}),
    "reversed limits": (world(BODY.replace("/>", ' range="2 1"/>', 1)), "lower limit", 3, {}),
    "negative mass": (world(f'{BODY}\n<body><geom size="1" mass="-1"/></body>'), "negative", 4, {}),
    "no mass": (world('<body name="a">\n<joint/></body>'), "mass and inertia of moving bodies", 3, {}),
    "impossible inertia": (
        world('<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'),
        "inertia must satisfy", 3, {},
    ),
    "axis of length zero": (
        world('<body><joint axis="0 0 0"/><geom size="1"/></body>'), "axis too small", 3, {},
    ),
    "repeated name": (world(f"{BODY}\n{BODY}"), "repeated name 'arm'", 4, {}),
    "unknown joint": (world(BODY, '<actuator><motor joint="trn"/></actuator>'), "'trn'", 5, {}),
    "unknown body": (world(BODY, '<equality><weld body1="amr"/></equality>'), "'amr'", 5, {}),
    "long keyframe": (
        world(BODY, '<keyframe><key qpos="1 2 3"/></keyframe>'), "invalid qpos size", None, {},
    ),
    "free joint inside": (
        world(BODY.replace("</body>", '<body><freejoint/><geom size="1"/></body></body>')),
        "free joint", 3, {},
    ),
    "copies without end": (
        world('<replicate count="1000000000"><geom size="1"/></replicate>'), "too many copies", 3, {},
    ),
    "copies of copies": (
        world('<replicate count="999"><replicate count="999"><geom size="1"/></replicate></replicate>'),
        "too many copies", 3, {},
    ),
    "field without end": (
        '<mujoco><asset><hfield name="h" nrow="99999" ncol="99999" size="1 1 1 1"/></asset></mujoco>',
        "too many copies", 1, {},
    ),
    "missing plugin": (
        '<mujoco><extension>\n<plugin plugin="a.b"/></extension></mujoco>', "not found", 2, {},
    ),
    "file of a geom": (world('<geom file="x.stl"/>'), "names a file, which it cannot have", 3, {}),
    "missing include": (INCLUDE, "there is no file 'x.xml'", 2, {}),
    "include of nothing": ("<mujoco>\n<include/></mujoco>", "names no file", 2, {}),
    "include of an empty file": (INCLUDE, "holds nothing", 2, {"x.xml": "<x/>"}),
    "include from the network": (
        '<mujoco>\n<include file="http://x.org/x.xml"/></mujoco>', "is not a path", 2, {},
    ),
    "include twice": (
        INCLUDE.replace("</mujoco>", '\n<include file="./x.xml"/></mujoco>'), "is included twice", 3,
        {"x.xml": "<x><option/></x>"},
    ),
    "include of itself": (
        INCLUDE, "in x.xml:2: 'x.xml' is included twice", None, {"x.xml": '<x>\n<include file="x.xml"/></x>'},
    ),
    "broken include": (INCLUDE, "in x.xml:2: is not well-formed", None, {"x.xml": "<x>\n<option></x>"}),
    "mistake in an include": (INCLUDE, "in x.xml:2: Schema violation", None, {"x.xml": "<x>\n<foo/></x>"}),
    "number in an include": (
        INCLUDE, "in x.xml:2: wind='0 nan 0' is not finite", None,
        {"x.xml": "<x>\n<option wind='0 nan 0'/></x>"},
    ),
    "folder for a mesh": (with_mesh("."), "there is no file", 1, {}),
    "missing mesh": (with_mesh("x.stl"), "there is no file 'x.stl'", 1, {}),
    "endless name": (with_mesh("x" * 300), "cannot be found", 1, {}),
    "unknown kind of mesh": (with_mesh("x.dae"), "unknown kind of mesh '.dae'", 1, {"x.dae": "x"}),
    "empty mesh": (with_mesh("x.stl"), "empty", 1, {"x.stl": ""}),
    "rubbish for a mesh": (with_mesh("x.msh"), "sizes in MSH file 'x.msh'", 1, {"x.msh": "x" * 999}),
    "mesh of a header": (
        with_mesh("x.stl"), "number of faces", 1, {"x.stl": b"\0" * 80 + (20_000_000).to_bytes(4, "little")},
    ),
    "mesh with a bad index": (
        with_mesh("x.obj"), "does not exist", 1,
        {"x.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 9\nf 1 2 4\nf 1 3 4\nf 2 3 4"},
    ),
    "flat mesh": (
        with_mesh("x.obj"), "at least 4 vertices", 1, {"x.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3"},
    ),
    "model that attaches itself": (MODEL, "attaches itself", None, {"x.xml": MODEL}),
    "mistake in an attached model": (
        MODEL, "in x.xml:3: could not parse", None,
        {"x.xml": world('<body name="arm"><joint type="x"/></body>')},
    ),
    "attached URDF": (MODEL, "in x.xml:1: is URDF", None, {"x.xml": "<robot/>"}),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files(case, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    content, message, line, beside = MALFORMED[case]
    home = tmp_path / "home"
    home.mkdir()
    for name, text in beside.items():
        (home / name).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ModelError) as caught:
        read(content, home)
    assert message in str(caught.value)
    assert caught.value.line == line
    # neither a log nor anything on the console
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert capfd.readouterr() == ("", "")
