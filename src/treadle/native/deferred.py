"""Functions of kernels that come into being when something is compiled.

Importing Numba and making the dispatchers of all kernels takes longer than a first step whose kernels are
compiled already. A decorator of kernels therefore leaves a `Deferred` behind: Numba takes it for what it
makes, and a call from Python goes to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

from treadle.extras import require

__all__ = ["Deferred"]


class Deferred:
    """Stands for what `make` returns, which is called when it is first needed."""

    def __init__(self, make: Callable[[], Any], function: Callable[..., Any] | None = None) -> None:
        self._make, self.function = make, function
        if function is not None:
            self.__name__, self.__doc__ = function.__name__, function.__doc__
            self.__module__, self.__qualname__ = function.__module__, function.__qualname__

    @cached_property
    def made(self) -> Any:
        """What it stands for."""
        require("numba", "compiling a kernel")
        return self._make()

    @cached_property
    def _numba_type_(self) -> Any:
        """Its type, which Numba reads from this attribute."""
        from numba.core.registry import cpu_target

        made, target = self.made, cast("Any", cpu_target)
        # what was made has registered itself after the compiler last looked
        target.typing_context.refresh()
        target.target_context.refresh()
        return target.typing_context.resolve_value_type(made)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.made(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made, name)
