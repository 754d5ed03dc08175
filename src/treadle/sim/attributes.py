"""Attributes that are not there: setting one is an error that names the one that was meant."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from treadle.errors import InputError, UnknownAttribute
from treadle.integrators import INTEGRATORS
from treadle.model.model import suggest

__all__ = ["MEANT", "Guarded", "check_keywords"]


#: What names of other simulators are here.
MEANT = {
    **dict.fromkeys(
        ("torque", "torques", "force", "forces", "effort", "qfrc_applied"), "did you mean 'tau'?"
    ),
    **dict.fromkeys(("position", "positions", "qpos"), "did you mean 'q'?"),
    **dict.fromkeys(("velocity", "velocities", "qvel"), "did you mean 'v'?"),
    **dict.fromkeys(("timestep", "time_step", "step_size", "h"), "did you mean 'dt'?"),
    **dict.fromkeys(
        ("command", "commands", "ctrl", "control"), "set it by name: sim.actuator('motor').command = 0.5"
    ),
    "gravity": "it belongs to the model: `with sim.edit() as spec: spec.gravity = (0, 0, -1.62)` changes it",
}


class Guarded:
    """A class whose objects take no attributes but those of the class.

    `__init__` sets the others and calls `_seal` at its end; of these, the `_counters` go on changing.
    `_meant` has advice for names that people bring from elsewhere. Names that begin with an underscore are
    free.
    """

    __slots__ = ()

    _meant: ClassVar[Mapping[str, str]] = {}
    _counters: ClassVar[frozenset[str]] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._counters:
            # they change at every step
            object.__setattr__(self, name, value)
            return
        known = getattr(type(self), name, None)
        if isinstance(known, property) and known.fset is None:
            raise UnknownAttribute(self._advice(name, (name,)))
        if name[0] != "_" and known is None:
            own = getattr(self, "__dict__", {"_sealed": True})
            if "_sealed" in own:
                raise UnknownAttribute(self._advice(name, own))
        object.__setattr__(self, name, value)

    def _seal(self, kind: type) -> None:
        """Take no more attributes, unless this is a user's class, which may have its own."""
        if type(self) is kind:
            self._sealed = True

    def _advice(self, name: str, own: Iterable[str]) -> str:
        kind = type(self).__name__
        if name in own:
            given = name in inspect.signature(type(self)).parameters
            remedy = (
                f"fixed when it is made: make another one with {name}=..." if given else "only to be read"
            )
            return f"{name!r} of a {kind} is {remedy}"
        missing = f"{kind} has no attribute {name!r}"
        if name in self._meant:
            return f"{missing}; {self._meant[name]}"
        known = sorted(known for known in {*dir(type(self)), *own} if known[0] != "_")
        return f"{missing}; {suggest(name, known)}"


def check_keywords(kind: type, options: Mapping[str, Any]) -> None:
    """That arguments which a class has no name for are options of some integrator; else which was meant."""
    if not options:
        return
    known = {name for method in INTEGRATORS.values() for name in method.options}
    keywords = {*inspect.signature(kind).parameters} - {"options"}
    for name in options:
        if name not in known:
            raise InputError(
                f"{kind.__name__} has no argument {name!r}, nor has any integrator such an option; "
                f"{suggest(name, sorted(known | keywords))}"
            )
