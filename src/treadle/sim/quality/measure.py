"""One line of the quality table, and the table."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from treadle.model.notebook import table_html

__all__ = ["RATINGS", "Measure", "Quality", "Rating", "length_text", "rate"]

Rating = Literal["good", "fair", "poor"]

#: From best to worst.
RATINGS: tuple[Rating, ...] = ("good", "fair", "poor")


@dataclass(frozen=True)
class Measure:
    """A number about a run, and where it can be judged, how good it is.

    `limit` is the largest magnitude that still counts as good, in the same unit. `reason` says the number
    in words as part of a sentence; `advice` says what would help where it is not good.
    """

    name: str
    value: float
    unit: str
    meaning: str
    rating: Rating | None = None
    limit: float | None = None
    reason: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Quality:
    """The measures of a run, and a verdict in words."""

    measures: tuple[Measure, ...]
    #: that of the worst measure; None after too few steps to tell
    rating: Rating | None
    verdict: str
    #: seconds from the start of the run and the error (m) of the worst link then, if it was repeated
    error_growth: tuple[tuple[float, ...], tuple[float, ...]] | None = None

    def __getitem__(self, name: str) -> float:
        """The value of a measure."""
        return self.measure(name).value

    def __contains__(self, name: str) -> bool:
        return any(measure.name == name for measure in self.measures)

    def measure(self, name: str) -> Measure:
        """A measure by its name; KeyError where it does not apply to this run."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        known = ", ".join(repr(measure.name) for measure in self.measures)
        raise KeyError(f"this run has no measure {name!r}; it has {known}")

    def to_dict(self) -> dict[str, Any]:
        """In JSON types only."""
        return {
            "rating": self.rating,
            "verdict": self.verdict,
            "measures": [asdict(measure) for measure in self.measures],
        }

    def _repr_html_(self) -> str:
        rows = [(m.name, f"{m.value:.4g}", m.unit, m.rating or "", m.meaning) for m in self.measures]
        head = "measure", "value", "unit", "rating", "meaning"
        return table_html(f"quality: {self.rating or 'not rated'}", rows, head, self.verdict)

    def __str__(self) -> str:
        width = max(len(m.name) for m in self.measures)
        unit = max(len(m.unit) for m in self.measures)
        lines = [
            f"{m.name:<{width}}  {m.value:>11.4g} {m.unit:<{unit}}  {m.rating or '':<4}  {m.meaning}"
            for m in self.measures
        ]
        return "\n".join([*lines, self.verdict])


def length_text(metres: float) -> str:
    """A length in words of a sentence, with two digits: '3.9 m', '340 mm', '0.0087 mm'."""
    if metres == 0.0:
        return "0 mm"
    if not 1e-8 <= metres < 1e4:
        return f"{metres * 1e3:.1e} mm" if metres < 1e4 else f"{metres:.1e} m"
    value, unit = (metres, "m") if metres >= 1.0 else (metres * 1e3, "mm")
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{round(value, 1 - math.floor(math.log10(value))):.{digits}f} {unit}"


def rate(value: float, good: float, fair: float) -> Rating:
    """The rating of a magnitude by the largest good and the largest fair one; no number is poor."""
    size = abs(value)
    return "good" if size <= good else "fair" if size <= fair else "poor"
