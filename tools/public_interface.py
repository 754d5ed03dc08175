"""Print the public interface: every public name with its signature, and what objects of it have.

python tools/public_interface.py > tests/guards/public_interface.txt      after a change that is meant
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))


def lines() -> Iterator[str]:
    """One line per name, member and command."""
    import treadle as td
    from treadle.plugins import GROUPS

    for name in td.__all__:
        if name == "__version__":
            continue
        item = getattr(td, name)
        yield f"td.{name}{_signature(item)}"
        if inspect.isclass(item):
            yield from (f"td.{name}.{member}" for member in _members(item))
    yield from (f"entry points: {group}" for group in GROUPS)


def _signature(item: Any) -> str:
    """Arguments with their defaults; types are left to the type checker."""
    if not callable(item) or not hasattr(item, "__name__"):
        return ""
    try:
        given = inspect.signature(item).parameters.values()
    except (TypeError, ValueError):
        return ""
    return f"({', '.join(str(part.replace(annotation=part.empty)) for part in given)})"


def _members(cls: type) -> Iterator[str]:
    own = [base for base in cls.__mro__ if base.__module__.startswith("treadle")]
    found = {name for base in own for name in vars(base) if not name.startswith("_")}
    for name in sorted(found):
        member = inspect.getattr_static(cls, name)
        member = getattr(member, "__func__", member)
        yield name + (_signature(member) if inspect.isfunction(member) else "")


if __name__ == "__main__":
    print("\n".join(lines()))
