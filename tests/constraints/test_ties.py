"""Loops closed by a distance, a point on a line or a point on a plane."""

import numpy as np
import pytest

import treadle as td
from treadle.model.describe import describe


def levers() -> td.Model:
    """Two levers whose ends stay 1 m apart."""
    spec = td.ModelSpec("levers")
    for name, place in (("left", 0.0), ("right", 1.0)):
        spec.add_body(name, 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(name, "revolute", None, name, position=(place, 0, 0), axis=(0, 1, 0))
    ends = {"position": (0, 0, 1), "child_position": (0, 0, 1)}
    spec.add_joint("rod", "distance", "left", "right", length=1.0, **ends)
    return spec.compile()


def test_a_distance_keeps_two_levers_parallel():
    """With the rod as long as the distance of the hinges both turn alike, as one lever of twice the mass."""
    model = levers()
    assert model.loops[0].constraints == 1
    assert model.summary().mobility == 1
    sim = td.Simulation(model, dt=1e-3, integrator="rk4", q=[0.3, 0.3])
    sim.run(1.0)
    assert sim.q[0] == pytest.approx(sim.q[1], abs=1e-9)
    single = td.ModelSpec("single")
    single.add_body("lever", 2.0, center=(0, 0, 0.5), inertia=(0.2, 0.2, 0.2))
    single.add_joint("hinge", "revolute", None, "lever", axis=(0, 1, 0))
    alone = td.Simulation(single.compile(), dt=1e-3, integrator="rk4", q=[0.3])
    alone.run(1.0)
    assert sim.q[0] == pytest.approx(alone.q[0], abs=1e-9)
    assert sim.quality()["loop residual"] < 1e-12


def bead(kind: str, **options) -> td.ModelSpec:
    spec = td.ModelSpec("bead")
    spec.add_body("bead", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("flight", "free", None, "bead")
    spec.add_joint("guide", kind, None, "bead", **options)
    return spec


def test_a_bead_slides_down_its_wire():
    """On a line at 45 degrees gravity accelerates it by g / 2 along x and along -z."""
    model = bead("point_on_line", axis=(1, 0, -1)).compile()
    assert model.summary().mobility == 4
    sim = td.Simulation(model, dt=1e-3, integrator="rk4")
    sim.run(1.0)
    way = 0.25 * 9.81
    np.testing.assert_allclose(sim.body("bead").position, (way, 0.0, -way), atol=1e-9)


def test_a_bead_slides_down_its_plane():
    model = bead("point_on_plane", axis=(1, 0, 1)).compile()
    assert model.summary().mobility == 5
    sim = td.Simulation(model, dt=1e-3, integrator="rk4")
    sim.joint("flight").velocity = (0, 0, 0, 0, 2.0, 0)
    sim.run(1.0)
    way = 0.25 * 9.81
    np.testing.assert_allclose(sim.body("bead").position, (way, 2.0, -way), atol=1e-9)


def test_a_point_off_the_centre_turns_the_bead():
    """The guided point is a point of the body, not its centre: gravity swings it as a pendulum."""
    model = bead("point_on_line", axis=(1, 0, 0), child_position=(0, 0, 1)).compile()
    sim = td.Simulation(model, dt=1e-3)
    sim.joint("flight").position = (1, 0, 0, 0, 0, 0, -1)
    sim.run(1.0)
    np.testing.assert_allclose(sim.body("bead").position, (0, 0, -1), atol=1e-9)


@pytest.mark.parametrize("kind", ["distance", "rope", "point_on_line", "point_on_plane"])
def test_a_tie_cannot_carry_a_body(kind):
    spec = td.ModelSpec("loose")
    spec.add_body("ball", 1.0, inertia=(1, 1, 1))
    length = {"length": 1.0} if kind in ("distance", "rope") else {}
    spec.add_joint("tie", kind, None, "ball", **length)
    with pytest.raises(td.ModelError, match=f"a {kind} joint cannot carry a body"):
        spec.compile()
    # the order of joints does not matter: a tie never becomes part of the tree
    spec.add_joint("flight", "free", None, "ball")
    assert [loop.name for loop in spec.compile().loops] == ["tie"]


@pytest.mark.parametrize("kind", ["distance", "rope"])
@pytest.mark.parametrize("length", [None, 0.0, -1.0])
def test_distances_need_a_length(kind, length):
    with pytest.raises(td.ModelError, match="length"):
        bead(kind, length=length).compile()


def test_other_joints_have_no_length():
    with pytest.raises(td.ModelError, match="a ball joint has no length"):
        bead("ball", length=1.0).compile()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("distance", {"length": 0.5}),
        ("rope", {"length": 0.5, "limit_restitution": 0.2}),
        ("point_on_line", {"axis": (0, 1, 0), "friction": 2.0, "lower": -1.0}),
        ("point_on_plane", {"axis": (1, 0, 0), "damping": (1.0, 2.0)}),
    ],
)
def test_ties_survive_files_and_the_way_back(tmp_path, kind, options):
    spec = bead(kind, child_position=(0, 0.5, 0), **options)
    model = spec.compile()
    td.save(model, tmp_path / "bead.toml")
    again = td.load(tmp_path / "bead.toml")
    assert again.digest == model.digest
    assert [joint.type for joint in describe(again).joints] == ["free", kind]
