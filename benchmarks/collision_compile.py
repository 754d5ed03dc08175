"""Seconds of CPU to compile every kernel of collision detection from nothing.

python benchmarks/collision_compile.py
"""

from __future__ import annotations

import os
import tempfile
import time

os.environ["TREADLE_CACHE"] = tempfile.mkdtemp(prefix="treadle-compile-")

START = time.process_time()

from treadle.collision import kernels, narrowphase  # noqa: E402
from treadle.collision.kinds import BOX, CAPSULE, PLANE, SPHERE  # noqa: E402

COMMON = {PLANE, SPHERE, CAPSULE, BOX}


def main() -> None:
    common = [piece for kinds, piece in narrowphase.PAIRS.items() if set(kinds) <= COMMON]
    needed = [narrowphase.CALLED[place] for piece in common for place in piece.needs]
    first = [kernels.collide, *common, *needed]
    others = [*narrowphase.PAIRS.values(), *narrowphase.CALLED.values()]
    asked = [kernels.touch, kernels.least_distance, kernels.time_of_impact, kernels.cast_many]
    imported = time.process_time() - START
    start = time.process_time()
    sum(i for i in range(5_000_000))
    print(f"five million additions in Python, for comparison: {time.process_time() - start:.2f} s\n")
    print(f"{'import':20s} {imported:6.2f} s")
    done, total = [], imported
    for title, pieces in (("plane, sphere, capsule, box", first), ("all", [*others, *asked])):
        for piece in pieces:
            if piece not in done:
                start = time.process_time()
                _ = piece.address
                taken = time.process_time() - start
                total += taken
                done.append(piece)
                print(f"{piece.name:20s} {taken:6.2f} s")
        print(f"{title + ':':28s} {total:6.2f} s from nothing\n")


if __name__ == "__main__":
    main()
