"""Registries that other packages add to, by entry points.

    [project.entry-points."treadle.scenes"]
    crane = "cranes.tower:tower_crane"

A `Registry` maps names to what Treadle has of a kind (joints, integrators, formats, ...). Its own entries may
be given as "module:name", and are imported when they are first used. Names that it does not have, and
lists of all names, take in the entry points of its group that installed packages declare; one of those is
imported when it is used, and never takes the place of an own one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

from treadle.errors import InputError

__all__ = ["GROUPS", "Registry"]

T = TypeVar("T")

#: Groups of entry points, with what an entry is.
GROUPS = {
    "treadle.joints": "a class derived from treadle.joints.Joint",
    "treadle.integrators": "a treadle.integrators.Method",
    "treadle.wheel_models": "a function of a WheelContact (see td.wheel_model)",
    "treadle.contact_laws": "a function of a Touch (see td.contact_law)",
    "treadle.sensors": "a class derived from treadle.sensors.kind.SensorKind",
    "treadle.formats": "a treadle.formats.Format; the entry's name is the suffix of its files",
    "treadle.writers": "a treadle.formats.Writer; the entry's name is the suffix of its files",
    "treadle.scenes": "a function that returns a ModelSpec",
}


class Registry(MutableMapping[str, T], Generic[T]):
    """Things of one kind by name: own ones, those that are added, and those of plug-ins."""

    def __init__(self, group: str, entries: Mapping[str, T | str] | None = None) -> None:
        self.group = group
        self._entries: dict[str, T | str] = dict(entries or {})

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            self._entries[name] = self._from_plugin(name)
        found = self._entries[name]
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = self._entries[name] = getattr(import_module(module), attribute)
        return found  # type: ignore[return-value]

    def __setitem__(self, name: str, value: T) -> None:
        self._entries[name] = value

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter([*self._entries, *[name for name in self._plugins if name not in self._entries]])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<{self.group}: {', '.join(self)}>"

    @cached_property
    def _plugins(self) -> Mapping[str, Any]:
        """Entry points of the group, by name; looked for when a name is not known or all are listed."""
        from importlib.metadata import entry_points

        return {entry.name: entry for entry in entry_points(group=self.group)}

    def _from_plugin(self, name: str) -> T:
        entry = self._plugins[name]
        try:
            return entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist is not None else entry.value
            raise InputError(
                f"{name!r} of the package {package!r} cannot be loaded ({type(error).__name__}: {error}); "
                "repair or uninstall that package"
            ) from error
