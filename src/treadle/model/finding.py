"""One line of a report: a sentence, how much it matters, what it is about and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.model.values import listed

__all__ = ["SEVERITIES", "Finding", "as_finding"]

#: A note is good to know; a warning may change what the machine does; an error keeps it from being used.
SEVERITIES = ("note", "warning", "error")


class Finding(str):
    """A sentence of `model.report`, which also is plain text.

    `what` is the sentence without the names in `elements`, which it otherwise ends with.
    """

    what: str
    elements: tuple[str, ...]
    severity: str
    hint: str | None

    def __new__(
        cls, what: str, elements: Sequence[str] = (), severity: str = "note", hint: str | None = None
    ) -> Finding:
        finding = super().__new__(cls, f"{what}: {listed(elements)}" if elements else what)
        finding.what, finding.elements = str(what), tuple(elements)
        finding.severity, finding.hint = severity, hint
        return finding

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.what, self.elements, self.severity, self.hint)

    def to_dict(self) -> dict[str, Any]:
        """In JSON types only; `Finding(**record)` gives it back."""
        return {
            "what": self.what,
            "elements": list(self.elements),
            "severity": self.severity,
            "hint": self.hint,
        }


def as_finding(line: str | dict[str, Any]) -> Finding:
    """A finding as it is, from its record, or from a sentence: a note."""
    if isinstance(line, Finding):
        return line
    return Finding(**line) if isinstance(line, dict) else Finding(line)
