"""How models, simulations, qualities and handles show themselves: a short line, and a table in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

__all__ = ["Shown", "shown_number", "table_html"]


class Shown:
    """A class whose objects show themselves by `_title()` and the rows of `_shown()`."""

    __slots__ = ()

    def _title(self) -> str:
        """What it is, such as "joint 'elbow' of 'arm'"."""
        raise NotImplementedError

    def _shown(self) -> Sequence[tuple[str, str]]:
        """Labels and values."""
        return ()

    def __repr__(self) -> str:
        rows = "".join(f", {label} {value}" for label, value in self._shown())
        return f"<{self._title()}{rows}>"

    def _repr_html_(self) -> str:
        return table_html(self._title(), self._shown())


def table_html(title: str, rows: Sequence[Sequence[str]], head: Sequence[str] = (), foot: str = "") -> str:
    """A table with a title, for notebooks."""
    lines = [f"<caption style='text-align:left'><b>{escape(title)}</b></caption>"]
    if head:
        lines.append(f"<tr>{''.join(f'<th>{escape(text)}</th>' for text in head)}</tr>")
    lines += [f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>" + (f"<p>{escape(foot)}</p>" if foot else "")


def shown_number(value: Any, unit: str = "") -> str:
    """A number or a few of them with four digits."""
    numbers = np.atleast_1d(np.asarray(value, dtype=float)).ravel()
    text = ", ".join(f"{x:.4g}" for x in numbers[:8]) + (", ..." if numbers.size > 8 else "")
    text = text if np.ndim(value) == 0 else f"({text})"
    return f"{text} {unit}".rstrip()
