"""Collision detection: which shapes touch, where, how deep, when, and what a ray hits.

Kernels are Numba functions over arrays (`collide`), so that a compiled step can call them; the functions
with names in place of indices are in `queries`. Nothing here is imported before it is asked for.
"""
