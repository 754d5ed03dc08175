"""Mistakes in a description as errors that name the place and say what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from treadle.errors import ModelError
from treadle.model.model import suggest
from treadle.model.values import number

if TYPE_CHECKING:
    from treadle.model.spec import ModelSpec

__all__ = ["check_body_name", "check_names", "check_not_negative", "converted", "fault"]


def fault(spec: ModelSpec, element: str, message: str, hint: str | None, item: Any) -> ModelError:
    """The error about an item of the description."""
    line = getattr(item, "line", None)
    return ModelError(message, file=spec.file, line=line, element=element, hint=hint)


def converted(spec: ModelSpec, element: str, item: Any, name: str, convert: Callable[[Any], Any]) -> Any:
    """A field of the item, converted; ModelError if it does not convert."""
    try:
        return convert(getattr(item, name))
    except ValueError as error:
        raise fault(spec, element, f"{name} {error}", None, item) from None


def check_not_negative(spec: ModelSpec, element: str, item: Any, name: str) -> None:
    """That a field is a number and not below zero."""
    if converted(spec, element, item, name, number) < 0.0:
        raise fault(spec, element, f"{name} is negative", "it must be zero or positive", item)


def check_body_name(spec: ModelSpec, element: str, item: Any, role: str, known: set[str]) -> None:
    """That the field `role` names a body, or is None for the world."""
    name = getattr(item, role)
    if name is None or (isinstance(name, str) and name in known):
        return
    hint = "use None for the world" if name == "world" else suggest(name, sorted(known))
    raise fault(spec, element, f"its {role} {name!r} is not a body of {spec.name!r}", hint, item)


def check_names(spec: ModelSpec, items: Iterable[tuple[str, Any]]) -> None:
    """That items of one set (kind, item) have names, and all different ones."""
    seen: dict[str, str] = {}
    counts: dict[str, int] = {}
    for kind, item in items:
        counts[kind] = counts.get(kind, 0) + 1
        if not isinstance(item.name, str) or not item.name.strip():
            raise fault(spec, f"{kind} number {counts[kind]}", "has no name", "give it one", item)
        if item.name in seen:
            message = f"the name is already that of another {seen[item.name]}"
            raise fault(spec, f'{kind} "{item.name}"', message, "rename one of the two", item)
        seen[item.name] = kind
