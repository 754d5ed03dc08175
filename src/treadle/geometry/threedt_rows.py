"""The rows of numbers of a `.3dt` file, read and written a block at a time.

A large block is converted by pyarrow if it is laid out as the writer does it, any other one line by line.
Both round decimals correctly, so that what is written is read back bit for bit.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treadle.extras import require
from treadle.geometry.components import Part

__all__ = [
    "NUMBER",
    "Fault",
    "NotANumber",
    "Rows",
    "by_lines",
    "by_table",
    "face_rows",
    "first_fault",
    "point_rows",
]

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

_COMMENT = re.compile(rb"(?<!\S)#[^\n]*")
_FORMS = {
    "points": (re.compile(NUMBER.pattern.encode()), "a number"),
    "faces": (re.compile(rb"\d+"), "the number of a point"),
}
_TYPES = {"points": np.float64, "faces": np.int64}

#: Bytes that are converted line by line in one go.
_PIECE = 200_000

#: A table of more columns than this is read as one column.
_MOST_COLUMNS = 16

#: Rows turned into text at a time.
_ROWS_AT_ONCE = 50_000


class Rows(NamedTuple):
    """The numbers of all rows, how many each row has, and how many lines into the block each row is."""

    values: np.ndarray
    widths: np.ndarray
    lines: np.ndarray | Sequence[int] = ()


class Fault(NamedTuple):
    """What is wrong with a row, and what to do."""

    row: int
    message: str
    hint: str


class NotANumber(Exception):
    """A word among the rows that is no number: in which line after a position of the file."""

    def __init__(self, word: str, wanted: str, position: int, line: int) -> None:
        super().__init__(word)
        self.word, self.wanted, self.position, self.line = word, wanted, position, line


def by_lines(data: bytes, begin: int, end: int, kind: str) -> Rows:
    """Rows of numbers that may have comments, blank lines and any spaces between them."""
    values, widths = [np.empty(0, _TYPES[kind])], [np.empty(0, np.int64)]
    while begin < end:
        # a piece at a time, because words in Python take several times the space of their letters
        middle = data.find(b"\n", begin + _PIECE, end) + 1 or end
        piece = data[begin:middle]
        if b"#" in piece:
            piece = _COMMENT.sub(b"", piece)
        try:
            # numpy would take a sign alone for 0
            if kind == "faces" and (b"-" in piece or b"+" in piece):
                raise ValueError
            numbers = np.fromstring(piece, _TYPES[kind], sep=" ")
        except ValueError:
            raise _not_a_number(piece, kind, begin) from None
        widths.append(_row_widths(piece, len(numbers)))
        # numpy takes spaces alone for a 0
        values.append(numbers[: widths[-1].sum()])
        begin = middle
    all_widths = np.concatenate(widths)
    lines = np.flatnonzero(all_widths)
    return Rows(np.concatenate(values), all_widths[lines], lines)


def _not_a_number(piece: bytes, kind: str, begin: int) -> NotANumber:
    """The first word of a piece that is no number."""
    form, wanted = _FORMS[kind]
    words = ((i, word) for i, row in enumerate(piece.splitlines()) for word in row.split())
    line, word = next((i, word) for i, word in words if not form.fullmatch(word))
    return NotANumber(word.decode(), wanted, begin, line)


def _row_widths(content: bytes, count: int) -> np.ndarray:
    """How many of so many numbers are in each line."""
    signs = np.frombuffer(content, np.uint8)
    breaks = signs[signs <= ord(" ")]
    if len(breaks) == count and signs[0] > ord(" ") and content.endswith(b"\n") and b"\r" not in content:
        # each number is followed by one sign, so those that are line feeds end the rows
        return np.diff(np.flatnonzero(breaks == ord("\n")), prepend=-1)
    return np.array([len(row.split()) for row in content.splitlines()])


def by_table(data: bytes, begin: int, end: int, kind: str) -> Rows | None:
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
            return Rows(values.reshape(-1), np.broadcast_to(width, len(values)))
    with contextlib.suppress(ArrowInvalid):
        # rows of different length: one column
        content = data[begin:end]
        values = _columns(content.replace(b" ", b"\n"), kind, 1).reshape(-1)
        return Rows(values, _row_widths(content, len(values)))
    return None


def _columns(content: bytes | memoryview, kind: str, width: int) -> np.ndarray:
    """The numbers of a table (rows, width); ArrowInvalid if it is not such a table."""
    require("pyarrow", "reading .3dt geometry")
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


def first_fault(rows: Rows, kind: str, announced: int, point_count: int) -> Fault | None:
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
        faults.append(Fault(row, f"the row has {widths[row]} numbers", need))
    if wrong_values.any():
        index = int(wrong_values.argmax())
        row = int(np.searchsorted(np.cumsum(widths), index, side="right"))
        faults.append(Fault(row, wrong.format(values[index]), limits))
    if len(widths) != announced:
        message = f"{announced} {kind} are announced, and {len(widths)} rows follow"
        faults.append(Fault(min(len(widths), announced), message, "correct the number or the rows"))
    return min(faults, default=None, key=lambda fault: fault.row)


def point_rows(part: Part) -> Iterator[str]:
    """The rows of a part's points, in pieces of text."""
    for first in range(0, part.point_count, _ROWS_AT_ONCE):
        points = part.points[first : first + _ROWS_AT_ONCE]
        rows = "%s %s %s\n" * len(points) % tuple(map(repr, points.reshape(-1).tolist()))
        yield rows.replace(".0 ", " ").replace(".0\n", "\n")


def face_rows(part: Part) -> Iterator[str]:
    """The rows of a part's faces, in pieces of text."""
    for first in range(0, part.face_count, _ROWS_AT_ONCE):
        offsets = part.face_offsets[first : first + _ROWS_AT_ONCE + 1]
        indices = list(map(str, part.face_indices[offsets[0] : offsets[-1]].tolist()))
        bounds = pairwise((offsets - offsets[0]).tolist())
        yield "".join([" ".join(indices[begin:end]) + "\n" for begin, end in bounds])
