"""Findings on the screen: how much each matters, what it says, what to do."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from treadle.model.finding import SEVERITIES, Finding, as_finding

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["count_line", "print_findings", "rows"]

_STYLES = {"note": "cyan", "warning": "yellow", "error": "bold red"}


def print_findings(out: Console, findings: Iterable[str]) -> None:
    """A paragraph each, most severe first, with what to do on lines of its own."""
    from rich.text import Text

    ordered = _sorted(findings)
    indent = max((len(finding.severity) for finding in ordered), default=0) + 2
    for finding in ordered:
        lines = [(line, "") for line in _wrapped(str(finding), out.width - indent)]
        if finding.hint:
            lines += [(line, "dim") for line in _wrapped(f"→ {finding.hint}", out.width - indent)]
        label = (f"{finding.severity:<{indent}}", _STYLES[finding.severity])
        for line in lines:
            out.print(Text.assemble(label, line))
            label = (" " * indent, "")


def count_line(findings: Iterable[str]) -> str:
    """How many there are of each severity, as in "no errors, 1 warning, 3 notes"."""
    counts = Counter(as_finding(line).severity for line in findings)
    words = []
    for severity in reversed(SEVERITIES):
        count = counts[severity]
        words.append(f"{count or 'no'} {severity}{'' if count == 1 else 's'}")
    return ", ".join(words)


def rows(findings: Iterable[str]) -> list[dict[str, Any]]:
    """Flat records, one for each element that a finding is about."""
    records = []
    for finding in _sorted(findings):
        for element in finding.elements or (None,):
            record = {"severity": finding.severity, "element": element}
            records.append({**record, "what": finding.what, "hint": finding.hint})
    return records


def _sorted(findings: Iterable[str]) -> Sequence[Finding]:
    """Most severe first, otherwise in their order."""
    return sorted(map(as_finding, findings), key=lambda item: -SEVERITIES.index(item.severity))


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 20), break_on_hyphens=False)
