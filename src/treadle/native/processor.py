"""The processor that entries are compiled for: a baseline that most have, so that a wheel serves them.

Code for the baseline is as fast as code for this very processor: kernels of contact follow pointers and
branch, and have little use for wider vectors.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import llvmlite.binding as llvm

__all__ = ["Processor", "this_processor"]

#: Features of x86-64-v3 (since 2013), by LLVM's names.
_X86_64_V3 = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1",
    "sse4.2", "ssse3", "xsave",
)  # fmt: skip


class Processor(NamedTuple):
    """What LLVM generates code for."""

    triple: str
    cpu: str
    features: str


@cache
def this_processor() -> Processor:
    """The baseline of this computer's architecture if its processor has all of it, else this processor."""
    triple, features = llvm.get_process_triple(), llvm.get_host_cpu_features()
    architecture = triple.partition("-")[0]
    if architecture == "x86_64" and all(features.get(name) for name in _X86_64_V3):
        return Processor(triple, "x86-64-v3", "")
    if architecture in ("aarch64", "arm64"):
        return Processor(triple, "generic", "")
    return Processor(triple, llvm.get_host_cpu_name(), features.flatten())
