"""Small pieces of the page: tables, messages, numbers to read at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["changes_html", "message_html", "note_html", "plain", "rows_html", "sentence", "success_html"]

_STYLE = 'style="font-size: 0.8em; margin: 0.3em 1em; line-height: 1.4"'


def rows_html(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A small table."""
    lines = [f"<tr>{''.join(f'<th align=left>{escape(text)}</th>' for text in head)}</tr>"] if head else []
    lines += [f"<tr>{''.join(f'<td nowrap>{escape(text)}</td>' for text in row)}</tr>" for row in rows]
    return f'<div style="overflow-x: auto"><table {_STYLE} cellspacing="4">{"".join(lines)}</table></div>'


def changes_html(rows: Sequence[tuple[str, str]]) -> str:
    """A list of changes, those that were undone in grey; nothing where there are none."""
    lines = "".join(
        f"<div{' style=opacity:0.5' if mark == 'undone' else ''}>{escape(mark)} {escape(text)}</div>"
        for mark, text in rows
    )
    return f'<div role="log" aria-label="Changes" {_STYLE}>{lines}</div>' if lines else ""


def note_html(text: str) -> str:
    """A line of explanation."""
    return f"<p {_STYLE}>{escape(text)}</p>"


def message_html(error: BaseException | str) -> str:
    """An error as a line that is seen."""
    style = "color: #b00020; background: #fdecea; font-size: 0.85em; margin: 0.5em 1em; padding: 0.4em"
    return f'<p role="alert" style="{style}">{escape(sentence(error))}</p>'


def success_html(text: str) -> str:
    """A line that says that something was done."""
    style = "color: #14532d; background: #e8f5e9; font-size: 0.85em; margin: 0.5em 1em; padding: 0.4em"
    return f'<p role="status" style="{style}">{escape(text)}</p>'


def sentence(error: BaseException | str) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def plain(value: float) -> str:
    """A number to read at a glance, with four decimals where it is small."""
    return f"{round(value, 4) + 0.0:.4f}" if abs(value) < 100.0 else f"{value:.0f}"
