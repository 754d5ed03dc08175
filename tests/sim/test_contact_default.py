"""Who has something to touch, by default and when contact is asked for."""

import numpy as np
import pytest

import treadle as td
from treadle.sim.contact_default import may_touch, touches

TURN = {"axis": (0, 1, 0)}


def balls(*joints, shapes=True, **options):
    """A ball on each joint, which is (kind, parent)."""
    spec = td.ModelSpec("balls", gravity=(0, 0, 0))
    for i, (kind, parent) in enumerate(joints):
        name = f"b{i}"
        spec.add_body(name, mass=1.0, type="sphere", size=(0.1,))
        axis = {"axis": (1, 0, 0)} if kind in ("prismatic", "revolute") else {}
        spec.add_joint(f"j{i}", kind, parent, name, position=(0.3 * i, 0, 0), **axis)
        if shapes:
            spec.add_shape(f"s{i}", name, "sphere", (0.1,), role="collision", **options)
    return spec


def four_bar():
    """Rods that overlap at their pins; the one of the rocker closes the loop."""
    spec = td.ModelSpec("four-bar", gravity=(0, 0, -9.81))
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8)):
        spec.add_body(name, length, center=(length / 2, 0, 0), inertia=(0.02, 0.05, 0.05))
        along = {"position": (length / 2, 0, 0), "rotation": [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]}
        spec.add_shape(name, name, "capsule", (0.03, length), role="collision", **along)
    spec.add_joint("motor", "revolute", None, "crank", **TURN)
    spec.add_joint("knee", "revolute", "crank", "coupler", position=(0.4, 0, 0), **TURN)
    spec.add_joint("base", "revolute", None, "rocker", position=(1.0, 0, 0), **TURN)
    ends = {"position": (0.8, 0, 0), "child_position": (1.0, 0, 0)}
    spec.add_joint("pin", "revolute", "rocker", "coupler", **ends, **TURN)
    spec.add_keyframe("initial", {"motor": -1.0, "knee": 0.4, "base": -1.5})
    return spec


@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        ([("free", None)], False),
        ([("free", None), ("free", None)], True),
        # as in Newton's cradle
        ([("prismatic", None), ("prismatic", None)], True),
        # one machine
        ([("free", None), ("revolute", "b0"), ("revolute", "b1")], False),
        # arms on one fixed base, and something that flies beside them
        ([("fixed", None), ("revolute", "b0"), ("revolute", "b0")], False),
        ([("fixed", None), ("revolute", "b0"), ("free", None)], True),
    ],
)
def test_things_that_are_not_one_machine_touch_by_default(joints, expected):
    assert touches(balls(*joints).compile()) is expected


def test_a_closed_linkage_is_one_machine():
    assert not touches(four_bar().compile())
    assert touches(four_bar().compile(), td.Plane())


def test_balls_that_hang_in_the_world_meet_without_being_told_to():
    spec = balls(("prismatic", None), ("prismatic", None), material="ice")
    spec.add_material("ice", restitution=1.0, friction=0.0)
    sim = td.Simulation(spec.compile(), dt=0.1, v=[2.0, 0.0])
    sim.run(1.0)
    assert sim.v == pytest.approx([0.0, 2.0], abs=1e-12)


def test_contact_without_anything_to_touch_is_told():
    for spec in (
        balls(("free", None)),
        balls(("free", None), ("free", None), shapes=False),
        balls(("free", None), ("revolute", "b0")),
        balls(("free", None), ("free", None), group="mine", meets=["default"]),
    ):
        for kind in (td.Simulation, lambda model, **options: td.Batch(model, 2, **options)):
            with pytest.raises(td.InputError, match="'balls' has nothing to touch: give two of its bodies"):
                kind(spec.compile(), contact=True)
    spec = balls(("free", None), ("free", None))
    assert may_touch(spec.compile(), None)
    spec.add_contact("b0", "b1", enabled=False)
    assert not may_touch(spec.compile(), None)
    assert may_touch(spec.compile(), td.Plane())


def test_links_that_overlap_where_a_loop_is_closed_do_not_push_each_other():
    over, through = four_bar(), four_bar()
    for spec in (over, through):
        spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -9))
    for shape in through.shapes[:3]:
        shape.group, shape.meets = "rods", ["default"]
    sims = [td.Simulation(spec.compile(), dt=2e-3) for spec in (over, through)]
    for sim in sims:
        sim.run(0.2)
        assert sim.contact
        assert sim.contacts() == []
    assert np.abs(sims[0].q - sims[0].reference.q).max() > 0.05
    assert np.array_equal(sims[0].q, sims[1].q)
    overlapping = four_bar()
    overlapping.add_contact("rocker", "coupler")
    with_rule = td.Simulation(overlapping.compile(), dt=1e-3, contact=True)
    with_rule.step()
    assert with_rule.contact_between("rocker", "coupler").points


def test_the_ends_of_a_rope_touch():
    spec = balls(("free", None), ("free", None))
    spec.add_joint("rope", "rope", "b0", "b1", length=2.0)
    assert may_touch(spec.compile(), None)


def test_terrain_without_anything_to_touch_it_is_told():
    bare = balls(("free", None), shapes=False).compile()
    for kind in (td.Simulation, lambda model, **options: td.Batch(model, 2, **options)):
        with pytest.raises(td.InputError, match="'balls' has nothing that could touch the terrain: give its"):
            kind(bare, terrain=td.Plane())
    assert not td.Simulation(bare, terrain=td.Plane(), contact=False).contact
    sim = td.Simulation(balls(("free", None)).compile(), terrain=td.Plane())
    with sim.edit() as changed:
        changed.shapes.clear()
    assert not sim.contact


def test_an_edit_that_brings_a_floor_brings_contact():
    spec = balls(("free", None))
    spec.gravity = (0, 0, -9.81)
    sim = td.Simulation(spec.compile(), dt=0.01)
    assert not sim.contact
    with sim.edit() as changed:
        changed.add_shape("floor", None, "plane", role="collision", position=(0, 0, -0.5))
    assert sim.contact
    sim.run(1.0)
    assert sim.body("b0").position[2] == pytest.approx(-0.4, abs=1e-9)
    with sim.edit() as changed:
        changed.shapes.clear()
    assert not sim.contact


def test_an_edit_that_leaves_nothing_to_touch_ends_contact_that_was_asked_for():
    sim = td.Simulation(balls(("free", None), ("free", None)).compile(), contact=True)
    with sim.edit() as changed:
        changed.shapes.pop()
    assert not sim.contact
    sim.step()


def test_a_link_does_not_touch_the_fixed_one_that_carries_it_also_after_an_edit():
    spec = balls(("fixed", None), ("revolute", "b0"), ("revolute", "b1"), ("prismatic", None))
    for joint in spec.joints:
        joint.position = (0.05, 0, 0) if joint.parent else (0, 0, 0)
    sim = td.Simulation(spec.compile())

    def touching():
        return {(p.first, p.second) for p in td.contact_points(sim.model, sim.q)}

    # what slides in the world itself has no joint with the ball that is fixed to it
    expected = {("s0", "s2"), ("s0", "s3"), ("s1", "s3"), ("s2", "s3")}
    assert touching() == expected
    with sim.edit() as changed:
        changed.bodies[1].mass = 2.0
    assert touching() == expected


def test_groups_stay_through_an_edit():
    sim = td.Simulation(balls(("free", None), ("free", None), group="mine", meets=["mine"]).compile())
    with sim.edit() as changed:
        changed.bodies[0].mass = 2.0
    assert [(shape.group, tuple(shape.meets)) for shape in sim.model.shapes] == [("mine", ("mine",))] * 2
