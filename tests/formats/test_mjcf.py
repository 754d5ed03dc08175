"""A machine from MJCF moves, is driven and is constrained as MuJoCo has it."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tests.formats.mjcf_texts import BODY, read, world
from tests.machines import random_state
from tests.numeric import relative_error
from treadle.dynamics.aba import aba
from treadle.dynamics.kinematics import world_transforms
from treadle.errors import ModelError
from treadle.forces.passive import passive_force
from treadle.formats import mjcf
from treadle.formats import mjcf_bodies as bodies
from treadle.formats import mjcf_drives as drives
from treadle.model import ModelSpec
from treadle.spatial import Transform

DOCS = Path(__file__).parents[2] / "docs" / "formats"
EXAMPLE = DOCS / "example" / "robot.xml"

#: A body with three joints off its origin, a ball joint, a free body, references, springs and rotors.
MACHINE = """<mujoco model="machine">
  <compiler angle="radian"/>
  <option gravity="0.5 -1 -9"/>
  <worldbody>
    <body name="stand" pos="1 2 3" quat="1 2 3 4">
      <geom size="0.2"/>
      <body name="arm" pos="0.1 0.2 0.3" quat="4 3 2 1">
        <joint name="lift" type="slide" axis="1 1 0" ref="0.3" stiffness="40" springref="0.2" damping="3"/>
        <joint name="turn" axis="0 1 2" pos="0.1 -0.2 0.4" ref="0.7" stiffness="5" armature="0.2"/>
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
      <site name="lid" pos="1 0 0" quat="1 2 0 0"/>
    </body>
  </worldbody>
  <equality>
    <connect name="rope" body1="hat" body2="drone" anchor="0.1 0.2 0.3"/>
    <connect name="pin" body1="drone" anchor="0.3 0 0"/>
    <connect name="hook" site1="tip" site2="lid"/>
    <weld name="glue" body1="drone" body2="arm" anchor="0.1 0 0.2"/>
    <weld name="nail" body1="head" relpose="1 2 3 0.5 0.5 -0.5 0.5" anchor="1 0 1"/>
    <weld name="seal" site1="tip" site2="lid"/>
    <weld name="knot" body1="drone" body2="arm" anchor="0.1 0 0.2" torquescale="0"/>
    <joint name="gear" joint1="turn" joint2="lift" polycoef="0.1 2 -0.3 0.4 0.5"/>
    <joint name="hold" joint1="nod" polycoef="0.4 0 0 0 0"/>
    <tendon name="belt" tendon1="belt" polycoef="0.2 1 0 0 0"/>
  </equality>
  <tendon>
    <fixed name="belt"><joint joint="nod" coef="2"/><joint joint="turn" coef="-3"/></fixed>
    <fixed name="cord"><joint joint="turn" coef="1.5"/></fixed>
  </tendon>
  <actuator>
    <motor name="push" joint="lift" gear="-3" ctrlrange="-2 2" armature="0.1" damping="0.2"/>
    <position name="aim" joint="turn" kp="20" kv="3" ctrlrange="-1 1" forcerange="-50 50"/>
    <velocity name="spin" joint="nod" kv="4" ctrlrange="-1 1"/>
    <general name="odd" joint="nod" gear="2" gainprm="5" biastype="affine" biasprm="1 -2 -3"/>
    <position name="geared" joint="lift" kp="7" gear="2"/>
    <motor name="twist" joint="neck" gear="0 2 0"/>
    <motor name="sway" joint="neck" gear="2" armature="0.1" damping="0.3"/>
    <motor name="rise" joint="fly" gear="0 0 4 0 0 0"/>
    <motor name="roll" joint="fly" gear="0 0 0 5 0 0"/>
    <motor name="cord" tendon="cord" gear="2"/>
  </actuator>
  <keyframe>
    <key name="up" qpos="1 2 3  0 1 0 0  4 5 6 0 0 0 1" qvel="1 2 3  4 5 6  7 8 9 10 11 12"/>
  </keyframe>
</mujoco>
"""
#: Joint types by name, in MuJoCo's order of coordinates.
JOINTS = {"lift": "prismatic", "turn": "revolute", "nod": "revolute", "neck": "ball", "fly": "free"}
LOOPS = {
    "rope": "ball",
    "pin": "ball",
    "hook": "ball",
    "glue": None,
    "nail": None,
    "seal": None,
    "knot": "ball",
}


class Pair:
    """The machine above in both libraries, at one random state."""

    def __init__(self) -> None:
        self.spec = read(MACHINE)
        self.model = self.spec.compile()
        self.there = mujoco.MjModel.from_xml_string(MACHINE)
        self.data = mujoco.MjData(self.there)
        rng = np.random.default_rng(4)
        self.q, self.v, _ = (np.array(x) for x in random_state(self.model, rng))
        self.command = rng.uniform(-1.0, 1.0, self.there.nu)
        # MuJoCo's free joint, which is the last one here, counts its translation first
        n, m = self.model.nq - 7, self.model.nv - 6
        self.order_q = [*range(n), *range(n + 4, n + 7), *range(n, n + 4)]
        self.order_v = [*range(m), *range(m + 3, m + 6), *range(m, m + 3)]
        self.data.qpos[:], self.data.qvel[:] = self.q[self.order_q], self.v[self.order_v]
        self.data.ctrl[:] = self.command
        mujoco.mj_forward(self.there, self.data)
        self.poses = world_transforms(self.model, self.q.tolist())

    def pose(self, body: int, placement: Transform) -> np.ndarray:
        """Pose in the world of what is placed in a body."""
        return (placement if body < 0 else self.poses[body] @ placement).to_matrix()

    def residual(self, name: str) -> np.ndarray:
        """By how much MuJoCo's equality constraint is violated."""
        rows = self.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        return self.data.efc_pos[rows & (self.data.efc_id == self.there.equality(name).id)]

    def drive_force(self) -> np.ndarray:
        """Joint forces of the actuators, by the definitions in `ACTUATOR_TYPES`."""
        force = np.zeros(self.model.nv)
        for drive, command in zip(self.model.actuators, self.command, strict=True):
            q, v = (0.0 if drive.q is None else self.q[drive.q]), self.v[drive.v]
            value = {
                "motor": drive.gain * command,
                "position": drive.stiffness * (command - q) - drive.damping * v,
                "velocity": drive.damping * (command - v),
                "general": drive.gain * command + np.dot(drive.bias, [1.0, q, v]),
            }[drive.type]
            limit = np.inf if drive.effort is None else drive.effort
            force[drive.v] += np.clip(value, -limit, limit)
        return force


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair()


def test_a_chain_of_joints_goes_through_massless_bodies(pair):
    assert {joint.name: joint.type.kind for joint in pair.model.joints} == JOINTS
    ends = {joint.name: (joint.parent, joint.child) for joint in pair.spec.joints}
    assert ends["lift"] == ("stand", "arm/lift")
    assert ends["turn"] == ("arm/lift", "arm/turn")
    assert ends["nod"] == ("arm/turn", "arm")
    assert ends["stand/fixed"] == (None, "stand")
    assert pair.model.body("arm/lift").inertia.mass == 0.0


def test_positions_are_those_of_mujoco(pair):
    for name in ("stand", "arm", "head", "hat", "drone"):
        frame, there = pair.model.frame(name), pair.data.body(name)
        pose = pair.pose(frame.body, frame.placement)
        assert relative_error(pose[:3, 3], there.xpos) < 1e-12
        assert relative_error(pose[:3, :3], there.xmat.reshape(3, 3)) < 1e-12
    for name in ("tip", "lid"):
        frame, there = pair.model.frame(name), pair.data.site(name)
        assert relative_error(pair.pose(frame.body, frame.placement)[:3, 3], there.xpos) < 1e-12


def test_forces_and_accelerations_are_those_of_mujoco(pair):
    passive = np.array(passive_force(pair.model, pair.q.tolist(), pair.v.tolist()))
    assert relative_error(passive[pair.order_v], pair.data.qfrc_passive) < 1e-12
    tau = passive + pair.drive_force()
    a = np.array(aba(pair.model, pair.q.tolist(), pair.v.tolist(), tau.tolist()))
    assert relative_error(a[pair.order_v], pair.data.qacc_smooth) < 1e-12


def test_actuators(pair):
    assert relative_error(pair.drive_force()[pair.order_v], pair.data.qfrc_actuator) < 1e-12
    drives = {drive.name: drive for drive in pair.spec.actuators}
    push, aim, odd = drives["push"], drives["aim"], drives["odd"]
    assert (push.type, push.gain, push.lower, push.upper, push.effort) == ("motor", -3.0, -2.0, 2.0, None)
    assert (aim.type, aim.stiffness, aim.damping, aim.effort) == ("position", 20.0, 3.0, 50.0)
    assert (drives["spin"].type, drives["spin"].damping) == ("velocity", 4.0)
    assert (odd.type, odd.gain, odd.bias) == ("general", 10.0, (2.0, -8.0, -12.0))
    assert (drives["geared"].type, drives["geared"].bias) == ("general", (0.0, -28.0, 0.0))
    assert [drives[name].freedom for name in ("twist", "rise", "roll")] == [1, 5, 0]
    assert (drives["cord"].joint, drives["cord"].gain) == ("turn", 3.0)


def test_loops_are_open_where_mujoco_has_them_open(pair):
    assert {loop.name: loop.type and loop.type.kind for loop in pair.model.loops} == LOOPS
    for loop in pair.model.loops:
        first = pair.pose(loop.predecessor, loop.predecessor_placement)
        second = pair.pose(loop.successor, loop.successor_placement)
        gap = pair.residual(loop.name)
        distance = np.linalg.norm(first[:3, 3] - second[:3, 3])
        assert relative_error(distance, np.linalg.norm(gap[:3])) < 1e-12
        if loop.type is None:
            # MuJoCo has the sine of half the angle
            half = np.sqrt((3.0 - np.trace(first[:3, :3].T @ second[:3, :3])) / 4.0)
            assert relative_error(half, np.linalg.norm(gap[3:])) < 1e-12


def test_couplings_are_off_by_what_mujoco_says(pair):
    assert [coupling.name for coupling in pair.model.couplings] == ["gear", "hold", "belt"]
    for coupling in pair.model.couplings:
        x = 0.0 if coupling.source_q is None else pair.q[coupling.source_q]
        gap = pair.q[coupling.q] - np.polynomial.Polynomial(coupling.coefficients)(x)
        # the belt is as long as twice the position
        factor = 2.0 if coupling.name == "belt" else 1.0
        assert relative_error(factor * gap, pair.residual(coupling.name)[0]) < 1e-12


def test_keyframes(pair):
    """The pose of the file is where a simulation starts; free joints have their own order."""
    states = {key.name: key for key in pair.model.keyframes}
    assert states["up"].q == (1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 1, 4, 5, 6)
    assert states["up"].v == (1, 2, 3, 4, 5, 6, 10, 11, 12, 7, 8, 9)
    assert relative_error(np.array(states["initial"].q)[pair.order_q], pair.there.qpos0) < 1e-15
    assert tuple(pair.model.initial()[0]) == states["initial"].q


def test_the_files_own_initial_state_counts():
    spec = read(world(BODY, '<keyframe><key name="initial" qpos="2"/></keyframe>'))
    assert [(key.name, key.positions) for key in spec.keyframes] == [("initial", {"turn": 2.0})]


def test_limits_friction_and_settings(pair):
    nod = pair.model.joint("nod")
    assert (nod.lower, nod.upper, nod.friction, nod.damping) == ((-1.0,), (2.0,), (0.3,), (0.6,))
    assert pair.model.joint("turn").upper == (np.inf,)
    assert pair.model.gravity == (0.5, -1.0, -9.0)
    assert dict(pair.model.settings) == {"dt": 0.002, "integrator": "symplectic_euler"}


def test_lines_are_those_of_the_file(pair):
    lines = MACHINE.splitlines()
    parts = [*pair.spec.joints, *pair.spec.frames, *pair.spec.actuators, *pair.spec.couplings]
    found = [part for part in parts if part.line is not None and "/" not in part.name]
    assert len(found) == 5 + 7 + 2 + 10 + 3
    for part in found:
        assert f'name="{part.name}"' in lines[part.line - 1]


def test_gravity_that_is_switched_off():
    option = '<option gravity="0 0 -5" integrator="RK4"><flag gravity="disable"/></option>'
    spec = read(world(BODY, option))
    assert (spec.gravity, spec.settings["integrator"]) == ((0.0, 0.0, 0.0), "rk4")


def test_what_has_no_name_gets_one():
    xml = """<mujoco><worldbody><geom size="1"/><site/><body><joint/><joint axis="1 0 0"/><geom size="1"/>
    <body name="body1"><joint name="joint1"/><geom size="1"/></body></body></worldbody>
    <actuator><motor joint="joint1"/></actuator><keyframe><key/></keyframe></mujoco>"""
    model = read(xml).compile()
    assert model.name == "robot"
    assert [joint.name for joint in model.joints] == ["joint0", "joint1_", "joint1"]
    assert [link.name for link in model.links] == ["body1_/joint0", "body1_", "body1"]
    assert {shape.name for shape in model.shapes if shape.role == "collision"} == {"geom0", "geom1", "geom2"}
    assert (model.actuators[0].name, model.keyframes[-1].name) == ("actuator0", "key0")
    assert model.frame("site0").body == -1


def test_names_that_are_taken():
    xml = MACHINE.replace('"tip"', '"arm"').replace('name="rope"', 'name="nod"')
    spec = read(xml)
    assert "arm_site" in [frame.name for frame in spec.frames]
    assert "nod_" in [joint.name for joint in spec.joints]
    assert 'sites whose name is taken, called ".._site" instead: "arm"' in spec.report
    assert 'equality constraint "nod" is called "nod_": the name is taken' in spec.report


def test_numbers_are_those_of_mujoco():
    """The import knows some of MuJoCo's enumerations by their numbers."""
    assert numbers("JNT", "FREE BALL SLIDE HINGE") == (bodies.FREE, bodies.BALL, bodies.SLIDE, bodies.HINGE)
    assert (
        bodies._ON_JOINTS == (drives._JOINT, drives._JOINT_IN_PARENT) == numbers("TRN", "JOINT JOINTINPARENT")
    )
    assert numbers("TRN", "TENDON") == (drives._TENDON,)
    assert (0, *drives._FILTERS) == numbers("DYN", "NONE FILTER FILTEREXACT")
    assert numbers("GAIN", "FIXED") + numbers("BIAS", "NONE AFFINE") == (0, 0, 1)
    assert numbers("EQ", "CONNECT WELD JOINT TENDON") == (0, 1, 2, 3)
    assert numbers("OBJ", "SITE") + numbers("TENDON", "FIXED") == (drives._SITE, 0)
    assert tuple(range(9)) == numbers("GEOM", "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH SDF")


def numbers(prefix: str, names: str) -> tuple[int, ...]:
    kinds = {
        "JNT": mujoco.mjtJoint, "TRN": mujoco.mjtTrn, "DYN": mujoco.mjtDyn, "GAIN": mujoco.mjtGain,
        "BIAS": mujoco.mjtBias, "EQ": mujoco.mjtEq, "OBJ": mujoco.mjtObj, "TENDON": mujoco.mjtTendon,
        "GEOM": mujoco.mjtGeom,
    }  # fmt: skip
    return tuple(int(getattr(kinds[prefix], f"mj{prefix}_{name}")) for name in names.split())


def test_the_description_survives_json(pair):
    assert ModelSpec.from_dict(pair.spec.to_dict()) == pair.spec


def test_without_mujoco(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError, match="not installed") as caught:
        read("<mujoco/>")
    assert "pip install treadle[mjcf]" in str(caught.value.hint)


def test_a_floating_base_is_for_the_file_to_say():
    with pytest.raises(ModelError, match="defined by the file itself") as caught:
        mjcf.read(b"<mujoco/>", "robot", True)
    assert "<freejoint/>" in str(caught.value.hint)


def test_the_page_shows_a_file_that_loads():
    page = (DOCS / "mjcf.md").read_text(encoding="utf-8")
    text = EXAMPLE.read_text(encoding="utf-8")
    assert f"```xml\n{text}```" in page
    spec = read(text, EXAMPLE.parent)
    model = spec.compile()
    assert [joint.name for joint in model.joints] == ["yaw", "shoulder", "elbow", "left", "right", "box"]
    assert (model.nq, model.nv, len(model.actuators), len(model.couplings)) == (12, 11, 4, 1)
    assert "```\n" + "\n".join(spec.report) + "\n```" in page
