"""Rock cutting: laws of picks, chips from kinematics, removed volume, memory, and what is refused."""

from math import cos, pi, radians

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import treadle as td
from treadle.errors import InputError
from treadle.process.cutting_head import CuttingHead
from treadle.process.pick_force import PICK_LAWS, Pick, Rock, force_coefficient
from treadle.process.rock_face import RockFace
from treadle.scenes.roadheader.cutting import ordered_tips
from treadle.sim.history import History
from treadle.studies.rock_rig import RigRun, closed_torque, rig, run_rig


def test_evans_by_hand():
    # 16 pi (2.5e6)^2 0.01^2 / (40e6 cos(37.5 deg)^2) = 1247.8 N at 1 cm, a third of it in the mean
    peak = 16.0 * pi * 2.5e6**2 * 0.01**2 / (40e6 * cos(radians(37.5)) ** 2)
    assert peak == pytest.approx(1247.8, rel=1e-4)
    assert force_coefficient(Rock(), Pick()) * 0.01**2 == pytest.approx(peak / 3.0, rel=1e-12)


@pytest.mark.parametrize(("tensile", "compressive", "a"), [(2.5e6, 40e6, 37.5), (8e6, 120e6, 30.0)])
def test_evans_from_the_bursting_of_a_hole(tensile, compressive, a):
    """The steps of docs/theory/rock-cutting.md, with the least pressure found by search."""
    depth, half = 0.012, radians(a)

    def bursting(theta, hole):
        return tensile * depth / (2.0 * hole * np.cos(theta) * (1.0 - np.cos(theta)))

    def gap(hole):
        # the mean radius of the cone is half of its largest
        least = minimize_scalar(bursting, bounds=(0.1, 1.5), args=(0.5 * hole,), method="bounded")
        assert np.degrees(least.x) == pytest.approx(60.0, abs=0.1)
        return least.fun - compressive * np.cos(half)

    hole = brentq(gap, 1e-4, 1.0, xtol=1e-15)
    law = PICK_LAWS["evans"](Rock(compressive=compressive, tensile=tensile), half)
    assert law * depth**2 == pytest.approx(pi * hole**2 * compressive, rel=1e-6)


def test_needles_need_no_force_but_after_evans():
    smooth, needle = Rock(friction_angle=0.0), radians(0.5)
    forces = {
        law: PICK_LAWS[law](smooth, needle) / PICK_LAWS[law](smooth, radians(37.5)) for law in PICK_LAWS
    }
    assert forces["evans"] > 0.5 and max(forces["goktan"], forces["roxborough-liu"]) < 1e-3
    # friction adds to both where the rock is not crushed
    assert PICK_LAWS["goktan"](Rock(friction_angle=0.2), 0.6) > PICK_LAWS["goktan"](smooth, 0.6)


@pytest.mark.parametrize("law", PICK_LAWS)
def test_forces_grow_with_strength_and_with_the_tip(law):
    base = force_coefficient(Rock(), Pick(law=law))
    assert force_coefficient(Rock(tensile=3e6), Pick(law=law)) > base
    assert force_coefficient(Rock(), Pick(law=law, half_angle=radians(45.0))) > base > 0.0


def test_roxborough_and_liu_tend_to_their_own_limit_for_strong_rock():
    # for sc >> st the law is 16 pi st^2 tan(a)^2 / (sc (cos(a) (1 + tan f))^2)
    rock, a = Rock(compressive=1e12, tensile=1e6), radians(40.0)
    f = rock.friction_angle
    limit = 16 * pi * 1e12 * np.tan(a) ** 2 / (1e12 * (np.cos(a) * (1 + np.tan(f))) ** 2)
    assert PICK_LAWS["roxborough-liu"](rock, a) == pytest.approx(limit, rel=1e-4)


def test_picks_of_one_line_share_a_turn():
    head = CuttingHead(ordered_tips(), 3)
    assert head.angles.reshape(-1, 3).sum(axis=1) == pytest.approx(2.0 * pi)
    assert np.linalg.norm(head.normals, axis=1) == pytest.approx(1.0)
    # the strips join without gaps, from the base to the axis
    assert np.array_equal(head.strips[1:, 0], head.strips[:-1, -1])
    assert head.strips[-1, -1, 1] == 0.0
    assert CuttingHead(ordered_tips(), 1).angles == pytest.approx(2.0 * pi)


@pytest.mark.parametrize("way", ["across", "axial"])
@pytest.mark.parametrize("dt", [2e-3, 2e-2])
def test_torque_is_the_closed_form_at_any_step(way, dt):
    run = RigRun(way, feed=0.12, dt=dt, spacing=0.04)
    found = run_rig(run)
    assert found.torque == pytest.approx(closed_torque(run), rel=0.015)
    # power of turning and of feeding, which the normal forces take
    assert found.power > found.torque * run.speed


def test_a_head_fed_along_its_axis_drills_a_cylinder():
    run = RigRun("axial", feed=0.12, dt=1e-2)
    radius = CuttingHead(ordered_tips(), 3).radii.max()
    assert run_rig(run).rate == pytest.approx(run.feed * pi * radius**2, rel=0.015)


def _pressed(speed, seconds=1.0):
    motions = {"sump": lambda t: 0.08 + 0.05 * t, "cross": lambda t: 0.0 * t, "turn": lambda t: speed * t}
    sim = td.Simulation(rig(RigRun("axial")).compile(), dt=5e-3, motions=motions)
    sim.run(seconds)
    return sim


def test_a_head_that_stands_removes_nothing_and_is_pushed_back():
    sim = _pressed(0.0, 3.0)
    rock = sim.processes["rock"]
    assert rock.volume == 0.0
    assert rock.engaged > 0 and rock.wrench[3] < 0.0
    assert rock.force[sim.model.joint("sump").v.start] == pytest.approx(rock.wrench[3])


def test_no_force_in_the_air():
    sim = td.Simulation(rig(RigRun("axial")).compile(), dt=5e-3, q=[-1.0, 0.0, 0.0], v=[0.0, 0.0, 5.0])
    sim.run(0.5)
    rock = sim.processes["rock"]
    assert rock.power == rock.volume == 0.0 and not rock.force.any()
    assert sim.v.tolist() == [0.0, 0.0, 5.0]


def test_the_state_has_the_face_and_continues_bit_for_bit():
    sim = _pressed(5.0)
    state = sim.save()
    sim.run(1.0)
    rock = sim.processes["rock"]
    heights, energy, q = rock.face.heights.copy(), rock.energy, sim.q.copy()
    sim.restore(state)
    assert rock.volume < energy and not np.array_equal(rock.face.heights, heights)
    sim.run(1.0)
    assert np.array_equal(rock.face.heights, heights)
    assert (rock.energy, sim.q.tolist()) == (energy, q.tolist())
    sim.reset()
    assert rock.volume == 0.0 and np.array_equal(rock.face.heights, rock.face.fresh)


def test_a_state_file_has_the_face(tmp_path):
    sim = _pressed(5.0)
    sim.save().write(tmp_path / "state.npz")
    other = _pressed(5.0, 0.1)
    other.restore(td.State.read(tmp_path / "state.npz"))
    assert np.array_equal(other.processes["rock"].face.heights, sim.processes["rock"].face.heights)


def test_rewinding_puts_rock_back():
    sim = _pressed(5.0, 0.5)
    with History(sim, 5.0) as history:
        before = sim.processes["rock"].face.heights.copy()
        sim.run(0.5)
        history.rewind(0.5)
        assert np.array_equal(sim.processes["rock"].face.heights, before)


def test_quality_leaves_the_face_as_it_is():
    sim = _pressed(5.0)
    before = sim.processes["rock"].save()
    sim.quality(thorough=True)
    assert np.array_equal(sim.processes["rock"].save(), before)


def test_an_edit_keeps_the_face():
    sim = _pressed(5.0)
    before = sim.processes["rock"].volume
    with sim.edit() as spec:
        spec.body("sled").mass = 1500.0
    assert sim.processes["rock"].volume == before > 0.0


def test_a_face_that_looks_elsewhere():
    face = RockFace.flat((1.0, 2.0, 3.0), (2.0, 1.0), 0.1, outward=(0.0, 1.0, 0.0))
    assert face.points().reshape(-1, 3).min(axis=0) == pytest.approx((0.0, 2.0, 2.5))
    assert face.X_WS[:3, 2].tolist() == [0.0, 1.0, 0.0]
    assert np.linalg.det(face.X_WS) == pytest.approx(1.0)
    uneven = RockFace.flat((0.0, 0.0, 0.0), (2.0, 1.0), 0.1, uneven=0.03)
    assert np.abs(uneven.heights).max() == pytest.approx(0.03)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"type": "digging"}, "known type"),
        ({"starts": 5}, "starts"),
        ({"tips": [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]], "starts": 1}, "off its axis"),
        ({"tips": [[0.0, float("inf"), 0.0], [1.0, 1.0, 0.0]]}, "finite"),
        ({"pick": {"law": "newton"}}, "newton"),
        ({"rock": {"tensile": -1.0}}, "positive"),
        ({"face": {"position": [0, 0, 0], "size": [1, 1], "outward": [0, 0, 1]}}, "upright"),
        ({"body": "nobody"}, "nobody"),
        ({"depth": 3}, "depth"),
        ({"lumps": {"bodies": ["head", "sled"]}}, "lump"),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(change, words):
    spec = rig(RigRun("axial"))
    settings = spec.settings["processes"]["rock"]
    if "tips" in change and np.isinf(change["tips"]).any():
        with pytest.raises(InputError, match=words):
            CuttingHead(change["tips"], 1)
        return
    spec.settings["processes"]["rock"] = settings | change
    with pytest.raises(InputError, match=words):
        td.Simulation(spec.compile())
