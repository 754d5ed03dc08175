"""Memoization of pure functions of traced scalars, per graph.

Called again, such a function would build nodes that exist already, one by one; looking up its result is
faster.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from treadle.graph.expression import Expr, Graph

__all__ = ["memoized"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def memoized(function: _Function) -> _Function:
    """Store the results of a function in the graph that its arguments belong to.

    The key holds the scalars of lists that begin with a traced scalar, and the identity of all other
    arguments: neither they nor the result may be changed.
    """

    @wraps(function)
    def looked_up(*arguments: Any) -> Any:
        graph: Graph | None = None
        key: list[Any] = [function]
        for x in arguments:
            if isinstance(x, list) and x and isinstance(x[0], Expr):
                graph = x[0].graph
                key.append(tuple(x))
            else:
                key.append(id(x))
        if graph is None:
            return function(*arguments)
        found = graph.results.get(tuple(key))
        if found is None:
            # keep the arguments alive, so that no other object gets their identity
            found = graph.results[tuple(key)] = arguments, function(*arguments)
        return found[1]

    return looked_up  # type: ignore[return-value]
