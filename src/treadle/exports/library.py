"""An exported machine as a library for any processor that LLVM knows."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from treadle.errors import InputError
from treadle.exports.header import header
from treadle.exports.machine import ExportedMachine
from treadle.native.layout import Layout
from treadle.native.target import Target, copies, object_file, program_ir

__all__ = ["archive", "linked", "machine_object", "shared_library", "symbols"]


def machine_object(machine: ExportedMachine, target: Target) -> tuple[str, bytes]:
    """Text of the header, and an object file with all functions."""
    name, step = machine.name, machine.step
    text, layout, declared = program_ir(f"{name}_step", step)
    parts = [text, _initialize(machine, layout), _step(machine, layout)]
    for key, program in machine.functions.items():
        text, own, more = program_ir(f"{name}_{key}", program)
        declared |= more
        parts += [text, _function(f"{name}_{key}", own)]
    code, needs = object_file("\n".join([*sorted(declared), *parts, ""]), target)
    return header(machine, layout, needs), code


def symbols(machine: ExportedMachine) -> list[str]:
    """Names of the functions."""
    return [f"{machine.name}_{key}" for key in ("initialize", "step", *machine.functions)]


def archive(code: bytes, symbols: Sequence[str]) -> bytes:
    """A static library (ar) of one object file, with the index of its symbols that linkers look into."""
    names = b"".join(name.encode() + b"\0" for name in symbols)
    names += b"\0" if len(names) % 2 else b""
    # offsets of the member behind the index, in big-endian order
    size = 4 + 4 * len(symbols) + len(names)
    offset = len(_MAGIC) + _HEADER + size
    index = b"".join(n.to_bytes(4, "big") for n in (len(symbols), *[offset] * len(symbols))) + names
    return _MAGIC + _member("/", index) + _member("machine.o/", code)


#: First bytes of a static library, and the size of a member's header.
_MAGIC, _HEADER = b"!<arch>\n", 60


def _member(name: str, content: bytes) -> bytes:
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
    return head.encode() + content + (b"\n" if len(content) % 2 else b"")


def shared_library(code: bytes, compiler: str | None = None) -> bytes:
    """The object linked into a shared library of this computer; InputError without a linker."""
    return linked({"machine.o": code}, compiler)


def linked(files: Mapping[str, bytes], compiler: str | None = None) -> bytes:
    """C files and objects as a shared library of this computer; headers among them are found."""
    found = compiler or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        raise InputError("this export needs a C compiler, and there is none; install gcc or clang")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        given = [str(folder / file) for file in files if file.endswith((".c", ".o"))]
        command = [found, "-std=c99", "-O2", "-fPIC", "-shared", "-o", str(folder / "library"), *given, "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"{found} cannot compile the library: {' '.join(done.stderr.split())[:300]}")
        return (folder / "library").read_bytes()


def _initialize(machine: ExportedMachine, layout: Layout) -> str:
    """`initialize`: the arrays of the start, and zeros behind them."""
    values = [x for name in layout.inputs for x in machine.start[name]]
    numbers = ", ".join(f"double {_literal(x)}" for x in values)
    name, count = machine.name, len(values)
    rest = layout.slots - count
    lines = [
        f"@{name}_start = internal constant [{count} x double] [{numbers}]",
        f"@{name}_zero = internal constant [{max(rest, 1)} x double] zeroinitializer",
        f"define void @{name}_initialize(ptr %frame) {{",
        "entry:",
        f"  %rest = getelementptr double, ptr %frame, i64 {count}",
        *copies([(f"@{name}_start", "%frame", count), (f"@{name}_zero", "%rest", rest)]),
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _step(machine: ExportedMachine, layout: Layout) -> str:
    """`step`: the body, what is carried over, and whether it was taken."""
    name = machine.name
    lines = [
        f"define i32 @{name}_step(ptr %frame) {{",
        "entry:",
        f"  call void @{name}_step_body(ptr %frame)",
    ]
    pairs = []
    for k, (source, target) in enumerate(layout.carry.items()):
        lines += [
            f"  %a{k} = getelementptr double, ptr %frame, i64 {layout.offset(source)}",
            f"  %b{k} = getelementptr double, ptr %frame, i64 {layout.offset(target)}",
        ]
        pairs.append((f"%a{k}", f"%b{k}", layout.inputs[target]))
    lines += [
        *copies(pairs),
        f"  %where = getelementptr double, ptr %frame, i64 {layout.offset('alive')}",
        "  %alive = load double, ptr %where, align 8",
        "  %ended = fcmp une double %alive, 1.0",
        "  %code = zext i1 %ended to i32",
        "  ret i32 %code",
        "}",
    ]
    return "\n".join(lines)


def _function(name: str, layout: Layout) -> str:
    """A function of the dynamics, whose frame is on the stack."""
    given = ", ".join(f"ptr %{key}" for key in layout.inputs)
    lines = [
        f"define void @{name}({given}, ptr %result) {{",
        "entry:",
        f"  %frame = alloca [{layout.slots} x double], align 64",
    ]
    pairs = []
    for key, count in layout.inputs.items():
        lines.append(f"  %to.{key} = getelementptr double, ptr %frame, i64 {layout.offset(key)}")
        pairs.append((f"%{key}", f"%to.{key}", count))
    lines += copies(pairs)
    lines += [
        f"  call void @{name}_body(ptr %frame)",
        f"  %from = getelementptr double, ptr %frame, i64 {layout.offset('result')}",
        *[line.replace("copy0", "out").replace("%i0", "%k").replace("%j0", "%l").replace("%end0", "%stop")
          .replace("%from0", "%out.from").replace("%to0", "%out.to").replace("%x0", "%out.x")
          for line in copies([("%from", "%result", layout.outputs["result"])])],
        "  ret void",
        "}",
    ]  # fmt: skip
    return "\n".join(lines)


def _literal(value: float) -> str:
    import struct

    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
