"""Constraints: what keeps a machine from moving as its tree could, one kind per file."""
