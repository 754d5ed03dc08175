"""Functions of traced scalars that are evaluated once per graph, however often they are asked.

Asked again, a pure function would find the nodes that it made before, one by one; finding its result is
shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from treadle.graph.expression import Expr, Graph

__all__ = ["once"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def once(function: _Function) -> _Function:
    """Keep what a function returns in the graph that its arguments belong to.

    Lists that begin with a traced scalar are known by their scalars, all other arguments by identity: neither
    they nor the result may be changed.
    """

    @wraps(function)
    def shared(*arguments: Any) -> Any:
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
            # the arguments are kept: others must not get their identity
            found = graph.results[tuple(key)] = arguments, function(*arguments)
        return found[1]

    return shared  # type: ignore[return-value]
