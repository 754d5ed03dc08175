"""Contact points in closed form: which corners a pair touches with."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.collision.pairs import pair, points_of

PLANE = ("plane", ())
BOX = ("box", (0.5, 0.4, 0.3))
ON_TOP = 0.3 - 1e-3


def corners(data, columns=slice(0, 2)):
    return {tuple(np.round(row, 9) + 0.0) for row in data[:, columns]}


def test_a_box_stands_on_four_corners():
    data, feature = points_of(*pair(PLANE, BOX, [], [(0, 0, ON_TOP)]), margin=0.01)
    assert corners(data) == {(x, y) for x in (-0.5, 0.5) for y in (-0.4, 0.4)}
    np.testing.assert_allclose(data[:, 9], -1e-3, atol=1e-15)
    np.testing.assert_allclose(data[:, 6:9], [[0, 0, 1]] * 4, atol=1e-15)
    np.testing.assert_allclose(data[:, 2], 0.0, atol=1e-15)
    np.testing.assert_allclose(data[:, 5], -1e-3, atol=1e-15)
    assert len(set(feature)) == 4


def test_a_tilted_box_touches_with_an_edge_or_a_corner():
    tilted = Rotation.from_euler("x", 0.3).as_matrix()
    height = 0.4 * np.sin(0.3) + 0.3 * np.cos(0.3)
    data, _ = points_of(*pair(PLANE, BOX, [], [(0, 0, height), tilted]), margin=0.01)
    assert len(data) == 2
    np.testing.assert_allclose(data[:, 9], 0.0, atol=1e-15)


def test_a_capsule_lies_on_two_points_and_stands_on_one():
    capsule = ("capsule", (0.1, 0.5))
    lying = Rotation.from_euler("y", np.pi / 2).as_matrix()
    data, _ = points_of(*pair(PLANE, capsule, [], [(0, 0, 0.1), lying]), margin=0.01)
    assert corners(data) == {(-0.5, 0.0), (0.5, 0.0)}
    data, _ = points_of(*pair(PLANE, capsule, [], [(0, 0, 0.6)]), margin=0.01)
    assert corners(data) == {(0.0, 0.0)}


def test_a_cylinder_stands_on_four_points_of_its_rim_and_lies_on_two():
    cylinder = ("cylinder", (0.2, 0.5))
    data, _ = points_of(*pair(PLANE, cylinder, [], [(0, 0, 0.5)]), margin=0.01)
    assert corners(data) == {(0.2, 0.0), (0.0, 0.2), (-0.2, 0.0), (0.0, -0.2)}
    lying = Rotation.from_euler("y", np.pi / 2).as_matrix()
    data, _ = points_of(*pair(PLANE, cylinder, [], [(0, 0, 0.2), lying]), margin=0.01)
    assert corners(data) == {(-0.5, 0.0), (0.5, 0.0)}
    # tipping: the lowest point of the rim is always there
    tipped = Rotation.from_euler("xz", [0.01, 0.7]).as_matrix()
    data, _ = points_of(*pair(PLANE, cylinder, [], [(0, 0, 0.5), tipped]), margin=0.01)
    lowest = -0.5 * np.cos(0.01) - 0.2 * np.sin(0.01)
    assert data[:, 9].min() == pytest.approx(0.5 + lowest, abs=1e-15)


@pytest.mark.parametrize("turn", [0.0, np.pi / 4])
def test_boxes_face_to_face_share_the_clipped_polygon(turn):
    cube = ("box", (0.5, 0.5, 0.5))
    R = Rotation.from_euler("z", turn).as_matrix()
    data, feature = points_of(*pair(cube, cube, [], [(0, 0, 0.999), R]), margin=0.01)
    s = np.sqrt(2) / 2 - 0.5
    octagon = {(x, y) for x in (-0.5, 0.5) for y in (-s, s)} | {(x, y) for y in (-0.5, 0.5) for x in (-s, s)}
    square = {(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)}
    assert corners(data) == ({tuple(np.round(p, 9)) for p in octagon} if turn else square)
    np.testing.assert_allclose(data[:, 9], -1e-3, atol=1e-15)
    np.testing.assert_allclose(data[:, 2], 0.5, atol=1e-15)
    assert len(set(feature)) == len(data)


def test_boxes_overhanging():
    cube = ("box", (0.5, 0.5, 0.5))
    data, _ = points_of(*pair(cube, cube, [], [(0.6, 0.3, 1.002)]), margin=0.01)
    assert corners(data) == {(x, y) for x in (0.1, 0.5) for y in (-0.2, 0.5)}
    np.testing.assert_allclose(data[:, 9], 0.002, atol=1e-15)


def test_crossed_edges_touch_in_one_point():
    cube = ("box", (0.5, 0.5, 0.5))
    edge_up = Rotation.from_euler("x", np.pi / 4).as_matrix()
    edge_down = Rotation.from_euler("y", np.pi / 4).as_matrix()
    data, _ = points_of(
        *pair(cube, cube, [(0, 0, 0), edge_up], [(0, 0, np.sqrt(2) - 0.01), edge_down]), margin=0.1
    )
    np.testing.assert_allclose(
        data, [[0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5) - 0.01, 0, 0, 1, -0.01]], atol=1e-12
    )


def test_parallel_capsules_share_their_overlap():
    capsule = ("capsule", (0.1, 0.5))
    data, _ = points_of(*pair(capsule, capsule, [], [(0.19, 0, 0.3)]), margin=0.01)
    assert corners(data, slice(2, 3)) == {(-0.2,), (0.5,)}
    np.testing.assert_allclose(data[:, 9], -0.01, atol=1e-15)


def test_a_capsule_lies_along_a_box():
    lying = Rotation.from_euler("y", np.pi / 2).as_matrix()
    data, _ = points_of(*pair(("capsule", (0.1, 1.0)), BOX, [(0, 0, 0.399), lying], []), margin=0.01)
    assert corners(data) == {(-0.5, 0.0), (0.5, 0.0)}
    np.testing.assert_allclose(data[:, 6:9], [[0, 0, -1]] * 2, atol=1e-15)


def test_a_cylinder_stands_on_a_box():
    data, _ = points_of(
        *pair(("box", (1, 1, 0.1)), ("cylinder", (0.2, 0.5)), [], [(0.3, 0, 0.6)]), margin=0.01
    )
    assert corners(data) == {(0.5, 0.0), (0.3, 0.2), (0.1, 0.0), (0.3, -0.2)}
