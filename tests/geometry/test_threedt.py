import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.errors import ModelError
from treadle.geometry import threedt, threedt_rows
from treadle.geometry.components import DEFAULT_COLOR, Component, Geometry, Part

DOCS = Path(__file__).parents[2] / "docs" / "formats"
EXAMPLE = DOCS / "example" / "robot.3dt"

TEXT = """3dt 1
units m
robot "R"
  component "C"
    body "B"
      color 0.1 0.2 0.3 1
      attribute material "steel"
      points 4
0 0 0
1 0 0
0 1 0
0 0 1
      faces 3
0 2 1
0 1 3
0 1 2 3
    end body
  end component
end robot
"""


@pytest.fixture
def by_table(monkeypatch):
    """Every block goes through pyarrow, whatever its size."""
    monkeypatch.setattr(threedt, "_LARGE_FILE", 0)
    monkeypatch.setattr(threedt, "_LARGE_BLOCK", 0)


def identical(a: Geometry, b: Geometry) -> bool:
    """Equal, and equal to the bit: 0 and -0 are told apart."""
    return a == b and all(
        x.points.tobytes() == y.points.tobytes() and x.color.tobytes() == y.color.tobytes()
        for c, d in zip(a.components, b.components, strict=True)
        for x, y in zip(c.parts, d.parts, strict=True)
    )


# round trips

COORDINATES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    # the ends of the subnormal and normal numbers, and where the decimal changes its form
    [-0.0, 5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308, 1e16, 1e22, 100.0]
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12) | st.sampled_from(
    [
        '"',
        "\\",
        "# no comment",
        "a b",
        "two\nlines",
        "end",
        "faces 3",
        "\u2028",
        "ß 漢 🚜",
        "tab\t",
        "\r",
        "\x00",
        ".",
    ]
)
ATTRIBUTES = st.dictionaries(NAMES, NAMES | st.just("") | COORDINATES, max_size=3)


@st.composite
def parts(draw):
    points = draw(st.lists(st.tuples(COORDINATES, COORDINATES, COORDINATES), max_size=6))
    face = st.lists(st.integers(0, max(0, len(points) - 1)), min_size=3, max_size=7)
    faces = draw(st.lists(face, max_size=6 if points else 0))
    color = draw(st.tuples(*[st.floats(0, 1)] * 4))
    return Part.from_faces(draw(NAMES), np.reshape(points, (-1, 3)), faces, color, draw(ATTRIBUTES))


def named(items):
    return st.lists(items, max_size=3, unique_by=lambda item: item.name)


COMPONENTS = st.builds(Component, NAMES, named(parts()), ATTRIBUTES)
GEOMETRIES = st.builds(Geometry, NAMES, named(COMPONENTS), ATTRIBUTES)


@given(GEOMETRIES)
def test_written_and_read_again_is_identical(geometry):
    written = threedt.text(geometry)
    again = threedt.read(written.encode())
    assert identical(again, geometry)
    assert threedt.text(again) == written


@given(GEOMETRIES)
def test_both_ways_to_convert_agree(geometry):
    written = threedt.text(geometry).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threedt, "_LARGE_FILE", 0)
        patch.setattr(threedt, "_LARGE_BLOCK", 0)
        again = threedt.read(written)
    assert identical(again, threedt.read(written))


def test_file_round_trip(tmp_path):
    geometry = threedt.read(EXAMPLE)
    threedt.write(geometry, tmp_path / "copy.3dt")
    assert threedt.read(tmp_path / "copy.3dt") == geometry
    assert (tmp_path / "copy.3dt").read_bytes() == threedt.text(geometry).encode()


def random_geometry(seed: int, size: int) -> Geometry:
    """Doubles of every exponent, and faces of three to nine points."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2**64, 3 * size, dtype=np.uint64)
    points = bits.view(np.float64)
    points = np.where(np.isfinite(points), points, 1.0).reshape(-1, 3)
    faces = [random.integers(0, size, random.integers(3, 10)).tolist() for _ in range(size)]
    return Geometry("random", [Component("c", [Part.from_faces("p", points, faces)])])


@pytest.mark.parametrize("conversion", ["lines", "table"])
def test_many_doubles_of_every_size(conversion, request, monkeypatch):
    if conversion == "table":
        request.getfixturevalue("by_table")
        monkeypatch.setattr(threedt._Reader, "convert_lines", None)
    geometry = random_geometry(seed=1, size=20_000)
    assert identical(threedt.read(threedt.text(geometry).encode()), geometry)


def test_a_large_file_goes_through_pyarrow(monkeypatch):
    geometry = random_geometry(seed=2, size=30_000)
    written = threedt.text(geometry).encode()
    assert len(written) > threedt._LARGE_FILE
    monkeypatch.setattr(threedt._Reader, "convert_lines", None)
    assert identical(threedt.read(written), geometry)


@pytest.mark.parametrize(
    "decimal", ["2.4703282292062328e-324", "9007199254740993", "0." + "0" * 400 + "1e400"]
)
def test_decimals_that_are_hard_to_round(decimal, by_table):
    written = TEXT.replace("1 0 0\n", f"{decimal} 0 0\n").encode()
    assert threedt.read(written).components[0].parts[0].points[1, 0] == float(decimal)


# what a file may look like


def test_example_of_the_documentation():
    crane = threedt.read(EXAMPLE)
    assert crane.name == "loading crane"
    assert crane.attributes == {"maker": "Treadle's documentation"}
    assert [component.name for component in crane.components] == ["base", "boom"]
    assert (crane.part_count, crane.point_count, crane.face_count) == (3, 23, 18)
    plate, mast = crane.component("base").parts
    assert plate.attributes == {"material": "steel", "thickness": 0.1}
    assert plate.color.tolist() == [0.25, 0.27, 0.3, 1.0]
    assert plate.bounds.tolist() == [[-0.4, -0.3, 0.0], [0.4, 0.3, 0.1]]
    assert np.diff(mast.face_offsets).tolist() == [4, 3, 3, 3, 3]
    assert crane.component("boom").attributes == {"drawing number": "A-17/3"}
    # closed, and the right way out
    assert volume(plate) == pytest.approx(0.8 * 0.6 * 0.1)
    assert volume(mast) == pytest.approx(0.4 * 0.4 * 0.9 / 3)
    area = 2.5 * 0.08**2 * math.sin(2 * math.pi / 5)
    assert volume(crane.component("boom").parts[0]) == pytest.approx(2.0 * area)


def volume(part: Part) -> float:
    """Of a closed part whose faces are counter-clockwise seen from outside."""
    a, b, c = np.moveaxis(part.points[part.triangles()], 1, 0)
    return float(np.einsum("ij,ij", a, np.cross(b, c)) / 6)


def test_page_shows_the_beginning_of_the_example():
    blocks = re.findall(r"```\n(.*?)```", (DOCS / "3dt.md").read_text(), re.DOTALL)
    shown = [line for line in blocks[0].splitlines() if line.strip() != "..."]
    lines = iter(EXAMPLE.read_text().splitlines())
    assert all(line in lines for line in shown)


def test_page_shows_mistakes_as_they_are_reported():
    example, page = EXAMPLE.read_text(), (DOCS / "3dt.md").read_text()
    for old, new in (("3 2 1 0 ", "3 2 1 8 "), ("points 8", "points 9")):
        with pytest.raises(ModelError) as caught:
            threedt.read(example.replace(old, new, 1).encode())
        assert f"robot.3dt{caught.value}\n" in page


def loose(written: str) -> list[str]:
    """The same content in other layouts."""
    return [
        written.replace("\n", "\r\n"),
        written.replace("\n", "\n\n"),
        written.replace("\n", "  # a comment, of faces and the end\n"),
        written.replace("\n", "\n# faces\n#end\n"),
        written.replace(" ", "  "),
        written.replace(" ", "\t"),
        re.sub("^ *", "   ", written, flags=re.MULTILINE),
        "\ufeff" + written,
        written.rstrip("\n"),
        written.replace("1 0 0\n", "+1.0e0 .0 0.\n"),
        written.replace('"C"', "C").replace('"R"', "R").replace('"B"', r'"\u0042"'),
    ]


@pytest.mark.parametrize("index", range(len(loose(TEXT))))
@pytest.mark.parametrize("conversion", ["lines", "table"])
def test_layout_does_not_matter(index, conversion, request):
    expected = threedt.read(TEXT.encode())
    if conversion == "table":
        request.getfixturevalue("by_table")
    assert identical(threedt.read(loose(TEXT)[index].encode()), expected)


def test_colour_is_optional_and_so_is_alpha():
    def color(line):
        written = TEXT.replace("      color 0.1 0.2 0.3 1\n", line)
        return tuple(threedt.read(written.encode()).components[0].parts[0].color)

    assert color("") == DEFAULT_COLOR
    assert color("color 1 0.5 0\n") == (1, 0.5, 0, 1)


def test_empty_elements():
    for written in (
        '3dt 1\nunits m\nrobot "R"\nend robot\n',
        '3dt 1\nunits m\nrobot "R"\ncomponent "C"\nend component\nend robot\n',
        "3dt 1\nunits m\nrobot R\ncomponent C\nbody B\npoints 0\nfaces 0\nend body\nend component\nend robot",
    ):
        geometry = threedt.read(written.encode())
        assert geometry.point_count == geometry.face_count == 0
        assert threedt.read(threedt.text(geometry).encode()) == geometry


# malformed files


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, 1)


BODY = TEXT[TEXT.index("    body") : TEXT.index("  end component")]

#: Content, line of the mistake, and part of the message.
MALFORMED = {
    "empty file": ("", 1, 'ends before "robot"'),
    "spaces only": (" \n\n  ", 3, 'ends before "robot"'),
    "missing header": (changed("3dt 1\n", ""), 1, "not a .3dt file"),
    "another format": ("solid cube\nfacet normal 0 0 1\n", 1, "not a .3dt file"),
    "other version": (changed("3dt 1", "3dt 2"), 1, "another version"),
    "no version": (changed("3dt 1", "3dt"), 1, "another version"),
    "missing unit": (changed("units m\n", ""), 2, "unit"),
    "other unit": (changed("units m", "units mm"), 2, "unit"),
    "component before robot": (changed('robot "R"\n', ""), 3, "before the robot"),
    "robot without name": (changed('robot "R"', "robot"), 3, "needs one name"),
    "empty name": (changed('"R"', '""'), 3, "needs one name"),
    "two names": (changed('"C"', '"C" "D"'), 4, "needs one name"),
    "name with a space": (changed('"C"', "left arm"), 4, "needs one name"),
    "unclosed quote": (changed('"C"', '"C'), 4, "cannot be read from"),
    "text glued to a word": (changed('"C"', '"C"D'), 4, "cannot be read from"),
    "comment glued to a word": (changed('"C"', "C#1"), 4, "cannot be read from"),
    "bad escape": (changed('"C"', r'"\q"'), 4, "not a sound text"),
    "half a surrogate": (changed('"C"', r'"\ud800"'), 4, "not a sound text"),
    "endless words": (changed('"C"', "a " * 100_000), 4, "cannot be read from"),
    "unknown statement": (changed("color", "colour"), 6, "no place here"),
    "body in the robot": (changed('  component "C"\n', ""), 4, "no place here"),
    "component in a component": (changed('body "B"', 'component "B"'), 5, "no place here"),
    "second robot": (TEXT + TEXT[TEXT.index("robot") :], 20, "after the end"),
    "same body twice": (changed(BODY, BODY + BODY), 18, "another body 'B'"),
    "same component twice": (
        changed("end robot", 'component "C"\nend component\nend robot'),
        19,
        "another component 'C'",
    ),
    "same attribute twice": (
        changed("attribute", 'attribute material "iron"\nattribute'),
        8,
        "given twice",
    ),
    "attribute without value": (changed(' "steel"', ""), 7, "name and a value"),
    "attribute neither number nor text": (changed('"steel"', "steel"), 7, "not a finite number"),
    "attribute not finite": (changed('"steel"', "1e999"), 7, "not a finite number"),
    "colour twice": (changed("color", "color 1 1 1\ncolor"), 7, "no place here"),
    "colour out of range": (changed("0.1 0.2", "25 0.2"), 6, "colour"),
    "colour of two numbers": (changed("0.1 0.2 0.3 1", "0.1 0.2"), 6, "colour"),
    "colour nan": (changed("0.1 0.2", "nan 0.2"), 6, "not a finite number"),
    "colour after the points": (changed("      faces", "color 1 1 1\n faces"), 13, "'color' is not a number"),
    "faces before points": (changed("points 4", "faces 4"), 8, "no place here"),
    "no faces": (TEXT[: TEXT.index("      faces")] + TEXT[TEXT.index("    end body") :], 13, "'end' is not"),
    "no count": (changed("points 4", "points"), 8, "number of rows"),
    "negative count": (changed("points 4", "points -4"), 8, "number of rows"),
    "fractional count": (changed("points 4", "points 4.0"), 8, "number of rows"),
    "astronomical count": (changed("points 4", "points " + "9" * 5000), 8, "number of rows"),
    "count of a million million": (changed("points 4", "points 1000000000000"), 8, "announced, and 4 rows"),
    "more points announced": (changed("points 4", "points 5"), 8, "5 points are announced, and 4 rows"),
    "fewer points announced": (changed("points 4", "points 3"), 12, "3 points are announced, and 4 rows"),
    "more faces announced": (changed("faces 3", "faces 9"), 13, "9 faces are announced, and 3 rows"),
    "fewer faces announced": (changed("faces 3", "faces 2"), 16, "2 faces are announced, and 3 rows"),
    "point of two numbers": (changed("0 1 0", "0 1"), 11, "has 2 numbers"),
    "point of four numbers": (changed("0 1 0", "0 1 0 1"), 11, "has 4 numbers"),
    "two points in a row": (changed("0 1 0\n", "0 1 0 "), 11, "has 6 numbers"),
    "point nan": (changed("0 1 0", "0 nan 0"), 11, "coordinate is nan"),
    "point infinite": (changed("0 1 0", "0 -inf 0"), 11, "coordinate is -inf"),
    "point too large": (changed("0 1 0", "0 1e400 0"), 11, "coordinate is inf"),
    "point with a comma": (changed("0 1 0", "0, 1, 0"), 11, "'0,' is not a number"),
    "point with a decimal comma": (changed("0 1 0", "0 1,5 0"), 11, "'1,5' is not a number"),
    "point with a unit": (changed("0 1 0", "0 1m 0"), 11, "'1m' is not a number"),
    "point with an underscore": (changed("0 1 0", "0 1_0 0"), 11, "'1_0' is not a number"),
    "point in hexadecimal": (changed("0 1 0", "0 0x1 0"), 11, "'0x1' is not a number"),
    "point in other digits": (changed("0 1 0", "0 ١ 0"), 11, "'١' is not a number"),
    "point with a glued comment": (changed("0 1 0", "0 1 0#x"), 11, "'0#x' is not a number"),
    "point of a sign": (changed("0 1 0", "0 - 0"), 11, "'-' is not a number"),
    "face past the points": (changed("0 1 3", "0 1 4"), 15, "names point 4"),
    "face far past the points": (changed("0 1 3", "0 1 99999999999"), 15, "names point 99999999999"),
    "face beyond 64 bits": (changed("0 1 3", "0 1 " + "9" * 5000), 15, "names point"),
    "face before the points": (changed("0 1 3", "0 -1 3"), 15, "'-1' is not the number of a point"),
    "face of a sign": (changed("0 1 3", "0 + 3"), 15, "'\\+' is not the number of a point"),
    "face of a fraction": (changed("0 1 3", "0 1.0 3"), 15, "'1.0' is not the number of a point"),
    "face in hexadecimal": (changed("0 1 3", "0 0x1 3"), 15, "'0x1' is not the number of a point"),
    "face of two points": (changed("0 1 3", "0 1"), 15, "has 2 numbers"),
    "face of no points": (changed("points 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1", "points 0"), 10, "names point 0"),
    "wrong end": (changed("end body", "end component"), 17, 'not ended by "end body"'),
    "end without a name": (changed("end body", "end"), 17, 'not ended by "end body"'),
    "missing end": (changed("    end body\n", ""), 17, 'not ended by "end body"'),
    "end too many": (TEXT + "end robot\n", 20, "after the end"),
    "cut after a body": (TEXT[: TEXT.index("  end component")], 18, 'ends before "end component"'),
    "cut before the end": (TEXT[: TEXT.index("    end body")], 17, 'ends before "end body"'),
    "cut in the faces": (TEXT[: TEXT.index("0 1 2 3")], 16, "ends inside the faces"),
    "cut in the points": (TEXT[: TEXT.index("0 1 0")], 11, "ends inside the points"),
    "cut in a row": (TEXT[: TEXT.index("0 1 0") + 3], 11, "has 2 numbers"),
    "cut in a text": (TEXT[: TEXT.index("eel")], 7, "cannot be read from"),
    "Latin-1": (changed("steel", "Stähle").encode("latin-1"), 7, "not UTF-8"),
    "UTF-16": (TEXT.encode("utf-16"), 1, "not UTF-8"),
    "binary rubbish": (bytes(range(256)) * 40, 2, "not UTF-8"),
    "zeros": (bytes(5000), 1, "not a .3dt file"),
    "binary rubbish in the points": (changed("0 1 0", "\x00\x01\x02 0 0"), 11, "is not a number"),
}


@pytest.mark.parametrize("conversion", ["lines", "table"])
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_file(name, conversion, request, tmp_path):
    if conversion == "table":
        request.getfixturevalue("by_table")
    content, line, message = MALFORMED[name]
    path = tmp_path / "robot.3dt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match=message) as caught:
        threedt.read(path)
    error = caught.value
    assert (error.file, error.line) == (str(path), line)
    assert error.hint
    # what a file says is shown, but not at any length
    assert len(str(error)) < 400 + len(str(path))


def test_errors_name_the_element():
    with pytest.raises(ModelError) as caught:
        threedt.read(changed("0 1 3", "0 1 4").encode())
    assert caught.value.element == 'component "C", body "B"'
    hint = "the body has 4 points, and the first is 0"
    assert str(caught.value) == f':15: component "C", body "B": a face names point 4; {hint}'


def test_the_first_of_several_mistakes_is_reported(by_table):
    with pytest.raises(ModelError, match="coordinate is nan") as caught:
        threedt.read(changed("0 1 0\n0 0 1", "0 nan 0\n0 0").encode())
    assert caught.value.line == 11


def test_lines_are_counted_past_comments_and_pieces(monkeypatch):
    monkeypatch.setattr(threedt_rows, "_PIECE", 10)
    with pytest.raises(ModelError, match="'x' is not a number") as caught:
        threedt.read(changed("0 0 1\n", "# one\n\n0 0 1 # two\n\n x 1 1\n").encode())
    assert caught.value.line == 16
    with pytest.raises(ModelError, match="announced") as caught:
        threedt.read(changed("0 0 1\n", "# one\n\n0 0 1 # two\n\n 1 1 1\n").encode())
    assert caught.value.line == 16


@pytest.mark.parametrize("conversion", ["lines", "table"])
@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_give_no_other_error(seed, conversion, request):
    if conversion == "table":
        request.getfixturevalue("by_table")
    random = np.random.default_rng(seed)
    content = bytearray(EXAMPLE.read_bytes())
    for _ in range(random.integers(1, 4)):
        at, length = random.integers(len(content)), random.integers(20)
        content[at : at + length] = bytes(
            random.choice(list(b' \n\r\t"#-+.0e1xn_\x00\xff'), random.integers(6))
        )
    try:
        geometry = threedt.read(bytes(content))
    except ModelError as error:
        assert error.line is not None
    else:
        assert threedt.read(threedt.text(geometry).encode()) == geometry


def test_a_header_without_data_takes_no_memory():
    import tracemalloc

    head = TEXT[: TEXT.index("points")]
    tracemalloc.start()
    try:
        for content in (f"{head}points {10**12}\n", f"{head}points {10**12}\nfaces {10**12}\n"):
            with pytest.raises(ModelError):
                threedt.read(content.encode())
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_files_that_cannot_be_opened(tmp_path):
    for path in (tmp_path / "absent.3dt", tmp_path, str(tmp_path / "a\0b.3dt")):
        with pytest.raises(ModelError) as caught:
            threedt.read(path)
        assert caught.value.file == str(path)


def test_files_that_are_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(threedt, "_LARGEST_FILE", 100)
    (tmp_path / "robot.3dt").write_text(TEXT)
    with pytest.raises(ModelError, match="larger than"):
        threedt.read(tmp_path / "robot.3dt")


def test_shortest_decimals():
    points = [[0.1, -0.0, 100.0], [1e16, 1e-7, 1 / 3], [math.pi, 1e22, 5e-324]]
    written = threedt.text(Geometry("r", [Component("c", [Part.from_faces("p", points, [(0, 1, 2)])])]))
    rows = written.splitlines()
    start = rows.index("      points 3") + 1
    assert rows[start : start + 3] == [
        "0.1 -0 100",
        "1e+16 1e-07 0.3333333333333333",
        "3.141592653589793 1e+22 5e-324",
    ]
