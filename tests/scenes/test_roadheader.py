from collections import Counter
from itertools import pairwise

import manifold3d
import numpy as np
import pytest

from treadle.dynamics.kinematics import world_transforms
from treadle.dynamics.rnea import rnea
from treadle.formats.load import load_spec
from treadle.geometry import threedt
from treadle.model import WORLD
from treadle.scenes.roadheader import FOLDER, roadheader
from treadle.scenes.roadheader.checks import holding_table, mobility, stroke_table, working_envelope
from treadle.scenes.roadheader.components import components
from treadle.scenes.roadheader.components.cutting_head import pick_tips
from treadle.scenes.roadheader.dimensions import CYLINDERS, DRIVES, RANGES, SUPPLY, body_masses
from treadle.scenes.roadheader.generate import generate, geometry, report, scenery
from treadle.scenes.roadheader.kinematics import body_poses
from treadle.scenes.roadheader.machine import POSTURES, centers
from treadle.scenes.roadheader.solid import Solid, mass_properties

# of the published model of an EBZ230
PARTS, POINTS, FACES = 162, 24_582, 27_233


@pytest.fixture(scope="module")
def shapes():
    return components()


@pytest.fixture(scope="module")
def model():
    return roadheader().compile()


@pytest.fixture(scope="module")
def files():
    return threedt.read(FOLDER / "roadheader.3dt"), threedt.read(FOLDER / "tunnel.3dt")


# geometry


def test_parts_points_and_faces(files):
    machine, _ = files
    assert machine.part_count == PARTS
    assert machine.point_count == pytest.approx(POINTS, rel=0.02)
    assert machine.face_count == pytest.approx(FACES, rel=0.02)


def test_a_component_for_every_body(files, model):
    machine, _ = files
    names = [component.name for component in machine.components]
    assert set(names) == {link.name for link in model.links} == set(body_masses())
    assert sorted(shape.file for shape in model.shapes) == sorted(names)


@pytest.mark.parametrize("which", [0, 1], ids=["machine", "tunnel"])
def test_parts_are_closed_and_turned_outward(files, which):
    for component in files[which].components:
        for part in component.parts:
            faces = np.split(part.face_indices, part.face_offsets[1:-1])
            edges = Counter((a, b) for face in faces for a, b in zip(face, np.roll(face, -1)))
            # every edge lies between two faces that run along it in opposite directions
            assert max(edges.values()) == 1
            assert all((b, a) in edges for a, b in edges), (component.name, part.name)
            for shell in _shells(Solid(part.points, tuple(tuple(face) for face in faces))):
                assert mass_properties([shell])[0] > 0, (component.name, part.name)


def test_faces_are_flat_and_convex(shapes):
    for parts in shapes.values():
        for shape in parts:
            for face in (face for face in shape.solid.faces if len(face) > 3):
                corners = shape.solid.points[list(face)]
                sides = np.roll(corners, -1, axis=0) - corners
                turns = np.cross(sides, np.roll(sides, -1, axis=0))
                normal = turns.sum(axis=0)
                unit = normal / np.linalg.norm(normal)
                assert np.abs((corners - corners[0]) @ unit).max() < 2e-5, shape.name
                assert (turns @ unit > -1e-9).all(), shape.name


def test_picks_stand_on_three_spirals():
    tips = pick_tips()
    assert len(tips) == 48
    assert 1.0 < 2 * np.hypot(tips[:, 1], tips[:, 2]).max() < 1.2
    # each spiral winds forward and turns the same way round
    for spiral in np.split(tips, 3):
        assert (np.diff(spiral[:, 0]) > 0).all()
        assert (np.diff(np.unwrap(np.arctan2(spiral[:, 2], spiral[:, 1]))) > 0).all()


def test_files_are_those_of_the_generator(tmp_path, files):
    generate(tmp_path)
    for name, kept, fresh in zip(("roadheader", "tunnel"), files, (geometry(), scenery())):
        written = threedt.read(tmp_path / f"{name}.3dt")
        assert written == fresh
        for old, new in zip(kept.components, fresh.components, strict=True):
            assert old.name == new.name
            for a, b in zip(old.parts, new.parts, strict=True):
                assert a.name == b.name
                np.testing.assert_array_equal(a.face_indices, b.face_indices)
                # another mathematics library may round a last digit the other way
                np.testing.assert_allclose(a.points, b.points, atol=1.1e-5)
    old, new = load_spec(FOLDER / "robot.toml").to_dict(), load_spec(tmp_path / "robot.toml").to_dict()
    assert _rounded({**old, "file": None}) == _rounded({**new, "file": None})


@pytest.mark.parametrize("slew", [-38.0, 0.0, 36.0])
@pytest.mark.parametrize("lift", [-40.0, 0.0, 45.0])
def test_bodies_do_not_run_into_each_other(shapes, slew, lift):
    angles = np.radians([slew, lift, slew * 15 / 38, lift / 4])
    posture = dict(zip(("slew", "lift", "rear_leg_left", "rear_leg_right"), angles))
    posture |= {"extend": lift * 0.30 / 45.0, "shovel": max(0.0, np.radians(lift / 3))}
    assert _clashes(shapes, posture) == {}


# cylinders


def test_pistons_stay_in_their_cylinders():
    for stroke in stroke_table():
        assert stroke.inside, stroke
        assert stroke.shortest_lever > 0.25, stroke


def test_cylinders_hold_what_they_carry(shapes):
    for holding in holding_table(centers(shapes)):
        assert 0.0 < holding.pressure < 0.6 * SUPPLY, holding
        signs = {"slew": -1, "lift": 1, "extend": 1, "shovel": 1}
        assert np.sign(holding.force) == signs.get(holding.cylinder.joint, 1)


def test_cylinder_forces_balance_the_weight_through_the_loops(model):
    # gravity on the tree = drives + J^T (forces of the loop joints), whatever the loops' forces are
    q = np.array(model.initial()[0])
    rest = [0.0] * model.nv
    weight = np.array(rnea(model, list(q), rest, rest))
    drives = np.zeros((model.nv, len(model.actuators)))
    for column, actuator in enumerate(model.actuators):
        drives[model.joint(actuator.joint).v.start, column] = 1.0
    every = np.hstack([drives, _loop_jacobian(model, q).T])
    solution, *_ = np.linalg.lstsq(every, weight)
    np.testing.assert_allclose(every @ solution, weight, atol=1e-6 * np.abs(weight).max())
    force = {actuator.name: value for actuator, value in zip(model.actuators, solution)}
    # by virtual work: what raising the boom costs is what the pair of cylinders does on its way
    middle, masses, step = centers(components()), body_masses(), 1e-6
    energy, length = [], []
    for lift in (-step, step):
        poses = body_poses({"lift": lift})
        energy.append(9.81 * sum(mass * poses[name].apply(middle[name])[2] for name, mass in masses.items()))
        length.append(np.linalg.norm(poses["lift_left_rod"].p - poses["lift_left_barrel"].p))
    pair = (energy[1] - energy[0]) / (length[1] - length[0])
    assert force["lift_left"] + force["lift_right"] == pytest.approx(pair, rel=1e-5)
    assert force["lift_left"] == pytest.approx(force["lift_right"], rel=1e-2)
    assert pair / 2 < 0.25 * SUPPLY * CYLINDERS[2].areas[0]


# the robotics model


def test_masses(model):
    assert sum(link.mass for link in model.links) == pytest.approx(59_980)
    masses = body_masses()
    base = [name for name in masses if name.startswith(("main", "crawler", "conveyor", "rear", "slew"))]
    assert sum(masses[name] for name in base) == pytest.approx(40_000)
    boom = [name for name in masses if name.startswith(("supporting", "lift", "extend"))]
    assert sum(masses[name] for name in boom) == pytest.approx(8_000)


def test_machine_stands_on_its_crawlers(shapes):
    middle, masses = centers(shapes), body_masses()
    for posture in POSTURES.values():
        poses = body_poses(posture)
        center = sum(mass * poses[name].apply(middle[name]) for name, mass in masses.items()) / sum(
            masses.values()
        )
        assert -2.9 < center[0] < 0.3
        assert abs(center[1]) < 0.6


def test_mobility(model):
    count = mobility()
    assert count.freedoms == len(RANGES) + len(DRIVES) == 9
    assert (count.bodies, count.tree_freedoms, count.loops) == (len(model.bodies), model.nv, len(model.loops))
    assert model.summary().mobility == 9
    assert model.summary().redundant == 0


@pytest.mark.parametrize("name", list(POSTURES))
def test_loops_close(model, name):
    keyframe = next(item for item in model.keyframes if item.name == name)
    assert np.abs(_gaps(model, keyframe.q)).max() < 1e-12
    for joint in model.joints:
        positions = np.array(keyframe.q[joint.q])
        assert ((positions >= joint.lower) & (positions <= joint.upper)).all(), joint.name


@pytest.mark.parametrize("name", list(POSTURES))
def test_no_constraint_is_redundant(model, name):
    q = np.array(next(item for item in model.keyframes if item.name == name).q)
    values = np.linalg.svd(_loop_jacobian(model, q), compute_uv=False)
    assert len(values) == 27
    assert values.min() > 0.1


@pytest.mark.parametrize("name", list(POSTURES))
def test_closed_form_agrees_with_the_model(model, name):
    poses = body_poses(POSTURES[name])
    keyframe = next(item for item in model.keyframes if item.name == name)
    bodies = world_transforms(model, keyframe.q)
    for link in model.links:
        X = link.placement.to_matrix()
        X = X if link.body == WORLD else bodies[link.body].to_matrix() @ X
        np.testing.assert_allclose(X[:3, :3], poses[link.name].R, atol=1e-12, err_msg=link.name)
        np.testing.assert_allclose(X[:3, 3], poses[link.name].p, atol=1e-12, err_msg=link.name)


def test_actuators(model):
    names = {actuator.name for actuator in model.actuators}
    assert names == {cylinder.name for cylinder in CYLINDERS} | {drive.name for drive in DRIVES}
    for actuator in model.actuators:
        if actuator.type == "cylinder":
            assert actuator.pressure < actuator.relief
            # rated speeds of 0.02 to 0.1 m/s
            assert 0.02 < actuator.flow / actuator.areas[0] < 0.1
    cutter = next(drive for drive in DRIVES if drive.name == "cutter")
    assert cutter.torque * cutter.speeds[1] == pytest.approx(230e3)


def test_working_envelope():
    space = working_envelope()
    assert 5.0 < space.height < 6.0
    assert 6.0 < space.width < 7.0
    assert 0.2 < space.undercut < 0.6
    assert 5.0 < space.reach < 5.6
    # slewing goes 2 deg further to the right
    assert space.right > space.left
    assert "m high" in report()


def _gaps(model, q):
    """Distance vectors between the two sides of every loop joint, (loops, 3)."""
    poses = [pose.to_matrix() for pose in world_transforms(model, list(q))]

    def side(body, placement):
        X = placement.to_matrix()
        return (X if body == WORLD else poses[body] @ X)[:3, 3]

    return np.array(
        [
            side(loop.successor, loop.successor_placement)
            - side(loop.predecessor, loop.predecessor_placement)
            for loop in model.loops
        ]
    )


def _loop_jacobian(model, q, step=1e-6):
    """Derivative of the gaps with respect to the joint positions, (27, nv)."""
    columns = [
        (_gaps(model, q + step * unit) - _gaps(model, q - step * unit)).ravel() for unit in np.eye(len(q))
    ]
    return np.array(columns).T / (2 * step)


def _shells(solid):
    """The connected pieces of a solid."""
    owner = np.arange(len(solid.points))
    changed = True
    while changed:
        before = owner.copy()
        for face in solid.faces:
            owner[list(face)] = owner[list(face)].min()
        changed = not np.array_equal(before, owner)
    groups = {}
    for face in solid.faces:
        groups.setdefault(owner[face[0]], []).append(face)
    return [Solid(solid.points, tuple(faces)) for faces in groups.values()]


def _clashes(shapes, posture, smallest=2e-5):
    """Common volumes (m3) of parts of different bodies, by both names, where they are not meant to be."""
    poses = body_poses(posture)
    items = []
    for body, parts in shapes.items():
        for shape in parts:
            for shell in _shells(shape.solid):
                points = shell.points @ poses[body].R.T + poses[body].p
                used = points[sorted({index for face in shell.faces for index in face})]
                items.append((body, shape.name, points, shell.faces, used.min(axis=0), used.max(axis=0)))
    low, high = (np.array([item[k] for item in items]) for k in (4, 5))

    def solid(item):
        triangles = [(face[0], b, c) for face in item[3] for b, c in pairwise(face[1:])]
        corners, indices = np.unique(triangles, return_inverse=True)
        mesh = manifold3d.Mesh(item[2][corners].astype(np.float32), indices.reshape(-1, 3).astype(np.uint32))
        return manifold3d.Manifold(mesh)

    found = {}
    for i, first in enumerate(items):
        near = ((low[i + 1 :] < high[i]) & (high[i + 1 :] > low[i])).all(axis=1)
        for second in (items[j] for j in np.flatnonzero(near) + i + 1):
            if not _may_overlap(first[:2], second[:2]):
                volume = (solid(first) ^ solid(second)).volume()
                if volume > smallest:
                    found[first[:2] + second[:2]] = volume
    return found


def _may_overlap(first, second):
    (body, part), (other, other_part) = first, second
    bolted = {"main_body", "crawler_left", "crawler_right", "conveyor", "rear_frame"}
    if body == other or {body, other} <= bolted or "pin" in part + other_part:
        return True
    # a rod in its barrel; eyes on the pins of these parts; the telescope in its sleeve
    ends = [name.rsplit("_", 1)[0] for name in (body, other) if name.endswith(("_barrel", "_rod"))]
    in_barrel = len(ends) == 2 and ends[0] == ends[1]
    on_pin = other_part == "eye" and part in ("arm", "cylinder_lugs", "extend_lug")
    in_sleeve = {part, other_part} <= {"sleeve", "flanges", "tube", "keys"}
    return in_barrel or on_pin or (in_sleeve and {body, other} == {"supporting_arm", "telescopic_arm"})


def _rounded(value):
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items() if key != "line"}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 9) + 0.0 if isinstance(value, float) else value
