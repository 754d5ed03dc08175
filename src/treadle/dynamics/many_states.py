"""Compiled functions over many states at once: a leading axis of states, computed in vector lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.values import real_array
from treadle.native.executable import Executable

__all__ = ["evaluate", "leading_shape"]

#: States per run of the compiled code: their arrays stay in the cache.
_BLOCK = 4096


def leading_shape(arguments: Sequence[ArrayLike]) -> tuple[int, ...]:
    """Common shape of the axes before the last of all arguments; () if each is one vector or is no array."""
    try:
        return np.broadcast_shapes(*[real_array(x).shape[:-1] for x in arguments])
    except (TypeError, ValueError):
        return ()


def evaluate(compiled: Callable[[], Executable], label: str, arguments: Sequence[ArrayLike]) -> np.ndarray:
    """The first output (..., n) for arguments (..., size) whose leading axes are broadcast.

    `compiled` gives the code, and is called when the arguments are right.
    """
    executable = compiled()
    sizes = executable.layout.inputs
    given = [real_array(x) for x in arguments]
    for (name, size), values in zip(sizes.items(), given, strict=True):
        if values.shape[-1] != size:
            raise InputError(f"{label}: {name} must have shape (..., {size}), not {values.shape}")
        if not np.isfinite(values).all():
            place = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise InputError(f"{label}: {name}{list(place)} is {values[place]}")
    lead = leading_shape(arguments)
    count = int(np.prod(lead))
    output, size = next(iter(executable.layout.outputs.items()))
    flat = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(count, x.shape[-1]) for x in given]
    result = np.empty((count, size))
    stride = -(-min(count, _BLOCK) // executable.lanes) * executable.lanes
    arrays = {name: np.zeros((rows, stride)) for name, rows in sizes.items()}
    arrays |= {name: np.zeros((rows, stride)) for name, rows in executable.layout.outputs.items()}
    for start in range(0, count, _BLOCK):
        part = slice(start, min(start + _BLOCK, count))
        width = part.stop - part.start
        for name, values in zip(sizes, flat, strict=True):
            arrays[name][:, :width] = values[part].T
            # lanes without a state of their own compute with the last one
            arrays[name][:, width:] = values[part.stop - 1][:, None]
        executable.run(arrays, 0, -(-width // executable.lanes) * executable.lanes)
        result[part] = arrays[output][:, :width].T
    return result.reshape(*lead, size)
