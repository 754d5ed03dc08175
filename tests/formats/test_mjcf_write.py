from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.crosscheck import mujoco_models
from tests.furnished import furnished_machines, furnished_spec
from tests.machines import MOVING_KINDS, machines, random_state
from treadle.bench.machines import MACHINES
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.rnea import rnea
from treadle.forces.passive import passive_force
from treadle.formats import mjcf
from treadle.formats.mjcf_export import mjcf_order
from treadle.formats.mjcf_write import mjcf_text
from treadle.model import Model, ModelSpec
from treadle.model.describe import describe
from treadle.spatial import Quaternion, Transform

mujoco = pytest.importorskip("mujoco")

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
#: what MJCF can say exactly
KINDS = tuple(kind for kind in MOVING_KINDS if kind != "helical")


def compiled(model: Model):
    return mujoco.MjModel.from_xml_string(mjcf_text(model)[0])


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(actual - expected).max() / max(np.abs(expected).max(), 1e-3))


def check_dynamics(model: Model, rng: np.random.Generator, tolerance: float = 1e-9) -> None:
    """M, bias and acceleration in MuJoCo, and of the file read back, are those of the model."""
    peer = compiled(model)
    data = mujoco.MjData(peer)
    order_q, order_v = mjcf_order(model)
    text, _ = mjcf_text(model)
    again = mjcf.read(text.encode(), "again").compile(strict=False)
    # joints come back one by one, where MuJoCo has several for one of ours
    back_q, back_v = mjcf_order(again)
    assert (peer.nq, peer.nv, again.nv) == (model.nq, model.nv, model.nv)
    for _ in range(2):
        q, v, tau = (np.array(x) for x in random_state(model, rng))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[order_q], v[order_v], tau[order_v]
        # constraints and drives are not part of the smooth dynamics
        peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
        mujoco.mj_forward(peer, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(peer, data, M)
        passive = np.array(passive_force(model, q.tolist(), v.tolist()), dtype=float)
        expected = {
            "M": np.array(crba(model, q.tolist())).reshape(M.shape)[np.ix_(order_v, order_v)],
            "bias": np.array(rnea(model, q.tolist(), v.tolist(), [0.0] * model.nv))[order_v],
            "passive": passive[order_v],
            "qdd": np.array(aba(model, q.tolist(), v.tolist(), (tau + passive).tolist()))[order_v],
        }
        found = {"M": M, "bias": data.qfrc_bias, "passive": data.qfrc_passive, "qdd": data.qacc}
        for name, values in expected.items():
            assert relative_error(found[name], values) < tolerance, name

        own_q, own_v, force = np.empty(again.nq), np.empty(again.nv), np.empty(again.nv)
        own_q[back_q], own_v[back_v], force[back_v] = q[order_q], v[order_v], tau[order_v]
        own = np.array(passive_force(again, own_q.tolist(), own_v.tolist()), dtype=float)
        qdd = np.array(aba(again, own_q.tolist(), own_v.tolist(), (force + own).tolist()))
        assert relative_error(qdd[back_v], expected["qdd"]) < tolerance


@pytest.mark.parametrize("name", td.scene_names())
def test_scenes(name):
    model = td.scene(name)
    # added mass, which MJCF has no word for, is reported and left out of the comparison
    heavier = [item.name for item in model.elements if item.type in ("hull", "added_mass")]
    if heavier:
        written = {part for finding in mjcf_text(model)[1] for part in finding.elements}
        assert set(heavier) <= written
        spec = describe(model)
        spec.elements = [item for item in spec.elements if item.name not in heavier]
        model = spec.compile()
    # bodies that get more inertia in the file are compared with enough of it
    notes = [finding for finding in mjcf_text(model)[1] if "MuJoCo refuses" in finding.what]
    light = [name for note in notes for name in note.elements]
    if light:
        spec = describe(model)
        for body in light:
            spec.body(body).inertia = (1e-10, 1e-10, 1e-10)
        model = spec.compile()
    check_dynamics(model, np.random.default_rng(1))


@settings(deadline=None, max_examples=60)
@given(machines(kinds=(*KINDS, "fixed"), armature=("revolute", "continuous", "prismatic", "universal")))
def test_random_machines(drawn):
    check_dynamics(*drawn)


@settings(deadline=None, max_examples=60)
@given(furnished_machines())
def test_everything_that_a_description_can_hold_is_written(spec):
    """Whatever the machine has, MuJoCo compiles what is written, and Treadle reads it."""
    spec.shapes = [shape for shape in spec.shapes if shape.type != "mesh"]
    model = spec.compile(strict=False)
    text, findings = mjcf_text(model)
    peer = mujoco.MjModel.from_xml_string(text)
    extra = sum(joint.type.kind == "helical" for joint in model.joints)
    assert peer.nv == model.nv + extra
    assert peer.nkey == len(model.keyframes)
    assert all(finding.severity in ("note", "warning") for finding in findings)
    mjcf.read(text.encode(), "again")


def test_furnished_machines_have_the_same_dynamics():
    """Joints whose frames are not the links', springs, dampers and rotors, on trees of all kinds."""
    rng = np.random.default_rng(5)
    for _ in range(25):
        kinds = [str(kind) for kind in rng.choice(KINDS, 5)]
        spec = furnished_spec(rng, kinds, [int(rng.integers(-1, k)) for k in range(5)])
        spec.shapes = [shape for shape in spec.shapes if shape.type != "mesh"]
        # force elements are compared in test_mjcf_elements
        spec.elements.clear()
        for joint in spec.joints:
            if joint.type in ("ball", "free"):
                joint.damping = joint.armature = 0.2
        check_dynamics(spec.compile(strict=False).without_loops(), rng)


def test_roadheader():
    model = td.scene("roadheader")
    text, findings = mjcf_text(model)
    peer = mujoco.MjModel.from_xml_string(text)
    assert peer.neq == 9
    assert (peer.eq_type == int(mujoco.mjtEq.mjEQ_CONNECT)).all()
    assert (peer.nv, peer.nu, peer.nkey) == (36, 12, len(model.keyframes))
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, mujoco.mj_name2id(peer, mujoco.mjtObj.mjOBJ_KEY, "initial"))
    mujoco.mj_forward(peer, data)
    # 27 rows, all of them closed in the initial position
    rows = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert len(rows) == 27
    assert np.abs(rows).max() < 1e-5
    assert sum(peer.body_mass) == pytest.approx(59980.0)
    assert any("hydraulic" in line and line.severity == "warning" for line in findings)


def test_roadheader_as_a_file_of_its_own(tmp_path):
    findings = td.save(td.scene("roadheader"), tmp_path / "digger.xml")
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "digger.xml"))
    assert {path.name for path in tmp_path.iterdir()} == {"digger.xml", "digger_meshes"}
    assert peer.nmesh == peer.ngeom == len(list((tmp_path / "digger_meshes").iterdir()))
    again = td.load(tmp_path / "digger.xml")
    assert again.mass == pytest.approx(td.scene("roadheader").mass)
    assert [loop.type.kind for loop in again.loops] == ["ball"] * 9
    assert again.summary().mobility == 9
    assert {line.severity for line in findings} == {"note", "warning"}


def one_body(**options) -> ModelSpec:
    spec = ModelSpec("one")
    spec.add_body("body", **SOLID)
    spec.add_joint("joint", options.pop("type", "revolute"), None, "body", **options)
    return spec


def said(spec: ModelSpec) -> str:
    return "\n".join(mjcf_text(spec.compile(strict=False))[1])


def test_limits_friction_and_effort():
    spec = one_body(lower=-1.0, upper=2.0, effort=30.0, friction=0.5, speed=3.0)
    peer = compiled(spec.compile())
    assert peer.jnt_range[0].tolist() == [-1.0, 2.0]
    assert peer.jnt_actfrcrange[0].tolist() == [-30.0, 30.0]
    assert (peer.jnt_limited[0], peer.jnt_actfrclimited[0], peer.dof_frictionloss[0]) == (1, 1, 0.5)
    assert 'joints with a largest speed, which MJCF cannot say: "joint"' in said(spec)
    joint = mjcf.read(mjcf_text(spec.compile())[0].encode(), "x").joints[0]
    assert (joint.lower, joint.upper, joint.effort, joint.friction) == (-1.0, 2.0, 30.0, 0.5)


def test_limits_on_one_side():
    peer = compiled(one_body(lower=-1.0).compile())
    assert peer.jnt_range[0].tolist() == [-1.0, 1e10]
    assert "limited on one side only" in said(one_body(lower=-1.0))


def drive(kind: str, joint: str = "revolute", **options) -> tuple[ModelSpec, object, object]:
    spec = one_body(type=joint)
    spec.add_actuator("drive", kind, "joint", **options)
    peer = compiled(spec.compile())
    return spec, peer, mujoco.MjData(peer)


@pytest.mark.parametrize(
    ("kind", "options", "force"),
    [
        ("motor", {"gain": -3.0}, -3.0 * 0.7),
        ("motor", {"gain": 30.0, "effort": 12.0}, 12.0),
        ("motor", {"gain": 3.0, "lower": -0.5, "upper": 0.5}, 1.5),
        ("position", {"stiffness": 50.0, "damping": 2.0}, 50.0 * (0.7 - 0.2) - 2.0 * 0.4),
        ("position", {"damping": 2.0}, -2.0 * 0.4),
        ("velocity", {"damping": 5.0}, 5.0 * (0.7 - 0.4)),
        ("general", {"gain": 2.0, "bias": (1.0, -3.0, -4.0)}, 2.0 * 0.7 + 1.0 - 3.0 * 0.2 - 4.0 * 0.4),
    ],
)
def test_actuators(kind, options, force):
    spec, peer, data = drive(kind, **options)
    data.qpos[0], data.qvel[0], data.ctrl[0] = 0.2, 0.4, 0.7
    mujoco.mj_forward(peer, data)
    assert data.qfrc_actuator[0] == pytest.approx(force)
    # and back
    again = mjcf.read(mjcf_text(spec.compile())[0].encode(), "x")
    assert compiled(again.compile()).nu == 1


def test_cylinder_is_a_motor():
    _, peer, data = drive("cylinder", "prismatic", areas=(0.01, 0.008), pressure=2e7, flow=1e-3)
    data.ctrl[0] = 2.0
    mujoco.mj_forward(peer, data)
    assert data.qfrc_actuator[0] == pytest.approx(2e5)


@pytest.mark.parametrize("freedom", range(6))
def test_motors_on_a_free_joint(freedom):
    model = one_body(type="free")
    model.add_actuator("drive", "motor", "joint", freedom=freedom, gain=2.0)
    peer = compiled(model.compile())
    data = mujoco.MjData(peer)
    data.ctrl[0] = 1.0
    mujoco.mj_forward(peer, data)
    force = np.zeros(6)
    force[freedom] = 2.0
    np.testing.assert_allclose(data.qfrc_actuator, force[[3, 4, 5, 0, 1, 2]])


def held(kind: str) -> ModelSpec:
    """A body on a free joint that a loop joint holds, whose frames are anywhere."""
    spec = one_body(type="free")
    axis = {} if kind in ("ball", "fixed", "free") else {"axis": (0, 0, 1)}
    if kind == "universal":
        axis = {}
    spec.add_joint(
        "hold", kind, None, "body", position=(0.1, 0.2, 0.3), child_position=(0.3, 0.0, 0.1),
        child_rotation=td.rpy(0.1, 0.2, 0.3), **axis,
    )  # fmt: skip
    return spec


@pytest.mark.parametrize(
    ("kind", "count", "rank"), [("ball", 1, 3), ("fixed", 1, 6), ("revolute", 2, 5), ("universal", 1, 3)]
)
def test_loops(kind, count, rank):
    """Where the loop joint is closed in Treadle it is in MuJoCo, and it holds as many motions there."""
    spec = held(kind)
    model = spec.compile()
    loop = model.loops[0]
    q = loop.type.sample(np.random.default_rng(2)) if loop.type is not None else []
    X_J = Transform.identity() if loop.type is None else loop.type.transform(q)
    X_WB = loop.predecessor_placement @ X_J @ loop.successor_placement.inverse()
    peer = compiled(model)
    assert peer.neq == count
    data = mujoco.MjData(peer)
    data.qpos[:] = [*X_WB.translation, *Quaternion.from_matrix(X_WB.rotation)]
    mujoco.mj_forward(peer, data)
    assert np.abs(data.efc_pos).max() < 1e-12
    jacobian = np.array(data.efc_J).reshape(-1, peer.nv)
    assert np.linalg.matrix_rank(jacobian, tol=1e-9) == rank
    # anywhere else it is open
    data.qpos[0] += 0.1
    mujoco.mj_forward(peer, data)
    assert np.abs(data.efc_pos).max() > 0.01


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical", "planar"])
def test_loops_that_mjcf_cannot_say(kind):
    spec = held(kind)
    assert compiled(spec.compile()).neq == 0
    assert f'{kind} loop joints left out, for MJCF has no such constraint: "hold"' in said(spec)


def two_hinges() -> ModelSpec:
    spec = one_body()
    spec.add_body("second", **SOLID)
    spec.add_joint("follower", "revolute", "body", "second")
    return spec


def test_couplings():
    spec = two_hinges()
    spec.add_coupling("gear", "follower", "joint", (0.1, -2.0, 0.5))
    spec.add_coupling("lock", "joint", None, (0.3,))
    peer = compiled(spec.compile())
    data = mujoco.MjData(peer)
    data.qpos[:] = 0.3, 0.1 - 2.0 * 0.3 + 0.5 * 0.3**2
    mujoco.mj_forward(peer, data)
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-12)
    again = mjcf.read(mjcf_text(spec.compile())[0].encode(), "x")
    assert [(item.joint, item.source) for item in again.couplings] == [("follower", "joint"), ("joint", None)]
    assert again.couplings[0].coefficients == (0.1, -2.0, 0.5)


def test_helical_joint_is_a_hinge_and_a_slide():
    spec = one_body(type="helical", pitch=0.05)
    spec.add_keyframe("initial", {"joint": 2.0}, velocities={"joint": 1.0})
    peer = compiled(spec.compile())
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_forward(peer, data)
    assert data.qpos.tolist() == [2.0, 0.1]
    assert data.efc_pos == pytest.approx([0.0])
    assert data.efc_vel == pytest.approx([0.0])


def test_keyframes_of_all_joints():
    spec = one_body(type="planar")
    spec.add_body("ball", **SOLID)
    spec.add_joint("socket", "ball", "body", "ball")
    spec.add_keyframe("there", {"joint": (0.1, 0.2, 0.3), "socket": (0.6, 0.8, 0.0, 0.0)})
    peer = compiled(spec.compile())
    assert peer.key("there").qpos.tolist() == [0.2, 0.3, 0.1, 0.6, 0.8, 0.0, 0.0]


def test_bodies_without_mass_are_made_one_with_the_next():
    spec = ModelSpec("gimbal")
    parent = None
    for index in range(3):
        last = index == 2
        spec.add_body(f"ring{index}", **(SOLID if last else {}))
        place = {"position": (0.1, 0.2, 0.3), "rotation": td.rpy(0.1, 0.2, 0.3)} if index else {}
        spec.add_joint(f"turn{index}", "revolute", parent, f"ring{index}", axis=np.eye(3)[index], **place)
        parent = f"ring{index}"
    model = spec.compile(strict=False)
    assert compiled(model).nbody == 2
    check_dynamics(model, np.random.default_rng(0))


def test_a_body_that_moves_without_mass_gets_a_little():
    spec = one_body()
    spec.bodies[0].mass, spec.bodies[0].inertia = 0.0, None
    assert compiled(spec.compile(strict=False)).body_mass[1] == 1e-12
    assert 'written with 1e-12 kg: "body"' in said(spec)


def test_masses_without_inertia():
    spec = one_body()
    spec.bodies[0].inertia = None
    spec.bodies[0].center = (0.0, 0.5, 0.0)
    check_dynamics(spec.compile(), np.random.default_rng(0))


def test_two_point_masses_are_one_body():
    spec = one_body(axis=(1, 0, 0))
    spec.bodies[0].inertia = None
    for name, x in (("left", -0.5), ("right", 0.5)):
        spec.add_body(name, mass=1.0)
        spec.add_joint(name, "fixed", "body", name, position=(x, 0.2 + x, 0.1))
    check_dynamics(spec.compile(), np.random.default_rng(0))


def test_links_that_are_sound_together_only():
    spec = one_body()
    spec.bodies[0].inertia = (0.1, 0.1, 0.5)
    spec.add_body("rest", mass=1.0, inertia=(0.4, 0.4, 0.1))
    spec.add_joint("weld", "fixed", "body", "rest")
    model = spec.compile(strict=False)
    check_dynamics(model, np.random.default_rng(0))
    assert "no real body" not in said(spec)


def test_inertia_that_no_body_can_have():
    spec = one_body()
    spec.bodies[0].inertia = (0.1, 0.1, 0.5)
    peer = compiled(spec.compile(strict=False))
    np.testing.assert_allclose(sorted(peer.body_inertia[1]), [0.35 - 0.1, 0.35 - 0.1, 0.5])
    assert "written as the nearest that MuJoCo accepts" in said(spec)


def test_shapes_and_materials():
    spec = one_body()
    spec.add_material("rubber", friction=0.8, spinning_friction=0.01, stiffness=1e5)
    spec.add_shape("crate", "body", "box", (2.0, 4.0, 6.0), role="collision", material="rubber")
    spec.add_shape("look", "body", "capsule", (0.1, 2.0), color=(1.0, 0.5, 0.25, 1.0))
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_shape("wing", "body", "plane")
    spec.add_contact(None, "body", enabled=False)
    peer = compiled(spec.compile())
    assert peer.geom("crate").size.tolist() == [1.0, 2.0, 3.0]
    assert peer.geom("crate").friction.tolist() == [0.8, 0.01, 0.0]
    assert (peer.geom("crate").condim[0], peer.geom("crate").contype[0]) == (4, 1)
    assert peer.geom("look").size.tolist() == [0.1, 1.0, 0.0]
    assert peer.geom("look").contype[0] == 0
    assert (peer.ngeom, peer.nexclude) == (3, 1)
    again = mjcf.read(mjcf_text(spec.compile())[0].encode(), "x")
    assert {(shape.name, shape.role, shape.type) for shape in again.shapes} == {
        ("crate", "collision", "box"),
        ("look", "visual", "capsule"),
        ("floor", "collision", "plane"),
    }
    assert 'planes left out, which MuJoCo has on fixed bodies only: "wing"' in said(spec)


def test_contact_pairs_of_their_own():
    spec = two_hinges()
    spec.add_material("ice", friction=0.02)
    for body in ("body", "second"):
        spec.add_shape(f"{body} ball", body, "sphere", (0.1,), role="collision")
    spec.add_contact("body", "second", material="ice")
    peer = compiled(spec.compile())
    assert peer.npair == 1
    assert peer.pair_friction[0].tolist() == [0.02, 0.02, 0.0, 0.0, 0.0]


def test_names_that_are_taken():
    spec = two_hinges()
    spec.bodies[0].name = spec.joints[0].child = spec.joints[1].parent = "world"
    spec.joints[0].type, spec.joints[0].name, spec.joints[1].name = "cylindrical", "a", "a_turn"
    peer = compiled(spec.compile())
    assert peer.body("world_").id == 1
    assert {peer.joint(k).name for k in range(3)} == {"a_turn", "a_slide", "a_turn_"}
    assert "body world -> world_" in said(spec)


def test_a_link_that_is_the_world():
    spec = two_hinges()
    spec.add_body("world")
    spec.add_joint("fixed", "fixed", None, "world")
    spec.add_shape("sign", "world", "sphere", (0.1,))
    peer = compiled(spec.compile())
    assert (peer.nbody, peer.geom("sign").bodyid[0]) == (3, 0)
    # one with a mass is a body
    spec.bodies[-1].mass = 1.0
    assert compiled(spec.compile()).body("world_").mass[0] == 1.0


def test_frames_are_sites():
    spec = one_body()
    spec.bodies[0].center = (0.0, 0.0, 0.1)
    spec.add_frame("tool", "body", position=(1.0, 2.0, 3.0))
    spec.joints[0].child_position = (0.0, 0.0, 0.5)
    peer = compiled(spec.compile())
    assert peer.site("tool").pos.tolist() == [1.0, 2.0, 3.0]


def test_settings():
    spec = one_body()
    spec.settings = {"dt": 0.004, "integrator": "rk4", "ground": "sand"}
    peer = compiled(spec.compile())
    assert peer.opt.timestep == 0.004
    assert peer.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
    assert 'settings that are not written: "ground"' in said(spec)


def test_long_chain_is_written_without_recursion():
    text, _ = mjcf_text(td.scene("chain", links=1200))
    assert text.count("<body ") == text.count("</body>") == 1200


@pytest.mark.parametrize("name", ["ur5", "panda", "anymal", "talos", "g1"])
def test_robots(name):
    model = MACHINES[name].model()
    check_dynamics(replace(model, shapes=()), np.random.default_rng(0))


@pytest.mark.parametrize("name", [name for name in mujoco_models.FILES if name.startswith("gymnasium")])
def test_files_of_mujoco_come_back(name):
    """From MJCF and back: the same coordinates and the same dynamics, in MuJoCo itself."""
    model = mujoco_models.model(name)
    first, _ = mujoco_models.peer(name)
    second = compiled(replace(model, shapes=tuple(s for s in model.shapes if s.type != "mesh")))
    second.opt.disableflags = first.opt.disableflags
    assert [second.joint(k).name for k in range(second.njnt)] == [joint.name for joint in model.joints]
    one, two = mujoco.MjData(first), mujoco.MjData(second)
    rng = np.random.default_rng(0)
    one.qpos[:] += 0.3 * rng.standard_normal(first.nq)
    one.qvel[:] = rng.standard_normal(first.nv)
    mujoco.mj_normalizeQuat(first, one.qpos)
    two.qpos[:], two.qvel[:] = one.qpos, one.qvel
    M = []
    for peer, data in ((first, one), (second, two)):
        mujoco.mj_forward(peer, data)
        M.append(np.zeros((peer.nv, peer.nv)))
        mujoco.mj_fullM(peer, data, M[-1])
    assert relative_error(M[1], M[0]) < 1e-9
    assert relative_error(two.qfrc_bias, one.qfrc_bias) < 1e-9
    assert relative_error(two.qacc, one.qacc) < 1e-9
