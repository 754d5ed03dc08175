"""Compile all entries ahead: `python -m treadle.native.build_kernels` for the user's cache, or for a wheel.

With a folder as its argument the object files and their manifest are written there (see `packaged`), which is
what the build hook of the wheel does; without, those that the package or the cache does not have are compiled
and kept in the cache, as after an editable installation.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from time import process_time

from treadle.native import packaged
from treadle.native.effort import seconds
from treadle.native.entries import Entry, known_entries

__all__ = ["all_entries", "main"]

#: Modules that import all others with entries; strings, as they are above this package.
_HOMES = (
    "treadle.batch.control_kernel",
    "treadle.collision.kernels",
    "treadle.contact.soft",
    "treadle.sensors.chain",
    "treadle.sensors.rays.shading",
    "treadle.sim.step.advance",
    "treadle.sim.step.continued",
    "treadle.sim.step.many_bodies",
    "treadle.sim.step.substep",
    "treadle.sim.step.world_columns",
    "treadle.solvers.sequential.solver_abi",
)


def all_entries() -> dict[str, Entry]:
    """Every entry of Treadle, by its key."""
    for home in _HOMES:
        import_module(home)
    return {entry.key: entry for entry in known_entries() if entry.key is not None}


def main(arguments: list[str]) -> None:
    """Compile, with a line for each entry."""
    entries = all_entries()
    target = Path(arguments[0]) if arguments else None
    wanted = {key: entry for key, entry in entries.items() if target is not None or not entry.is_stored}
    total, done, files = sum(seconds(entry.function) for entry in wanted.values()), 0.0, {}
    for n, (key, entry) in enumerate(wanted.items(), start=1):
        share = f"{100 * done / total:3.0f} %"
        print(f"treadle: {share}, compiling {n} of {len(wanted)} kernels: {entry.name}", flush=True)
        files[key] = entry.object_code()
        done += seconds(entry.function)
    if target is not None:
        packaged.write(target, files)
    print(f"treadle: {len(wanted)} kernels compiled in {process_time():.0f} s, {len(entries)} there are")


if __name__ == "__main__":
    main(sys.argv[1:])
