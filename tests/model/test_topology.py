import math

import numpy as np
import pytest

from treadle.joints import Ball, Cylindrical, Free, Helical, Planar, Prismatic, Revolute, Universal
from treadle.model import WORLD, ModelSpec, rpy

SOLID = {"mass": 1.0, "center": (0.1, 0.2, 0.3), "inertia": (0.3, 0.2, 0.2, 0.01, 0.02, 0.03)}


def test_limbs_are_contiguous_and_parents_first():
    spec = ModelSpec()
    for name in ("left2", "left1", "right1", "right2", "trunk"):
        spec.add_body(name, **SOLID)
    # joints of the two limbs are interleaved in the description
    spec.add_joint("l1", "revolute", "trunk", "left1")
    spec.add_joint("r1", "revolute", "trunk", "right1")
    spec.add_joint("l2", "revolute", "left1", "left2")
    spec.add_joint("r2", "ball", "right1", "right2")
    spec.add_joint("float", "free", None, "trunk")
    model = spec.compile()
    assert [joint.name for joint in model.joints] == ["float", "l1", "l2", "r1", "r2"]
    assert [body.name for body in model.bodies] == ["trunk", "left1", "left2", "right1", "right2"]
    assert [body.parent for body in model.bodies] == [WORLD, 0, 1, 0, 3]
    assert [joint.q for joint in model.joints] == [
        slice(*x) for x in ((0, 7), (7, 8), (8, 9), (9, 10), (10, 14))
    ]
    assert [joint.v for joint in model.joints] == [
        slice(*x) for x in ((0, 6), (6, 7), (7, 8), (8, 9), (9, 12))
    ]
    assert (model.nq, model.nv) == (14, 12)


def test_several_roots():
    spec = ModelSpec()
    spec.add_body("a", **SOLID)
    spec.add_body("b", **SOLID)
    spec.add_joint("ja", "free", None, "a")
    spec.add_joint("jb", "prismatic", None, "b")
    assert [body.parent for body in spec.compile().bodies] == [WORLD, WORLD]


def test_deep_chains_do_not_overflow():
    spec = ModelSpec()
    for i in range(1500):
        spec.add_body(f"b{i}", **(SOLID if i % 100 == 0 else {}))
        spec.add_joint(f"j{i}", "fixed" if i % 100 else "revolute", f"b{i - 1}" if i else None, f"b{i}")
    model = spec.compile(strict=False)
    assert (model.nv, len(model.links)) == (15, 1500)


def welded() -> ModelSpec:
    spec = ModelSpec()
    for name in ("base", "arm", "bracket", "tool", "blade"):
        spec.add_body(name, **SOLID)
    spec.add_joint("mount", "fixed", None, "base", position=(0, 0, 1), rotation=rpy(0, 0, math.pi / 2))
    spec.add_joint("hinge", "revolute", "base", "arm", position=(1, 0, 0))
    spec.add_joint("weld", "fixed", "arm", "bracket", position=(0, 0, 2), rotation=rpy(math.pi / 2, 0, 0))
    spec.add_joint("bolt", "fixed", "bracket", "tool", position=(0, 3, 0), rotation=rpy(0.1, 0.2, 0.3))
    spec.add_joint("saw", "continuous", "tool", "blade", position=(0.1, 0.2, 0.3))
    spec.add_frame("grip", "bracket", position=(0, 0, 1))
    spec.add_frame("corner", "base", position=(0, 1, 0))
    spec.add_frame("beacon", None, position=(9, 9, 9))
    return spec


def test_fixed_joints_merge():
    model = welded().compile()
    assert [body.name for body in model.bodies] == ["arm", "blade"]
    assert {link.name: link.body for link in model.links} == {
        "base": WORLD, "arm": 0, "bracket": 0, "tool": 0, "blade": 1,
    }  # fmt: skip
    assert model.mass == 4.0
    assert model.body("tool").name == "arm"
    # the mount's turn by 90 degrees takes the hinge at (1, 0, 0) to (0, 1, 1)
    assert model.bodies[0].placement.to_list() == [0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1]
    tool = model.links[3].placement.to_matrix()
    blade = model.bodies[1].placement.to_matrix()
    np.testing.assert_allclose(tool[:3, 3], (0, 0, 5), atol=1e-15)
    X_TB = np.eye(4)
    X_TB[:3, 3] = (0.1, 0.2, 0.3)
    np.testing.assert_allclose(blade, tool @ X_TB, atol=1e-15)


def test_merged_inertia_is_that_of_the_links():
    model = welded().compile()
    links = [link for link in model.links if link.body == 0]
    mass, moment, rotational = 0.0, np.zeros(3), np.zeros((3, 3))
    for link in links:
        X = link.placement.to_matrix()
        R, c = X[:3, :3], X[:3, :3] @ list(link.center) + X[:3, 3]
        mass += link.mass
        moment += link.mass * c
        rotational += R @ np.array(link.rotational.to_rows()) @ R.T
        rotational += link.mass * (c @ c * np.eye(3) - np.outer(c, c))
    inertia = model.bodies[0].inertia
    assert inertia.mass == mass == 3.0
    np.testing.assert_allclose(list(inertia.moment), moment, rtol=1e-14)
    np.testing.assert_allclose(inertia.rotational.to_rows(), rotational, rtol=1e-13, atol=1e-14)


def test_every_link_and_frame_has_a_frame():
    model = welded().compile()
    assert [frame.name for frame in model.frames] == [
        "base", "arm", "bracket", "tool", "blade", "grip", "corner", "beacon",
    ]  # fmt: skip
    assert model.frame("grip").body == 0
    # along the bracket's z, which the weld turned to the arm's -y
    assert list(model.frame("grip").placement.translation) == [0, -1, 2]
    assert (model.frame("corner").body, list(model.frame("corner").placement.translation)) == (
        WORLD,
        [-1, 0, 1],
    )
    assert (model.frame("beacon").body, list(model.frame("beacon").placement.translation)) == (
        WORLD,
        [9, 9, 9],
    )


def test_rounding_noise_is_removed_after_merging():
    spec = ModelSpec()
    spec.add_body("a")
    spec.add_body("b", **SOLID)
    spec.add_joint("tilt", "fixed", None, "a", rotation=rpy(0.7, 0, 0), position=(1e-17, 0, 0))
    spec.add_joint("back", "revolute", "a", "b", rotation=rpy(-0.7, 0, 0))
    values = spec.compile().bodies[0].placement.to_list()
    assert values == [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert not any(math.copysign(1, x) < 0 for x in values)


def test_inertia_noise_is_removed():
    spec = ModelSpec()
    spec.add_body("a", 1.0, inertia=(1, 1, 1, 1e-18, -1e-17, 1e-14))
    spec.add_joint("j", "free", None, "a")
    assert spec.compile().links[0].rotational.to_rows() == [[1, 0, 0], [0, 1, 1e-14], [0, 1e-14, 1]]


@pytest.mark.parametrize(
    ("kind", "expected", "options"),
    [
        ("revolute", Revolute, {"axis": (0, 2, 0)}),
        ("continuous", Revolute, {"axis": (0, 2, 0)}),
        ("prismatic", Prismatic, {"axis": (0, 2, 0)}),
        ("helical", Helical, {"axis": (0, 2, 0), "pitch": 0.01}),
        ("cylindrical", Cylindrical, {"axis": (0, 2, 0)}),
        ("universal", Universal, {"axis": (0, 2, 0), "second_axis": (0, 0, 3)}),
        ("planar", Planar, {"axis": (0, 2, 0)}),
        ("ball", Ball, {}),
        ("free", Free, {}),
    ],
)
def test_joint_types(kind, expected, options):
    spec = ModelSpec()
    spec.add_body("a", **SOLID)
    spec.add_joint("j", kind, None, "a", damping=0.5, effort=3, **options)
    joint = spec.compile().joint("j")
    assert type(joint.type) is expected
    if "axis" in options:
        assert list(joint.type.axis) == [0, 1, 0]
    if "pitch" in options:
        assert joint.type.pitch == 0.01
    if "second_axis" in options:
        assert list(joint.type.second_axis) == [0, 0, 1]
    assert joint.continuous == (kind == "continuous")
    expected_values = {
        "damping": 0.5,
        "effort": 3.0,
        "speed": math.inf,
        "lower": -math.inf,
        "upper": math.inf,
    }
    expected_values |= {"friction": 0.0, "stiffness": 0.0, "reference": 0.0, "armature": 0.0}
    for field, value in expected_values.items():
        assert getattr(joint, field) == (value,) * joint.type.nv


def test_values_per_freedom():
    spec = ModelSpec()
    spec.add_body("a", **SOLID)
    spec.add_joint("j", "cylindrical", None, "a", lower=(-1, None), upper=(1, 0.5), damping=(0.1, 20))
    joint = spec.compile().joint("j")
    assert (joint.lower, joint.upper, joint.damping) == ((-1.0, -math.inf), (1.0, 0.5), (0.1, 20.0))
