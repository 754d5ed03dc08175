"""Identical subtrees: which bodies correspond to each other."""

from tests.native.walkers import LEG, walker
from treadle import Model, ModelSpec
from treadle.model.identical_subtrees import identical_subtrees, subtree_inputs

ARM = (("revolute", (0, 0, 1)), ("prismatic", (1, 0, 0)))


def by_name(model: Model) -> dict:
    return {body.name: place for body, place in zip(model.bodies, identical_subtrees(model), strict=True)}


def lanes(model: Model, depth: int = 0) -> list:
    """Kind and lane of every limb of a walker, at one depth."""
    places = by_name(model)
    count = sum(name.endswith(".0") for name in places)
    return [places[f"{number}.{depth}"] for number in range(count)]


def test_four_legs_are_the_lanes_of_one_vector():
    model = walker([LEG] * 4)
    for depth in range(3):
        assert lanes(model, depth) == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert by_name(model)["base"] is None


def test_limbs_come_in_twos_and_fours():
    assert lanes(walker([LEG] * 1)) == [None]
    assert lanes(walker([LEG] * 2)) == [(0, 0), (0, 1)]
    assert lanes(walker([LEG] * 3)) == [(0, 0), (0, 1), None]
    assert lanes(walker([LEG] * 5)) == [(0, 0), (0, 1), (0, 2), (0, 3), None]
    assert lanes(walker([LEG] * 6)) == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]


def test_kinds_are_apart():
    places = lanes(walker([LEG, ARM, LEG, ARM]))
    assert places[0][0] == places[2][0]
    assert places[1][0] == places[3][0]
    assert places[0][0] != places[1][0]
    assert lanes(walker([LEG, ARM])) == [None, None]


def test_axes_tell_kinds_apart_and_signs_do_not():
    leg, mirrored = [("revolute", (0, 1, 0))], [("revolute", (0, -1, 0))]
    assert lanes(walker([leg, mirrored])) == [(0, 0), (0, 1)]
    assert lanes(walker([leg, [("revolute", (0, 0, 1))]])) == [None, None]
    assert lanes(walker([leg, [("prismatic", (0, 1, 0))]])) == [None, None]


def test_limbs_on_the_world_and_limbs_of_limbs():
    spec = ModelSpec()

    def add(name, parent):
        spec.add_body(name, 1.0, center=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(f"joint {name}", "revolute", parent, name)

    for arm in ("left", "right"):
        add(arm, None)
        for finger in ("thumb", "index"):
            add(f"{arm} {finger}", arm)
    places = by_name(spec.compile())
    # two arms; their fingers belong to the arms, and are no limbs of their own
    for name, place in places.items():
        assert place == (0, 0 if name.startswith("left") else 1)


def test_limbs_below_a_chain():
    """The hand of a single arm has fingers of one kind, although the arm itself is alone."""
    spec = ModelSpec()
    for name, parent in (
        ("arm", None),
        ("hand", "arm"),
        ("a", "hand"),
        ("b", "hand"),
        ("a tip", "a"),
        ("b tip", "b"),
    ):
        spec.add_body(name, 1.0, center=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(f"joint {name}", "revolute", parent, name)
    places = by_name(spec.compile())
    assert places["arm"] is places["hand"] is None
    assert places["a"] == places["a tip"] == (0, 0)
    assert places["b"] == places["b tip"] == (0, 1)


def test_chains_have_no_limbs():
    spec = ModelSpec()
    for k in range(5):
        spec.add_body(f"{k}", 1.0, center=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(f"joint {k}", "revolute", f"{k - 1}" if k else None, f"{k}")
    assert set(identical_subtrees(spec.compile())) == {None}


def test_inputs_follow_the_bodies():
    model = walker([[("ball", ()), ("revolute", (0, 1, 0))]] * 2)
    places = subtree_inputs(
        model, {"q": model.nq, "v": model.nv, "tau": model.nv, "dt": 1, "loads": 21 * len(model.bodies)}
    )
    assert places["q"] == [None] * 7 + [(0, 0)] * 5 + [(0, 1)] * 5
    assert places["v"] == places["tau"] == [None] * 6 + [(0, 0)] * 4 + [(0, 1)] * 4
    assert places["loads"] == [None] * 21 + [(0, 0)] * 42 + [(0, 1)] * 42
    # what belongs to no body is not mentioned
    assert "dt" not in places
