"""MJCF files: what becomes of their parts, which files they may name, and what is said about the rest."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tests.machines import random_state
from tests.numeric import relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.kinematics import world_transforms
from treadle.errors import ModelError
from treadle.forces.passive import passive_force
from treadle.formats import mjcf
from treadle.formats.folder import Folder
from treadle.formats.mesh import read_mesh
from treadle.model import Model, ModelSpec
from treadle.spatial import Transform

DOCS = Path(__file__).parents[2] / "docs" / "formats"
EXAMPLE = DOCS / "example" / "robot.xml"

BODY = '<body name="arm"><joint name="turn"/><geom name="rod" size="0.1"/></body>'

#: A body with three joints off its origin, a ball joint, a free body, references, springs and rotors.
MACHINE = """
<mujoco model="machine">
  <compiler angle="radian"/>
  <option gravity="0.5 -1 -9"/>
  <worldbody>
    <body name="stand" pos="1 2 3" quat="1 2 3 4">
      <geom size="0.2"/>
      <body name="arm" pos="0.1 0.2 0.3" quat="4 3 2 1">
        <joint name="lift" type="slide" axis="1 1 0" ref="0.3" stiffness="40" springref="0.2" damping="3"/>
        <joint name="turn" axis="0 1 2" pos="0.1 -0.2 0.4" ref="0.7" stiffness="5" springref="-0.4" armature="0.2"/>
        <joint name="nod" axis="2 1 0" pos="-0.3 0.1 0.2" damping="0.6" frictionloss="0.3" range="-1 2"/>
        <inertial pos="0.1 0.2 0.3" mass="2" fullinertia="0.3 0.4 0.5 0.02 0.03 0.04"/>
        <site name="tip" pos="0.3 0.4 0.5" quat="0.5 0.5 0.5 -0.5"/>
        <body name="head" pos="0 0.3 0.4" quat="1 0 1 0">
          <joint name="neck" type="ball" pos="0.2 0.1 -0.1" damping="0.4" armature="0.05"/>
          <geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0" quat="1 1 0 0"/>
          <body name="hat"><geom type="capsule" size="0.1 0.2"/></body>
        </body>
      </body>
    </body>
    <body name="drone" pos="0 0 5" quat="1 1 0 0">
      <freejoint name="fly"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/>
    </body>
  </worldbody>
  <equality>
    <connect name="rope" body1="hat" body2="drone" anchor="0.1 0.2 0.3"/>
    <connect name="pin" body1="drone" anchor="0.3 0 0"/>
    <weld name="glue" body1="drone" body2="arm" anchor="0.1 0 0.2"/>
    <weld name="nail" body1="head" relpose="1 2 3 0.5 0.5 -0.5 0.5" anchor="1 0 1"/>
    <weld name="seal" site1="tip" site2="lid"/>
    <joint name="gear" joint1="turn" joint2="lift" polycoef="0.1 2 -0.3 0.4 0.5"/>
    <joint name="hold" joint1="nod" polycoef="0.4 0 0 0 0"/>
    <tendon name="belt" tendon1="belt" polycoef="0.2 1 0 0 0"/>
  </equality>
  <tendon><fixed name="belt"><joint joint="nod" coef="2"/><joint joint="turn" coef="-3"/></fixed></tendon>
  <actuator>
    <motor name="push" joint="lift" gear="-3" ctrlrange="-2 2" armature="0.1" damping="0.2"/>
    <position name="aim" joint="turn" kp="20" kv="3" ctrlrange="-1 1" forcerange="-50 50"/>
    <velocity name="spin" joint="nod" kv="4" ctrlrange="-1 1"/>
    <general name="odd" joint="nod" gear="2" gainprm="5" biastype="affine" biasprm="1 -2 -3"/>
    <position name="geared" joint="lift" kp="7" gear="2"/>
    <motor name="twist" joint="neck" gear="0 2 0"/>
    <motor name="rise" joint="fly" gear="0 0 4 0 0 0"/>
    <motor name="roll" joint="fly" gear="0 0 0 5 0 0"/>
    <motor name="cord" tendon="cord" gear="2"/>
  </actuator>
  <keyframe>
    <key name="up" qpos="1 2 3  0 1 0 0  4 5 6 0 0 0 1" qvel="1 2 3  4 5 6  7 8 9 10 11 12"/>
  </keyframe>
</mujoco>
""".replace('<site name="tip"', '<site name="lid" pos="1 0 0"/><site name="tip"').replace(
    "</tendon>\n  <act", '<fixed name="cord"><joint joint="turn" coef="1.5"/></fixed></tendon>\n  <act'
)
NAMES = ["lift", "turn", "nod", "neck", "fly"]


def read(xml: str | bytes, folder: Path | None = None, allow_outside: bool = False) -> ModelSpec:
    content = xml.encode() if isinstance(xml, str) else xml
    return mjcf.read(content, "robot", folder=Folder(folder, allow_outside) if folder else None)


def with_mesh(file: str, attributes: str = "", compiler: str = "") -> str:
    """A model whose only body is a mesh."""
    return (
        f"<mujoco>{compiler}<asset><mesh name='part' file='{file}' {attributes}/></asset><worldbody><body>"
        "<joint/><geom name='part' type='mesh' mesh='part' pos='1 2 3' quat='1 2 3 4'/></body></worldbody></mujoco>"
    )


def write_mesh(path: Path, size: float = 1.0) -> Path:
    """A lopsided tetrahedron."""
    path.parent.mkdir(parents=True, exist_ok=True)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]) * size
    lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    path.write_text("\n".join(lines))
    return path


class Pair:
    """The machine above in both libraries, at one random state."""

    def __init__(self) -> None:
        self.spec = read(MACHINE)
        self.model: Model = self.spec.compile()
        self.there = mujoco.MjModel.from_xml_string(MACHINE)
        self.data = mujoco.MjData(self.there)
        rng = np.random.default_rng(4)
        self.q, self.v, self.tau = (np.array(x) for x in random_state(self.model, rng))
        self.command = rng.uniform(-1.0, 1.0, self.there.nu)
        # the joints have MuJoCo's order here, but a free joint counts its translation first
        n = self.model.nq - 7
        self.order_q = [*range(n), *range(n + 4, n + 7), *range(n, n + 4)]
        n = self.model.nv - 6
        self.order_v = [*range(n), *range(n + 3, n + 6), *range(n, n + 3)]
        data = self.data
        data.qpos[:], data.qvel[:], data.ctrl[:] = self.q[self.order_q], self.v[self.order_v], self.command
        mujoco.mj_forward(self.there, self.data)


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair()


# ----------------------------------------------------------------------------------------------------------
# the machine
# ----------------------------------------------------------------------------------------------------------


def test_a_chain_of_joints_goes_through_massless_bodies(pair):
    assert [joint.name for joint in pair.model.joints] == NAMES
    children = {joint.name: (joint.parent, joint.child) for joint in pair.spec.joints}
    assert children["lift"] == ("stand", "arm/lift")
    assert children["turn"] == ("arm/lift", "arm/turn")
    assert children["nod"] == ("arm/turn", "arm")
    assert children["stand/fixed"] == (None, "stand")
    assert [joint.type.kind for joint in pair.model.joints] == [
        "prismatic",
        "revolute",
        "revolute",
        "ball",
        "free",
    ]
    assert pair.model.body("arm/lift").inertia.mass == 0.0


def test_positions_are_those_of_mujoco(pair):
    poses = world_transforms(pair.model, pair.q.tolist())
    for name in ("stand", "arm", "head", "hat", "drone"):
        frame = pair.model.frame(name)
        pose = placed(poses, frame.body, frame.placement)
        assert relative_error(pose[:3, 3], pair.data.body(name).xpos) < 1e-12
        assert relative_error(pose[:3, :3], pair.data.body(name).xmat.reshape(3, 3)) < 1e-12


def test_forces_and_accelerations_are_those_of_mujoco(pair):
    passive = np.array(passive_force(pair.model, pair.q.tolist(), pair.v.tolist()))
    assert relative_error(passive[pair.order_v], pair.data.qfrc_passive) < 1e-12
    applied = passive + actuator_force(pair)
    a = np.array(aba(pair.model, pair.q.tolist(), pair.v.tolist(), applied.tolist()))
    assert relative_error(a[pair.order_v], pair.data.qacc_smooth) < 1e-12


def placed(poses: list[Transform], body: int, placement: Transform) -> np.ndarray:
    return (placement if body < 0 else poses[body] @ placement).to_matrix()


def actuator_force(pair: Pair) -> np.ndarray:
    """Joint forces of the actuators as `ACTUATOR_TYPES` defines them."""
    force = np.zeros(pair.model.nv)
    for drive, command in zip(pair.model.actuators, pair.command, strict=True):
        q, v = (0.0 if drive.q is None else pair.q[drive.q]), pair.v[drive.v]
        command = np.clip(command, -np.inf if drive.lower is None else drive.lower, drive.upper)
        value = {
            "motor": drive.gain * command,
            "position": drive.stiffness * (command - q) - drive.damping * v,
            "velocity": drive.damping * (command - v),
            "general": drive.gain * command + np.dot(drive.bias, [1.0, q, v]),
        }[drive.type]
        limit = np.inf if drive.effort is None else drive.effort
        force[drive.v] += np.clip(value, -limit, limit)
    return force


def test_actuators(pair):
    assert relative_error(actuator_force(pair)[pair.order_v], pair.data.qfrc_actuator) < 1e-12
    drives = {drive.name: drive for drive in pair.spec.actuators}
    assert (drives["push"].type, drives["push"].gain) == ("motor", -3.0)
    assert (drives["push"].lower, drives["push"].upper, drives["push"].effort) == (-2.0, 2.0, None)
    assert (drives["aim"].type, drives["aim"].stiffness, drives["aim"].damping) == ("position", 20.0, 3.0)
    assert drives["aim"].effort == 50.0
    assert (drives["spin"].type, drives["spin"].damping) == ("velocity", 4.0)
    assert (drives["odd"].type, drives["odd"].gain, drives["odd"].bias) == (
        "general",
        10.0,
        (2.0, -8.0, -12.0),
    )
    assert (drives["geared"].type, drives["geared"].bias) == ("general", (0.0, -28.0, 0.0))
    assert (drives["twist"].freedom, drives["rise"].freedom, drives["roll"].freedom) == (1, 5, 0)
    assert (drives["cord"].joint, drives["cord"].gain) == ("turn", 3.0)


def test_loops_are_open_where_mujoco_has_them_open(pair):
    """The gap that MuJoCo's constraint would close, and that of the loop joint."""
    poses = world_transforms(pair.model, pair.q.tolist())
    kinds = {"rope": "ball", "pin": "ball", "glue": None, "nail": None, "seal": None}
    assert {loop.name: loop.type.kind if loop.type else None for loop in pair.model.loops} == kinds
    for loop in pair.model.loops:
        first = placed(poses, loop.predecessor, loop.predecessor_placement)
        second = placed(poses, loop.successor, loop.successor_placement)
        gap = residual(pair, loop.name)
        assert relative_error(np.linalg.norm(first[:3, 3] - second[:3, 3]), np.linalg.norm(gap[:3])) < 1e-12
        if loop.type is None:
            # MuJoCo has the sine of half the angle
            half = np.sqrt((3.0 - np.trace(first[:3, :3].T @ second[:3, :3])) / 4.0)
            assert relative_error(half, np.linalg.norm(gap[3:6])) < 1e-12


def test_couplings_are_off_by_what_mujoco_says(pair):
    assert [coupling.name for coupling in pair.model.couplings] == ["gear", "hold", "belt"]
    for coupling in pair.model.couplings:
        x = 0.0 if coupling.source_q is None else pair.q[coupling.source_q]
        wanted = np.polynomial.Polynomial(coupling.coefficients)(x)
        factor = 2.0 if coupling.name == "belt" else 1.0
        gap = residual(pair, coupling.name)[0]
        assert relative_error(factor * (pair.q[coupling.q] - wanted), gap) < 1e-12


def residual(pair: Pair, name: str) -> np.ndarray:
    index = pair.there.equality(name).id
    rows = (pair.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY) & (pair.data.efc_id == index)
    return pair.data.efc_pos[rows]


def test_keyframes(pair):
    """The pose of the file is where a simulation starts; free joints have their own order."""
    up, start = (next(key for key in pair.model.keyframes if key.name == name) for name in ("up", "initial"))
    assert up.q == (1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 1, 4, 5, 6)
    assert up.v == (1, 2, 3, 4, 5, 6, 10, 11, 12, 7, 8, 9)
    assert relative_error(np.array(start.q)[pair.order_q], pair.there.qpos0) < 1e-15
    assert pair.model.initial() == (list(start.q), list(start.v))


def test_the_files_own_initial_state_counts():
    spec = read(
        f'<mujoco><worldbody>{BODY}</worldbody><keyframe><key name="initial" qpos="2"/></keyframe></mujoco>'
    )
    assert [(key.name, key.positions) for key in spec.keyframes] == [("initial", {"turn": 2.0})]


def test_limits_friction_and_settings(pair):
    nod = pair.model.joint("nod")
    assert (nod.lower, nod.upper, nod.friction, nod.damping) == ((-1.0,), (2.0,), (0.3,), (0.6,))
    assert pair.model.joint("turn").upper == (np.inf,)
    assert (pair.model.gravity, dict(pair.model.settings)) == (
        (0.5, -1.0, -9.0),
        {"dt": 0.002, "integrator": "symplectic_euler"},
    )
    assert [joint.line for joint in pair.spec.joints if joint.name == "nod"] == [12]
    assert [body.line for body in pair.spec.bodies if body.name == "head"] == [15]
    assert [drive.line for drive in pair.spec.actuators if drive.name == "spin"] == [42]


def test_gravity_that_is_switched_off():
    spec = read(
        '<mujoco><option gravity="0 0 -5" integrator="RK4"><flag gravity="disable"/></option></mujoco>'
    )
    assert spec.gravity == (0.0, 0.0, 0.0)
    assert spec.settings["integrator"] == "rk4"


def test_what_has_no_name_gets_one():
    xml = """<mujoco><worldbody><geom size="1"/><site/><body><joint/><joint axis="1 0 0"/><geom size="1"/>
    <body name="body1"><joint name="joint1"/><geom size="1"/></body></body></worldbody>
    <actuator><motor joint="joint1"/></actuator><keyframe><key/></keyframe></mujoco>"""
    model = read(xml).compile()
    assert model.name == "robot"
    assert [joint.name for joint in model.joints] == ["joint0", "joint1_", "joint1"]
    assert [link.name for link in model.links] == ["body1_/joint0", "body1_", "body1"]
    assert [shape.name for shape in model.shapes if shape.role == "collision"] == ["geom0", "geom1", "geom2"]
    assert (model.actuators[0].name, model.keyframes[-1].name) == ("actuator0", "key0")
    assert model.frame("site0").body == -1


def test_names_that_are_taken():
    xml = MACHINE.replace('name="tip"', 'name="arm"').replace('site1="tip"', 'site1="arm"')
    spec = read(xml.replace('name="rope"', 'name="nod"'))
    assert "arm_site" in [frame.name for frame in spec.frames]
    assert "nod_" in [joint.name for joint in spec.joints]
    report = "\n".join(spec.report)
    assert 'sites whose name is taken, called ".._site" instead: "arm"' in report
    assert 'equality constraint "nod" is called "nod_": the name is taken' in report


# ----------------------------------------------------------------------------------------------------------
# shapes and contact
# ----------------------------------------------------------------------------------------------------------


def test_shapes():
    xml = """<mujoco><asset><material name="paint" rgba="0.1 0.2 0.3 0.4"/></asset><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="arm"><joint/>
      <geom name="box" type="box" size="1 2 3" pos="1 2 3" material="paint"/>
      <geom name="tube" type="cylinder" size="1 2" contype="0" conaffinity="0" rgba="1 0 0 1"/>
      <geom name="pill" type="capsule" size="1 2" group="3"/>
      <geom name="egg" type="ellipsoid" size="1 2 3" rgba="1 1 1 0"/>
      <geom name="ghost" size="1" group="4" contype="0" conaffinity="0"/>
    </body></worldbody></mujoco>"""
    spec = read(xml)
    shapes = {shape.name: shape for shape in spec.shapes}
    assert set(shapes) == {"floor", "floor/visual", "box", "box/visual", "tube", "pill", "egg"}
    assert (shapes["floor"].type, shapes["floor"].size, shapes["floor"].body) == ("plane", (), None)
    assert (shapes["box"].size, shapes["box"].role, shapes["box"].color) == (
        (2, 4, 6),
        "collision",
        (0.1, 0.2, 0.3, 0.4),
    )
    assert (shapes["tube"].size, shapes["tube"].role, shapes["tube"].material) == ((1, 4), "visual", None)
    assert (shapes["pill"].size, shapes["pill"].role) == ((1, 4), "collision")
    assert shapes["egg"].size == (1, 2, 3)
    assert 'geoms left out, for they are neither shown nor touch anything: "ghost"' in spec.report
    assert spec.compile().shapes


@pytest.mark.parametrize(
    "attributes",
    ["", "scale='1 2 -3' refpos='0.1 0.2 0.3'", "scale='2 2 2' refpos='0.1 0.2 0.3' refquat='1 2 3 4'"],
)
def test_meshes_stay_where_they_are(tmp_path, attributes):
    """The points of the file, placed as the shape says, are MuJoCo's points in the body."""
    path = write_mesh(tmp_path / "parts" / "part.obj")
    (shape,) = [
        shape
        for shape in read(with_mesh("parts/part.obj", attributes), tmp_path).shapes
        if shape.role == "visual"
    ]
    assert (shape.type, shape.file) == ("mesh", "parts/part.obj")
    points, _ = read_mesh(tmp_path / shape.file, shape.scale)
    actual = points @ np.array(shape.rotation).T + shape.position

    there = mujoco.MjModel.from_xml_string(with_mesh(str(path), attributes))
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    expected = there.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    assert np.abs(actual[:, None] - expected[None]).max(axis=2).min(axis=0).max() < 1e-5


def test_meshes_that_cannot_be_kept(tmp_path):
    write_mesh(tmp_path / "part.obj")
    spec = read(with_mesh("part.obj", "scale='1 2 3' refquat='1 1 0 0'"), tmp_path)
    assert 'geoms left out, for their meshes are turned and then scaled unevenly: "part"' in spec.report
    spec = read(
        with_mesh("part.obj").replace("file='part.obj'", "vertex='0 0 0 1 0 0 0 1 0 0 0 1'"), tmp_path
    )
    assert 'geoms left out, for their meshes are not files: "part"' in spec.report
    assert spec.shapes == []


def test_contact_parameters_become_materials():
    xml = """<mujoco><worldbody><body><joint/>
    <geom name="a" size="1" solref="0.02 0.5" friction="0.7 0.1 0.2"/>
    <geom name="b" size="1" solref="-900 -30" friction="0.7 0.1 0.2" condim="4"/>
    <geom name="c" size="1" solref="0.02 0.5" friction="0.3 0.1 0.2" condim="6"/>
    <geom name="d" size="1" solref="0.02 0.5" friction="0.3 0.1 0.2" condim="1"/>
    </body></worldbody></mujoco>"""
    spec = read(xml)
    materials = {material.name: material for material in spec.materials}
    a, b, c, d = (
        materials[shape.material]
        for name in "abcd"
        for shape in spec.shapes
        if shape.name == name and shape.material
    )
    # a mass of 1 kg on such a spring swings with 1 / (timeconst dampratio) rad/s and this damping ratio
    assert (a.stiffness, a.damping, a.friction) == (pytest.approx(1e4), 100.0, 0.7)
    assert a.damping / (2.0 * np.sqrt(a.stiffness)) == pytest.approx(0.5)
    assert (a.spinning_friction, a.rolling_friction) == (0.0, 0.0)
    assert (b.stiffness, b.damping, b.spinning_friction, b.rolling_friction) == (900.0, 30.0, 0.1, 0.0)
    assert (c.friction, c.spinning_friction, c.rolling_friction) == (0.3, 0.1, 0.2)
    assert (d.friction, d.spinning_friction, d.rolling_friction) == (0.0, 0.0, 0.0)
    assert any("per kg of effective mass" in line for line in spec.report)


def test_overridden_contact_parameters():
    xml = '<mujoco><option o_solref="0.1 1" o_friction="2 2 0 0 0"><flag override="enable"/></option><worldbody>'
    (material,) = read(f"{xml}{BODY}</worldbody></mujoco>").materials
    assert (material.stiffness, material.friction) == (pytest.approx(100.0), 2.0)


CHAIN = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="a"><joint/><geom name="a" size="1"/>
  <body name="b"><joint/><geom name="b" size="1"/>
    <body name="c"><joint/><geom name="c" size="1"/><geom name="c2" size="1"/>
      <body name="d"><joint/><geom name="d" size="1"/></body></body></body></body></worldbody>{}</mujoco>"""


def pairs(spec: ModelSpec, enabled: bool = False) -> set[str]:
    return {f"{x.first}-{x.second}" for x in spec.contacts if x.enabled == enabled}


def test_neighbours_do_not_touch():
    assert pairs(read(CHAIN.format(""))) == {"a-b", "b-c", "c-d"}
    on = read(CHAIN.format('<option><flag filterparent="disable"/></option>'))
    assert pairs(on) == set()


def test_excluded_and_stated_pairs():
    spec = read(
        CHAIN.format(
            '<contact><exclude body1="a" body2="d"/><pair geom1="floor" geom2="c" solref="0.1 1" friction="2 3 0 0 0"/>'
            '<pair geom1="floor" geom2="c2" solref="0.2 1"/><pair geom1="a" geom2="b"/></contact>'
        )
    )
    assert pairs(spec) == {"b-c", "c-d", "a-d"}
    assert pairs(spec, enabled=True) == {"None-c", "a-b"}
    (stated,) = [contact for contact in spec.contacts if contact.first is None]
    (material,) = [material for material in spec.materials if material.name == stated.material]
    assert (material.stiffness, material.friction) == (pytest.approx(100.0), 2.0)
    report = "\n".join(spec.report)
    assert 'contact pairs left out, for other geoms of the same bodies have another one: "pair1"' in report
    assert (
        'contact pairs whose friction depends on the direction, of which the first counts: "pair0"' in report
    )
    assert spec.compile().contacts


def test_masks_that_keep_bodies_apart():
    masked = CHAIN.format("").replace('name="d"', 'name="d" contype="2" conaffinity="2"', 2)
    masked = masked.replace('<body name="d" contype="2" conaffinity="2">', '<body name="d">')
    masked = masked.replace('name="c2"', 'name="c2" contype="3"')
    spec = read(masked)
    assert pairs(spec) == {"a-b", "b-c", "c-d", "a-d", "b-d", "None-d"}
    partly = masked.replace(
        '<body name="d"><joint/>', '<body name="e"><joint/><geom size="1"/><body name="d"><joint/>'
    )
    report = read(
        partly.replace("</body></body></body></body>", "</body></body></body></body></body>")
    ).report
    assert 'pairs of bodies of which only some geoms touch in MuJoCo, but all may here: "c - d"' in report


# ----------------------------------------------------------------------------------------------------------
# the report
# ----------------------------------------------------------------------------------------------------------

REPORTED = {
    "cameras are not carried over: ": ("<camera name='eye'/>", ""),
    "lights are not carried over: ": ("<light/>", ""),
    "sensors are not carried over: ": ("", "<sensor><jointpos joint='turn'/></sensor>"),
    "tendons (with their springs, limits and forces) are not carried over: ": (
        "", "<tendon><fixed><joint joint='turn' coef='1'/></fixed></tendon>",
    ),
    "height fields are not carried over: ": (
        "", "<asset><hfield name='hill' nrow='2' ncol='2' size='1 1 1 1'/></asset>",
    ),
    "geoms left out, for there are no height fields here: ": (
        "<geom type='hfield' hfield='hill'/>", "<asset><hfield name='hill' nrow='2' ncol='2' size='1 1 1 1'/></asset>",
    ),
    "flexible bodies (their points are carried over as bodies, without elasticity) are not carried over: ": (
        "<body><flexcomp name='cloth' type='grid' count='2 2 1' spacing='1 1 1' dim='2' mass='1' radius='0.1'/></body>", "",
    ),
    "plugins are not carried over: ": (
        "<body><geom type='sdf' name='nut' mesh='nut'><plugin instance='nut'/></geom></body>",
        "<extension><plugin plugin='mujoco.sdf.nut'><instance name='nut'/></plugin></extension>"
        "<asset><mesh name='nut'><plugin instance='nut'/></mesh></asset>",
    ),
    "bodies that follow motion capture, fixed here: ": ("<body mocap='true'/>", ""),
    "bodies whose weight is compensated (gravcomp), which is not carried over: ": ("<body gravcomp='1'><geom size='1'/></body>", ""),
    "ball joints whose limit is not carried over: ": (
        "<body><joint type='ball' range='0 1'/><geom size='1'/></body>", "",
    ),
    "ball and free joints whose spring is not carried over: ": (
        "<body><joint type='ball' stiffness='1'/><geom size='1'/></body>", "",
    ),
    "joints whose springs or dampers are not linear, of which the linear part is kept: ": (
        "<body><joint damping='1 2'/><geom size='1'/></body>", "",
    ),
    "joints whose limits act at a margin, which is not carried over: ": (
        "<body><joint range='0 1' margin='0.1'/><geom size='1'/></body>", "",
    ),
    "joints whose limits have a softness of their own (solreflimit, solimplimit), not carried over: ": (
        "<body><joint range='0 1' solreflimit='0.1 1'/><geom size='1'/></body>", "",
    ),
    "joints with unequal limits of drive force, of which the larger counts either way: ": (
        "<body><joint actuatorfrcrange='-1 2'/><geom size='1'/></body>", "",
    ),
    "geoms whose margin or gap is not carried over: ": ("<geom size='1' margin='0.1'/>", ""),
    "geoms whose priority or solmix is not carried over: ": ("<geom size='1' priority='2'/>", ""),
    "geoms whose fluid forces is not carried over: ": ("<geom size='1' fluidshape='ellipsoid'/>", ""),
    "actuators left out, which do not act on joints: ": (
        "<site name='jet'/>", "<actuator><motor site='jet'/></actuator>",
    ),
    "actuators left out, which pull on tendons: ": (
        "<site name='a'/><site name='b'/>",
        "<tendon><spatial name='rope'><site site='a'/><site site='b'/></spatial></tendon>"
        "<actuator><motor tendon='rope'/></actuator>",
    ),
    "actuators left out, which have activation dynamics: ": (
        "", "<actuator><intvelocity joint='turn' kp='1' actrange='-1 1'/></actuator>",
    ),
    "actuators left out, whose force is not proportional to one command: ": (
        "", "<actuator><damper joint='turn' kv='1' ctrlrange='0 1'/></actuator>",
    ),
    "actuators left out, which pull on more than one freedom: ": (
        "<body><freejoint name='fly'/><geom size='1'/></body>", "<actuator><motor joint='fly' gear='1 1 0 0 0 0'/></actuator>",
    ),
    "actuators that follow the command at once, without their activation filter: ": (
        "", "<actuator><general joint='turn' dyntype='filter' dynprm='0.1'/></actuator>",
    ),
    "actuators with unequal limits of force, of which the larger counts either way: ": (
        "", "<actuator><motor joint='turn' forcerange='-1 2'/></actuator>",
    ),
    "equality constraints left out: ": (
        "", "<equality><joint joint1='turn' active='false'/></equality>",
    ),
    "keyframes whose commands are not carried over: ": (
        "", "<actuator><motor joint='turn'/></actuator><keyframe><key ctrl='1'/></keyframe>",
    ),
    "options of MuJoCo that have no counterpart: cone = elliptic, wind = 0 0 1, contact off": (
        "", "<option cone='elliptic' wind='0 0 1'><flag contact='disable'/></option>",
    ),
    "the integrator implicitfast is not known here: symplectic Euler takes its place": (
        "", "<option integrator='implicitfast'/>",
    ),
    "of the materials of geoms the colour is kept, not shine and texture": (
        "", "<asset><material name='m' rgba='1 0 0 1'/></asset>",
    ),
    "user data of elements are not carried over": ("<geom size='1' user='1 2'/>", ""),
    "elements that are not read: custom (1), size (1), statistic (1), texture (1), visual (1)": (
        "",
        "<asset><texture name='t' type='2d' file='../../nowhere.png'/></asset><visual/><statistic extent='1'/>"
        "<size memory='1M'/><custom><text name='x' data='y'/></custom>",
    ),
    "MuJoCo says: compiler attribute 'settotalmass' is deprecated": ("", "<compiler settotalmass='2'/>"),
    "the model has no name and was called 'robot' after its file": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize("sentence", REPORTED)
def test_nothing_is_dropped_in_silence(sentence, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    inside, beside = REPORTED[sentence]
    spec = read(f"<mujoco><worldbody>{BODY}{inside}</worldbody>{beside}</mujoco>", tmp_path)
    (line,) = [line for line in spec.report if line.startswith(sentence)]
    assert not sentence.endswith(": ") or line.count('"') >= 2
    assert spec.compile(strict=False).joint("turn")
    # MuJoCo would print its warnings, and write them into a file
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


# ----------------------------------------------------------------------------------------------------------
# files
# ----------------------------------------------------------------------------------------------------------


def test_includes(tmp_path):
    """They are looked for in the model's folder first, then beside the file that includes."""
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "parts" / "arm.xml").write_text(
        '<x><body name="arm"><include file="deep/joint.xml"/><include file="parts/geom.xml"/></body></x>'
    )
    (tmp_path / "parts" / "deep" / "joint.xml").write_text('<x><joint name="turn"/></x>')
    (tmp_path / "parts" / "geom.xml").write_text('<x>\n<!-- the\nrod -->\n<geom name="rod" size="0.1"/></x>')
    xml = '<mujoco>\n<worldbody>\n<include file="parts/arm.xml"/></worldbody></mujoco>'
    model = read(xml, tmp_path).compile()
    assert (model.joints[0].name, model.shapes[0].name) == ("turn", "rod")


def test_folders_of_assets(tmp_path):
    write_mesh(tmp_path / "meshes" / "part.obj")
    write_mesh(tmp_path / "others" / "part.obj", 2.0)
    one, other = ({shape.file for shape in read(with_mesh("part.obj", "", text), tmp_path).shapes} for text in (
        '<compiler assetdir="others" meshdir="meshes"/>',
        '<compiler meshdir="meshes"/><compiler assetdir="others"/>',
    ))  # fmt: skip
    assert (one, other) == ({"meshes/part.obj"}, {"others/part.obj"})
    stripped = read(
        with_mesh("C:\\\\robot\\\\part.obj", "", '<compiler strippath="true" meshdir="meshes/"/>'), tmp_path
    )
    assert stripped.shapes[0].file == "meshes/part.obj"


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
    (tmp_path / "hand" / "hand.xml").write_text(with_mesh("part.obj").replace("<body>", "<body name='palm'>"))
    xml = """<mujoco><asset><model name="hand" file="hand/hand.xml"/></asset><worldbody><body name="arm"><joint/>
    <geom size="1"/><attach model="hand" body="palm" prefix="left-"/></body></worldbody></mujoco>"""
    spec = read(xml, tmp_path)
    assert [body.name for body in spec.bodies] == ["arm", "left-palm"]
    assert "hand/part.obj" in [shape.file for shape in spec.shapes]


@pytest.mark.parametrize("tag", ["mesh", "include", "model"])
@pytest.mark.parametrize("way", ["absolute", "up", "link"])
def test_files_outside_the_folder_are_not_read(tmp_path, tag, way):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    (home / "link").symlink_to(away)
    folder = {"absolute": str(away), "up": "../away", "link": "link"}[way]
    write_mesh(away / "part.obj")
    (away / "part.xml").write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    xml = {
        "mesh": with_mesh(f"{folder}/part.obj"),
        "include": f'<mujoco><include file="{folder}/part.xml"/></mujoco>',
        "model": f'<mujoco><asset><model name="m" file="{folder}/part.xml"/></asset><worldbody>'
        '<attach model="m" body="arm" prefix="x"/></worldbody></mujoco>',
    }[tag]
    with pytest.raises(ModelError, match=r"outside the folder|absolute path") as caught:
        read(xml, home)
    assert (caught.value.line, caught.value.element) == (1, f"<{tag}>")
    assert "allow_outside=True" in caught.value.hint
    assert read(xml, home, allow_outside=True).compile().nv == 1


def test_without_a_folder_no_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_mesh(tmp_path / "part.obj")
    with pytest.raises(ModelError, match="there is no file 'part.obj'"):
        read(with_mesh("part.obj"))


def test_without_mujoco(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError, match="not installed") as caught:
        read("<mujoco/>")
    assert "pip install treadle[mjcf]" in caught.value.hint


def test_a_floating_base_is_for_the_file_to_say():
    with pytest.raises(ModelError, match="states itself") as caught:
        mjcf.read(b"<mujoco/>", "robot", True)
    assert "<freejoint/>" in caught.value.hint


def world(content: str, rest: str = "") -> str:
    return f"<mujoco>\n<worldbody>\n{content}\n</worldbody>\n{rest}</mujoco>"


#: Content, part of the message, line, and what lies beside it.
MALFORMED = {
    "empty": (b"", "is not XML", 1, {}),
    "rubbish": (bytes(range(256)), "XML", 1, {}),
    "truncated": ("<mujoco>\n<worldbody><body>", "not well-formed", 2, {}),
    "another format": ("\n<robot name='x'/>", "is URDF", 2, {}),
    "another root": ("<sdf/>", "is not MJCF: the outermost element is <sdf>", 1, {}),
    "entity bomb": ('<!DOCTYPE x [<!ENTITY a "b"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>', "entities", None, {}),
    "external entity": ('<!DOCTYPE x [<!ENTITY a SYSTEM "/etc/passwd">]><mujoco>&a;</mujoco>', "entities", None, {}),
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
    "negative mass": (world(f'{BODY}\n<body><joint/><geom size="1" mass="-1"/></body>'), "negative", 4, {}),
    "no mass": (world('<body name="a">\n<joint/></body>'), "mass and inertia of moving bodies", 3, {}),
    "impossible inertia": (
        world('<body name="a"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'),
        "inertia must satisfy", 3, {},
    ),
    "axis of length zero": (world('<body><joint axis="0 0 0"/><geom size="1"/></body>'), "axis too small", 3, {}),
    "repeated name": (world(f"{BODY}\n{BODY}"), "repeated name 'arm'", 4, {}),
    "unknown joint": (world(BODY, '<actuator><motor joint="trn"/></actuator>'), "'trn'", 5, {}),
    "unknown body": (world(BODY, '<equality><weld body1="amr"/></equality>'), "'amr'", 5, {}),
    "long keyframe": (world(BODY, '<keyframe><key qpos="1 2 3"/></keyframe>'), "invalid qpos size", None, {}),
    "free joint inside": (world(f'{BODY[:-7]}<body><freejoint/></body></body>'), "free joint", 3, {}),
    "copies without end": (world('<replicate count="1000000000"><geom size="1"/></replicate>'), "more copies", 3, {}),
    "copies of copies": (
        world('<replicate count="999"><replicate count="999"><geom size="1"/></replicate></replicate>'),
        "more copies", 3, {},
    ),
    "field without end": (
        '<mujoco><asset><hfield name="h" nrow="99999" ncol="99999" size="1 1 1 1"/></asset></mujoco>', "more copies", 1, {},
    ),
    "missing plugin": ('<mujoco><extension>\n<plugin plugin="a.b"/></extension></mujoco>', "not found", 2, {}),
    "file of a geom": (world('<geom file="x.stl"/>'), "names a file, which it cannot have", 3, {}),
    "missing include": ('<mujoco>\n<include file="x.xml"/></mujoco>', "there is no file 'x.xml'", 2, {}),
    "include of nothing": ("<mujoco>\n<include/></mujoco>", "names no file", 2, {}),
    "include of an empty file": ('<mujoco>\n<include file="x.xml"/></mujoco>', "holds nothing", 2, {"x.xml": "<x/>"}),
    "include from the network": ('<mujoco>\n<include file="http://x.org/x.xml"/></mujoco>', "not a path", 2, {}),
    "include twice": (
        '<mujoco><include file="x.xml"/>\n<include file="./x.xml"/></mujoco>', "is included twice", 2,
        {"x.xml": "<x><option/></x>"},
    ),
    "include of itself": (
        '<mujoco><include file="x.xml"/></mujoco>', "in x.xml:2: 'x.xml' is included twice", None,
        {"x.xml": '<x>\n<include file="x.xml"/></x>'},
    ),
    "broken include": (
        '<mujoco><include file="x.xml"/></mujoco>', "in x.xml:2: is not well-formed", None, {"x.xml": "<x>\n<option></x>"},
    ),
    "mistake in an include": (
        '<mujoco><include file="x.xml"/></mujoco>', "in x.xml:2: Schema violation", None, {"x.xml": "<x>\n<foo/></x>"},
    ),
    "folder for a mesh": (with_mesh("."), "there is no file", 1, {}),
    "missing mesh": (with_mesh("x.stl"), "there is no file 'x.stl'", 1, {}),
    "unknown kind of mesh": (with_mesh("x.dae"), "unknown kind of mesh '.dae'", 1, {"x.dae": "x"}),
    "empty mesh": (with_mesh("x.stl"), "empty", 1, {"x.stl": ""}),
    "rubbish for a mesh": (with_mesh("x.msh"), "invalid sizes in MSH file 'x.msh'", 1, {"x.msh": "x" * 999}),
    "mesh of a header": (
        with_mesh("x.stl"), "number of faces", 1, {"x.stl": b"\0" * 80 + (20_000_000).to_bytes(4, "little")},
    ),
    "mesh with a bad index": (
        with_mesh("x.obj"), "does not exist", 1,
        {"x.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 9\nf 1 2 4\nf 1 3 4\nf 2 3 4"},
    ),
    "flat mesh": (with_mesh("x.obj"), "at least 4 vertices", 1, {"x.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3"}),
    "model that attaches itself": (
        '<mujoco><asset><model name="m" file="x.xml"/></asset></mujoco>', "attaches itself", None,
        {"x.xml": '<mujoco><asset><model name="m" file="x.xml"/></asset></mujoco>'},
    ),
    "mistake in an attached model": (
        '<mujoco><asset><model name="m" file="x.xml"/></asset><worldbody><attach model="m" body="a" prefix="b"/>'
        "</worldbody></mujoco>",
        "in x.xml:3: ", None, {"x.xml": '<mujoco>\n<worldbody><body name="a">\n<joint type="x"/></body></worldbody></mujoco>'},
    ),
    "attached URDF": (
        '<mujoco><asset><model name="m" file="x.xml"/></asset></mujoco>', "in x.xml:1: is URDF", None, {"x.xml": "<robot/>"},
    ),
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
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert capfd.readouterr() == ("", "")


# ----------------------------------------------------------------------------------------------------------
# the documentation
# ----------------------------------------------------------------------------------------------------------


def test_the_page_shows_a_file_that_loads():
    page = (DOCS / "mjcf.md").read_text(encoding="utf-8")
    text = EXAMPLE.read_text(encoding="utf-8")
    assert f"```xml\n{text}```" in page
    spec = read(text, EXAMPLE.parent)
    model = spec.compile()
    assert [joint.name for joint in model.joints] == ["yaw", "shoulder", "elbow", "left", "right", "box"]
    assert (model.nq, model.nv, len(model.actuators), len(model.couplings)) == (12, 11, 4, 1)
    assert "```\n" + "\n".join(spec.report) + "\n```" in page


def test_the_description_survives_json():
    spec = read(MACHINE)
    assert ModelSpec.from_dict(spec.to_dict()) == spec
