"""Whole scenes: which pairs are looked at, what is too much, what is wrong."""

import numpy as np
import pytest
from numba import njit

import treadle as td
from tests.collision.scenes import at, free_bodies
from treadle.collision.collider import Collider
from treadle.collision.kernels import run
from treadle.collision.narrowphase import CALLED, MANY
from treadle.native.calling import call


def arm(**rules):
    """Three links in a row, their balls overlapping, over the ground."""
    spec = td.ModelSpec("arm")
    spec.add_shape("ground", None, "plane", role="collision")
    for i, parent in enumerate((None, "l0", "l1")):
        spec.add_body(f"l{i}", mass=1.0, type="sphere", size=(0.1,))
        spec.add_joint(f"j{i}", "revolute", parent, f"l{i}", position=(0.1, 0, 0), axis=(0, 1, 0))
        spec.add_shape(f"s{i}", f"l{i}", "sphere", (0.2,), role="collision")
    for first, second, enabled in rules.get("contacts", ()):
        spec.add_contact(first, second, enabled=enabled)
    return spec.compile()


def touching(model, q=None, **options):
    collider = Collider(model, **options)
    points = td.contact_points(collider, np.zeros(model.nq) if q is None else q)
    return {(point.first, point.second) for point in points}


def test_neighbours_by_a_joint_do_not_touch():
    assert touching(arm()) == {("ground", "s0"), ("ground", "s1"), ("ground", "s2"), ("s0", "s2")}


def test_rules_of_the_model_and_of_the_caller():
    asked = arm(contacts=[("l0", "l1", True), (None, "l2", False)])
    assert touching(asked) == {("ground", "s0"), ("ground", "s1"), ("s0", "s1"), ("s0", "s2")}
    assert touching(arm(), ignore=[("l0", "l2"), (None, "l0")]) == {("ground", "s1"), ("ground", "s2")}
    with pytest.raises(td.InputError, match="no link named 'l9'"):
        touching(arm(), ignore=[("l0", "l9")])


def test_groups_meet_if_both_want_to():
    def pairs(count, **first):
        spec = td.ModelSpec("groups")
        spec.add_shape("ground", None, "plane", role="collision")
        for i in range(count):
            spec.add_body(f"b{i}", mass=1.0, type="sphere", size=(0.1,))
            spec.add_joint(f"j{i}", "prismatic", None, f"b{i}", axis=(0, 0, 1))
            options = {"group": "tools"} if i == 1 else first if i == 0 else {}
            spec.add_shape(f"s{i}", f"b{i}", "sphere", (0.2,), role="collision", **options)
        found = touching(spec.compile())
        return {pair for pair in found if set(pair) <= {"ground", "s0", "s1"}}

    # listed pairs, and those of the tree
    for count in (2, 70):
        ground = {("ground", "s0"), ("ground", "s1")}
        assert pairs(count) == {*ground, ("s0", "s1")}
        assert pairs(count, meets=["default"]) == ground
        assert pairs(count, meets=["tools"]) == {("ground", "s1"), ("s0", "s1")}
        assert pairs(count, meets=[]) == {("ground", "s1")}
    with pytest.raises(td.ModelError, match="no shape is in the group 'tool'"):
        pairs(2, meets=["tool"])


def test_shapes_of_one_body_do_not_touch_and_all_of_a_compound_do():
    spec = td.ModelSpec("dumbbell")
    spec.add_shape("ground", None, "plane", role="collision")
    spec.add_body("b", mass=1.0, type="sphere", size=(0.1,))
    spec.add_joint("j", "free", None, "b")
    for name, x in (("left", -0.1), ("right", 0.1)):
        spec.add_shape(name, "b", "sphere", (0.3,), role="collision", position=(x, 0, 0))
    assert touching(spec.compile(), at((0, 0, 0.25))) == {("ground", "left"), ("ground", "right")}


@pytest.mark.parametrize("count", [30, 400])
def test_the_broadphase_finds_what_brute_force_finds(count):
    rng = np.random.default_rng(count)
    kinds = [
        ("sphere", (0.3,)),
        ("box", (0.5, 0.2, 3.0)),
        ("capsule", (0.1, 1.0)),
        ("ellipsoid", (2.0, 0.1, 0.1)),
    ]
    model = free_bodies(*[kinds[i % 4] for i in range(count)])
    collider = Collider(model, 0.05)
    collider.bodies[1:, 9:] = rng.normal(size=(count, 3)) * 4.0
    collider.bodies[1:, :9] = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0].reshape(-1, 9)
    shapes, work = collider.shapes, collider.work
    collider.collide()
    work = collider.work
    low, high = work.boxes[:, :3], work.boxes[:, 3:]
    overlap = (low[:, None] <= high[None]).all(axis=2)
    overlap &= overlap.T
    run(CALLED[MANY], collider.frame)
    expected = [tuple(p) for p in np.argwhere(overlap) if 0 < p[0] < p[1]]
    heights = work.X[:, 11] - shapes.radius
    expected += [(0, b) for b in range(1, count + 1) if heights[b] <= 0.05]
    assert [tuple(p) for p in work.pairs[: work.counts[0]]] == sorted(expected)
    # every box lies around its shape
    assert (work.X[1:, 9:12] - shapes.radius[1:, None] - 0.03 <= low[1:]).all()
    assert (low[1:] < work.X[1:, 9:12]).all() and (work.X[1:, 9:12] < high[1:]).all()


def test_few_shapes_are_looked_at_pair_by_pair():
    """What is listed gives the points that the tree gives."""
    rng = np.random.default_rng(2)
    model = free_bodies(*[("box", (0.5, 0.3, 0.2)), ("sphere", (0.3,))] * 15)
    found = []
    for few in (True, False):
        collider = Collider(model, 0.02)
        if not few:
            collider.candidates = None
            collider._make_room(1024, 1024)
        collider.bodies[1:, 9:] = rng.normal(size=(30, 3)) * 0.7 if few else found[0][0]
        count = collider.collide()
        found.append((collider.bodies[1:, 9:].copy(), collider.contacts.data[:count].copy()))
    assert len(found[0][1]) > 20
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_the_broadphase_is_near_linear():
    tests = []
    for count in (1000, 8000):
        rng = np.random.default_rng(count)
        collider = Collider(_grains(count))
        side = count ** (1 / 3)
        collider.bodies[1:, 9:] = rng.uniform(0, side, (count, 3))
        collider.collide()
        tests.append(collider.work.counts[2])
    # eight times the bodies: n log n is 10.4 times the work, n squared 64 times
    assert tests[1] < 13 * tests[0]


def _grains(count):
    """Many balls, without the time that it takes to compile so large a machine."""
    from dataclasses import replace

    base = free_bodies(("sphere", (0.4,)), ground=False)
    shape = base.shapes[-1]
    bodies = tuple(replace(base.bodies[0], name=f"b{i}") for i in range(count))
    shapes = tuple(replace(shape, name=f"s{i}", body=i, link=f"b{i}") for i in range(count))
    links = tuple(replace(base.links[0], name=f"b{i}", body=i) for i in range(count))
    return replace(base, bodies=bodies, links=links, shapes=shapes)


def test_ten_thousand_bodies_in_one_place_are_refused():
    collider = Collider(_grains(10_000))
    with pytest.raises(
        td.InputError, match=r"more than 1280000 pairs of shapes .* overlap, such as 's\d+' and"
    ):
        collider.collide()


def test_room_grows_with_what_is_found():
    model = free_bodies(*[("box", (1, 1, 1))] * 10)
    collider = Collider(model)
    collider.bodies[1:, 11] = 0.4
    assert collider.collide() > 100
    pairs = collider.contacts.pairs[: collider.result[0]]
    assert len({tuple(p) for p in pairs}) == 10 + 45


def test_a_pose_that_is_not_finite_is_named():
    collider = Collider(free_bodies(("sphere", (0.5,))))
    collider.bodies[1, 9] = np.nan
    with pytest.raises(td.InputError, match="pose of 's0' is not finite"):
        collider.collide()


@pytest.mark.parametrize("kind, size", [("sphere", (0,)), ("box", (0, 0, 0)), ("capsule", (0, 1))])
def test_shapes_without_a_size_are_refused(kind, size):
    with pytest.raises(td.ModelError, match='shape "s0"'):
        Collider(free_bodies((kind, size)))


@pytest.mark.parametrize("size", [(1, 1, 0), (1, 0, 0)])
def test_a_plate_or_a_rod_without_thickness_is_finite(size):
    collider = Collider(free_bodies(("box", size), ("box", (1, 1, 1))), 0.01)
    points = td.contact_points(collider, at((0, 0, 0), (0.1, 0.2, 0.505)), 0.01)
    assert points and all(np.isfinite(p.distance) for p in points)


@njit
def collide_many(entry, frame, count):
    for _ in range(count):
        call(entry, frame)


def test_a_compiled_loop_calls_it_by_address():
    collider = Collider(free_bodies(("box", (1, 1, 1))))
    collider.bodies[1, 11] = 0.5
    collide_many(collider.entry, collider.frame.ctypes.data, 3)
    assert collider.result[0] == 4
    assert set(collider.contacts.pairs[:4].ravel()) == {0, 1}
