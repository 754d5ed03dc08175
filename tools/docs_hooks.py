"""Hooks of MkDocs: formulas between dollar signs become MathML, which needs no script and no network."""

from __future__ import annotations

import logging
import re
from typing import Any

from latex2mathml.converter import convert

_log = logging.getLogger("mkdocs.treadle")

_FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\\w$])\$(?! )([^$]+?)(?<! )\$(?!\w)", re.DOTALL)

#: MathML by the word that stands for it while the page is made.
_formulas: dict[str, str] = {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Take formulas out of the text, code left alone."""
    parts, end = [], 0
    for code in _FENCE.finditer(markdown):
        parts += [_without_formulas(markdown[end : code.start()], page), code[0]]
        end = code.end()
    return "".join([*parts, _without_formulas(markdown[end:], page)])


def on_page_content(html: str, **_: Any) -> str:
    """Put the formulas in."""
    return re.sub(r"zformula\d+z", lambda found: _formulas[found[0]], html)


def _without_formulas(text: str, page: Any) -> str:
    def placed(found: re.Match[str]) -> str:
        block = found[1] is not None
        word = f"zformula{len(_formulas)}z"
        try:
            _formulas[word] = convert(_plain(found[1] or found[2]), display="block" if block else "inline")
        except Exception as error:
            _log.warning("%s: the formula %r cannot be shown (%s)", page.file.src_path, found[0], error)
            return found[0]
        return f"\n\n{word}\n\n" if block else word

    return _FORMULA.sub(placed, text)


def _plain(formula: str) -> str:
    """What the converter does not know, in other words."""
    return (
        formula.replace(r"\dfrac", r"\frac")
        .replace(r"\tfrac", r"\frac")
        .replace(r"\operatorname", r"\mathrm")
    )
