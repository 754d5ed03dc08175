from importlib.metadata import files
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from treadle.errors import ModelError
from treadle.formats import load, load_spec
from treadle.formats.urdf import read
from treadle.model import WORLD, singular_joints

ROBOTS = sorted(
    Path(str(f.locate())).resolve() for f in files("example-robot-data") or () if f.suffix == ".urdf"
)
# a file without name and links that Pinocchio refuses as well
EMPTY = [path for path in ROBOTS if path.name == "ur3.urdf"]
LOADABLE = [path for path in ROBOTS if path not in EMPTY]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))


def test_all_robots_are_here():
    assert len(ROBOTS) == 69
    assert len(LOADABLE) == 68


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", LOADABLE, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_robot_agrees_with_pinocchio(path, floating):
    model = load(path, floating_base=floating)
    arguments = [pin.JointModelFreeFlyer()] if floating else []
    peer = pin.buildModelFromUrdf(str(path), *arguments)
    assert model.nv == peer.nv
    assert model.mass == pytest.approx(pin.computeTotalMass(peer), rel=1e-12)
    own = [joint.name for joint in model.joints[1 if floating else 0 :]]
    assert sorted(own) == sorted(set(peer.names) - {"universe", "root_joint"})

    # every link's pose and every body's inertia, the former at the neutral position
    data = peer.createData()
    pin.framesForwardKinematics(peer, data, pin.neutral(peer))
    X_WB = []
    for body in model.bodies:
        X_PB = body.placement @ body.joint.type.transform(body.joint.type.neutral())
        X_WB.append(X_PB if body.parent == WORLD else X_WB[body.parent] @ X_PB)
    for link in model.links:
        X_WL = link.placement if link.body == WORLD else X_WB[link.body] @ link.placement
        expected = data.oMf[peer.getFrameId(link.name, pin.FrameType.BODY)].homogeneous
        # right angles that a file gives with twelve digits are made exact
        np.testing.assert_allclose(X_WL.to_matrix(), expected, atol=1e-10)
    for body in model.bodies:
        name = body.joint.name if body.joint.type.kind != "free" else "root_joint"
        expected = peer.inertias[peer.getJointId(name)].matrix()
        scale = np.abs(expected).max()
        actual = np.array(body.inertia.rotational.to_rows())
        np.testing.assert_allclose(actual, expected[3:, 3:], atol=1e-10 * scale)
        moment = np.array(list(body.inertia.moment))
        np.testing.assert_allclose(
            moment, [expected[5, 1], expected[3, 2], expected[4, 0]], atol=1e-10 * scale
        )


@pytest.mark.parametrize("path", EMPTY)
def test_empty_robot(path):
    with pytest.raises(ModelError, match="describes no links"):
        load(path)


def test_robots_whose_joints_move_no_inertia():
    romeos = [path for path in LOADABLE if "romeo" in path.stem]
    singular = {path.stem for path in romeos if singular_joints(load(path))}
    assert singular == {"romeo", "romeo_laas_small"}


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'  # noqa: E501
BACK = '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'
JOINT = '<joint name="j" type="{}"><parent link="a"/><child link="b"/>{}</joint>'


def robot(joint: str = "", links: str = "ab", name: str = 'name="r"') -> bytes:
    parts = "\n".join(LINK.format(link) for link in links)
    return f"<robot {name}>\n{parts}\n{joint}\n</robot>".encode()


def hinge(content: str, kind: str = "revolute"):
    spec = read(robot(JOINT.format(kind, content)), "file")
    return spec.joints[1], spec


def test_joint_fields():
    joint, spec = hinge(
        '<origin xyz="1 2 3" rpy="0 0 0.5"/><axis xyz="0 3 0"/><dynamics damping="0.5" friction="0.1"/>'
        '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
    )
    assert (joint.type, joint.parent, joint.child, joint.position) == ("revolute", "a", "b", (1.0, 2.0, 3.0))
    assert joint.rotation[1][0] == np.sin(0.5)
    assert (joint.lower, joint.upper, joint.effort, joint.speed) == (-1.0, 2.0, 30.0, 4.0)
    assert (joint.damping, joint.friction, joint.axis) == (0.5, 0.1, (0.0, 3.0, 0.0))
    assert list(spec.compile().joint("j").type.axis) == [0, 1, 0]


def test_axis_is_x_unless_given():
    assert hinge("")[0].axis == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "expected", "count"),
    [
        ("continuous", "revolute", 1),
        ("prismatic", "prismatic", 1),
        ("floating", "free", 6),
        ("planar", "planar", 3),
    ],
)
def test_joint_types(kind, expected, count):
    joint = hinge('<axis xyz="0 0 1"/>', kind)[1].compile().joint("j")
    assert (joint.type.kind, joint.type.nv, joint.continuous) == (expected, count, kind == "continuous")


def test_planar_axis_is_the_normal():
    joint = hinge('<axis xyz="0 1 0"/>', "planar")[1].compile().joint("j")
    assert list(joint.type.axis) == [0, 1, 0]


def test_fixed_joint_needs_no_axis():
    spec = hinge('<axis xyz="0 0 0"/><limit lower="1" upper="0" effort="0" velocity="0"/>', "fixed")[1]
    assert spec.compile().nv == 0


def test_inertial_origin_is_respected():
    content = robot().replace(
        b"<inertial>", b'<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>', 1
    ).replace(b'ixx="1"', b'ixx="1.5"', 1)  # fmt: skip
    body = read(content.replace(b"</robot>", JOINT.format("fixed", "").encode() + b"</robot>"), "r").bodies[0]
    assert body.center == (1.0, 2.0, 3.0)
    assert body.inertia == ((1.0, 0.0, 0.0), (0.0, 1.5, 0.0), (0.0, 0.0, 1.0))


def test_limits_that_are_missing():
    joint, spec = hinge('<limit effort="1" velocity="1"/>')
    assert (joint.lower, joint.upper) == (None, None)
    assert any("unlimited" in line for line in spec.report)
    joint, spec = hinge('<limit upper="1" effort="1" velocity="1"/>')
    assert (joint.lower, joint.upper) == (0.0, 1.0)
    joint, spec = hinge('<limit lower="-1" upper="1" effort="0" velocity="1"/>', "continuous")
    assert (joint.lower, joint.upper, joint.effort) == (None, None, 0.0)
    assert any("ignored" in line for line in spec.report)
    assert any("zero" in line for line in spec.report)
    assert hinge('<limit lower="-inf" upper="inf" effort="inf" velocity="inf"/>')[1].compile().nv == 1


def test_what_is_not_read_does_no_harm_and_is_reported():
    extra = """<gazebo/><link name="c"><visual><geometry><cone/></geometry></visual></link>
        <joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>"""
    spec = read(robot(JOINT.format("fixed", "") + extra), "r")
    assert "cone (1), gazebo (1)" in spec.report[0]
    assert any("shapes left out" in line and '"visual of c"' in line for line in spec.report)
    assert any("massless" in line and '"c"' in line for line in spec.report)


def test_robot_without_a_name_is_called_after_its_file(tmp_path):
    path = tmp_path / "nameless.urdf"
    path.write_bytes(robot(JOINT.format("fixed", ""), name=""))
    spec = load_spec(path)
    assert spec.name == "nameless"
    assert "no name" in spec.report[0]


def test_base_joints_get_free_names():
    content = robot(JOINT.format("fixed", "").replace('"j"', '"floating_base"'))
    spec = read(content, "r", floating_base=True)
    assert (spec.joints[0].name, spec.joints[0].type) == ("floating_base_", "free")
    assert '"floating_base_"' in spec.report[0]
    assert (spec.joints[0].parent, spec.joints[0].child) == (None, "a")


def test_impossible_inertias_are_kept_and_reported(tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_bytes(robot(JOINT.format("continuous", "")).replace(b'izz="1"', b'izz="9"'))
    model = load(path)
    assert model.links[1].rotational.rows[2].z == 9.0
    assert any('body "b"' in line and "not physical" in line for line in model.report)


BAD = [
    (robot(links=""), "describes no links", None),
    (robot(), "there are 2 root links", 3),
    (robot(links="aa"), "already that of the link in line 2", 3),
    (robot(JOINT.format("revolute", "") * 2), "already that of the joint", 4),
    (robot(JOINT.format("hinge", "")), "unknown joint type 'hinge'", 4),
    (robot(JOINT.format("fixed", "").replace('"b"', '"bb"')), "child 'bb' is not a link", 4),
    (robot(JOINT.format("fixed", "").replace('"a"', '"aa"')), "parent 'aa' is not a link", 4),
    (robot('<joint name="j" type="fixed">\n<child link="b"/></joint>'), "no <parent>", 4),
    (robot('<joint name="j" type="fixed"><parent link="a"/><child/></joint>'), "no attribute 'link'", 4),
    (robot('<joint type="fixed"><parent link="a"/><child link="b"/></joint>'), "no attribute 'name'", 4),
    (robot('<joint name="j"><parent link="a"/><child link="b"/></joint>'), "no attribute 'type'", 4),
    (robot(JOINT.format("fixed", '\n<origin xyz="1 2"/>')), "needs 3 numbers", 5),
    (robot(JOINT.format("fixed", '\n<origin xyz="0"/>')), "needs 3 numbers", 5),
    (robot(JOINT.format("fixed", '\n<origin rpy="1 2 x"/>')), "needs 3 numbers", 5),
    (robot(JOINT.format("revolute", '\n<axis xyz="1 2 3 4"/>')), "needs 3 numbers", 5),
    (robot(JOINT.format("revolute", '\n<limit lower="low"/>')), "needs a number", 5),
    (robot(JOINT.format("revolute", '\n<limit lower="nan"/>')), "needs a number", 5),
    (robot(JOINT.format("revolute", '\n<dynamics damping="inf"/>')), "needs a number", 5),
    (robot().replace(b'value="1"', b'value="much"', 1), "needs a number", 2),
    (robot().replace(b'ixx="1"', b"", 1), "no attribute 'ixx'", 2),
    (robot().replace(b'<mass value="1"/>', b"", 1), "no <mass>", 2),
    (robot(JOINT.format("fixed", "") + BACK), "circle", None),
    (b"<sdf/>", "outermost element is <sdf>", 1),
    (b"<robot name='r'>\n<link name='a'>\n</robot>", "not well-formed", 3),
    (b"", "XML", None),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message", "line"), BAD)
def test_malformed_files(tmp_path, content, message, line):
    path = tmp_path / "bad.urdf"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        load(path)
    assert message in caught.value.message
    assert caught.value.file == str(path)
    if line is not None:
        assert caught.value.line == line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (robot(JOINT.format("revolute", '<axis xyz="0 0 0"/>')), "axis is zero"),
        (robot(JOINT.format("revolute", '<limit lower="2" upper="1"/>')), "above its upper"),
        (robot(JOINT.format("revolute", '<dynamics damping="-1"/>')), "damping is negative"),
        (
            robot(JOINT.format("revolute", "") + JOINT.format("revolute", "").replace('"j"', '"k"')),
            "closed loops",
        ),
    ],
)
def test_mistakes_found_later_keep_their_line(tmp_path, content, message):
    path = tmp_path / "bad.urdf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        load(path)
    assert (caught.value.file, caught.value.line) == (str(path), 4)
    assert caught.value.element.startswith('joint "')


def test_heavy_libraries_are_not_imported_early():
    import subprocess
    import sys

    code = "import sys, treadle.formats; print({'yourdfpy', 'trimesh', 'scipy', 'lxml'} & set(sys.modules))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "set()"
