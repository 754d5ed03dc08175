"""Compile without the disk cache, so that a test sees the code that is made now."""

from collections.abc import Mapping, Sequence

import numpy as np

from treadle.graph import Graph, Scalar
from treadle.native.compiler import load_object, object_code
from treadle.native.emit import emit
from treadle.native.executable import Executable
from treadle.native.program import Program
from treadle.native.schedule import Twin

__all__ = ["build", "build_program", "columns", "identical", "twin_slots"]


def build(
    graph: Graph,
    inputs: Mapping[str, int],
    outputs: Mapping[str, Sequence[Scalar]],
    carry: Mapping[str, str] | None = None,
    lanes: int = 1,
    twins: Mapping[int, Twin] | None = None,
) -> Executable:
    ir, layout = emit(graph, inputs, outputs, carry or {}, lanes, twins)
    return Executable(load_object(object_code(ir)), layout, lanes)


def build_program(program: Program, lanes: int = 1, packed: bool = True) -> Executable:
    """The program's code, with limbs packed or not."""
    graph, outputs = program.trace()
    twins = twin_slots(program) if packed else None
    return build(graph, program.inputs, outputs, program.carry, lanes, twins)


def twin_slots(program: Program) -> dict[int, Twin]:
    """The program's twins by the number of the input."""
    every = [
        twin for name, size in program.inputs.items() for twin in (program.twins.get(name) or [None] * size)
    ]
    return {k: twin for k, twin in enumerate(every) if twin is not None}


def columns(
    executable: Executable, values: Mapping[str, np.ndarray], steps: int = 1
) -> dict[str, np.ndarray]:
    """Run over all columns of the inputs (rows, worlds); outputs are prefilled to show what was written."""
    worlds = next(iter(values.values())).shape[1]
    arrays = {name: np.array(x, dtype=float, order="C") for name, x in values.items()}
    for name, size in executable.layout.outputs.items():
        arrays[name] = np.full((size, worlds), np.inf)
    executable.run(arrays, 0, worlds, steps)
    return {name: arrays[name] for name in executable.layout.outputs}


def identical(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same bits."""
    a, b = np.ascontiguousarray(a, dtype=float), np.ascontiguousarray(b, dtype=float)
    return a.shape == b.shape and bool((a.view(np.int64) == b.view(np.int64)).all())
