import numpy as np
import pytest

from treadle.errors import ModelError
from treadle.model import ModelSpec, require_regular, singular_joints


def names(spec: ModelSpec) -> list[str]:
    return [item.joint for item in singular_joints(spec.compile(strict=False))]


def two_links(first: dict, second: dict, **joint) -> ModelSpec:
    spec = ModelSpec()
    spec.add_body("first", **first)
    spec.add_body("second", **second)
    spec.add_joint("shoulder", "revolute", None, "first")
    spec.add_joint("elbow", "revolute", "first", "second", **joint)
    return spec


SOLID = {"mass": 1.0, "center": (0.5, 0, 0), "inertia": (0.1, 0.1, 0.1)}
MASSLESS: dict = {}


def test_solid_bodies_are_regular():
    assert names(two_links(SOLID, SOLID, position=(1, 0, 0))) == []


def test_massless_leaf():
    assert names(two_links(SOLID, MASSLESS)) == ["elbow"]
    assert names(two_links(SOLID, MASSLESS, armature=0.01)) == []


def test_massless_link_between_others():
    # parallel axes apart: the outer mass is felt by both joints; on one line: only by one of them
    assert names(two_links(MASSLESS, SOLID, position=(1, 0, 0))) == []
    assert names(two_links(MASSLESS, SOLID, axis=(0, 1, 0))) == []
    assert names(two_links(MASSLESS, SOLID)) == ["shoulder"]


def test_point_mass_on_the_axis():
    point = {"mass": 1.0, "center": (0, 0, 0.3)}
    assert names(two_links(SOLID, point)) == ["elbow"]
    assert names(two_links(SOLID, point, axis=(0, 1, 0))) == []
    assert names(two_links(SOLID, point, axis=(0.1, 0.2, 0.3), rotation=(1, 2, 3, 4))) == []


def test_point_mass_cannot_float_but_can_slide():
    for kind, expected in (("free", ["j"]), ("ball", ["j"]), ("prismatic", []), ("planar", ["j"])):
        spec = ModelSpec()
        spec.add_body("dot", 1.0)
        spec.add_joint("j", kind, None, "dot")
        assert names(spec) == expected


def test_masses_of_very_different_size_are_regular():
    spec = ModelSpec()
    spec.add_body("ship", 1e8, inertia=(1e11, 1e11, 1e11))
    spec.add_joint("float", "free", None, "ship")
    spec.add_body("needle", 1e-6, center=(0, 0, 1e-3), inertia=(1e-12, 1e-12, 1e-14))
    spec.add_joint("pivot", "revolute", "ship", "needle", position=(100, 0, 0))
    assert names(spec) == []


def test_fixed_links_lend_their_inertia():
    spec = two_links(SOLID, MASSLESS)
    spec.add_body("tool", 0.1, center=(0.1, 0, 0))
    spec.add_joint("weld", "fixed", "second", "tool")
    assert names(spec) == []


def test_agrees_with_the_mass_matrix():
    from treadle.dynamics.crba import crba

    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(60):
        spec = ModelSpec()
        count = 4
        for i in range(count):
            empty = rng.random() < 0.4
            spec.add_body(f"b{i}", **({} if empty else SOLID))
            parent = f"b{rng.integers(i)}" if i else None
            kind = str(rng.choice(["revolute", "prismatic", "cylindrical", "ball", "universal"]))
            spec.add_joint(f"j{i}", kind, parent, f"b{i}", position=rng.integers(-1, 2, 3))
        model = spec.compile(strict=False)
        q = [x for joint in model.joints for x in joint.type.sample(rng)]
        values = np.linalg.eigvalsh(np.array(crba(model, q), dtype=float))
        assert (values[0] < 1e-12) == bool(singular_joints(model))
        seen.add(bool(singular_joints(model)))
    assert seen == {True, False}


def test_require_regular_names_joint_and_body():
    model = two_links(SOLID, MASSLESS).compile(strict=False)
    with pytest.raises(ModelError, match='joint "elbow": body "second"'):
        require_regular(model)
