import dataclasses
import math
import pickle

import numpy as np
import pytest

from treadle import Batch, ModelError, Simulation
from treadle.model import WORLD, ModelSpec, Settings, rpy

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def machine() -> ModelSpec:
    """A truck with a mast that slides and turns, a wheel, a ball and a loop; all kinds of parts on it."""
    spec = ModelSpec("truck", geometry="truck.3dt", settings={"dt": 1e-3, "ground": {"levels": [1, 2]}})
    for name in ("chassis", "mast", "wheel", "head", "hook"):
        spec.add_body(name, **SOLID)
    spec.add_joint("drive", "free", None, "chassis")
    spec.add_joint("lift", "cylindrical", "chassis", "mast", lower=(-1, 0), upper=(1, 2))
    spec.add_joint("roll", "continuous", "chassis", "wheel")
    spec.add_joint("neck", "ball", "mast", "head")
    spec.add_joint("weld", "fixed", "mast", "hook", position=(0, 0, 1), rotation=rpy(0, 0, math.pi / 2))
    spec.add_joint("chain", "prismatic", "hook", "wheel")
    spec.add_joint("turn", "revolute", "head", "antenna", axis=(0, 1, 0))
    spec.add_body("antenna", **SOLID)
    spec.add_material("rubber", stiffness=1e5, damping=10, friction=0.9)
    spec.add_shape("tyre", "wheel", "cylinder", (0.4, 0.2), role="collision", material="rubber")
    spec.add_shape("hook shape", "hook", "part", position=(1, 0, 0), file="hook")
    spec.add_shape("road", None, "plane", role="collision")
    spec.add_contact("wheel", None, material="rubber")
    spec.add_contact("mast", "hook", enabled=False)
    spec.add_actuator("motor", "motor", "roll", gain=5, effort=100)
    spec.add_actuator("ram", "cylinder", "lift", freedom=1, areas=(2e-3, 1e-3), pressure=2e7, flow=1e-3)
    spec.add_coupling("gear", "turn", "roll", (0.5, 2))
    spec.add_keyframe(
        "initial", {"lift": (0.1, 0.5), "roll": 2, "neck": (2, 0, 0, 0)}, velocities={"turn": 3}
    )
    return spec


def test_frozen_parts():
    model = machine().compile()
    tyre, hook, road = model.shapes
    assert (tyre.link, tyre.body, tyre.size, tyre.material) == (
        "wheel",
        model.frame("wheel").body,
        (0.4, 0.2),
        "rubber",
    )
    # the hook is part of the mast's body, turned by 90 degrees and 1 m up
    assert (hook.link, hook.body) == ("hook", model.frame("mast").body)
    assert hook.placement.to_list()[9:] == [0.0, 1.0, 1.0]
    assert (road.link, road.body) == (None, WORLD)
    assert (model.materials[0].name, model.materials[0].damping) == ("rubber", 10.0)
    first, second = model.contacts
    assert (first.first_body, first.second_body, first.material) == (tyre.body, WORLD, "rubber")
    assert (second.first_body, second.second_body, second.enabled) == (hook.body, hook.body, False)
    motor, ram = model.actuators
    assert (motor.q, motor.v) == (model.joint("roll").q.start, model.joint("roll").v.start)
    assert (ram.q, ram.v) == (model.joint("lift").q.start + 1, model.joint("lift").v.start + 1)
    assert (ram.areas, ram.bulk_modulus) == ((2e-3, 1e-3), 1.4e9)
    (gear,) = model.couplings
    assert (gear.coefficients, gear.q, gear.source_q) == ((0.5, 2.0), model.joint("turn").q.start, motor.q)
    assert (model.geometry, model.settings["ground"]["levels"]) == ("truck.3dt", (1, 2))


def test_a_position_drive_on_a_quaternion_has_no_position():
    spec = machine()
    spec.add_actuator("twist", "motor", "neck", freedom=2)
    assert spec.compile().actuators[-1].q is None


def test_what_no_code_depends_on_does_not_change_the_digest():
    spec = machine()
    before = spec.compile().digest
    for name in ("shapes", "contacts", "keyframes"):
        getattr(spec, name).clear()
    spec.materials.clear()
    spec.geometry, spec.settings = None, {}
    assert spec.compile().digest == before


@pytest.mark.parametrize("part", ["actuators", "couplings"])
def test_what_a_step_depends_on_changes_the_digest(part):
    spec = machine()
    before = spec.compile().digest
    getattr(spec, part).clear()
    assert spec.compile().digest != before


def test_the_model_is_frozen_and_can_be_pickled():
    model = machine().compile()
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.shapes[0].role = "visual"
    with pytest.raises(TypeError):
        model.settings["dt"] = 1.0  # type: ignore[index]
    back = pickle.loads(pickle.dumps(model))
    assert (back.digest, back.settings, back.keyframes) == (model.digest, model.settings, model.keyframes)


def test_editing_the_description_leaves_the_model_alone():
    spec = machine()
    model = spec.compile()
    spec.settings["ground"]["levels"].append(3)
    spec.shapes[0].size = (9.0, 9.0)
    assert model.settings["ground"]["levels"] == (1, 2)
    assert model.shapes[0].size == (0.4, 0.2)


def test_settings():
    settings = Settings({"a": [1, {"b": 2}], "c": {"d": "e"}})
    assert settings == {"a": (1, Settings({"b": 2})), "c": Settings({"d": "e"})}
    assert (len(settings), list(settings), settings["c"]["d"]) == (2, ["a", "c"], "e")
    assert "b" in repr(settings)


def test_initial_state():
    model = machine().compile()
    q, v = model.initial()
    assert q[model.joint("lift").q] == [0.1, 0.5]
    assert q[model.joint("roll").q] == [2.0]
    assert q[model.joint("neck").q] == [1.0, 0.0, 0.0, 0.0]
    assert q[model.joint("drive").q] == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert v[model.joint("turn").v] == [3.0]
    assert sum(v) == 3.0
    spec = machine()
    spec.keyframes[0].name = "other"
    model = spec.compile()
    assert model.initial() == (model.neutral(), [0.0] * model.nv)


def test_a_simulation_starts_from_the_initial_state():
    model = machine().compile().without_loops()
    q, v = model.initial()
    sim = Simulation(model)
    assert (sim.q.tolist(), sim.v.tolist()) == (q, v)
    assert Simulation(model, q=model.neutral()).q.tolist() == model.neutral()
    batch = Batch(model, 3)
    np.testing.assert_array_equal(batch.q, [q] * 3)
    np.testing.assert_array_equal(batch.v, [v] * 3)


def test_limits_that_exclude_a_state_are_reported():
    spec = machine()
    spec.keyframes[0].positions["lift"] = (0.1, 5.0)
    spec.add_keyframe("folded", {"lift": (-3, 0)})
    report = spec.compile().report
    assert 'joints whose limits exclude the initial position: "lift"' in report
    assert 'keyframe "folded" is outside the limits of joints "lift"' in report
    spec.keyframes.clear()
    spec.joints[1].lower = (0.5, 0)
    model = spec.compile()
    assert 'joints whose limits exclude the initial position: "lift"' in model.report
    assert model.summary().outside == ("lift",)


def test_massless_bodies_are_reported():
    spec = ModelSpec()
    spec.add_body("yoke")
    spec.add_body("fork", 1.0, center=(0.5, 0, 0), inertia=(1, 1, 1))
    spec.add_joint("first", "revolute", None, "yoke", axis=(1, 0, 0))
    spec.add_joint("second", "revolute", "yoke", "fork", axis=(0, 1, 0))
    model = spec.compile()
    assert model.report == ('bodies that move without a mass: "yoke"',)
    assert model.summary().massless == ("yoke",)


def test_solids_give_inertia_and_are_shown():
    spec = ModelSpec()
    spec.add_body("crate", 12.0, type="box", size=(1, 2, 3), center=(0.5, 0, 0))
    spec.add_body("ball", 5.0, type="sphere", size=(1,), inertia=(1, 1, 1))
    spec.add_joint("a", "free", None, "crate")
    spec.add_joint("b", "free", None, "ball")
    spec.add_shape("skin", "ball", "sphere", (1.1,))
    model = spec.compile()
    assert model.links[0].rotational.to_rows() == [[13, 0, 0], [0, 10, 0], [0, 0, 5]]
    assert model.links[1].rotational.to_rows() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    skin, crate = model.shapes
    assert (skin.name, crate.name, crate.link, crate.type, crate.size) == (
        "skin",
        "crate",
        "crate",
        "box",
        (1, 2, 3),
    )
    assert crate.placement.to_list()[9:] == [0.5, 0, 0]
    spec.bodies[0].mass = 24.0
    assert spec.compile().links[0].rotational.to_rows()[0][0] == 26


# ---------------------------------------------------------------------------------------------------
# summary
# ---------------------------------------------------------------------------------------------------


def test_summary():
    spec = ModelSpec("box on a post")
    spec.add_body("post", 3.0)
    spec.add_body("box", 2.0, inertia=(1, 1, 1))
    spec.add_joint("foot", "fixed", None, "post", position=(0, 0, 1))
    spec.add_joint("turn", "revolute", "post", "box", position=(1, 0, 0), rotation=rpy(0, 0, math.pi / 2))
    spec.add_shape("skin", "box", "box", (2, 0.2, 0.4))
    spec.add_shape("ground", None, "plane")
    summary = spec.compile().summary()
    assert (summary.links, summary.bodies, summary.degrees_of_freedom, summary.shapes) == (2, 1, 1, 2)
    assert (summary.mass, summary.moving_mass) == (5.0, 2.0)
    assert summary.lower == pytest.approx((0.0, -1.0, 0.8))
    assert summary.upper == pytest.approx((1.1, 1.0, 1.2))
    assert summary.size == pytest.approx((1.1, 2.0, 0.4))
    assert "5 kg, of which 2 kg move" in str(summary)
    assert summary.to_dict()["size"] == summary.size


@pytest.mark.parametrize(
    ("kind", "size", "half"),
    [
        ("box", (2, 4, 6), (3, 2, 1)),
        ("sphere", (1.5,), (1.5, 1.5, 1.5)),
        ("cylinder", (0.5, 4), (2, 0.5, 0.5)),
        ("capsule", (0.5, 4), (2.5, 0.5, 0.5)),
        ("ellipsoid", (1, 2, 3), (3, 2, 1)),
    ],
)
def test_extent_of_turned_shapes(kind, size, half):
    spec = ModelSpec()
    spec.add_body("a", **SOLID)
    spec.add_joint("j", "free", None, "a")
    spec.add_shape("s", "a", kind, size, rotation=rpy(0, math.pi / 2, 0), position=(10, 0, 0))
    spec.add_shape("t", "a", kind, size, rotation=rpy(0, math.pi / 2, 0), position=(-10, 0, 0))
    expected = np.add(half, (10, 0, 0))
    np.testing.assert_allclose(spec.compile().summary().upper, expected)


def test_summary_of_nothing():
    assert ModelSpec("nothing").compile().summary().size == (0.0, 0.0, 0.0)


# ---------------------------------------------------------------------------------------------------
# mistakes
# ---------------------------------------------------------------------------------------------------

BAD = {
    "shape": [
        ({"type": "cone"}, "unknown type 'cone'"),
        ({"type": None}, "unknown type None"),
        ({"role": "shadow"}, "unknown role 'shadow'"),
        ({"body": "whel"}, "body 'whel' is not a body"),
        ({"size": (0.4,)}, "size needs 2 numbers"),
        ({"size": ()}, "size needs 2 numbers"),
        ({"size": (0.4, -0.2)}, "size is negative"),
        ({"size": (0.4, math.inf)}, "size needs finite"),
        ({"type": "plane"}, "size needs 0 numbers"),
        ({"position": (1, 2)}, "position needs 3 numbers"),
        ({"rotation": (0, 0, 0, 0)}, "rotation needs a quaternion"),
        ({"color": (1, 0, 0)}, "color needs 4 numbers"),
        ({"color": (2, 0, 0, 1)}, "color is out of range"),
        ({"material": "ruber"}, "'ruber' is not stated"),
        ({"file": "a.stl"}, "a cylinder has no file"),
        ({"type": "mesh", "size": ()}, "a mesh needs a file"),
        ({"type": "mesh", "size": (), "file": "a.stl", "scale": (1, 0, 1)}, "scale is zero"),
        ({"name": ""}, "has no name"),
        ({"name": "road"}, "already that of another shape"),
    ],
    "material": [
        ({"stiffness": -1}, "stiffness is negative"),
        ({"friction": math.nan}, "friction needs finite"),
        ({"rolling_friction": None}, "rolling_friction needs"),
        ({"damping": None, "restitution": 1.5}, "restitution is above 1"),
        ({"restitution": 0.5}, "has damping and restitution"),
        ({"name": None}, "has no name"),
    ],
    "contact": [
        ({"first": "whel"}, "first 'whel' is not a body"),
        ({"first": None}, "with itself"),
        ({"material": "mud"}, "'mud' is not stated"),
        ({"enabled": 1}, "enabled needs true or false"),
        ({"first": "hook", "second": "mast"}, "stated twice and differently"),
    ],
    "actuator": [
        ({"type": "magnet"}, "unknown type 'magnet'"),
        ({"joint": "rol"}, "'rol' is not a joint"),
        ({"joint": "weld"}, "'weld' is fixed"),
        ({"joint": "chain"}, "'chain' closes a loop"),
        ({"freedom": 1}, "its joint has no degree of freedom 1"),
        ({"freedom": -1}, "freedom -1"),
        ({"freedom": 0.0}, "freedom 0.0"),
        ({"gain": "big"}, "gain needs numbers"),
        ({"bias": (1, 2)}, "bias needs 3 numbers"),
        ({"lower": 1, "upper": -1}, "above its upper"),
        ({"lower": math.nan}, "lower needs finite"),
        ({"effort": -1}, "effort limit is negative"),
        ({"damping": -1}, "damping is negative"),
        ({"type": "cylinder", "areas": (1, 1)}, "'roll' turns"),
        ({"type": "cylinder", "joint": "lift", "freedom": 1}, "areas needs 2 numbers"),
        ({"type": "cylinder", "joint": "lift", "freedom": 1, "areas": (1, 0)}, "areas are not positive"),
        (
            {"type": "cylinder", "joint": "lift", "freedom": 1, "areas": (1, 1), "bulk_modulus": 0},
            "bulk_modulus is zero",
        ),
        ({"type": "position", "joint": "neck"}, "no single position"),
        ({"type": "general", "joint": "drive", "bias": (0, 1, 0)}, "no single position"),
        ({"name": "ram"}, "already that of another actuator"),
    ],
    "coupling": [
        ({"joint": "trn"}, "joint 'trn' is not a joint"),
        ({"source": "trn"}, "source 'trn' is not a joint"),
        ({"joint": "weld"}, "'weld' is fixed"),
        ({"source": "chain"}, "closes a loop"),
        ({"source": "lift"}, "several degrees of freedom"),
        ({"source": "turn"}, "to itself"),
        ({"coefficients": ()}, "has no coefficients"),
        ({"coefficients": 2.0}, "has no coefficients"),
        ({"coefficients": (1, math.inf)}, "coefficients needs finite"),
        ({"source": None}, "a ratio but no source"),
    ],
    "keyframe": [
        ({"positions": {"rol": 1}}, "'rol' is not a joint"),
        ({"positions": {"weld": 1}}, "'weld' is fixed"),
        ({"positions": {"chain": 1}}, "closes a loop"),
        ({"positions": {"lift": 1}}, "positions of joint 'lift': needs 2 numbers"),
        ({"positions": {"roll": (1, 2)}}, "needs 1 numbers"),
        ({"positions": {"roll": math.nan}}, "finite"),
        ({"positions": {"roll": "left"}}, "needs numbers"),
        ({"positions": {"neck": (0, 0, 0, 0)}}, "must not be zero"),
        ({"velocities": {"neck": (1, 0, 0, 0)}}, "velocities of joint 'neck': needs 3 numbers"),
        ({"positions": [1, 2]}, "need joint names"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [(kind, changes, message) for kind, cases in BAD.items() for changes, message in cases],
)
def test_mistakes(kind, changes, message):
    spec = machine()
    item = getattr(spec, f"{kind}s")[0]
    item.line = 17
    for name, value in changes.items():
        setattr(item, name, value)
    spec.file = "robot.toml"
    with pytest.raises(ModelError) as caught:
        spec.compile(strict=False)
    assert message in caught.value.message
    assert caught.value.element.startswith(kind)
    assert caught.value.file == "robot.toml"
    if "already" not in message and "twice" not in message:
        assert caught.value.line == 17


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("geometry", "", "geometry needs the path"),
        ("geometry", 7, "geometry needs the path"),
        ("geometry", None, "part of a geometry file"),
        ("settings", [1], "settings need names"),
        ("settings", {1: 2}, "a name that is not text"),
        ("settings", {"a": [math.nan]}, "not finite"),
        ("settings", {"a": None}, "the value None"),
    ],
)
def test_bad_scene(name, value, message):
    spec = machine()
    setattr(spec, name, value)
    with pytest.raises(ModelError, match=message):
        spec.compile()


def test_the_same_contact_twice_is_no_mistake():
    spec = machine()
    spec.add_contact("hook", "mast", enabled=False)
    assert len(spec.compile().contacts) == 3


def test_hints_for_loops():
    spec = machine()
    spec.actuators[0].joint = "chain"
    with pytest.raises(ModelError, match="list it before the joint that now holds 'wheel'"):
        spec.compile()
    # with the order exchanged "roll" closes the loop and "chain" can be driven
    spec.joints[2], spec.joints[5] = spec.joints[5], spec.joints[2]
    spec.couplings.clear()
    del spec.keyframes[0].positions["roll"]
    assert [loop.name for loop in spec.compile().loops] == ["roll"]


def test_what_an_actuator_does_not_use_is_reported():
    spec = machine()
    spec.actuators[0].stiffness = 3.0
    spec.actuators[0].pressure = 3.0
    spec.actuators[1].flow = 0.0
    report = spec.compile().report
    assert 'actuator "motor": a motor drive does not use pressure, stiffness' in report
    assert 'actuator "ram": it cannot move, for it has no flow' in report
