import numpy as np
import pytest

from treadle import ModelSpec, Simulation, scene
from treadle.constraints.rows import residuals
from treadle.model import mobility as module
from treadle.model.mobility import constraint_jacobian, mobility
from treadle.spatial import Quaternion
from treadle.studies.overconstrained_linkages import LINKAGES, scissors

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def slider_crank(kind: str = "prismatic", **closing) -> ModelSpec:
    """Crank and rod of 1 m and 2 m; the rod's end slides along x."""
    spec = ModelSpec("slider-crank")
    for name in ("crank", "rod", "slider"):
        spec.add_body(name, **SOLID)
    spec.add_joint("crank", "revolute", None, "crank", axis=(0, 1, 0))
    spec.add_joint("rod", "revolute", "crank", "rod", position=(1, 0, 0), axis=(0, 1, 0))
    spec.add_joint("wrist", "revolute", "rod", "slider", position=(2, 0, 0), axis=(0, 1, 0))
    spec.add_joint("guide", kind, None, "slider", axis=(1, 0, 0), **closing)
    angle = np.arcsin(0.5 * np.sin(0.5))
    spec.add_keyframe("initial", {"crank": 0.5, "rod": -0.5 - angle, "wrist": angle})
    return spec


@pytest.mark.parametrize(("kind", "redundant", "left"), [("prismatic", 3, 1), ("cylindrical", 2, 1)])
def test_slider_crank(kind, redundant, left):
    count = mobility(slider_crank(kind).compile())
    assert (count.redundant, count.left, count.open) == (redundant, left, ())


def test_a_coupling_takes_a_freedom_and_may_repeat_another():
    spec = slider_crank()
    spec.add_coupling("lock", "crank", None, (0.5,))
    assert mobility(spec.compile()).left == 0
    spec.add_coupling("again", "crank", None, (0.5,))
    count = mobility(spec.compile())
    assert (count.left, count.redundant) == (0, 4)


def test_open_loop_is_found():
    count = mobility(slider_crank(position=(0, 0.01, 0)).compile())
    assert [name for name, _ in count.open] == ["guide"]
    assert count.open[0][1] == pytest.approx(0.01)
    report = slider_crank(position=(0, 0.01, 0)).compile().report
    assert any(line.startswith("loops that are open") and line.severity == "warning" for line in report)


@pytest.mark.parametrize("kind", ["universal", "ball", "planar", "helical", "revolute"])
def test_loop_joints_anywhere_in_their_range_are_closed(kind):
    """A body on a free joint, held by a loop joint that is far from its neutral position."""
    spec = ModelSpec("held")
    spec.add_body("body", **SOLID)
    spec.add_joint("free", "free", None, "body")
    spec.add_joint("hold", kind, None, "body", **({"pitch": 0.1} if kind == "helical" else {}))
    loop = spec.compile().loops[0]
    q = loop.type.sample(np.random.default_rng(3))
    pose = loop.type.transform(q)
    position = [*Quaternion.from_matrix(pose.rotation), *pose.translation]
    spec.add_keyframe("initial", {"free": position})
    count = mobility(spec.compile())
    assert count.open == ()
    assert count.left == loop.type.nv


def test_jacobian_agrees_with_differences():
    """The distance between the ends of a loop changes as G says, for the ball joints of the roadheader."""
    model = scene("roadheader")
    q, _ = model.initial()
    G, gaps = constraint_jacobian(model, q)
    assert G.shape == (27, 36)
    assert max(gaps.values()) < 1e-5
    joint, step = model.joint("lift"), 1e-4
    moved = list(q)
    moved[joint.q.start] += step
    _, after = constraint_jacobian(model, moved)
    for row, name in enumerate(gaps):
        block = G[3 * row : 3 * row + 3, joint.v.start]
        assert np.linalg.norm(block) * step == pytest.approx(after[name], rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("digits", [None, 6])
@pytest.mark.parametrize("lean", [0.0, 0.6])
@pytest.mark.parametrize("cells", [2, 10])
def test_a_lift_has_one_degree_of_freedom_even_if_it_is_drawn_flat(cells, lean, digits):
    """Where all bars of scissors lie in one line each cell could fold on its own."""
    spec, q, _ = scissors(np.random.default_rng(0), digits, cells, lean)
    names = [joint.name for joint in spec.compile().joints]
    spec.add_keyframe("initial", positions=dict(zip(names, q, strict=True)))
    summary = spec.compile().summary()
    assert (summary.mobility, summary.redundant) == (1, 3 * (cells - 1))


@pytest.mark.parametrize("name", ["sarrus", "bricard"])
def test_linkages_that_are_singular_in_their_zero_position_have_one_degree_of_freedom(name):
    spec, _, _ = LINKAGES[name](np.random.default_rng(0), None)
    assert mobility(spec.compile()).left == 1


def placed(name: str, digits: int | None) -> ModelSpec:
    """A linkage whose initial position is near to a closed one."""
    spec, q, _ = LINKAGES[name](np.random.default_rng(1), digits)
    names = [joint.name for joint in spec.compile().joints]
    spec.add_keyframe("initial", positions=dict(zip(names, q, strict=True)))
    return spec


@pytest.mark.parametrize("digits", [9, 6])
@pytest.mark.parametrize("name", LINKAGES)
def test_rounded_numbers_change_no_count(name, digits):
    exact, rounded = (mobility(placed(name, each).compile()) for each in (None, digits))
    assert rounded.left == exact.left == 1
    assert rounded.redundant == exact.redundant


@pytest.mark.parametrize("gap", [1e-9, 1e-6])
def test_loops_that_are_open_by_rounding_are_reported_and_closed(gap):
    """As in files from CAD: the guide is a little above the slider."""
    model = slider_crank(position=(0, 0, gap)).compile()
    (line,) = [line for line in model.report if "runs close" in line]
    assert f"guide ({gap:.0e} m or rad)" in line
    assert line.severity != "warning"
    assert mobility(model).left == 1
    assert residuals(model, Simulation(model).q.tolist()) == pytest.approx([0.0] * 5, abs=1e-12)
    assert not [line for line in slider_crank().compile().report if "runs close" in line]


@pytest.mark.parametrize("size", [1e-2, 300.0])
def test_what_rounding_explains_goes_with_the_size_of_the_machine(size):
    for share, words in ((1e-6, "and runs close"), (1e-2, "loops that are open in the initial position")):
        spec = slider_crank(position=(0, 0, share))
        for joint in spec.joints:
            joint.position = tuple(size * np.array(joint.position))
        model = spec.compile()
        (line,) = [line for line in model.report if "in the initial position" in line]
        assert words in line and f"guide ({size * share:.1g} m or rad)" in line
        assert (line.severity == "warning") == (share > 1e-5)
        assert mobility(model).closed and mobility(model).left == 1


def test_a_machine_is_counted_again_where_its_geometry_changed(monkeypatch):
    counted = []
    real = module._counted
    monkeypatch.setattr(module, "_counted", lambda model: counted.append(model) or real(model))
    monkeypatch.setattr(module, "_COUNTED", {})
    spec = slider_crank()
    first = mobility(spec.compile())
    spec.bodies[0].mass *= 2.0
    spec.joints[0].damping = 3.0
    assert mobility(spec.compile()) == first
    assert len(counted) == 1
    # a bar that is longer leaves its loop open
    x, y, z = spec.joints[1].position
    spec.joints[1].position = (x + 0.01, y, z)
    assert mobility(spec.compile()).open
    assert len(counted) == 2
    for number in range(2 * module._KEPT):
        spec.joints[1].position = (x + 0.01 * (1 + number), y, z)
        mobility(spec.compile())
    assert len(module._COUNTED) == module._KEPT
