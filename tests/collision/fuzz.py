"""Contact points of random pairs of shapes in nearly degenerate poses, judged by their support functions.

    python -m tests.collision.fuzz [--count 1000000] [--first 0] [--seed 0] [--pairs box-box,box-hull]
                                   [--keep] [--json]

A case is named by its seed, its pair and its number: runs over other numbers (`--first`) add to earlier ones.
With `--keep` wrong cases are added to those that the tests try again (`fuzz_found.npz`).
See `fuzz_cases` for what is drawn and `fuzz_oracle` for what is checked.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.collision.fuzz_cases import CHUNK, PAIRS, Cases, Hulls, drawn, hulls_of, mesh_of
from tests.collision.fuzz_oracle import CHECKS, errors_of
from treadle.collision.kinds import HULL, KIND
from treadle.collision.mesh import Mesh

#: Cases that were wrong once.
FOUND = Path(__file__).with_name("fuzz_found.npz")

#: Wrong cases of a pair that are named, and cases between lines about the progress.
MOST_NAMED, SHOWN = 20, 10 * CHUNK


def chunks(first: int, count: int) -> Iterator[tuple[int, int]]:
    """The numbers of cases, as the first and the count of each chunk."""
    start = first
    while start < first + count:
        stop = min(CHUNK * (start // CHUNK + 1), first + count)
        yield start, stop - start
        start = stop


def scan(
    seed: int, names: tuple[str, str], first: int, count: int, kept=False, shown=False
) -> dict[str, Any]:
    """Check the cases of a pair: how many are wrong, which, and the largest errors."""
    wrong, named, spent = 0, [], 0.0
    largest = np.zeros(len(CHECKS))
    for start, length in chunks(first, count):
        cases, hulls = drawn(seed, names, start, length)
        began = time.process_time()
        errors = errors_of(cases, hulls)
        spent += time.process_time() - began
        largest = np.maximum(largest, errors.max(axis=0))
        bad = np.flatnonzero(~(errors <= 1.0).all(axis=1))
        wrong += len(bad)
        bad = bad[: MOST_NAMED - len(named)]
        named += [(start + int(i), _said(errors[i])) for i in bad]
        if kept and len(bad):
            keep(cases, hulls, bad)
        done = start + length - first
        if shown and done % SHOWN == 0:
            print(f"{'-'.join(names):20s} {done} of {count}, {wrong} wrong", file=sys.stderr, flush=True)
    return {
        "pair": "-".join(names), "seed": seed, "first": first, "cases": count, "wrong": wrong,
        "us_per_case": 1e6 * spent / count, "errors": dict(zip(CHECKS, largest.tolist())), "named": named,
    }  # fmt: skip


def _said(errors: np.ndarray) -> str:
    """What is wrong with a case, by how many times the error allowed."""
    return ", ".join(f"{name} {error:.3g}" for name, error in zip(CHECKS, errors) if not error <= 1.0)


def found() -> tuple[Cases, Hulls]:
    """The cases that were wrong once."""
    file = np.load(FOUND)
    ends = zip(file["points_end"], file["triangles_end"])
    meshes, p, t = [], 0, 0
    for p_end, t_end in ends:
        meshes.append(Mesh(file["points"][p:p_end], file["triangles"][t:t_end], np.zeros(3), True, True))
        p, t = p_end, t_end
    return Cases(*(file[name] for name in Cases._fields)), hulls_of(meshes)


def keep(cases: Cases, hulls: Hulls, chosen: np.ndarray) -> None:
    """Add cases to those that were wrong once."""
    old, known = found()
    new = Cases(*(array[chosen] for array in cases))
    meshes = [mesh_of(known, h) for h in range(len(known.starts) - 1)]
    for i, j in np.argwhere(new.rows[:, :, KIND] == HULL):
        meshes.append(mesh_of(hulls, new.hull[i, j]))
        new.hull[i, j] = len(meshes) - 1
    write(Cases(*(np.concatenate(both) for both in zip(old, new))), meshes)


def write(cases: Cases, meshes: list[Mesh]) -> None:
    """Write the cases that were wrong once."""
    np.savez_compressed(
        FOUND, **cases._asdict(),
        points=np.concatenate([mesh.points for mesh in meshes]),
        triangles=np.concatenate([mesh.triangles for mesh in meshes]),
        points_end=np.cumsum([len(mesh.points) for mesh in meshes]),
        triangles_end=np.cumsum([len(mesh.triangles) for mesh in meshes]),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=CHUNK, help="cases of every pair")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", default="", help="such as box-box,box-hull; all without")
    parser.add_argument("--keep", action="store_true", help="add wrong cases to fuzz_found.npz")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    chosen = [names for names in PAIRS if not given.pairs or "-".join(names) in given.pairs.split(",")]
    if given.count < 1 or given.first < 0 or not chosen:
        parser.error(
            f"--count is at least 1, --first at least 0, and pairs are {' '.join(map('-'.join, PAIRS))}"
        )
    rows = []
    for names in chosen:
        rows.append(row := scan(given.seed, names, given.first, given.count, given.keep, shown=True))
        worst = max(row["errors"], key=row["errors"].get)
        print(
            f"{row['pair']:20s} {row['cases']} cases, {row['wrong']} wrong, {row['us_per_case']:.1f} us, "
            f"largest error {row['errors'][worst]:.2g} of that allowed ({worst})",
            *(f"  case {k}: {said}" for k, said in row["named"]),
            sep="\n", file=sys.stderr if given.json else sys.stdout, flush=True,
        )  # fmt: skip
    checks = [
        {"name": f"wrong points, {row['pair']}, {row['cases']} cases", "value": row["wrong"], "limit": 0,
         "holds": row["wrong"] == 0}
        for row in rows
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    sys.exit(any(not check["holds"] for check in checks))


if __name__ == "__main__":
    main()
