"""What is written as URDF, and what is said about the rest."""

import numpy as np
import pinocchio as pin
import pytest

import treadle as td
from tests.machines import random_state
from tests.numeric import relative_error
from treadle import ModelSpec
from treadle.errors import ModelError
from treadle.formats import load, save
from treadle.formats.urdf_write import text


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))


def arm(kind: str = "revolute", **options) -> ModelSpec:
    """A base that is fixed to the world, and a link on one joint."""
    spec = ModelSpec("arm")
    spec.add_body("base", 2.0, inertia=(0.1, 0.1, 0.1))
    spec.add_body("link", 1.0, center=(0.1, 0.0, 0.2), inertia=(0.1, 0.2, 0.25))
    spec.add_joint("mount", "fixed", None, "base")
    spec.add_joint("j", kind, "base", "link", position=(0.0, 0.0, 1.0), **options)
    return spec


def test_a_plain_file():
    content, findings = text(
        arm(lower=-1.0, upper=2.0, effort=30.0, speed=4.0, damping=0.5, friction=0.1, axis=(0.0, 2.0, 0.0))
    )
    assert findings == []
    for part in (
        '<robot name="arm">',
        '<link name="base">',
        '<joint name="j" type="revolute">',
        '<origin xyz="0.0 0.0 1.0"/>',
        '<axis xyz="0.0 1.0 0.0"/>',
        '<limit lower="-1.0" upper="2.0" effort="30.0" velocity="4.0"/>',
        '<dynamics damping="0.5" friction="0.1"/>',
        '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.0" ixz="0.0" iyz="0.0"/>',
    ):
        assert part in content
    assert "world" not in content


def test_numbers_are_exact():
    content, _ = text(arm(lower=-1 / 3, upper=np.nextafter(1.0, 2.0), effort=1e300, speed=0.1))
    assert 'lower="-0.3333333333333333" upper="1.0000000000000002" effort="1e+300"' in content


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 - 1e-5, 0.3, 3.0])
def test_rotations_survive_where_the_pitch_is_upright(tmp_path, pitch):
    rotation = np.array(td.rpy(0.7, pitch, -1.9))
    save(arm(rotation=tuple(map(tuple, rotation))), tmp_path / "a.urdf")
    placement = load(tmp_path / "a.urdf").bodies[0].placement
    np.testing.assert_allclose(placement.rotation.to_rows(), rotation, rtol=0, atol=1e-15)


def test_joints_without_limits():
    content, findings = text(arm())
    assert 'type="continuous"' in content and "<limit" not in content and findings == []
    for kind, options in (("prismatic", {}), ("revolute", {"lower": -1.0}), ("continuous", {"effort": 3.0})):
        content, (finding,) = text(arm(kind, **options))
        assert "1000000000.0" in content
        assert "for URDF requires them" in finding and finding.elements == ("j",)


@pytest.mark.parametrize("kind", ["ball", "helical"])
def test_joints_that_urdf_does_not_have(tmp_path, kind):
    spec = arm(kind)
    with pytest.raises(ModelError, match=f"URDF has no {kind} joint") as caught:
        save(spec, tmp_path / "a.urdf")
    assert caught.value.element == 'joint "j"'
    assert ".toml" in caught.value.hint
    assert not (tmp_path / "a.urdf").exists()


def test_joints_that_become_two():
    options = {"lower": (-1.0, -2.0), "upper": (1.0, 2.0), "effort": (5.0, 6.0), "speed": 7.0}
    content, findings = text(arm("universal", damping=(0.1, 0.2), **options))
    assert '<joint name="j_first" type="revolute">' in content
    assert '<limit lower="-2.0" upper="2.0" effort="6.0" velocity="7.0"/>' in content
    assert '<dynamics damping="0.2" friction="0.0"/>' in content
    assert [finding.what for finding in findings] == [
        "joints written as two, with a link without mass between them"
    ]
    content, _ = text(arm("cylindrical", **options))
    assert '<joint name="j_slide" type="prismatic">' in content


def test_the_world_is_a_link_where_it_has_to_be(tmp_path):
    spec = ModelSpec("two")
    for name in ("a", "world"):
        spec.add_body(name, 1.0, inertia=(1, 1, 1))
        spec.add_joint(f"to {name}", "free", None, name)
    spec.add_shape("floor", None, "box", (1.0, 1.0, 0.1))
    findings = save(spec, tmp_path / "two.urdf")
    assert any('the link "world_"' in line for line in findings)
    model = load(tmp_path / "two.urdf")
    assert (model.nv, model.shapes[0].link) == (12, "world_")
    assert [joint.name for joint in model.joints] == ["to a", "to world"]


def test_frames_are_links(tmp_path):
    spec = arm()
    spec.add_frame("tip", "link", position=(0.0, 0.0, 0.5))
    findings = save(spec, tmp_path / "a.urdf")
    assert any("frames written as links" in line for line in findings)
    pose = td.frame_pose(load(tmp_path / "a.urdf"), [0.0], "tip")
    assert pose[2, 3] == 1.5


def test_couplings(tmp_path):
    spec = arm()
    for index in range(4):
        spec.add_body(f"b{index}", 1.0, inertia=(1, 1, 1))
        spec.add_joint(f"k{index}", "prismatic", "base", f"b{index}", lower=0.0, upper=1.0, effort=1, speed=1)
    spec.add_coupling("linear", "k0", "j", (0.5, -2.0))
    spec.add_coupling("constant", "k1", "j", (0.25,))
    spec.add_coupling("second", "k0", "k1", (0.0, 1.0))
    spec.add_coupling("circle", "j", "k0", (0.0, 1.0))
    spec.add_coupling("square", "k2", "j", (0.0, 1.0, 3.0))
    spec.add_coupling("held", "k3", None, (0.5,))
    (finding,) = save(spec, tmp_path / "a.urdf")
    assert finding.elements == ("second", "circle", "square", "held")
    assert finding.severity == "warning"
    couplings = load(tmp_path / "a.urdf").couplings
    assert [(c.name, c.source, c.coefficients) for c in couplings] == [
        ("k0", "j", (0.5, -2.0)),
        ("k1", "j", (0.25, 0.0)),
    ]


def test_shapes(tmp_path):
    spec = arm()
    color = (0.1, 0.2, 0.3, 0.4)
    spec.add_shape(
        "hull", "link", "box", (1, 2, 3), position=(1, 0, 0), rotation=td.rpy(0, 0, 1), color=color
    )
    spec.add_shape("pin", "link", "cylinder", (0.1, 0.5), role="collision", color=color)
    spec.add_shape("rod", "link", "capsule", (0.1, 0.6), position=(0, 1, 0), rotation=td.rpy(np.pi / 2, 0, 0))
    spec.add_shape("egg", "link", "ellipsoid", (1, 2, 3))
    spec.bodies[0].type, spec.bodies[0].size, spec.bodies[0].inertia = "sphere", (0.4,), None
    findings = {finding.what: finding.elements for finding in save(spec, tmp_path / "a.urdf")}
    assert findings == {
        "shapes left out": ("egg",),
        "capsules written as a cylinder and two spheres": ("rod",),
        "colours of collision shapes left out": ("pin",),
    }
    shapes = {shape.name: shape for shape in load(tmp_path / "a.urdf").shapes}
    assert set(shapes) == {"hull", "pin", "rod", "rod_top", "rod_bottom", "base"}
    assert (shapes["hull"].size, shapes["hull"].color) == ((1.0, 2.0, 3.0), color)
    assert (shapes["base"].type, shapes["base"].size) == ("sphere", (0.4,))
    assert shapes["pin"].role == "collision"
    np.testing.assert_allclose(list(shapes["rod_top"].placement.translation), [0, 0.7, 0], atol=1e-15)


def test_everything_else_that_is_lost_is_said(tmp_path):
    spec = arm(stiffness=3.0, armature=0.1)
    spec.add_body("c", 1.0, inertia=(1, 1, 1))
    spec.add_joint("slide", "planar", "link", "c", damping=(1.0, 2.0, 3.0))
    spec.add_joint("loop", "ball", "base", "c")
    spec.add_material("steel", friction=0.5)
    spec.add_contact("base", "c", enabled=False)
    spec.add_keyframe("initial", {"j": 0.5})
    spec.add_actuator("motor", "motor", "j", gain=20.0, lower=-1.0, upper=1.0)
    spec.add_actuator("servo", "position", "j", stiffness=10.0)
    spec.settings = {"dt": 0.01}
    spec.gravity = (0.0, 0.0, -1.62)
    findings = {finding.what: finding for finding in save(spec, tmp_path / "a.urdf")}
    assert {what: finding.elements for what, finding in findings.items()} == {
        "joints that close loops left out": ("loop",),
        "springs left out": ("j",),
        "rotor inertias (armature) left out": ("j",),
        "planar and free joints whose limits, damping and friction are left out": ("slide",),
        "actuators left out": ("servo",),
        "limits of commands and forces of motors left out": ("motor",),
        "materials left out": ("steel",),
        "rules of contact left out": ("base and c",),
        "keyframes left out": ("initial",),
        "settings left out": ("dt",),
        "gravity left out": (),
    }
    assert "-1.62" in findings["gravity left out"].hint
    (motor,) = load(tmp_path / "a.urdf").actuators
    assert (motor.name, motor.joint, motor.gain) == ("motor", "j", 20.0)


def test_pinocchio_reads_it_the_same(tmp_path):
    """All joints that Pinocchio reads from a URDF in our coordinates."""
    from tests.machines import build_spec

    rng = np.random.default_rng(3)
    kinds = ["revolute", "prismatic", "universal", "cylindrical", "continuous", "fixed", "revolute"]
    spec = build_spec(rng, kinds, [-1, 0, 1, 0, 3, 4, 5])
    for joint in spec.joints:
        joint.child_position = tuple(rng.uniform(-0.3, 0.3, 3).tolist())
    model = spec.compile()
    save(model, tmp_path / "a.urdf")
    peer = pin.buildModelFromUrdf(str(tmp_path / "a.urdf"))
    peer.gravity.linear = np.array(model.gravity)
    q, v, tau = (np.array(x) for x in random_state(model, rng))
    # joints of a file that are unlimited have a cosine and a sine there
    again = load(tmp_path / "a.urdf", gravity=model.gravity)
    order = [peer.getJointId(joint.name) for joint in again.joints]
    position = pin.neutral(peer)
    for x, index in zip(q, order, strict=True):
        joint = peer.joints[index]
        position[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
    places = [peer.joints[index].idx_v for index in order]
    velocity, force = np.zeros(peer.nv), np.zeros(peer.nv)
    velocity[places], force[places] = v, tau
    expected = pin.aba(peer, peer.createData(), position, velocity, force)[places]
    assert relative_error(td.forward_dynamics(model, q, v, tau), expected) < 1e-10


@pytest.mark.parametrize("name", ["a b", "Kübel", "line\nbreak", "<&>\"'", "tab\t"])
def test_names_survive(tmp_path, name):
    spec = arm()
    spec.joints[1].name = name
    save(spec, tmp_path / "a.urdf")
    assert load(tmp_path / "a.urdf").joints[0].name == name


def test_names_that_xml_cannot_hold(tmp_path):
    spec = arm()
    spec.joints[1].name = "bell\a"
    with pytest.raises(ModelError, match="XML cannot hold"):
        save(spec, tmp_path / "a.urdf")
