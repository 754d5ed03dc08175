"""LLVM: IR text to machine code for this computer, and machine code back into the process."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import llvmlite.binding as llvm

__all__ = ["INLINED", "load_object", "object_code", "target_name", "vector_lanes"]

#: Attribute of functions that become part of their callers.
INLINED = "alwaysinline"


def object_code(ir: str, quick: bool = False) -> bytes:
    """Machine code of an IR module, as a relocatable object.

    With `quick` it is made about five times sooner and runs about 1.7 times slower. Functions that say so are
    inlined, and memory of their callers that nobody else sees becomes registers.
    """
    _initialize()
    machine, module = _target_machine(0 if quick else 1), llvm.parse_assembly(ir)
    if f" {INLINED} " in ir:
        passes = llvm.create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        passes.add_sroa_pass()
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return machine.emit_object(module)


def load_object(code: bytes, constants: bytes = b"") -> Any:
    """An execution engine that holds the object; keep it alive as long as its functions are used.

    `constants` are written over those that the object was made with.
    """
    _initialize()
    # one contiguous reservation keeps constants within reach of the small code model
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine(), use_lmm=True)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    if constants:
        ctypes.memmove(engine.get_global_value_address("constants"), constants, len(constants))
    return engine


@cache
def target_name() -> str:
    """The processor and compiler that code is made for, as part of cache keys."""
    _initialize()
    version = ".".join(str(x) for x in llvm.llvm_version_info)
    features = llvm.get_host_cpu_features().flatten()
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features} LLVM {version}"


@cache
def vector_lanes() -> int:
    """Float64 values in one vector register of this processor."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx") else 2


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine(level: int = 1) -> llvm.TargetMachine:
    """A new one each time: an execution engine takes ownership of its own."""
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="small",
    )
