"""Programs: computations with named arrays, traced once and compiled per number of lanes."""

from __future__ import annotations

import gc
import hashlib
import json
import threading
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from treadle import store
from treadle.graph import Expr, Graph, Scalar
from treadle.native.executable import Executable
from treadle.native.layout import Layout

if TYPE_CHECKING:
    from treadle.native.schedule import Twin

__all__ = ["Program", "compile_program", "default_lanes", "twin_slots"]


#: A graph and its named outputs.
Traced = tuple[Graph, dict[str, list[Scalar]]]

#: Lines of IR above which a program that is not hot is compiled quickly.
_LONG = 40_000

#: Seconds that one operation of a program takes to compile.
_PER_OPERATION = 1e-4

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
    #: outputs that may not change the bits of the others, such as accounts
    aside: Sequence[str] = ()
    #: types of output arrays that are not those of the program, see `Layout`
    kinds: Mapping[str, str] = field(default_factory=dict)
    #: whether it runs so often that the best code is worth any time to make it
    hot: bool = True

    def trace(self) -> Traced:
        """The graph and its named outputs."""
        graph = Graph()
        arguments: dict[str, list[Expr]] = {name: graph.inputs(n) for name, n in self.inputs.items()}
        with _uncollected:
            outputs = {name: list(values) for name, values in self.function(**arguments).items()}
        if both := outputs.keys() & self.inputs.keys():
            raise ValueError(f"a program's inputs and outputs need different names, not both {sorted(both)}")
        return graph, outputs


class _Uncollected:
    """Without the garbage collector, which finds nothing among the many small objects of a graph."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tracing, self._before = 0, False

    def __enter__(self) -> None:
        with self._lock:
            if self._tracing == 0:
                self._before = gc.isenabled()
                gc.disable()
            self._tracing += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._tracing -= 1
            if self._tracing == 0 and self._before:
                gc.enable()


_uncollected = _Uncollected()


def compile_program(program: Program, lanes: int = 1, precision: str = "float64") -> Executable:
    """Machine code of a program, from the disk cache where it was compiled before.

    `precision` is the type of all its arrays, float64 or float32.
    """
    with _uncollected:
        from treadle.native import compiler

        traced = None if program.digest is not None else program.trace()
        meaning = program.digest if traced is None else _graph_digest(*traced)
        arrays = dict(program.inputs), dict(program.carry), dict(program.kinds)
        key = [meaning, lanes, precision, compiler.target_name(), store.source_digest(), arrays]
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        executable = _loaded.get(digest)
        if executable is None:
            found = _stored(digest)
            if found is None:
                traced = traced or program.trace()
                found = _made(program, traced, lanes, precision, digest)
            layout, code, constants = found
            executable = Executable(compiler.load_object(code, constants), layout, lanes, precision)
            _loaded[digest] = executable
        if traced is not None:
            traced[0].release()
        return executable


#: Programs of this process that are in use, by their digest.
_loaded: WeakValueDictionary[str, Executable] = WeakValueDictionary()


#: Layout and object code of a program, and its constants as bytes.
_Made = tuple[Layout, bytes, bytes]


def _stored(digest: str) -> _Made | None:
    """A program from the disk cache: its constants, and the digest of the code that reads them."""
    entry = store.read("constants", digest)
    code = None if entry is None else store.read("code", entry[:64].decode())
    if entry is None or code is None:
        return None
    layout, machine_code = _unpacked(code)
    constants = entry[64:]
    return (layout, machine_code, constants) if len(constants) == 8 * len(layout.pool) else None


def _made(program: Program, traced: Traced, lanes: int, precision: str, digest: str) -> _Made:
    """A program that was not there; its code may be, if it differs from another in its numbers alone."""
    from treadle.native import compiler, progress
    from treadle.native.emit import is_pooled

    graph = traced[0]
    outputs = {name: [graph.lift(x) for x in values] for name, values in traced[1].items()}
    element = _ELEMENTS[precision]
    plain = {i: None if is_pooled(x, lanes, element) else x for i, x in graph.constants.items()}
    twins, arrays = (
        sorted(twin_slots(program).items()),
        (dict(program.inputs), dict(program.carry), list(program.aside), dict(program.kinds)),
    )
    environment = lanes, precision, compiler.target_name(), store.source_digest(), program.hot
    key = [_graph_digest(graph, outputs, plain), list(outputs), twins, arrays, environment]
    shape = hashlib.sha256(repr(key).encode()).hexdigest()
    code = store.read("code", shape)
    if code is None:
        size = len(graph.operation)
        with progress.compiling(f"a program of {size} operations", size * _PER_OPERATION):
            code = _compile(program, traced, lanes, precision)
        store.write("code", shape, code)
    layout, machine_code = _unpacked(code)
    constants = np.array([graph.constants[i] for i in layout.pool], dtype=float).tobytes()
    store.write("constants", digest, shape.encode() + constants)
    return layout, machine_code, constants


def _unpacked(code: bytes) -> tuple[Layout, bytes]:
    size = int.from_bytes(code[:8], "little")
    return Layout(**json.loads(code[8 : 8 + size])), code[8 + size :]


def _compile(program: Program, traced: Traced, lanes: int, precision: str) -> bytes:
    """Layout (JSON, with its length before it) and object code."""
    from treadle.native import compiler
    from treadle.native.emit import emit

    graph, outputs = traced
    element = _ELEMENTS[precision]
    ir, layout = emit(
        graph,
        program.inputs,
        outputs,
        program.carry,
        lanes,
        twin_slots(program),
        element,
        aside=program.aside,
        kinds=program.kinds,
    )
    header = json.dumps(asdict(layout)).encode()
    quick = not program.hot and ir.count("\n") > _LONG
    return len(header).to_bytes(8, "little") + header + compiler.object_code(ir, quick)


def _graph_digest(
    graph: Graph, outputs: Mapping[str, Sequence[Scalar]], constants: Mapping[int, float | None] | None = None
) -> str:
    """Hash of everything that the code of a graph depends on; `constants` in place of its own."""
    results = {name: [graph.lift(x).index for x in values] for name, values in outputs.items()}
    tables = [hashlib.sha256(np.array(values).tobytes()).hexdigest() for values in graph.tables]
    given = graph.constants if constants is None else constants
    total = hashlib.sha256(repr((given, tables, graph.loops, graph.limbs, results)).encode())
    # as bytes what there is most of: a text of all numbers takes several times as long
    total.update(" ".join(graph.operation).encode())
    total.update(bytes(map(len, graph.operands)))
    total.update(array("q", chain.from_iterable(graph.operands)).tobytes())
    return total.hexdigest()


def twin_slots(program: Program) -> dict[int, Twin]:
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
