"""Machines on wheels, one per file."""
