"""Geometry of machines in files: meshes, and components of a geometry file (.3dt)."""
