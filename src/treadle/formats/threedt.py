"""Treadle's geometry format `.3dt`: robot -> component -> body -> points and faces, in one plain text.

The grammar is in docs/formats/3dt.md. Rows of numbers make up nearly all of a file, and each block of
them is converted as a whole: a large one by pyarrow if it is laid out as `write` does it, any other one
line by line. Both round decimals correctly, so that what is written is read back bit for bit.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treadle.errors import ModelError
from treadle.formats.geometry import DEFAULT_COLOR, Attributes, Component, Geometry, Part

__all__ = ["read", "text", "write"]

_VERSION = "1"
_LARGEST_FILE = 4_000_000_000

#: From these numbers of bytes on, pyarrow is worth its import, and worth the start of a conversion.
_LARGE_FILE = 2_000_000
_LARGE_BLOCK = 6_000

#: Rows turned into text at a time.
_ROWS_AT_ONCE = 50_000


def read(source: str | PathLike[str] | bytes) -> Geometry:
    """The geometry in a file, or in the bytes of one; ModelError with the line if it is not sound."""
    if isinstance(source, bytes):
        return _Reader(source).geometry()
    path = Path(source).expanduser()
    try:
        return _Reader(_content(path)).geometry()
    except ModelError as error:
        error.file = str(path)
        raise


def write(geometry: Geometry, path: str | PathLike[str]) -> None:
    """Write the file; its bytes depend on nothing but the geometry."""
    with Path(path).expanduser().open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_pieces(geometry))


def text(geometry: Geometry) -> str:
    """What `write` writes."""
    return "".join(_pieces(geometry))


# reading: statements

_CONTENTS = {
    "robot": "attribute, component, end robot",
    "component": "attribute, body, end component",
    "body": "color or attribute, then points, then faces, then end body",
}
_CHILD = {"robot": "component", "component": "body"}

#: A comment, a JSON string or a bare word, with the space before it.
_TOKEN = re.compile(r'\s*(?:#.*|(?P<quoted>"(?:[^"\\]++|\\.)*+")|(?P<bare>[^\s"#]+))(?=\s|$)')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

#: The longest statement is `color` with red, green, blue and alpha.
_MOST_WORDS = 5


class _Word(NamedTuple):
    text: str
    quoted: bool


class _Reader:
    """The content of a file, how far it is read, and the elements that are open there."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        # of the statement read last, and of the line after it; a byte order mark is passed over
        self.start = self.next = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.open: list[tuple[str, str]] = []

    def geometry(self) -> Geometry:
        """The whole file."""
        if not self.data.isascii():
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                raise self.error("is not UTF-8 text", "save it as UTF-8", self.line(error.start)) from None
        keyword, words = self.statement()
        if keyword != "3dt":
            raise self.error("is not a .3dt file", f'its first line has to be "3dt {_VERSION}"')
        if words != [(_VERSION, False)]:
            raise self.error("is of another version of the format", f"version {_VERSION} can be read")
        keyword, words = self.statement()
        if keyword != "units" or words != [("m", False)]:
            raise self.error("the unit is missing or not metres", 'give metres, and "units m" as second line')
        keyword, words = self.statement()
        if keyword != "robot":
            raise self.error(f"{_brief(keyword)} comes before the robot", 'write robot "name"')
        geometry = self.group("robot", words)
        keyword, _ = self.statement(last=True)
        if keyword:
            raise self.error(f"{_brief(keyword)} comes after the end of the robot", "a file holds one robot")
        return geometry

    def group(self, kind: str, words: list[_Word]) -> Any:
        """The robot or a component, its first line read."""
        name = self.begin(kind, words)
        attributes: dict[str, str | float] = {}
        children: dict[str, Any] = {}
        while True:
            keyword, words = self.statement()
            if keyword == "attribute":
                self.attribute(attributes, words)
            elif keyword == _CHILD[kind]:
                if words and words[0].text in children:
                    message = f"there is another {keyword} {_brief(words[0].text)} before"
                    raise self.error(message, "give each its own name")
                child = self.body(words) if keyword == "body" else self.group(keyword, words)
                children[child.name] = child
            else:
                self.end(kind, keyword, words)
                make = Geometry if kind == "robot" else Component
                return make(name, tuple(children.values()), attributes)

    def body(self, words: list[_Word]) -> Part:
        """A body, its first line read."""
        name = self.begin("body", words)
        color: Sequence[float] | None = None
        attributes: dict[str, str | float] = {}
        keyword, words = self.statement()
        while keyword != "points":
            if keyword == "attribute":
                self.attribute(attributes, words)
            elif keyword == "color" and color is None:
                color = self.color(words)
            else:
                raise self.misplaced(keyword)
            keyword, words = self.statement()
        points = self.block("points", words, before="faces")
        keyword, words = self.statement()
        if keyword != "faces":
            raise self.misplaced(keyword)
        faces = self.block("faces", words, before="end", point_count=len(points.widths))
        self.end("body", *self.statement())
        offsets = np.zeros(len(faces.widths) + 1, np.int64)
        np.cumsum(faces.widths, out=offsets[1:])
        color = DEFAULT_COLOR if color is None else color
        return Part(name, points.values.reshape(-1, 3), faces.values, offsets, np.array(color), attributes)

    def begin(self, kind: str, words: list[_Word]) -> str:
        """The name of an element that begins."""
        if len(words) != 1 or not words[0].text:
            raise self.error(f"{kind} needs one name", f'write {kind} "name"')
        self.open.append((kind, words[0].text))
        return words[0].text

    def end(self, kind: str, keyword: str, words: list[_Word]) -> None:
        """Check that the statement ends the element."""
        if keyword != "end":
            raise self.misplaced(keyword)
        if words != [(kind, False)]:
            raise self.error(f'the {kind} is not ended by "end {kind}"', f'write "end {kind}" here or before')
        self.open.pop()

    def attribute(self, attributes: dict[str, str | float], words: list[_Word]) -> None:
        """Add one attribute, a text in quotes or a number."""
        if len(words) != 2 or not words[0].text:
            raise self.error("an attribute needs a name and a value", 'write attribute name "text"')
        key, value = words
        if key.text in attributes:
            raise self.error(f"attribute {_brief(key.text)} is given twice", "remove one of them")
        attributes[key.text] = value.text if value.quoted else self.number(value)

    def color(self, words: list[_Word]) -> list[float]:
        """Red, green, blue, alpha."""
        values = [self.number(word) for word in words]
        if len(values) not in (3, 4) or not all(0 <= value <= 1 for value in values):
            message = "a colour needs red, green, blue and perhaps alpha, each between 0 and 1"
            raise self.error(message, "write color 0.8 0.7 0.2 1")
        return [*values, 1.0][:4]

    def number(self, word: _Word) -> float:
        """A finite number."""
        if word.quoted or not _NUMBER.fullmatch(word.text) or math.isinf(float(word.text)):
            raise self.error(f"{_brief(word.text)} is not a finite number", "texts need quotes, numbers none")
        return float(word.text)

    def statement(self, last: bool = False) -> tuple[str, list[_Word]]:
        """Keyword and arguments of the next line that has any; "" where the file ends and may (`last`)."""
        while self.next < len(self.data):
            self.start = self.next
            end = self.data.find(b"\n", self.start)
            self.next = len(self.data) if end < 0 else end + 1
            words = self.words(self.data[self.start : self.next].decode().strip())
            if words:
                return words[0].text, words[1:]
        if last:
            return "", []
        self.start = len(self.data)
        missing = f"end {self.open[-1][0]}" if self.open else "robot"
        raise self.error(f'the file ends before "{missing}"', "it may have been cut short")

    def words(self, line: str) -> list[_Word]:
        """The words of a line up to its comment."""
        words: list[_Word] = []
        position = 0
        while position < len(line):
            match = _TOKEN.match(line, position)
            if match is None or len(words) > _MOST_WORDS:
                message = f"the line cannot be read from {_brief(line[position:])} on"
                raise self.error(message, "names with spaces and other signs need quotes")
            if match["quoted"]:
                words.append(_Word(self.unquoted(match["quoted"]), True))
            elif match["bare"]:
                words.append(_Word(match["bare"], False))
            position = match.end()
        return words

    def unquoted(self, quoted: str) -> str:
        """The text that a JSON string stands for."""
        try:
            value = json.loads(quoted)
            value.encode()
        except ValueError:
            hint = r"write \" for a quote, \\ for a backslash and \n for a new line, as in JSON"
            raise self.error(f"{_brief(quoted)} is not a sound text", hint) from None
        return value

    def block(self, kind: str, words: list[_Word], before: str, point_count: int = 0) -> _Rows:
        """The rows of points, or of faces between so many points, up to a line that begins with `before`."""
        digits = words[0].text if len(words) == 1 else ""
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
            raise self.error(f"{kind} needs the number of rows that follow", f"write {kind} 8")
        begin, end = self.next, self.line_with(before.encode())
        self.next = end
        large = len(self.data) >= _LARGE_FILE and end - begin >= _LARGE_BLOCK
        rows = _convert_table(self.data, begin, end, kind) if large else None
        if rows is None or _fault(rows, kind, int(digits), point_count):
            rows = self.convert_lines(begin, end, kind)
            fault = _fault(rows, kind, int(digits), point_count)
            if fault and fault.row < len(rows.widths):
                raise self.error(fault.message, fault.hint, self.line(begin) + int(rows.lines[fault.row]))
            if fault and end == len(self.data):
                message = f"the file ends inside the {kind}"
                raise self.error(message, "it may have been cut short", self.line(end))
            if fault:
                raise self.error(fault.message, fault.hint)
        return rows

    def line_with(self, keyword: bytes) -> int:
        """Start of the next line that begins with the keyword; the end of the file if there is none."""
        # one letter that is in no number is found many times faster than the word
        letter = b"n" if keyword == b"end" else b"f"
        position = self.data.find(letter, self.next)
        while position >= 0:
            line = max(self.next, self.data.rfind(b"\n", self.next, position) + 1)
            if self.data[line : position + len(keyword)].lstrip().startswith(keyword):
                return line
            # it is in another word or in a comment: on to the next line
            end = self.data.find(b"\n", position)
            position = self.data.find(letter, end) if end >= 0 else -1
        return len(self.data)

    def convert_lines(self, begin: int, end: int, kind: str) -> _Rows:
        """Rows of numbers that may have comments, blank lines and any spaces between them."""
        values, widths = [np.empty(0, _TYPES[kind])], [np.empty(0, np.int64)]
        while begin < end:
            # a piece at a time, because words in Python take several times the space of their letters
            middle = self.data.find(b"\n", begin + _PIECE, end) + 1 or end
            piece = self.data[begin:middle]
            if b"#" in piece:
                piece = _COMMENT.sub(b"", piece)
            try:
                # numpy would take a sign alone for 0
                if kind == "faces" and (b"-" in piece or b"+" in piece):
                    raise ValueError
                numbers = np.fromstring(piece, _TYPES[kind], sep=" ")
            except ValueError:
                raise self.no_number(piece, kind, begin) from None
            widths.append(_row_widths(piece, len(numbers)))
            # numpy takes spaces alone for a 0
            values.append(numbers[: widths[-1].sum()])
            begin = middle
        all_widths = np.concatenate(widths)
        lines = np.flatnonzero(all_widths)
        return _Rows(np.concatenate(values), all_widths[lines], lines)

    def no_number(self, piece: bytes, kind: str, begin: int) -> ModelError:
        """The error of the first word of a piece that is no number."""
        form, name = _FORMS[kind]
        words = ((i, word) for i, row in enumerate(piece.splitlines()) for word in row.split())
        index, word = next((i, word) for i, word in words if not form.fullmatch(word))
        hint = f"after the line {kind} come rows of numbers, as many as it announces"
        return self.error(f"{_brief(word.decode())} is not {name}", hint, self.line(begin) + index)

    def misplaced(self, keyword: str) -> ModelError:
        """The error of a statement that is unknown or in the wrong place."""
        kind = self.open[-1][0]
        return self.error(f"{_brief(keyword)} has no place here", f"a {kind} holds {_CONTENTS[kind]}")

    def error(self, message: str, hint: str, line: int | None = None) -> ModelError:
        """An error in the statement read last, or in that line."""
        element = ", ".join(f'{kind} "{name:.40}"' for kind, name in self.open[-2:]) or None
        return ModelError(message, line=line or self.line(self.start), element=element, hint=hint)

    def line(self, position: int) -> int:
        """Number of the line at a position, from 1."""
        return self.data.count(b"\n", 0, position) + 1


# reading: rows of numbers

_COMMENT = re.compile(rb"(?<!\S)#[^\n]*")
_FORMS = {
    "points": (re.compile(_NUMBER.pattern.encode()), "a number"),
    "faces": (re.compile(rb"\d+"), "the number of a point"),
}
_TYPES = {"points": np.float64, "faces": np.int64}

#: Bytes that are converted line by line in one go.
_PIECE = 200_000

#: A table of more columns than this is read as one column.
_MOST_COLUMNS = 16


class _Rows(NamedTuple):
    """The numbers of all rows, how many each row has, and how many lines into the block each row is."""

    values: np.ndarray
    widths: np.ndarray
    lines: np.ndarray | Sequence[int] = ()


class _Fault(NamedTuple):
    row: int
    message: str
    hint: str


def _row_widths(content: bytes, count: int) -> np.ndarray:
    """How many of so many numbers are in each line."""
    signs = np.frombuffer(content, np.uint8)
    breaks = signs[signs <= ord(" ")]
    if len(breaks) == count and signs[0] > ord(" ") and content.endswith(b"\n") and b"\r" not in content:
        # each number is followed by one sign, so those that are line feeds end the rows
        return np.diff(np.flatnonzero(breaks == ord("\n")), prepend=-1)
    return np.array([len(row.split()) for row in content.splitlines()])


def _convert_table(data: bytes, begin: int, end: int, kind: str) -> _Rows | None:
    """Rows with one space between their numbers and nothing else; None if they are not like that."""
    from pyarrow import ArrowInvalid

    # pyarrow would take 0x10 for a number
    if data.find(b"x", begin, end) >= 0 or data.find(b"X", begin, end) >= 0:
        return None
    width = data.count(b" ", begin, data.find(b"\n", begin)) + 1
    last_width = data.count(b" ", data.rfind(b"\n", begin, end - 1) + 1, end) + 1
    if width == last_width <= _MOST_COLUMNS:
        with contextlib.suppress(ArrowInvalid):
            values = _columns(memoryview(data)[begin:end], kind, width)
            return _Rows(values.reshape(-1), np.broadcast_to(width, len(values)))
    with contextlib.suppress(ArrowInvalid):
        # rows of different length: one column
        content = data[begin:end]
        values = _columns(content.replace(b" ", b"\n"), kind, 1).reshape(-1)
        return _Rows(values, _row_widths(content, len(values)))
    return None


def _columns(content: bytes | memoryview, kind: str, width: int) -> np.ndarray:
    """The numbers of a table (rows, width); ArrowInvalid if it is not such a table."""
    import pyarrow as pa
    from pyarrow import csv

    # one thread: several finish little sooner, for twice the work
    types = {str(i): pa.float64() if kind == "points" else pa.int32() for i in range(width)}
    table = csv.read_csv(
        pa.BufferReader(content),
        csv.ReadOptions(column_names=list(types), use_threads=False),
        csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
    )
    values = np.empty((table.num_rows, width), np.float64 if kind == "points" else np.int32)
    for i, column in enumerate(table.columns):
        np.concatenate([chunk.to_numpy() for chunk in column.chunks], out=values[:, i])
    return values


def _fault(rows: _Rows, kind: str, announced: int, point_count: int) -> _Fault | None:
    """The first thing that is wrong with the rows; its row is one past the last if rows are missing."""
    values, widths, faults = rows.values, rows.widths, []
    if kind == "points":
        wrong_widths, need = widths != 3, "a point has 3 coordinates"
        wrong_values = ~np.isfinite(values)
        wrong, limits = "a coordinate is {}", "coordinates are finite numbers"
    else:
        wrong_widths, need = widths < 3, "a face has 3 points or more"
        wrong_values = (values < 0) | (values >= point_count)
        wrong, limits = "a face names point {}", f"the body has {point_count} points, and the first is 0"
    if wrong_widths.any():
        row = int(wrong_widths.argmax())
        faults.append(_Fault(row, f"the row has {widths[row]} numbers", need))
    if wrong_values.any():
        index = int(wrong_values.argmax())
        row = int(np.searchsorted(np.cumsum(widths), index, side="right"))
        faults.append(_Fault(row, wrong.format(values[index]), limits))
    if len(widths) != announced:
        message = f"{announced} {kind} are announced, and {len(widths)} rows follow"
        faults.append(_Fault(min(len(widths), announced), message, "correct the number or the rows"))
    return min(faults, default=None, key=lambda fault: fault.row)


def _content(path: Path) -> bytes:
    """The bytes of the file; ModelError if there is none or if it is too large."""
    try:
        if not path.is_file():
            message = "is a folder, not a file" if path.is_dir() else "there is no such file"
            raise ModelError(message, hint="check the path")
        if path.stat().st_size > _LARGEST_FILE:
            message = f"is larger than {_LARGEST_FILE / 1e9:.0f} GB, the most that is read"
            raise ModelError(message, hint="split it, or reduce its meshes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        message = f"cannot be read ({getattr(error, 'strerror', None) or error})"
        raise ModelError(message, hint="check the path and its permissions") from None


def _brief(words: str) -> str:
    """The beginning of what a file says, for messages."""
    return repr(words if len(words) <= 40 else f"{words[:40]}...")


# writing


def _pieces(geometry: Geometry) -> Iterator[str]:
    """The file in pieces of some megabytes at most."""
    yield f"3dt {_VERSION}\nunits m\n\nrobot {_quoted(geometry.name)}\n"
    yield from _attributes(geometry.attributes, "  ")
    for component in geometry.components:
        yield f"\n  component {_quoted(component.name)}\n"
        yield from _attributes(component.attributes, "    ")
        for part in component.parts:
            yield f"\n    body {_quoted(part.name)}\n"
            yield f"      color {' '.join(map(_number, part.color))}\n"
            yield from _attributes(part.attributes, "      ")
            yield f"      points {part.point_count}\n"
            yield from _point_rows(part)
            yield f"      faces {part.face_count}\n"
            yield from _face_rows(part)
            yield "    end body\n"
        yield "  end component\n"
    yield "\nend robot\n"


def _attributes(attributes: Attributes, indent: str) -> Iterator[str]:
    for key, value in attributes.items():
        words = _quoted(value) if isinstance(value, str) else _number(value)
        yield f"{indent}attribute {_quoted(key)} {words}\n"


def _point_rows(part: Part) -> Iterator[str]:
    for first in range(0, part.point_count, _ROWS_AT_ONCE):
        points = part.points[first : first + _ROWS_AT_ONCE]
        rows = "%s %s %s\n" * len(points) % tuple(map(repr, points.reshape(-1).tolist()))
        yield rows.replace(".0 ", " ").replace(".0\n", "\n")


def _face_rows(part: Part) -> Iterator[str]:
    for first in range(0, part.face_count, _ROWS_AT_ONCE):
        offsets = part.face_offsets[first : first + _ROWS_AT_ONCE + 1]
        indices = list(map(str, part.face_indices[offsets[0] : offsets[-1]].tolist()))
        bounds = pairwise((offsets - offsets[0]).tolist())
        yield "".join([" ".join(indices[begin:end]) + "\n" for begin, end in bounds])


def _number(value: float) -> str:
    """The shortest decimal that is read back as the same number."""
    return repr(float(value)).removesuffix(".0")


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)
