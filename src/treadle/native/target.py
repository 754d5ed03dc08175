"""Object files for any processor that LLVM knows, with functions that C calls."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from treadle.errors import InputError
from treadle.native.layout import Layout
from treadle.native.program import Program, twin_slots

__all__ = ["Target", "copies", "object_file", "program_ir"]

#: What `emit` names, once in every program.
_NAMES = re.compile(r"@(body|chunk\d+|constants|table\d+)\b")

#: Functions of the C library that a processor without such instructions needs.
_LIBRARY = re.compile(r"\b(fma|floor|sqrt|memcpy|memset)(?:@PLT)?\s*$", re.MULTILINE)


class Target(NamedTuple):
    """A processor: an LLVM triple such as "aarch64-linux-gnu", None for this computer, and a name of a CPU.

    An empty name is the oldest CPU of its kind, "host" this computer's own.
    """

    triple: str | None = None
    cpu: str = ""

    def machine(self) -> Any:
        """LLVM's code generator for it; InputError if there is none."""
        import llvmlite.binding as llvm

        _initialize()
        own = self.triple is None
        try:
            target = llvm.Target.from_triple(llvm.get_process_triple() if own else self.triple)
        except RuntimeError as error:
            raise InputError(
                f"LLVM has no target {self.triple!r} ({error}); use a triple such as aarch64-linux-gnu, "
                "x86_64-linux-gnu, armv7-linux-gnueabihf, riscv64-linux-gnu"
            ) from None
        cpu, features = self.cpu, ""
        if cpu == "host" or (own and not cpu):
            if not own and self.triple != llvm.get_process_triple():
                raise InputError(
                    f"the processor of this computer is not one of {self.triple!r}: name another cpu"
                )
            cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        settings = {"cpu": cpu, "features": features, "opt": 1, "reloc": "pic", "codemodel": "small"}
        if not self.cpu or features:
            return target.create_target_machine(**settings)
        with _standard_error() as said:
            machine = target.create_target_machine(**settings)
            unknown = "not a recognized processor" in said()
        if unknown:
            raise InputError(
                f"LLVM has no processor {cpu!r} for {target.triple}; clang --target={target.triple} "
                "--print-supported-cpus lists those that it has"
            )
        return machine


def object_file(ir: str, target: Target) -> tuple[bytes, tuple[str, ...]]:
    """Machine code of an IR module as an object file, and the functions of the C library that it calls."""
    import llvmlite.binding as llvm

    machine = target.machine()
    module = llvm.parse_assembly(ir)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    called = sorted(set(_LIBRARY.findall(machine.emit_assembly(module))))
    return machine.emit_object(module), tuple(called)


def program_ir(name: str, program: Program) -> tuple[str, Layout, set[str]]:
    """IR of a program whose names begin with `name`, its layout, and what it declares.

    The one function to call from outside is `void NAME_body(double *frame)`.
    """
    from treadle.native.emit import emit

    graph, outputs = program.trace()
    ir, layout = emit(
        graph,
        program.inputs,
        outputs,
        program.carry,
        1,
        twin_slots(program),
        drivers=False,
        aside=program.aside,
    )
    graph.release()
    lines = ir.splitlines()
    declared = {line for line in lines if line.startswith("declare ")}
    text = "\n".join(line for line in lines if line not in declared)
    text = _NAMES.sub(rf"@{name}_\1", text)
    text = text.replace(f"define void @{name}_body", f"define internal void @{name}_body")
    text = text.replace(f"@{name}_constants = global", f"@{name}_constants = internal constant")
    return text, layout, declared


@contextmanager
def _standard_error() -> Iterator[Callable[[], str]]:
    """Take what native code prints there inside the block: LLVM reports a wrong processor in no other way."""
    with tempfile.TemporaryFile() as file:

        def said() -> str:
            file.seek(0)
            return file.read().decode(errors="replace")

        kept = os.dup(2)
        try:
            os.dup2(file.fileno(), 2)
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@cache
def _initialize() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def copies(pairs: Sequence[tuple[str, str, int]]) -> list[str]:
    """IR that copies so many doubles from one pointer to another, for each of the pairs; block by block."""
    lines: list[str] = []
    for n, (source, destination, count) in enumerate(pairs):
        lines += [
            f"  br label %copy{n}.start",
            f"copy{n}.start:",
            f"  br label %copy{n}",
            f"copy{n}:",
            f"  %i{n} = phi i64 [ 0, %copy{n}.start ], [ %j{n}, %copy{n}.more ]",
            f"  %end{n} = icmp eq i64 %i{n}, {count}",
            f"  br i1 %end{n}, label %copy{n}.done, label %copy{n}.more",
            f"copy{n}.more:",
            f"  %from{n} = getelementptr double, ptr {source}, i64 %i{n}",
            f"  %to{n} = getelementptr double, ptr {destination}, i64 %i{n}",
            f"  %x{n} = load double, ptr %from{n}, align 8",
            f"  store double %x{n}, ptr %to{n}, align 8",
            f"  %j{n} = add i64 %i{n}, 1",
            f"  br label %copy{n}",
            f"copy{n}.done:",
        ]
    return lines
