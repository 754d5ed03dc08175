"""A compiled program: call it on one world, or run it over many."""

from __future__ import annotations

import ctypes
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.native.layout import Layout

__all__ = ["Executable", "Frame", "Runner"]

#: bytes, those of the widest vector
_ALIGNMENT = 64

# one world at a time is too short to let go of the interpreter lock; a run over many worlds is not
_CHECKED = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_ARGUMENTS = (None, ctypes.c_void_p, *(ctypes.c_int64,) * 4, ctypes.c_void_p)
_RUN, _RUN_LOCKED = ctypes.CFUNCTYPE(*_ARGUMENTS), ctypes.PYFUNCTYPE(*_ARGUMENTS)

# complex numbers are a mistake: their imaginary part would be dropped
warnings.filterwarnings("error", category=np.exceptions.ComplexWarning, module=re.escape(__name__))


class Executable:
    """Machine code with its frame layout. Safe to use from several threads at once."""

    def __init__(self, engine: Any, layout: Layout, lanes: int, precision: str = "float64") -> None:
        self.layout = layout
        self.lanes = lanes
        self.precision = precision
        self._engine = engine
        self._checked = _CHECKED(engine.get_function_address("checked"))
        self._run = _RUN(engine.get_function_address("run"))
        self._run_locked = _RUN_LOCKED(engine.get_function_address("run"))
        self._local = threading.local()

    def __call__(self, *inputs: Any) -> list[np.ndarray] | None:
        """Outputs for one world (needs one lane), or None if an input is not finite.

        Inputs are arrays of the layout's lengths, in its order; the caller has checked them.
        """
        try:
            frame = self._local.frame
        except AttributeError:
            frame = self._local.frame = Frame(self)
        for view, values in zip(frame.inputs, inputs):
            view[...] = values
        if self._checked(frame.address):
            return None
        return [view.copy() for view in frame.outputs]

    def function(self) -> Callable[..., np.ndarray]:
        """The first output as a function of the inputs, for one world (needs one lane).

        ValueError or TypeError where an input has another length or is not finite. The function is
        written out for its number of inputs: loops over them would take longer than a small arm's dynamics.
        """
        names = [f"x{k}" for k in range(len(self.layout.inputs))]
        views = [f"view{k}" for k in range(len(names))]
        wrong = " or ".join(
            f"len({x}) != {size}" for x, size in zip(names, self.layout.inputs.values(), strict=True)
        )
        source = [
            f"def call({', '.join(names)}):",
            f"    if {wrong}:",
            "        raise ValueError('wrong length')",
            "    try:",
            f"        {', '.join(views)}, output, address = local.views",
            "    except AttributeError:",
            f"        {', '.join(views)}, output, address = local.views = new_views()",
            *[f"    {view}[...] = {x}" for view, x in zip(views, names, strict=True)],
            "    if checked(address):",
            "        raise ValueError('not finite')",
            "    return output.copy()",
        ]
        frames = []

        def new_views() -> tuple:
            # the frame is kept: its memory must outlive the views' address
            frames.append(Frame(self))
            return (*frames[-1].inputs, frames[-1].outputs[0], frames[-1].address)

        # assigning complex numbers warns with this name, see the filter above
        space: dict[str, Any] = {
            "__name__": __name__,
            "local": threading.local(),
            "new_views": new_views,
            "checked": self._checked,
        }
        exec("\n".join(source), space)
        return space["call"]  # type: ignore[return-value]

    def run(self, arrays: Mapping[str, np.ndarray], begin: int, end: int, steps: int = 1) -> None:
        """Advance the worlds begin..end by `steps`, in place.

        Each array has shape (rows, stride) with the worlds along its last axis; all have the same
        stride, and room up to a multiple of the lanes. Releases the interpreter lock.
        """
        names = [*self.layout.inputs, *self.layout.outputs]
        pointers = (ctypes.c_void_p * len(names))(*[arrays[name].ctypes.data for name in names])
        stride = max((arrays[name].shape[1] for name in names), default=1)
        try:
            frame = self._local.run_frame
        except AttributeError:
            frame = self._local.run_frame = Frame(self)
        self._run(ctypes.addressof(pointers), begin, end, stride, steps, frame.address)

    def frame(self) -> Frame:
        """Memory of its own to call the program in, from code that has its `entry`."""
        return Frame(self)

    @property
    def entry(self) -> int:
        """Address of the function that evaluates the program once, inside a frame."""
        return self._engine.get_function_address("body")

    @property
    def run_entry(self) -> int:
        """Address of the function that runs worlds and steps in a loop, see `run`."""
        return self._engine.get_function_address("run")

    @property
    def gathered_entry(self) -> int:
        """Address of the function that evaluates the program on frames of single worlds, one per lane.

        It takes a table: the address of a frame of this executable, then those of frames of the same program
        with one lane. There is none of one lane, nor of fewer inputs and outputs than lanes.
        """
        return self._engine.get_function_address("gathered")

    def runner(self, arrays: Mapping[str, np.ndarray]) -> Runner:
        """A `run` bound to its arrays, for calls that must be short."""
        return Runner(self, arrays)


class Runner:
    """`Executable.run` with pointers and frame made ready once; for one thread at a time."""

    def __init__(self, executable: Executable, arrays: Mapping[str, np.ndarray]) -> None:
        names: Sequence[str] = [*executable.layout.inputs, *executable.layout.outputs]
        # the arrays are kept: their memory must outlive this object's pointers
        self._arrays = [arrays[name] for name in names]
        self._pointers = (ctypes.c_void_p * len(names))(*[array.ctypes.data for array in self._arrays])
        self._frame = Frame(executable)
        self._function, self._locked = executable._run, executable._run_locked
        self._executable = executable
        self._address = ctypes.addressof(self._pointers)
        self._stride = max((array.shape[1] for array in self._arrays), default=1)
        self._names = names
        #: what code that calls `run` itself hands over: its address, the arrays, the frame
        self.addresses = executable.run_entry, self._address, self._frame.address

    def fits(self, arrays: Mapping[str, np.ndarray]) -> bool:
        """Whether these are the arrays that it is bound to."""
        return all(arrays[name] is mine for name, mine in zip(self._names, self._arrays))

    def __call__(self, begin: int, end: int, steps: int) -> None:
        """Advance the worlds begin..end; the interpreter lock is released unless it is one step of one."""
        function = self._locked if steps * (end - begin) == 1 else self._function
        function(self._address, begin, end, self._stride, steps, self._frame.address)


class Frame:
    """Scratch memory of one call, aligned for any vector, and views of its arrays."""

    def __init__(self, executable: Executable) -> None:
        layout, lanes = executable.layout, executable.lanes
        size = max(layout.slots, 1) * lanes
        memory = np.zeros(size + _ALIGNMENT, dtype=executable.precision)
        shift = -memory.ctypes.data % _ALIGNMENT // memory.itemsize
        self.memory = memory[shift : shift + size]
        self.address = self.memory.ctypes.data
        slots = self.memory.reshape(-1, lanes)
        self.inputs = [self._view(slots, layout, name, lanes) for name in layout.inputs]
        self.outputs = [self._view(slots, layout, name, lanes) for name in layout.outputs]

    def _view(self, slots: np.ndarray, layout: Layout, name: str, lanes: int) -> np.ndarray:
        start = layout.offset(name)
        size = layout.inputs.get(name, layout.outputs.get(name, 0))
        view = slots[start : start + size]
        return view[:, 0] if lanes == 1 else view
