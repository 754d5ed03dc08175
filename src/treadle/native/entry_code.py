"""Machine code of an entry: Numba's lowering of the function and all that it calls, optimized as one module.

What it takes from Numba's runtime, memory of arrays that a kernel makes, is defined in the module itself (see
`runtime`), so that it needs nothing but the C library. Importing this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import compiler, cpu, registry
from numba.core.codegen import AOTCodeLibrary, AOTCPUCodegen
from numba.core.compiler_lock import global_compiler_lock

from treadle.native.c_types import Signature, void
from treadle.native.drafts import DraftCompiler
from treadle.native.numba_types import numba_signature
from treadle.native.processor import Processor, this_processor
from treadle.native.runtime import C_LIBRARY, FAILED, PYTHON, RUNTIME

__all__ = ["entry_object"]

#: The name of the function that is called by its address.
_ENTRY = "entry"


class _Library(AOTCodeLibrary):
    """Code of which nothing is called from elsewhere but the entry."""

    def _optimize_final_module(self) -> None:
        functions = [each for each in self._final_module.functions if not each.is_declaration]
        if any(each.name == _ENTRY for each in functions):
            for each in functions:
                # what is called once becomes part of what calls it, and arguments are passed in registers
                each.linkage = "external" if each.name == _ENTRY else "internal"
        super()._optimize_final_module()


class _Codegen(AOTCPUCodegen):
    """Code for a processor of our choice."""

    _library_class = _Library

    def __init__(self, name: str, processor: Processor) -> None:
        self._processor = processor
        super().__init__(name, processor.cpu)

    def _customize_tm_features(self) -> Any:
        return self._processor.features


@global_compiler_lock
def entry_object(function: Callable[..., Any], signature: Signature) -> bytes:
    """An object file with the function `entry`."""
    target = registry.cpu_target
    context: Any = target.target_context
    typed = numba_signature(signature)
    flags = compiler.Flags()
    cpu.CPUTargetOptions.parse_as_flags(
        flags,
        {"nopython": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True},
    )
    lowered = compiler.compile_extra(
        target.typing_context,
        context,
        function,
        typed.args,
        typed.return_type,
        flags,
        {},
        pipeline_class=cast("Any", DraftCompiler),
    )
    codegen = _Codegen("entry", this_processor())
    library = codegen.create_library("entry")
    # comes first, so that it takes the place of Numba's own
    library.add_llvm_module(llvm.parse_assembly(RUNTIME))
    library.add_ir_module(_entry_module(context, lowered.fndesc, signature))
    library.add_linking_library(lowered.library)
    library.finalize()
    _require_nothing_else(function, library)
    return library.emit_native_object()


def _require_nothing_else(function: Callable[..., Any], library: Any) -> None:
    """Raise RuntimeError for a kernel that calls what only a process with Numba has."""
    called = {each.name for each in library._final_module.functions if each.is_declaration}
    foreign = sorted(name for name in called - C_LIBRARY - PYTHON if not name.startswith("llvm."))
    if foreign:
        raise RuntimeError(
            f"{function.__qualname__} calls {', '.join(foreign)}, which an entry cannot: write it as loops"
        )


def _entry_module(context: Any, described: Any, signature: Signature) -> ir.Module:
    """The function `entry`, with the signature of C."""
    module = context.create_module("entry")
    convention = context.call_conv
    called = ir.Function(
        module, convention.get_function_type(described.restype, described.argtypes), described.llvm_func_name
    )
    empty = signature.result == void
    result = ir.VoidType() if empty else context.get_value_type(described.restype)
    taken = [context.get_value_type(kind) for kind in described.argtypes]
    own = ir.Function(module, ir.FunctionType(result, taken), _ENTRY)
    builder = ir.IRBuilder(own.append_basic_block("entry"))
    status, value = convention.call_function(builder, called, described.restype, described.argtypes, own.args)
    with builder.if_then(status.is_error, likely=False):
        builder.call(ir.Function(module, ir.FunctionType(ir.VoidType(), []), FAILED), [])
    if empty:
        builder.ret_void()
    else:
        builder.ret(value)
    return module
