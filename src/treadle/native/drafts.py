"""Numba's compiler without what a function that is only called by kernels does not need.

Numba optimizes every function together with all that it calls and makes machine code of it, each time anew on
the way up from a helper to the kernel that Python calls. A draft is left as it is: it is optimized once, as
part of the kernels that call it. Passes over closures, `with` and array expressions, which kernels over
pointers do not have, are left out. Importing this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    TranslateByteCode,
)
from numba.np import arrayobj

__all__ = ["DraftCompiler", "KernelCompiler"]

_BEFORE = (
    (TranslateByteCode, "analyzing bytecode"),
    (FixupArgs, "fix up args"),
    (IRProcessing, "processing IR"),
    (GenericRewrites, "rewrites"),
    (ReconstructSSA, "single assignment"),
    (NopythonTypeInference, "type inference"),
    (PreLowerStripPhis, "remove phi nodes"),
    (IRLegalization, "legal form"),
    (AnnotateTypes, "annotate types"),
)


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Compiles a kernel that has an address."""

    lowering: Any = NativeLowering

    def define_pipelines(self) -> list[PassManager]:
        """The one pipeline."""
        manager = PassManager("kernel")
        for item, name in _BEFORE:
            manager.add_pass(item, name)
        manager.add_pass(self.lowering, "lowering")
        manager.add_pass(NoPythonBackend, "backend")
        manager.finalize()
        return [manager]


class _DraftLibrary(JITCodeLibrary):
    """Code that is linked into kernels, but not run by itself."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module whose functions are inlined rather than called where LLVM weighs the two."""
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("inlinehint")
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@contextmanager
def _counted_from_the_start() -> Iterator[None]:
    """Take indices as they are: kernels never count from the end of an array, which costs a comparison."""
    usual = arrayobj.fix_integer_index

    def plain(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = plain
    try:
        yield
    finally:
        arrayobj.fix_integer_index = usual


@register_pass(mutates_CFG=True, analysis_only=False)
class _DraftLowering(NativeLowering):
    """Lowers a function without making machine code of it."""

    _name = "draft_lowering"

    def run_pass(self, state: Any) -> Any:
        """Run this pass."""
        context = state.targetctx
        state.library = _DraftLibrary(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        with _counted_from_the_start():
            super().run_pass(state)
        lowered = state["cr"]
        # functions are told apart by their machine code: any builtin of its own stands for it
        key = [].append
        context.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class DraftCompiler(KernelCompiler):
    """Compiles a function that only kernels call."""

    lowering = _DraftLowering
