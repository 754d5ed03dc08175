"""What a writer of MJCF has to say about what it could not write."""

from __future__ import annotations

from treadle.model.finding import Finding

__all__ = ["Notes"]


class Notes:
    """Sentences, each with the elements that it is about, in the order in which they came up."""

    def __init__(self) -> None:
        self._notes: dict[tuple[str, str, str | None], dict[str, None]] = {}

    def add(self, what: str, element: str, severity: str = "note", hint: str | None = None) -> None:
        """One more element that a sentence is about."""
        self._notes.setdefault((what, severity, hint), {})[element] = None

    def findings(self) -> list[Finding]:
        """All of them."""
        return [
            Finding(what, list(elements), severity, hint)
            for (what, severity, hint), elements in self._notes.items()
        ]
