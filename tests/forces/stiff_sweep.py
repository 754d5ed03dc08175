"""Stiff elements on random machines with the default integrator: none may diverge, or gain energy.

    python -m tests.forces.stiff_sweep [--seeds 2] [--contact]

Every kind of element x stiffness x damping x step x machine: free bodies, chains, branches, a loop; with
`--contact` over a floor. The energy may swing by what symplectic Euler lets it, half the phase of a step.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

import treadle as td

MACHINES = ("free", "pair", "chain", "branch", "loop")
KINDS = ("spring", "tension", "torsion_spring", "bushing", "tendon", "joints")
STIFFNESSES, DAMPINGS, STEPS = (3e2, 3e4), (0.0, 1e-3), (1e-3, 5e-3, 1e-2)

#: Seconds of a run, pieces of it, and the share of the energy by which the last third may be above the first.
SECONDS, PIECES, GROWTH = 0.6, 30, 0.15


class Case(NamedTuple):
    """One run."""

    machine: str
    kind: str
    stiffness: float
    damping: float
    dt: float
    seed: int


def machine(case: Case, rng: np.random.Generator) -> tuple[td.ModelSpec, tuple[str | None, str]]:
    """A machine, and the bodies that the element is between."""
    spec = td.ModelSpec(case.machine)
    if case.machine == "loop":
        return _loop(spec), ("base", "coupler") if case.seed % 2 else (None, "left")
    joints = ("free", "revolute", "ball", "revolute", "universal")
    parents = {"free": (), "pair": (None,), "chain": (0, 1, 2, 3), "branch": (0, 0, 1, 2)}[case.machine]
    for k, parent in enumerate((None, *parents)):
        kind = "free" if parent is None else joints[k]
        center, inertia = rng.uniform(-0.1, 0.1, 3), 0.02 * rng.uniform(1.0, 1.8, 3)
        spec.add_body(f"b{k}", rng.uniform(0.5, 2.0), center=tuple(center), inertia=tuple(inertia))
        turns = {"axis": tuple(rng.standard_normal(3))} if kind == "revolute" else {}
        place = (0.5 * k, 0.0, 1.0) if parent is None else tuple(rng.uniform(-0.3, 0.3, 3))
        spec.add_joint(
            f"j{k}", kind, None if parent is None else f"b{parent}", f"b{k}", position=place, **turns
        )
    last = len(spec.bodies) - 1
    first = {"free": None, "branch": f"b{last - 1}"}.get(case.machine, "b0")
    return spec, (first, f"b{last}")


def _loop(spec: td.ModelSpec) -> td.ModelSpec:
    """A four-bar on a free base."""
    spec.add_body("base", 2.0, inertia=(0.2, 0.2, 0.2))
    spec.add_joint("free", "free", None, "base", position=(0, 0, 1.5))
    for name, x in (("left", -0.5), ("right", 0.5)):
        spec.add_body(name, 1.0, center=(0, 0, -0.25), inertia=(0.05, 0.05, 0.01))
        spec.add_joint(name, "revolute", "base", name, axis=(0, 1, 0), position=(x, 0, 0))
    spec.add_body("coupler", 2.0, center=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2))
    spec.add_joint("pin", "revolute", "left", "coupler", axis=(0, 1, 0), position=(0, 0, -0.5))
    pin = {"position": (0, 0, -0.5), "child_position": (1, 0, 0)}
    spec.add_joint("close", "revolute", "right", "coupler", axis=(0, 1, 0), **pin)
    return spec


def attach(spec: td.ModelSpec, ends: tuple[str | None, str], case: Case, rng: np.random.Generator) -> None:
    """The element, away from its rest."""
    k, d = case.stiffness, case.damping * case.stiffness
    points = [tuple(point) for point in rng.uniform(-0.2, 0.2, (2, 3)).tolist()]
    length, angle = float(rng.uniform(0.1, 1.0)), float(rng.uniform(-0.9, 0.9))
    match case.kind:
        case "spring" | "tension":
            acts = "tension" if case.kind == "tension" else "both"
            spec.add_spring("tie", *ends, *points, stiffness=k, damping=d, length=length, acts=acts)
        case "torsion_spring":
            axis = tuple(rng.standard_normal(3))
            spec.add_element("tie", case.kind, ends, axis=axis, stiffness=k, damping=d, angle=angle)
        case "bushing":
            root = rng.standard_normal((6, 6))
            S = root @ root.T / 6.0
            spec.add_element("tie", case.kind, ends, stiffness=(k * S).tolist(), damping=(d * S).tolist())
        case "tendon":
            tendon = spec.add_tendon("tie", stiffness=k, damping=d, length=length)
            tendon.through(ends[0], points[0]).through(ends[1], points[1])
        case "joints":
            for joint in spec.joints:
                if joint.type == "revolute" and joint.name != "close":
                    joint.stiffness, joint.damping = k, d


def growth(case: Case, contact: bool) -> float:
    """How far the energy of the last third of a run is above that of the first, by that at the start."""
    number = [MACHINES.index(case.machine), KINDS.index(case.kind), round(np.log10(case.stiffness))]
    rng = np.random.default_rng([case.seed, *number])
    spec, ends = machine(case, rng)
    attach(spec, ends, case, rng)
    if contact:
        spec.add_material("floor", friction=0.4)
        spec.add_shape("floor", None, "plane", role="collision", material="floor")
        for body in spec.bodies:
            spec.add_shape(
                f"ball {body.name}", body.name, "sphere", (0.08,), role="collision", material="floor"
            )
    model = spec.compile()
    sim = td.Simulation(model, dt=case.dt, v=rng.uniform(-0.3, 0.3, model.nv))
    first, energies = sim.quality()["energy"], []
    lowest = td.potential_energy(model, sim.q)
    try:
        for _ in range(PIECES):
            sim.step(max(1, round(SECONDS / case.dt / PIECES)))
            energies.append(sim.quality()["energy"])
    except td.SimulationDiverged:
        return np.inf
    third = PIECES // 3
    return (max(energies[-third:]) - max(first, *energies[:third])) / (abs(first - lowest) + 5.0)


def cases(seeds: int) -> Iterator[Case]:
    """All of them; machines without turning joints have no joint springs."""
    for found in product(MACHINES, KINDS, STIFFNESSES, DAMPINGS, STEPS, range(seeds)):
        case = Case(*found)
        if case.kind != "joints" or case.machine not in ("free", "pair"):
            yield case


def main() -> None:
    """Print the runs that gain energy, and how many of each kind do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--contact", action="store_true")
    given = parser.parse_args()
    runs: Counter[tuple[str, str]] = Counter()
    bad: Counter[tuple[str, str]] = Counter()
    for case in cases(given.seeds):
        gained = growth(case, given.contact)
        runs[case.machine, case.kind] += 1
        if not gained < GROWTH:
            bad[case.machine, case.kind] += 1
            print(*case, "diverged" if gained == np.inf else f"gains {gained:.2g} of its energy", flush=True)
    for key, count in runs.items():
        print(*key, f"{bad[key]} of {count}")


if __name__ == "__main__":
    main()
