import numpy as np
import pytest

from treadle.dynamics.rnea import rnea
from treadle.errors import InputError
from treadle.scenes import SCENES, scene, scene_names
from treadle.sim import Simulation
from treadle.solvers.assembly import assemble


@pytest.mark.parametrize("name", scene_names())
def test_every_scene_compiles_strictly(name):
    model = scene(name)
    assert model.nv > 0
    # nothing to say but that loops are closed, in planar linkages with more than it takes, and of couplings
    expected = ["closed loop", "are redundant", "couplings of joints"]
    if name in ("rocky7", "zoe"):
        # as published, all their mass is in the body and the wheels
        expected.append("without a mass")
    said = [line for line in model.report if not any(part in line for part in expected)]
    assert said == []
    assert SCENES[name].__doc__


def test_arm_is_a_credible_machine():
    model = scene("arm")
    assert (model.nq, model.nv) == (6, 6)
    assert sum(link.mass for link in model.links) == pytest.approx(60.0)
    assert all(joint.lower < joint.upper for joint in model.joints)
    assert all(0.0 < joint.damping[0] < joint.effort[0] for joint in model.joints)


def test_arm_can_hold_its_payload_stretched_out():
    model = scene("arm", payload=7.0)
    assert sum(link.mass for link in model.links) == pytest.approx(67.0)
    rest = [0.0] * 6
    torque = np.abs(rnea(model, [0.0, np.pi / 2, -np.pi / 2, 0.0, 0.0, 0.0], rest, rest))
    assert torque[1] > 100.0
    assert (torque <= [joint.effort[0] for joint in model.joints]).all()


def test_chain_of_any_length():
    model = scene("chain", links=50, damping=0.1)
    assert model.nv == 50
    assert model.mass == pytest.approx(5.0)
    assert model.joint("joint50").damping == (0.1,)
    assert [body.parent for body in model.bodies] == list(range(-1, 49))


def test_pendulum_hangs_still():
    model = scene("pendulum")
    np.testing.assert_allclose(rnea(model, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]), 0.0, atol=1e-12)
    # both rods level: the shoulder holds 2 m g l, the elbow m g l / 2
    level = rnea(model, [np.pi / 2, 0.0], [0.0, 0.0], [0.0, 0.0])
    np.testing.assert_allclose(np.abs(level), [2 * 9.81, 0.5 * 9.81])


def test_unknown_scenes_and_options():
    with pytest.raises(InputError, match="did you mean 'pendulum'"):
        scene("pendlum")
    with pytest.raises(InputError, match="no option 'link'; did you mean 'links'"):
        scene("chain", link=3)
    for links in (0, 2.5, True):
        with pytest.raises(InputError, match="whole number of links"):
            scene("chain", links=links)


LINKAGES = ("four-bar-chain", "gripper", "peaucellier", "slider-crank", "squeezer")


@pytest.mark.parametrize("name", LINKAGES)
def test_linkages_start_closed_and_are_driven_where_they_can_be(name):
    model = scene(name)
    start = assemble(model)
    np.testing.assert_allclose(start.q, model.initial()[0], atol=1e-12)
    np.testing.assert_allclose(start.v, model.initial()[1], atol=1e-12)
    # the gripper has a lift, a slide, its fingers, and a box that is free
    assert start.mobility == (9 if name == "gripper" else 1)
    for actuator in model.actuators:
        assert actuator.lower is not None and actuator.upper is not None
        assert actuator.lower <= 0.0 <= actuator.upper


def test_every_linkage_is_seen_on_all_its_bodies():
    for name in (*LINKAGES, "friction-chain"):
        model = scene(name)
        seen = {shape.body for shape in model.shapes if shape.role == "visual"}
        assert set(range(len(model.bodies))) <= seen, name
        assert len({shape.color for shape in model.shapes if shape.role == "visual"}) >= 3, name


def test_a_chain_with_friction_comes_to_rest():
    sim = Simulation(scene("friction-chain"))
    np.testing.assert_allclose(sim.body("tip").position, (1.5, 0.0, 1.8))
    sim.run(20.0)
    assert np.abs(sim.v).max() < 1e-12
    # all but upright: friction holds it where it stopped
    x, _, z = sim.body("tip").position
    assert 1e-4 < abs(x) < 0.1
    assert z == pytest.approx(0.3, abs=0.01)


def test_the_pen_of_peaucellier_stays_on_its_line():
    sim = Simulation(scene("peaucellier"), dt=1e-2)
    sim.actuator("motor").command = 0.6
    for _ in range(20):
        sim.step(10)
        x, y, z = sim.body("pen").position
        # the inverse of the crank's end in the circle of radius sqrt(arm^2 - side^2)
        assert x == pytest.approx((1.0 - 0.45**2) / 0.6, abs=1e-9)
        assert y == 0.0
        assert 1.2 - z == pytest.approx(x * np.tan(sim.joint("motor").position / 2), abs=1e-9)
    assert sim.joint("motor").position == pytest.approx(0.6, abs=0.02)


def test_the_slider_crank_is_cut_at_its_slider():
    model = scene("slider-crank", angle=0.0, speed=5.0)
    assert [loop.name for loop in model.loops] == ["slider"]
    sim = Simulation(model, integrator="rk4")
    # at the top the piston is 0.45 m over the bearing, half a turn later 0.2 m lower
    assert sim.body("piston").position[2] == pytest.approx(0.75)
    assert sim.body("piston").velocity[2] == pytest.approx(0.0, abs=1e-12)


def test_cells_of_a_four_bar_chain():
    assert len(scene("four-bar-chain", cells=5).loops) == 5
    for cells in (0, 1.5, True):
        with pytest.raises(InputError, match="whole number of cells"):
            scene("four-bar-chain", cells=cells)
