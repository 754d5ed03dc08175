"""Ways to satisfy constraints, one per file."""

__all__ = ["SOLVERS"]

#: Ways to find the forces of loops and of bounded rows, by name (see `impulses`).
SOLVERS = {
    "direct": "loops by elimination, bounded rows by an active set",
    "simgc": "loops and bounded rows by sequential impulses, until none changes any more",
}
