"""Line numbers of the tables and keys of a TOML text, which Python's parser does not tell."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import Any

__all__ = ["Lines", "longest_key"]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_PART = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*')[ \t]*(\.?)""")
_TEXT = (
    r'''"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+""""{0,2}'''
    r"""|'''(?:[^']++|'{1,2}(?!'))*+''''{0,2}"""
    r"""|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*'|#[^\n]*"""
)
#: A piece of a value: a string, a comment, a bracket, the end of a line, or anything else.
_PIECE = re.compile(rf"""{_TEXT}|[\[\]{{}}\n]|[^"'#\[\]{{}}\n]+""", re.DOTALL)
_STRING = re.compile(_TEXT, re.DOTALL)
_STOP = re.compile(r"[\n=,\[\]{}]")

#: Longer paths are of no use here, and would take long where somebody makes them very long.
_DEEPEST = 8


def longest_key(text: str) -> int:
    """How many dots the key with the most of them has; Python's parser takes that many squared."""
    return max(part.count(".") for part in _STOP.split(_STRING.sub("", text)))


class Lines:
    """Where tables and keys of a sound TOML text begin.

    A path is made of keys and, after the name of an array of tables, the number of the table:
    ("body", 3, "shape", 0, "size") is the size in the first [[body.shape]] of the fourth [[body]].
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._lines: dict[tuple[Any, ...], int] = {}
        self._counts: dict[tuple[Any, ...], int] = {}
        self._scan()

    def find(self, *path: Any) -> int | None:
        """The line of the path, or of the nearest of what it lies in."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None

    def _scan(self) -> None:
        text, table = self._text, ()
        position = _end(_SPACE.match(text))
        while position < len(text):
            line = bisect_right(self._ends, position - 1) + 1
            brackets = 2 if text.startswith("[[", position) else 1 if text[position] == "[" else 0
            parts, position = self._key(position + brackets)
            if not parts:
                return
            if brackets:
                table = self._resolve(parts, brackets == 2)
                for length in range(1, len(table) + 1):
                    self._lines.setdefault(table[:length], line)
                position += brackets
            else:
                for length in range(1, len(parts) + 1):
                    self._lines.setdefault((*table, *parts[:length]), line)
                position = self._after_value(position)
            position = _end(_SPACE.match(text, position))

    def _key(self, position: int) -> tuple[list[str], int]:
        """The first parts of a dotted key, and what comes after all of it."""
        parts = []
        while match := _PART.match(self._text, position):
            part = match[1]
            parts.append(tomllib.loads(f"x={part}")["x"] if part[0] in "\"'" else part)
            position = match.end()
            if not match[2]:
                break
        return parts[:_DEEPEST], position

    def _resolve(self, parts: list[str], array: bool) -> tuple[Any, ...]:
        """The path of a table's header; the names of arrays stand for their last table."""
        path: tuple[Any, ...] = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            if array and index == len(parts) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                path = (*path, self._counts[path])
        return path

    def _after_value(self, position: int) -> int:
        """What comes after the equal sign and the value at a position."""
        depth = 0
        while match := _PIECE.match(self._text, position):
            piece = match[0]
            if depth == 0 and piece[0] in "\n#":
                break
            position = match.end()
            depth += (piece in ("[", "{")) - (piece in ("]", "}"))
        return position


def _end(match: re.Match[str] | None) -> int:
    return 0 if match is None else match.end()
