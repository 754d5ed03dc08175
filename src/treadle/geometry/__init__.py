"""Geometry of machines in files: meshes, and components of a geometry file (.3dt)."""

__all__ = ["SUFFIXES"]

#: Endings of the mesh files that can be read.
SUFFIXES = (".stl", ".obj", ".dae", ".glb")
