"""Collision detection: broad phase, narrow phase, contact manifolds, time of impact and ray casts.

Kernels are Numba functions over arrays (`collide`), so that a compiled step can call them; queries by name
are in `queries`. Modules are imported on first use.
"""
