"""Graphs to machine code: the only place that knows LLVM."""
