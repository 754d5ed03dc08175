"""Elements of an MJCF file that is being written."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

__all__ = ["Element"]


class Element:
    """A tag, its attributes and what is inside it. Attributes that are None are not there."""

    def __init__(self, tag: str, /, **attributes: Any) -> None:
        self.tag = tag
        self.attributes = {name: value for name, value in attributes.items() if value is not None}
        self.children: list[Element] = []

    def add(self, tag: str, /, **attributes: Any) -> Element:
        """A new element inside this one."""
        self.children.append(Element(tag, **attributes))
        return self.children[-1]

    def text(self) -> str:
        """The element as XML, without recursion, because a chain is as deep as it is long."""
        lines: list[str] = []
        stack: list[tuple[Element, int, bool]] = [(self, 0, False)]
        while stack:
            element, depth, closing = stack.pop()
            indent = "  " * depth
            if closing:
                lines.append(f"{indent}</{element.tag}>")
                continue
            lines.append(f"{indent}<{element._opening()}{'' if element.children else '/'}>")
            if element.children:
                stack.append((element, depth, True))
                stack += [(child, depth + 1, False) for child in reversed(element.children)]
        return "\n".join([*lines, ""])

    def _opening(self) -> str:
        words = [f"{name}={quoteattr(_written(value))}" for name, value in self.attributes.items()]
        return " ".join([self.tag, *words])


def _written(value: Any) -> str:
    """Strings as they are, numbers so that they are read back exactly."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return " ".join(repr(float(x) + 0.0).removesuffix(".0") for x in np.atleast_1d(value))
