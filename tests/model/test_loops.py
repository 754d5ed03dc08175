from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from tests.furnished import furnished_machines
from treadle import Batch, InputError, ModelError, Simulation, forward_dynamics
from treadle.constraints.rows import residuals
from treadle.integrators import INTEGRATORS
from treadle.model import WORLD, Model, ModelSpec, rpy
from treadle.model.tree import spanning_tree

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def linkage() -> ModelSpec:
    """A four-bar linkage in the x-z plane: a square of 1 m, its last pin closing the loop."""
    spec = ModelSpec("linkage")
    hinge = {"axis": (0, 1, 0)}
    for name in ("crank", "coupler", "rocker"):
        spec.add_body(name, **SOLID)
    spec.add_joint("a", "revolute", None, "crank", **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, 0, 1), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(1, 0, 0), **hinge)
    spec.add_joint(
        "c", "revolute", "coupler", "rocker", position=(1, 0, 0), child_position=(0, 0, 1),
        damping=0.5, lower=-1, upper=2, friction=0.1, **hinge,
    )  # fmt: skip
    return spec


def poses(model: Model) -> list[np.ndarray]:
    """Pose of every body in the neutral position."""
    X_WB: list[np.ndarray] = []
    for body in model.bodies:
        X_PB = body.placement.to_matrix()
        X_WB.append(X_PB if body.parent == WORLD else X_WB[body.parent] @ X_PB)
    return X_WB


def test_further_joint_closes_a_loop():
    model = linkage().compile()
    assert [joint.name for joint in model.joints] == ["a", "b", "d"]
    (loop,) = model.loops
    assert (loop.name, loop.type.kind, loop.constraints) == ("c", "revolute", 5)
    assert (loop.predecessor, loop.successor) == (1, 2)
    assert (loop.predecessor_link, loop.successor_link) == ("coupler", "rocker")
    assert (loop.damping, loop.lower, loop.upper, loop.friction) == ((0.5,), (-1.0,), (2.0,), (0.1,))
    X = poses(model)
    np.testing.assert_array_equal(
        X[1] @ loop.predecessor_placement.to_matrix(), X[2] @ loop.successor_placement.to_matrix()
    )


def test_the_tree_is_that_of_the_description_without_the_loop():
    closed, spec = linkage().compile(), linkage()
    spec.joints.pop()
    assert spec.compile().digest == closed.without_loops().digest != closed.digest


def names(spec: ModelSpec) -> tuple[list[str], list[str]]:
    tree, loops = spanning_tree(spec)
    return [joint.name for joint in tree], [joint.name for joint in loops]


def graph(*edges: str) -> ModelSpec:
    """Bodies are letters, "w" is the world; joints are named by their two ends."""
    spec = ModelSpec()
    for name in sorted({letter for edge in edges for letter in edge} - {"w"}):
        spec.add_body(name, **SOLID)
    for edge in edges:
        spec.add_joint(edge, "revolute", None if edge[0] == "w" else edge[0], edge[1])
    return spec


@pytest.mark.parametrize(
    ("edges", "tree", "loops"),
    [
        # the first joint to a body carries it, also where a walk in depth would come another way
        (("wa", "ab", "bc", "wd", "ad"), ["wa", "ab", "bc", "wd"], ["ad"]),
        (("wa", "ad", "ab", "wd"), ["wa", "ad", "ab"], ["wd"]),
        (("wa", "ab", "bc", "ca"), ["wa", "ab", "bc"], ["ca"]),
        (("wa", "wa", "wa"), ["wa"], ["wa", "wa"]),
        # children before parents
        (("bc", "ab", "wa", "ac"), ["wa", "ab", "bc"], ["ac"]),
        (("cb", "ab", "wc", "wa"), ["wc", "cb", "wa"], ["ab"]),
    ],
)
def test_which_joints_close_loops(edges, tree, loops):
    assert names(graph(*edges)) == (tree, loops)


@pytest.mark.parametrize(
    ("edges", "element", "message"),
    [
        (("wa", "ba"), 'joint "ba"', "exchange its predecessor"),
        (("wa", "ab", "cb", "cd"), 'joint "cb"', "exchange its predecessor"),
        (("wa", "bc", "cb"), 'body "b"', "circle"),
        (("wa", "bc", "cd", "dc"), 'body "b"', "no joint connects"),
        (("wa", "bc", "cd", "db"), 'body "b"', '"b" -> "d" -> "c" -> "b"'),
    ],
)
def test_what_cannot_be_reached(edges, element, message):
    with pytest.raises(ModelError) as caught:
        graph(*edges).compile()
    assert caught.value.element == element
    assert message in str(caught.value)


@given(furnished_machines())
def test_every_joint_is_in_the_tree_or_closes_a_loop(spec):
    tree, loops = spanning_tree(spec)
    assert len(tree) == len(spec.bodies)
    assert {joint.child for joint in tree} == {body.name for body in spec.bodies}
    assert sorted([*map(id, tree), *map(id, loops)]) == sorted(map(id, spec.joints))
    model = spec.compile(strict=False)
    assert [loop.name for loop in model.loops] == [joint.name for joint in loops]


def test_fixed_loops_and_loops_to_the_world():
    spec = linkage()
    spec.joints[3].parent, spec.joints[3].type = None, "fixed"
    spec.joints[3].lower = spec.joints[3].upper = None
    (loop,) = spec.compile().loops
    assert (loop.type, loop.constraints, loop.predecessor, loop.predecessor_link) == (None, 6, WORLD, None)
    assert loop.damping == ()


def test_loops_reach_merged_links():
    spec = linkage()
    spec.add_body("eye")
    spec.add_joint("weld", "fixed", "coupler", "eye", position=(1, 0, 0), rotation=rpy(0.1, 0.2, 0.3))
    loop = spec.joints[3]
    loop.parent, loop.position = "eye", (0, 0, 0)
    model = spec.compile()
    assert model.loops[0].predecessor == 1
    np.testing.assert_allclose(model.loops[0].predecessor_placement.to_list()[9:], [1, 0, 0])


def test_a_loop_inside_a_rigid_body_is_reported():
    spec = ModelSpec()
    for name in "ab":
        spec.add_body(name, **SOLID)
    spec.add_joint("float", "free", None, "a")
    spec.add_joint("weld", "fixed", "a", "b")
    spec.add_joint("pin", "revolute", "a", "b")
    assert any('fixed together: "pin"' in line for line in spec.compile().report)


def test_report_and_count():
    model = linkage().compile()
    loops, redundant = model.report
    assert loops.startswith('1 closed loop ("c") with 5 constraints')
    assert redundant.startswith("3 of the 5 constraints are redundant")
    summary = model.summary()
    assert summary.loops == (("c", 5),)
    assert (summary.degrees_of_freedom, summary.mobility, summary.redundant) == (3, 1, 3)
    # a ball and a cylinder in place of two hinges leave the one motion without repeating anything
    spec = linkage()
    spec.joints[1].type, spec.joints[1].axis = "ball", None
    spec.joints[3].type, spec.joints[3].lower, spec.joints[3].upper = "cylindrical", None, None
    summary = spec.compile().summary()
    assert (summary.mobility, summary.redundant) == (1, 0)


def test_without_loops():
    spec = linkage()
    spec.add_coupling("gear", "b", "a")
    model = spec.compile()
    tree = model.without_loops()
    assert (tree.loops, tree.couplings) == ((), ())
    assert tree.report[-2:] == ('loop joints left out: "c"', 'couplings left out: "gear"')
    assert tree.without_loops() is tree
    assert (len(model.loops), len(model.couplings)) == (1, 1)


@pytest.mark.parametrize("coupled", [False, True])
def test_loops_and_couplings_are_simulated(coupled):
    spec = linkage()
    if coupled:
        spec.joints.pop()
        spec.add_coupling("gear", "b", "a")
    model = spec.compile()
    sim = Simulation(model)
    sim.step(50)
    assert np.abs(residuals(model, sim.q.tolist())).max() < 1e-12
    batch = Batch(model, 2)
    batch.step(50)
    np.testing.assert_array_equal(batch.q[1], sim.q)


def test_methods_that_do_not_hold_loops_say_so(monkeypatch):
    monkeypatch.setitem(INTEGRATORS, "own", replace(INTEGRATORS["rk4"], loops=None))
    with pytest.raises(InputError, match="'own' does not support the closed loops"):
        Simulation(linkage().compile(), integrator="own")


def test_dynamics_is_that_of_the_tree():
    model = linkage().compile()
    state = [0.1, 0.2, 0.3], [0.0] * 3, [0.0] * 3
    np.testing.assert_array_equal(
        forward_dynamics(model, *state), forward_dynamics(model.without_loops(), *state)
    )


# ---------------------------------------------------------------------------------------------------
# links whose frame is not at their joint
# ---------------------------------------------------------------------------------------------------


def shifted(kind: str = "revolute", **options) -> tuple[ModelSpec, ModelSpec]:
    """The same machine twice: link frames at the joints, and elsewhere."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rpy(0.3, -0.2, 0.5), (0.1, 0.2, -0.4)
    R, p = X[:3, :3], X[:3, 3]
    inertia = np.array([[0.3, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.25]])
    specs = []
    for moved in (False, True):
        spec = ModelSpec()
        center, offset = np.array([0.3, 0.1, 0.0]), np.array([0.5, 0.6, 0.7])
        spec.add_body("a", 2.0, **{
            "center": R @ center + p if moved else center,
            "inertia": R @ inertia @ R.T if moved else inertia,
        })  # fmt: skip
        spec.add_body("b", 1.0, inertia=(0.1, 0.1, 0.1), center=(0.2, 0, 0))
        child = {"child_position": p, "child_rotation": R} if moved else {}
        spec.add_joint("first", kind, None, "a", position=(0, 0, 1), **child, **options)
        spec.add_joint(
            "second", "revolute", "a", "b", position=R @ offset + p if moved else offset,
            rotation=R if moved else np.eye(3), axis=(1, 0, 0),
        )  # fmt: skip
        spec.add_frame("tip", "a", position=R @ center + p if moved else center)
        specs.append(spec)
    return specs[0], specs[1]


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "ball", "free", "fixed", "planar"])
def test_a_link_frame_may_lie_elsewhere(kind):
    plain, moved = (spec.compile() for spec in shifted(kind))
    assert plain.nv == moved.nv
    for one, other in zip(plain.bodies, moved.bodies, strict=True):
        np.testing.assert_allclose(one.placement.to_list(), other.placement.to_list(), atol=1e-15)
        np.testing.assert_allclose(list(one.inertia.moment), list(other.inertia.moment), atol=1e-15)
        np.testing.assert_allclose(
            one.inertia.rotational.to_rows(), other.inertia.rotational.to_rows(), atol=1e-15
        )
    np.testing.assert_allclose(
        plain.frame("tip").placement.to_list()[9:], moved.frame("tip").placement.to_list()[9:], atol=1e-15
    )


def test_the_link_is_found_at_its_frame():
    _, spec = shifted()
    model = spec.compile()
    joint = spec.joints[0]
    X_LJ = np.eye(4)
    X_LJ[:3, :3], X_LJ[:3, 3] = joint.child_rotation, joint.child_position
    np.testing.assert_allclose(model.frame("a").placement.to_matrix() @ X_LJ, np.eye(4), atol=1e-15)


def test_loops_are_cut_where_nothing_needs_coordinates():
    """An actuator or a coupling on the joint that would close the loop lets another one close it."""
    spec = linkage()
    assert [loop.name for loop in spec.compile().loops] == ["c"]
    before = [joint.name for joint in spec.compile().joints]
    spec.add_actuator("drive", "motor", "c")
    model = spec.compile()
    (cut,) = [loop.name for loop in model.loops]
    assert cut != "c"
    assert {joint.name for joint in model.joints} == {*before, "c"} - {cut}
    spec.actuators.clear()
    spec.add_coupling("gear", "c", "a")
    assert [loop.name for loop in spec.compile().loops] == [cut]
    # both cannot be joints of the tree
    spec.add_actuator("drive", "motor", cut)
    with pytest.raises(ModelError, match="closes a loop"):
        spec.compile()


def test_ties_cannot_be_driven():
    spec = linkage()
    spec.add_joint("cord", "rope", None, spec.bodies[-1].name, length=1.0)
    spec.add_actuator("winch", "motor", "cord")
    with pytest.raises(
        ModelError, match="its joint 'cord' is a rope joint; name a joint that carries a body"
    ):
        spec.compile()
