"""Cranes for Treadle: an example of a package that adds to all of its registries."""
