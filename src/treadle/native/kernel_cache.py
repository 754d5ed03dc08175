"""Machine code of kernels on disk, without Numba's own cache, which unpickles what it finds.

An entry of the store holds a JSON header, the object code and the bitcode of one compiled signature. The
header says how the function is called; types in it are those of `kernel_types`, and constants are not kept: a
kernel that holds Python objects is compiled again in every process. Importing this module imports Numba.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import platform
from collections.abc import Callable, Iterable
from typing import Any

import llvmlite
import numba
from numba.core import caching
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.typing.templates import Signature

from treadle import store
from treadle.native import progress
from treadle.native.effort import seconds
from treadle.native.kernel_types import Unwritable, read_type, written_type

__all__ = ["KernelCache"]

#: Slots of a function descriptor that are written as they are.
_PLAIN = ("modname", "qualname", "unique_name", "mangled_name", "env_name", "inline", "noalias", "uid")


class KernelCache(caching._Cache):  # type: ignore[misc]
    """The cache of one function, as Numba calls it; `digest` is that of the sources behind it."""

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._line = function.__code__.co_firstlineno
        self._digest = digest
        self._seconds = seconds(function)

    @property
    def cache_path(self) -> Any:
        """Where entries are (Numba shows it in its statistics)."""
        return str(store.folder() / "kernels")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None where it has to be compiled."""
        target_context.refresh()
        key = self._entry(sig, target_context.codegen())
        found = None if key is None else store.read("kernels", key)
        if found is None:
            progress.begin_kernel(self._name, self._seconds)
            return None
        return _unpacked(found, target_context)

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep a function that was compiled, if it can be."""
        progress.end_kernel()
        key = self._entry(sig, data.codegen)
        packed = None if key is None else _packed(data)
        if key is not None and packed is not None:
            store.write("kernels", key, packed)

    def enable(self) -> None:
        """Numba's interface; entries are always kept."""

    def disable(self) -> None:
        """Numba's interface; entries are always kept."""

    def flush(self) -> None:
        """Numba's interface; stale entries are never found."""

    def _entry(self, sig: Any, codegen: Any) -> str | None:
        """Name of the entry of a signature; None where it cannot be written."""
        try:
            arguments = [written_type(kind) for kind in (sig.args if isinstance(sig, Signature) else sig)]
        except Unwritable:
            return None
        versions = numba.__version__, llvmlite.__version__, platform.python_version()
        key = [self._digest, self._name, self._line, arguments, str(codegen.magic_tuple()), versions]
        return hashlib.sha256(json.dumps(key).encode()).hexdigest()


def _packed(result: CompileResult) -> bytes | None:
    """An entry, or None for a function that needs more than code."""
    environments = [result.environment, *result._find_referenced_environments()]
    if (
        result.objectmode
        or result.lifted
        or result.reload_init
        or result.library.has_dynamic_globals
        or any(each.consts for each in environments if each is not None)
    ):
        return None
    name, _, (code, bitcode) = result.library.serialize_using_object_code()
    described = result.fndesc
    try:
        header = {
            "library": name,
            "function": {key: getattr(described, key) for key in _PLAIN},
            "parameters": list(described.args),
            "tags": list(described.abi_tags),
            "arguments": [written_type(kind) for kind in described.argtypes],
            "result": written_type(described.restype),
            "signature": [written_type(kind) for kind in result.signature.args],
            "environments": [[each.env_name, each.globals["__name__"]] for each in environments[1:]],
            "sizes": [len(code), len(bitcode)],
        }
        text = json.dumps(header).encode()
    except (Unwritable, TypeError):
        return None
    return len(text).to_bytes(8, "little") + text + code + bitcode


def _unpacked(content: bytes, target_context: Any) -> CompileResult:
    size = int.from_bytes(content[:8], "little")
    header, body = json.loads(content[8 : 8 + size]), content[8 + size :]
    code, bitcode = body[: header["sizes"][0]], body[header["sizes"][0] :]
    described = _described(header)
    arguments = tuple(read_type(form) for form in header["signature"])
    return CompileResult._rebuild(
        target_context,
        libdata=(header["library"], "object", (code, bitcode)),
        fndesc=described,
        env=Environment.from_fndesc(described),
        signature=Signature(read_type(header["result"]), arguments, None),
        objectmode=False,
        lifted=(),
        typeann="",
        reload_init=(),
        referenced_envs=_environments(header["environments"]),
    )


def _described(header: dict[str, Any]) -> PythonFunctionDescriptor:
    function = header["function"]
    return PythonFunctionDescriptor(
        native=True,
        modname=function["modname"],
        qualname=function["qualname"],
        unique_name=function["unique_name"],
        doc="",
        typemap=None,
        restype=read_type(header["result"]),
        calltypes=None,
        args=tuple(header["parameters"]),
        kws=(),
        mangler=lambda *given, **more: function["mangled_name"],
        argtypes=tuple(read_type(form) for form in header["arguments"]),
        inline=function["inline"],
        noalias=function["noalias"],
        env_name=function["env_name"],
        abi_tags=tuple(header["tags"]),
        uid=function["uid"],
    )


def _environments(named: Iterable[tuple[str, str]]) -> tuple[Environment, ...]:
    """Environments of the functions inside a kernel, without constants."""
    found = []
    for name, module in named:
        environment = lookup_environment(name)
        if environment is None:
            environment = Environment(importlib.import_module(module).__dict__)
            environment.env_name = name
            Environment._memo[name] = environment
        found.append(environment)
    return tuple(found)
