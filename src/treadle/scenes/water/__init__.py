"""Machines in water: vehicles under it, and what floats on it."""
