"""Where a program's arrays lie in its frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Layout"]


@dataclass(frozen=True)
class Layout:
    """Names and sizes of the arrays, inputs before outputs, and the number of slots of the frame.

    `pool` are the nodes whose constants the code reads from its array "constants", in order; `unread` are the
    inputs that nothing depends on. Output arrays in `kinds` have another type: "float32", or "bool" for
    numbers that are not zero.
    """

    inputs: dict[str, int]
    outputs: dict[str, int]
    carry: dict[str, str]
    slots: int
    pool: Sequence[int] = ()
    unread: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    def offset(self, name: str) -> int:
        """First slot of an array."""
        position = 0
        for key, size in [*self.inputs.items(), *self.outputs.items()]:
            if key == name:
                return position
            position += size
        raise KeyError(name)
