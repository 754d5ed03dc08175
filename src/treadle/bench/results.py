"""What a benchmark returns: rows, checks and notes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

__all__ = ["TOLERANCE", "Check", "Outcome", "Rival", "Row", "at_least", "at_most", "compare", "limited"]

#: Treadle and a peer must compute the same to this, relative to the largest number in the result.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Row:
    """One measured number, with a peer's number for the same thing where there is one.

    `ratio` is above 1 where Treadle is faster. `agreement` is the largest difference between the two
    results relative to the largest number in them. `detail` says how the peer was set up, `limit` what
    the ratio, or the value where there is no peer, has to reach.
    """

    table: str
    machine: str
    freedoms: int
    quantity: str
    unit: str
    value: float
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None
    agreement: float | None = None
    detail: str | None = None
    limit: float | None = None
    holds: bool | None = None

    def record(self) -> dict[str, Any]:
        """The row as a flat record, without what it does not have."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Check:
    """A line that has to hold, with the value that this run gave; None where it could not be measured."""

    name: str
    value: float | None
    limit: float
    holds: bool

    def record(self) -> dict[str, Any]:
        """The check as a flat record."""
        return asdict(self)


@dataclass
class Outcome:
    """Rows, checks and notes of one or several measurements."""

    rows: list[Row] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Append another outcome; a note that is there already is not repeated."""
        self.rows += other.rows
        self.checks += other.checks
        self.notes += [note for note in other.notes if note not in self.notes]


@dataclass(frozen=True)
class Rival:
    """A peer's number for the same thing, and how far its result was from Treadle's."""

    peer: str
    value: float
    agreement: float
    detail: str | None = None


def at_least(name: str, value: float | None, limit: float) -> Check:
    """A check that holds from the limit upward."""
    return Check(f"{name}, at least", value, limit, bool(value is not None and value >= limit))


def at_most(name: str, value: float | None, limit: float) -> Check:
    """A check that holds up to the limit."""
    return Check(f"{name}, at most", value, limit, bool(value is not None and value <= limit))


def compare(
    row: Row, rival: Rival | str, against: str, limit: float | None = None, rate: bool = False
) -> Outcome:
    """The row with its ratio to the peer, and the check of that ratio where there is a limit.

    Instead of a rival there may be a sentence that says why there is none. There is no ratio where the
    two computed different things. Numbers are times, or with `rate` things done per time.
    """
    outcome, ratio = Outcome(), None
    if isinstance(rival, str):
        outcome.notes.append(rival)
    else:
        if rival.agreement <= TOLERANCE:
            ratio = row.value / rival.value if rate else rival.value / row.value
        else:
            outcome.notes.append(
                f"{row.machine}: {row.quantity} of Treadle and {against} differ by {rival.agreement:.1e} "
                "of the largest number, so no ratio is given"
            )
        row = replace(
            row,
            peer=rival.peer,
            peer_value=rival.value,
            ratio=ratio,
            agreement=rival.agreement,
            detail=rival.detail,
        )
    if limit is not None:
        check = at_least(f"{row.machine}: {row.quantity}, times the speed of {against}", ratio, limit)
        outcome.checks.append(check)
        row = replace(row, limit=limit, holds=check.holds)
    outcome.rows.append(row)
    return outcome


def limited(row: Row, limit: float | None) -> Outcome:
    """The row with a check that its value stays within a limit, where there is one."""
    if limit is None:
        return Outcome([row])
    check = at_most(f"{row.machine}: {row.quantity}, in {row.unit}", row.value, limit)
    return Outcome([replace(row, limit=limit, holds=check.holds)], [check])
