import numpy as np
import pytest

from treadle.errors import InputError
from treadle.geometry.components import DEFAULT_COLOR, Component, Geometry, Part

SQUARE = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (1, 2, 0.5)]


def part(name="roof", faces=((0, 1, 2, 3), (3, 2, 4)), **options):
    return Part.from_faces(name, np.array(SQUARE, dtype=float), faces, **options)


def test_a_part_holds_its_faces_one_after_the_other():
    roof = part()
    assert roof.face_indices.tolist() == [0, 1, 2, 3, 3, 2, 4]
    assert roof.face_offsets.tolist() == [0, 4, 7]
    assert (roof.point_count, roof.face_count) == (5, 2)
    assert roof.points.dtype == np.float64
    assert roof.face_indices.dtype == np.int32
    assert tuple(roof.color) == DEFAULT_COLOR


def test_polygons_fan_out_from_their_first_point():
    pentagon = part(faces=[(0, 1, 2, 4, 3), (4, 3, 2), (3, 2, 1, 0)])
    assert pentagon.triangles().tolist() == [
        [0, 1, 2],
        [0, 2, 4],
        [0, 4, 3],
        [4, 3, 2],
        [3, 2, 1],
        [3, 1, 0],
    ]


def test_fan_has_the_area_of_the_polygon():
    angles = np.arange(7) * 2 * np.pi / 7
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(7)], axis=1)
    corners = ring[Part.from_faces("ring", ring, [range(7)]).triangles()]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert areas.min() > 0
    assert areas.sum() == pytest.approx(3.5 * np.sin(2 * np.pi / 7), rel=1e-14)


def test_bounds_and_counts():
    empty = Part("nothing", np.zeros((0, 3)), [], [0])
    roof = part()
    assert roof.bounds.tolist() == [[0, 0, 0], [2, 2, 0.5]]
    assert empty.bounds is None
    assert empty.triangles().shape == (0, 3)
    low = Part.from_faces("low", roof.points - [0, 0, 3], [(0, 1, 2)])
    house = Component("house", [roof, low, empty])
    assert house.bounds.tolist() == [[0, 0, -3], [2, 2, 0.5]]
    assert Component("none").bounds is None
    village = Geometry("village", [house, Component("field", [roof])])
    assert (village.part_count, village.point_count, village.face_count) == (4, 15, 5)
    assert village.component("field").parts == (roof,)
    with pytest.raises(InputError, match="no component 'lake'; it has house, field"):
        village.component("lake")


def test_equality_sees_every_number_and_text():
    moved = part().points.copy()
    moved[2, 1] = np.nextafter(moved[2, 1], 2)
    others = [
        part(name="wall"),
        part(faces=[(0, 1, 2, 3), (3, 2, 0)]),
        part(faces=[(0, 1, 2, 3, 3, 2, 4)]),
        part(color=(0.7, 0.7, 0.7, 0.5)),
        part(attributes={"material": "slate"}),
        Part("roof", moved, part().face_indices, part().face_offsets),
    ]
    assert part() == part()
    assert hash(part()) == hash(part())
    assert all(other != part() for other in others)
    assert Geometry("a", [Component("b", [part()])]) == Geometry("a", (Component("b", (part(),)),))
    assert Geometry("a", [Component("b", [part()])]) != Geometry("a", [Component("b", [others[0]])])
    assert part() != "roof"


def test_arrays_cannot_be_changed_and_the_given_ones_still_can():
    points = np.array(SQUARE, dtype=float)
    roof = Part.from_faces("roof", points, [(0, 1, 2)])
    with pytest.raises(ValueError, match="read-only"):
        roof.points[0, 0] = 1
    points[0, 0] = 1


def test_attributes_are_text_and_floats():
    steel = part(attributes={"material": "steel", "grade": np.int64(355), "mass": np.float32(0.5)})
    assert steel.attributes == {"material": "steel", "grade": 355.0, "mass": 0.5}
    assert [type(value) for value in steel.attributes.values()] == [str, float, float]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": np.zeros((5, 2))}, "shape"),
        ({"points": np.zeros(15)}, "shape"),
        ({"points": [[0, 0, 0], [1, 0]]}, "needs numbers"),
        ({"points": np.full((5, 3), np.nan)}, "finite"),
        ({"points": np.full((5, 3), np.inf)}, "finite"),
        ({"face_indices": [0, 1, 5]}, "outside 0 to 4"),
        ({"face_indices": [0, 1, -1]}, "outside 0 to 4"),
        ({"face_indices": [0, 1, 2.5]}, "whole numbers"),
        ({"face_indices": [0, 1, np.nan]}, "whole numbers"),
        ({"face_indices": [0, 1, 2**40]}, "whole numbers"),
        ({"face_indices": [[0, 1, 2]]}, "one dimension"),
        ({"face_offsets": [0, 2]}, "from 0 to the length"),
        ({"face_offsets": [1, 3]}, "from 0 to the length"),
        ({"face_offsets": [0, 1, 3]}, "fewer than three"),
        ({"face_offsets": [0, 4, 3]}, "fewer than three"),
        ({"face_offsets": []}, "starts with 0"),
        ({"color": (1, 0, 0)}, "color"),
        ({"color": (1, 0, 0, 1.5)}, "color"),
        ({"color": (1, 0, 0, np.nan)}, "color"),
        ({"name": ""}, "empty"),
        ({"name": 3}, "not text"),
        ({"name": "half a \ud800 pair"}, "not text"),
        ({"attributes": {"": "x"}}, "empty"),
        ({"attributes": {"mass": np.inf}}, "finite"),
        ({"attributes": {"mass": None}}, "finite"),
        ({"attributes": {"mass": 10**400}}, "finite"),
        ({"attributes": {"note": "\udfff"}}, "not text"),
    ],
)
def test_unsound_parts_are_refused(arguments, message):
    sound = {"name": "p", "points": SQUARE, "face_indices": [0, 1, 2], "face_offsets": [0, 3]}
    with pytest.raises(InputError, match=message):
        Part(**{**sound, **arguments})


def test_names_are_unique():
    with pytest.raises(InputError, match="more than one 'roof'"):
        Component("house", [part(), part(name="wall"), part()])
    with pytest.raises(InputError, match="more than one 'house'"):
        Geometry("village", [Component("house"), Component("house")])
