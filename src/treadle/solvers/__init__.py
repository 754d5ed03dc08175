"""Ways to satisfy constraints, one per file."""
