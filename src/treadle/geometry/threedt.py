"""Treadle's geometry format `.3dt`: robot -> component -> body -> points and faces, in one plain text.

The grammar is in docs/formats/3dt.md. This is the structure; the rows of numbers, which make up nearly all
of a file, are in `threedt_rows`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treadle.errors import ModelError
from treadle.geometry.components import DEFAULT_COLOR, Attributes, Component, Geometry, Part
from treadle.geometry.threedt_rows import (
    NUMBER,
    NotANumber,
    Rows,
    by_lines,
    by_table,
    face_rows,
    first_fault,
    point_rows,
)

__all__ = ["read", "text", "write"]

_VERSION = "1"
_LARGEST_FILE = 4_000_000_000

#: From these numbers of bytes on, pyarrow is worth its import, and worth the start of a conversion.
_LARGE_FILE = 2_000_000
_LARGE_BLOCK = 6_000


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


# reading

_CONTENTS = {
    "robot": "attribute, component, end robot",
    "component": "attribute, body, end component",
    "body": "color or attribute, then points, then faces, then end body",
}
_CHILD = {"robot": "component", "component": "body"}

#: A comment, a JSON string or a bare word, with the space before it.
_TOKEN = re.compile(r'\s*(?:#.*|(?P<quoted>"(?:[^"\\]++|\\.)*+")|(?P<bare>[^\s"#]+))(?=\s|$)')

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
        if word.quoted or not NUMBER.fullmatch(word.text) or math.isinf(float(word.text)):
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

    def block(self, kind: str, words: list[_Word], before: str, point_count: int = 0) -> Rows:
        """The rows of points, or of faces between so many points, up to a line that begins with `before`."""
        digits = words[0].text if len(words) == 1 else ""
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
            raise self.error(f"{kind} needs the number of rows that follow", f"write {kind} 8")
        begin, end = self.next, self.line_with(before.encode())
        self.next = end
        large = len(self.data) >= _LARGE_FILE and end - begin >= _LARGE_BLOCK
        rows = by_table(self.data, begin, end, kind) if large else None
        if rows is None or first_fault(rows, kind, int(digits), point_count):
            rows = self.convert_lines(begin, end, kind)
            fault = first_fault(rows, kind, int(digits), point_count)
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

    def convert_lines(self, begin: int, end: int, kind: str) -> Rows:
        """Rows of numbers in any layout; the error of the first word that is none."""
        try:
            return by_lines(self.data, begin, end, kind)
        except NotANumber as fault:
            hint = f"after the line {kind} come rows of numbers, as many as it announces"
            line = self.line(fault.position) + fault.line
            raise self.error(f"{_brief(fault.word)} is not {fault.wanted}", hint, line) from None

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
            yield from point_rows(part)
            yield f"      faces {part.face_count}\n"
            yield from face_rows(part)
            yield "    end body\n"
        yield "  end component\n"
    yield "\nend robot\n"


def _attributes(attributes: Attributes, indent: str) -> Iterator[str]:
    for key, value in attributes.items():
        words = _quoted(value) if isinstance(value, str) else _number(value)
        yield f"{indent}attribute {_quoted(key)} {words}\n"


def _number(value: float) -> str:
    """The shortest decimal that is read back as the same number."""
    return repr(float(value)).removesuffix(".0")


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)
