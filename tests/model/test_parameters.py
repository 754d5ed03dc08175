import dataclasses
import math

import numpy as np
import pytest

from treadle.errors import InputError
from treadle.graph import evaluate, trace
from treadle.model import Model, ModelSpec, lift, parameter_names, parameter_value


def machine() -> ModelSpec:
    spec = ModelSpec("crane")
    solid = {"center": (0.1, 0.2, 0.3), "inertia": (0.3, 0.2, 0.2, 0.01, 0.02, 0.03)}
    spec.add_body("base", 10.0)
    spec.add_body("arm", 2.0, **solid)
    spec.add_body("plate.0", 0.5, **solid)
    spec.add_body("ball", 1.0, **solid)
    spec.add_body("eye")
    spec.add_joint("mount", "fixed", None, "base")
    spec.add_joint("turn", "revolute", "base", "arm", damping=0.5, stiffness=3.0, position=(0, 0, 1))
    spec.add_joint("weld", "fixed", "arm", "plate.0", position=(1, 0, 0), rotation=(1, 2, 3, 4))
    spec.add_joint(
        "hang.x", "universal", "arm", "ball", damping=(0.1, 0.2), armature=0.01, position=(2, 0, 0)
    )
    spec.add_joint("lid", "ball", "ball", "eye", armature=0.1)
    return spec


@pytest.fixture
def model() -> Model:
    return machine().compile()


def same_dynamics(a: Model, b: Model) -> None:
    for x, y in zip(a.bodies, b.bodies, strict=True):
        np.testing.assert_allclose(x.placement.to_list(), y.placement.to_list(), rtol=1e-14)
        np.testing.assert_allclose(
            [x.inertia.mass, *x.inertia.moment], [y.inertia.mass, *y.inertia.moment], rtol=1e-14
        )
        np.testing.assert_allclose(x.inertia.rotational.to_rows(), y.inertia.rotational.to_rows(), rtol=1e-13)
        for field in ("damping", "stiffness", "armature", "reference"):
            assert getattr(x.joint, field) == getattr(y.joint, field)


CHANGES = {
    "arm.mass": lambda spec: scaled(spec.bodies[1], 7.0),
    "plate.0.mass": lambda spec: scaled(spec.bodies[2], 7.0),
    "plate.0.center.y": lambda spec: setattr(spec.bodies[2], "center", (0.1, 7.0, 0.3)),
    "turn.offset.z": lambda spec: setattr(spec.joints[1], "position", (0, 0, 7.0)),
    "hang.x.offset.x": lambda spec: setattr(spec.joints[3], "position", (7.0, 0, 0)),
    "turn.damping": lambda spec: setattr(spec.joints[1], "damping", 7.0),
    "turn.stiffness": lambda spec: setattr(spec.joints[1], "stiffness", 7.0),
    "hang.x.damping": lambda spec: setattr(spec.joints[3], "damping", 7.0),
    "hang.x.damping[1]": lambda spec: setattr(spec.joints[3], "damping", (0.1, 7.0)),
    "lid.armature": lambda spec: setattr(spec.joints[4], "armature", 7.0),
    "eye.mass": lambda spec: setattr(spec.bodies[4], "mass", 7.0),
}


def scaled(body, mass) -> None:
    body.inertia = tuple(x * mass / body.mass for x in body.inertia)
    body.mass = mass


@pytest.mark.parametrize("name", CHANGES)
def test_lift_equals_an_edited_description(model, name):
    spec = machine()
    CHANGES[name](spec)
    same_dynamics(lift(model, {name: 7.0}), spec.compile())
    assert parameter_value(lift(model, {name: 7.0}), name) == 7.0


def test_lift_of_nothing(model):
    assert lift(model, {}).digest == model.digest


def test_lifting_the_present_values_changes_nothing(model):
    same_dynamics(lift(model, {name: parameter_value(model, name) for name in parameter_names(model)}), model)


def test_the_model_itself_is_left_alone(model):
    before = model.digest
    lift(model, {"arm.mass": 3.0, "turn.damping": 1.0})
    assert dataclasses.replace(model).digest == before


def test_one_freedom_may_differ_from_the_others(model):
    for names in (("hang.x.damping", "hang.x.damping[0]"), ("hang.x.damping[0]", "hang.x.damping")):
        lifted = lift(model, {name: 1.0 if "[" in name else 2.0 for name in names})
        assert lifted.joint("hang.x").damping == (1.0, 2.0)


def test_traced_values(model):
    names = ["arm.mass", "plate.0.center.x", "turn.offset.z", "hang.x.armature"]

    def numbers(values):
        lifted = lift(model, dict(zip(names, values, strict=True)))
        body = lifted.bodies[0]
        inertia = [*body.inertia.moment, *body.inertia.rotational.rows[0]]
        return [*inertia, *body.placement.translation, *lifted.joint("hang.x").armature]

    values = [3.0, 0.4, 2.0, 0.05]
    graph, outputs = trace(numbers, len(names))
    np.testing.assert_allclose(evaluate(graph, outputs, values), numbers(values), rtol=1e-14)


def test_names(model):
    names = parameter_names(model)
    assert "arm.mass" in names
    assert "base.mass" not in names
    assert "hang.x.damping[1]" in names
    assert "lid.stiffness[0]" not in names
    assert not any("friction" in name for name in names)
    assert len(set(names)) == len(names)


def test_values(model):
    assert parameter_value(model, "arm.mass") == 2.0
    assert parameter_value(model, "plate.0.center.z") == 0.3
    assert parameter_value(model, "hang.x.offset.x") == 2.0
    assert parameter_value(model, "hang.x.armature") == 0.01
    assert parameter_value(model, "hang.x.damping[1]") == 0.2
    with pytest.raises(InputError, match=r"hang.x.damping\[0\]"):
        parameter_value(model, "hang.x.damping")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("amr.mass", "'arm.mass'"),
        ("arm.weight", "no parameter"),
        ("arm.center", "no parameter"),
        ("arm.mass.x", "no parameter"),
        ("turn.damping[1]", "no parameter"),
        ("turn.friction", "no parameter"),
        ("lid.stiffness", "no parameter"),
        ("mount.offset.x", "no parameter"),
        ("base.mass", "fixed to the world"),
        ("mass", "no parameter"),
        ("", "no parameter"),
        (None, "no parameter"),
    ],
)
def test_unknown_names(model, name, message):
    with pytest.raises(InputError, match=message):
        parameter_value(model, name)
    with pytest.raises(InputError, match=message):
        lift(model, {name: 1.0})


@pytest.mark.parametrize(
    ("name", "value"),
    [("arm.mass", -1.0), ("arm.mass", math.nan), ("arm.mass", "heavy"), ("turn.damping", -1)],
)
def test_bad_values(model, name, value):
    with pytest.raises(InputError, match=name):
        lift(model, {name: value})


def test_longest_name_wins():
    spec = ModelSpec()
    for name in ("a", "a.center"):
        spec.add_body(name, 1.0, inertia=(1, 1, 1))
        spec.add_joint(f"j.{name}", "free", None, name)
    model = spec.compile()
    assert parameter_value(lift(model, {"a.center.mass": 5.0}), "a.center.mass") == 5.0
    assert parameter_value(lift(model, {"a.center.mass": 5.0}), "a.mass") == 1.0
    assert parameter_value(lift(model, {"a.center.x": 5.0}), "a.center.x") == 5.0
