"""Programs: computations with named arrays, traced once and compiled per number of lanes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from treadle import store
from treadle.graph import Expr, Graph, Scalar
from treadle.native.executable import Executable
from treadle.native.layout import Layout
from treadle.native.schedule import Twin

__all__ = ["Program", "compile_program", "default_lanes"]


#: A graph and its named outputs.
Traced = tuple[Graph, dict[str, list[Scalar]]]

#: Lines of IR above which a program that is not hot is compiled quickly.
_LONG = 40_000

_ELEMENTS = {"float64": "double", "float32": "float"}


@dataclass(frozen=True)
class Program:
    """A computation to compile.

    `function(**inputs)` gets one list of scalars per named input and returns named lists. `digest`
    says what the function computes: two programs with one digest must have the same graph; None leaves
    that to a hash of the graph itself. `carry` names outputs that become inputs when the program is run
    for several steps. Inputs and outputs have different names.
    """

    digest: str | None
    inputs: Mapping[str, int]
    function: Callable[..., Mapping[str, Sequence[Scalar]]]
    carry: Mapping[str, str] = field(default_factory=dict)
    #: of each input array, which elements belong to limbs of one kind (see `schedule`)
    twins: Mapping[str, Sequence[Twin | None]] = field(default_factory=dict)
    #: whether it runs so often that the best code is worth any time to make it
    hot: bool = True

    def trace(self) -> Traced:
        """The graph and its named outputs."""
        graph = Graph()
        arguments: dict[str, list[Expr]] = {name: graph.inputs(n) for name, n in self.inputs.items()}
        outputs = {name: list(values) for name, values in self.function(**arguments).items()}
        if both := outputs.keys() & self.inputs.keys():
            raise ValueError(f"a program's inputs and outputs need different names, not both {sorted(both)}")
        return graph, outputs


def compile_program(program: Program, lanes: int = 1, precision: str = "float64") -> Executable:
    """Machine code of a program, from the disk cache where it was compiled before.

    `precision` is the type of all its arrays, float64 or float32.
    """
    from treadle.native import compiler

    traced = None if program.digest is not None else program.trace()
    meaning = program.digest if traced is None else _graph_digest(*traced)
    arrays = dict(program.inputs), dict(program.carry)
    key = [meaning, lanes, precision, compiler.target_name(), store.source_digest(), arrays]
    digest = hashlib.sha256(repr(key).encode()).hexdigest()
    stored = store.read("code", digest)
    if stored is None:
        stored = _compile(program, traced or program.trace(), lanes, precision)
        store.write("code", digest, stored)
    size = int.from_bytes(stored[:8], "little")
    layout = Layout(**json.loads(stored[8 : 8 + size]))
    return Executable(compiler.load_object(stored[8 + size :]), layout, lanes, precision)


def _compile(program: Program, traced: Traced, lanes: int, precision: str) -> bytes:
    """Layout (JSON, with its length before it) and object code."""
    from treadle.native import compiler
    from treadle.native.emit import emit

    graph, outputs = traced
    element = _ELEMENTS[precision]
    ir, layout = emit(graph, program.inputs, outputs, program.carry, lanes, _twin_slots(program), element)
    header = json.dumps(asdict(layout)).encode()
    quick = not program.hot and ir.count("\n") > _LONG
    return len(header).to_bytes(8, "little") + header + compiler.object_code(ir, quick)


def _graph_digest(graph: Graph, outputs: Mapping[str, Sequence[Scalar]]) -> str:
    """Hash of everything that the code of a graph depends on."""
    results = {name: [graph.lift(x).index for x in values] for name, values in outputs.items()}
    tables = [hashlib.sha256(np.array(values).tobytes()).hexdigest() for values in graph.tables]
    whole = (graph.operation, graph.operands, graph.constants, tables, graph.loops, results)
    return hashlib.sha256(repr(whole).encode()).hexdigest()


def _twin_slots(program: Program) -> dict[int, Twin]:
    """The twins by the number of the input."""
    slots: dict[int, Twin] = {}
    position = 0
    for name, size in program.inputs.items():
        for k, twin in enumerate(program.twins.get(name, ())):
            if twin is not None:
                slots[position + k] = twin
        position += size
    return slots


def default_lanes(precision: str = "float64") -> int:
    """Worlds that one vector register of this processor holds."""
    from treadle.native import compiler

    return compiler.vector_lanes() * (1 if precision == "float64" else 2)
