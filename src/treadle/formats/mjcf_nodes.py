"""The elements of an MJCF file as they are gathered, checked and written for MuJoCo."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from xml.sax.saxutils import quoteattr

from treadle.errors import ModelError

__all__ = ["Node", "Source", "check_amounts", "check_numbers", "fault", "written"]

#: Attributes in which "nan" and "inf" are names.
_NAMES = (
    "name", "class", "childclass", "file", "model", "prefix",
    "body", "joint", "site", "geom", "mesh", "material", "tendon",
)  # fmt: skip
#: Sections whose elements share one set of names.
_SECTIONS = ("actuator", "equality", "sensor", "tendon")
#: Attributes that say how many copies, points or cells there are, and how many are too many.
_AMOUNTS = ("count", "cellcount", "params", "nrow", "ncol")
_MOST_COPIES = 100_000
_MOST_POINTS = 10_000_000


@dataclass(eq=False)
class Node:
    """An XML element and where it stands; the file is None for that of the model itself."""

    tag: str
    attributes: dict[str, str]
    file: str | None
    line: int | None
    children: list[Node] = field(default_factory=list)

    def __iter__(self) -> Iterator[Node]:
        """The element and all in it, in the order of the file."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


@dataclass
class Source:
    """What MuJoCo reads: a text with one element per line, and files in memory."""

    text: str
    #: the elements by line
    nodes: list[Node]
    files: dict[str, bytes]
    #: where the files are, from the folder of the model
    paths: dict[str, str]
    #: the elements by line of the files that are models themselves
    attached: dict[str, list[Node]]
    #: what MuJoCo does not get, and how often there is such an element
    left_out: Counter[str]

    @cached_property
    def lines(self) -> dict[tuple[str, str], int | None]:
        """Where the model's own file has elements with a name: line by tag (or section) and name."""
        found = {}
        for node in self.nodes:
            for child in node.children:
                if child.file is None and "name" in child.attributes:
                    kind = node.tag if node.tag in _SECTIONS else child.tag
                    found[kind, child.attributes["name"]] = child.line
        return found


def fault(node: Node, message: str, hint: str | None) -> ModelError:
    """An error about an element; where that is in another file than the model's own, the message says so."""
    element = f"<{node.tag}>" if node.tag else None
    if node.file is None:
        return ModelError(message, line=node.line, element=element, hint=hint)
    line = "" if node.line is None else f":{node.line}"
    return ModelError(f"in {node.file}{line}: {message}", element=element, hint=hint)


def written(root: Node) -> tuple[str, list[Node]]:
    """The text of an element, in which each element starts a line, and the elements line by line."""
    lines: list[str] = []
    nodes: list[Node] = []
    # elements to open, and tags to close
    waiting: list[Node | str] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines[-1] += f"</{item}>"
            continue
        attributes = "".join(f" {key}={quoteattr(value)}" for key, value in item.attributes.items())
        lines.append(f"<{item.tag}{attributes}{'' if item.children else '/'}>")
        nodes.append(item)
        if item.children:
            waiting.append(item.tag)
            waiting += reversed(item.children)
    return "\n".join(lines), nodes


def check_numbers(root: Node) -> None:
    """ModelError at numbers that MuJoCo would compute with, or pass over: infinite ones, reversed limits."""
    for node in root:
        for key, value in node.attributes.items():
            limits = _numbers(value) if key.endswith("range") else []
            if len(limits) == 2 and limits[0] > limits[1]:
                message = f"the lower limit of {key}={value!r} is above the upper one"
                raise fault(node, message, "exchange them")
            # all ways to write such a number have an n in them
            if "n" not in value.lower() or key.rstrip("12") in _NAMES:
                continue
            if any(not math.isfinite(x) for x in _numbers(value)):
                raise fault(node, f"{key}={value!r} is not finite", "give finite numbers")


def check_amounts(root: Node) -> None:
    """ModelError where a few letters stand for more than a computer can hold."""
    total = 0.0
    waiting = [(root, 1.0)]
    while waiting:
        node, copies = waiting.pop()
        numbers = {key: _product(node.attributes.get(key, "")) for key in _AMOUNTS}
        if node.tag == "replicate":
            copies *= numbers["count"]
        total += copies - 1.0
        points = math.prod(numbers.values()) if node.tag in ("flexcomp", "mesh", "hfield") else 1.0
        if total > _MOST_COPIES or points > _MOST_POINTS:
            raise fault(node, "has too many copies or points", "make the number smaller")
        waiting += [(child, copies) for child in node.children]


def _numbers(text: str) -> list[float]:
    """The numbers among the words of a text."""
    numbers = []
    for word in text.split():
        try:
            numbers.append(float(word))
        except ValueError:
            continue
    return numbers


def _product(text: str) -> float:
    """The product of the numbers that are above one."""
    return math.prod(max(x, 1.0) for x in _numbers(text))
