"""Algorithms of rigid-body dynamics, one per file, over a generic scalar."""
