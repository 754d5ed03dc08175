"""The errors that Treadle raises for its users to read."""

from __future__ import annotations

import re
from os import PathLike
from typing import Any

__all__ = [
    "InputError", "MissingPackage", "ModelError", "RecordingError", "SimulationDiverged", "TracingError",
    "TreadleError", "UnknownAttribute",
]  # fmt: skip


class TreadleError(Exception):
    """Base of all errors that are the user's to fix; the message is one sentence or two."""


class InputError(TreadleError, ValueError):
    """An argument of a function is wrong: length, type, name or a value that is not finite."""


class UnknownAttribute(InputError, AttributeError):
    """An attribute is set that an object does not have."""


class TracingError(InputError, TypeError):
    """A function that is traced asks a value for its number, or for its truth."""


class MissingPackage(InputError, ModuleNotFoundError):
    """A package of an extra is not installed; the message has the command that installs it."""

    def __init__(self, message: str, *, name: str | None = None) -> None:
        ModuleNotFoundError.__init__(self, message, name=name)


class RecordingError(TreadleError):
    """A recording cannot be written or read: no room, no permission, in use, or not a recording."""


class ModelError(TreadleError):
    """A machine's description is wrong, with the place where and what to do about it."""

    def __init__(
        self,
        message: str,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        element: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.file = None if file is None else str(file)
        self.line = line
        self.element = element
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}"
        parts = [place, self.element or "", self.message]
        text = ": ".join(part for part in parts if part)
        text = f"{text}; {self.hint}" if self.hint else text
        # names of thousands of letters, as damaged files have them
        return re.sub(r"\S{200,}", lambda found: f"{found[0][:60]}...{found[0][-20:]}", text)


class SimulationDiverged(TreadleError):
    """A step diverged: its result was not finite. Has the last good state."""

    def __init__(self, message: str, *, time: float, element: str, last_good_state: Any = None) -> None:
        self.time = time
        self.element = element
        self.last_good_state = last_good_state
        super().__init__(message)
