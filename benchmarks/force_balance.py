"""What the force balance of wheels does: its line search, and its unknowns against those of the contacts.

1. Operations and time of one Newton system in the velocities of the machine, in those of the contacts with
   A = J M^-1 J^T, and in as many of these as are independent; and of making A, once a step. What chooses
   the independent ones in every step is not counted.
2. Rounds of Newton's method on a drive over hills, those that took a line search, those without one that
   miss the slope condition |phi'(1)| <= 0.9 |phi'(0)|, and the rounds where steps are halved instead.

python benchmarks/force_balance.py
"""

from __future__ import annotations

import os
import tempfile
import time

import numpy as np

import treadle as td
from treadle.dynamics.crba import crba
from treadle.dynamics.lu import lu_factor, lu_solve
from treadle.graph import iterate, where
from treadle.native.program import Program, compile_program
from treadle.solvers import force_balance
from treadle.wheels.rolling import rolling_contacts

HILLS = td.random_grid((60, 60), 0.2, 0.25, 1.5, seed=5)
SCENES = ("rocky7", "landtamer")
BASE = 1e5


class Counted(force_balance._Problem):
    """Counts line searches, and misses of the slope condition without one, in higher digits of the rounds."""

    def one_round(self, values):
        first, second = len(self.v), len(self.v) + len(self.closure)
        third = second + len(self.bounds)
        at = force_balance._Iterate(values[:first], values[first:second], values[second:third])
        full, before = self._newton_iterate(at), values[-1]
        searched = self.cost(full)[0] > force_balance.SURE * before
        missed = abs(slope(self, at, full)) > 0.9 * 2.0 * before
        new, again = super().one_round(values)
        new[-2] = new[-2] + where(searched, BASE, where(missed, BASE * BASE, 0.0))
        return new, again


class Halving(force_balance._Problem):
    """Steps that do not bring the cost down are halved, whatever its slope."""

    def _searched(self, at, full, before, whole, kept):
        def halved(trial):
            share = 0.5 * trial[0]
            cost, kept = self.cost(at.towards(full, share))
            return [share, cost, *kept], cost > before * (1.0 - 1e-4 * share)

        share, after, *kept = iterate(halved, [1.0, whole, *kept], force_balance._TRIALS, when=whole > before)
        return share, after, kept


def slope(problem, at, full):
    """Derivative of the cost at the end of a whole step."""
    ahead, behind = (problem.cost(at.towards(full, 1.0 + d))[0] for d in (1e-5, -1e-5))
    return (ahead - behind) * 0.5e5


def count_rounds(name: str, dt: float) -> list[int]:
    """Steps, rounds, line searches, misses, and steps without end, of a drive to and fro."""
    model = td.scene(name)
    sim = td.Simulation(model, dt=dt, terrain=HILLS)
    total = np.zeros(5, int)
    for speed in (0.0, 4.0, -4.0, 0.0):
        for actuator in model.actuators:
            if actuator.joint in {wheel.joint for wheel in model.wheels}:
                sim.actuator(actuator.name).command = speed
        for _ in range(round(5.0 / dt)):
            before = sim.effort[0]
            sim.step()
            counts = sim.effort[0] - before
            missed, rest = divmod(counts, BASE * BASE)
            searched, rounds = divmod(rest, BASE)
            total += [1, int(rounds), int(searched), int(missed), int(rounds >= 20)]
    return total.tolist()


def system(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Inertia matrix and contact rows in any posture, of the freedoms that no ideal motor holds."""
    model = td.scene(name)
    start, v = model.initial()
    q = np.array(start) + np.random.default_rng(2).normal(0.0, 0.05, model.nq)
    q[:4] /= np.linalg.norm(q[:4])
    H = np.array(crba(model, q.tolist()), dtype=float)
    contacts = rolling_contacts(model, q.tolist(), list(v), td.Plane())
    rows = [row for contact in contacts for row in contact.rows[:3]]
    J = np.zeros((len(rows), model.nv))
    for i, row in enumerate(rows):
        for k, x in row.items():
            J[i, k] = float(x)
    held = {actuator.v for actuator in model.actuators if actuator.type.startswith("rigid")}
    free = [k for k in range(model.nv) if k not in held]
    return H[np.ix_(free, free)], J[:, free]


def machine_form(H: np.ndarray, J: np.ndarray) -> Program:
    """(H - h J^T D J) x = r."""
    n, m = H.shape[0], len(J)

    def solve(H_in, J_in, D_in, r):
        K = [[H_in[i * n + j] if H[i, j] else 0.0 for j in range(n)] for i in range(n)]
        for c in range(0, m, 3):
            rows = [{k: J_in[(c + a) * n + k] for k in range(n) if J[c + a, k]} for a in range(3)]
            for a in range(3):
                half = {}
                for b in range(3):
                    for k, x in rows[b].items():
                        half[k] = half.get(k, 0.0) + D_in[3 * (c + a) + b] * x
                for k, x in rows[a].items():
                    for j, y in half.items():
                        K[k][j] = K[k][j] + x * y
        return {"x": lu_solve(K, r)}

    return Program(None, {"H_in": n * n, "J_in": m * n, "D_in": 3 * m, "r": n}, solve)


def contact_form(J: np.ndarray) -> Program:
    """(1 - h A D) x = r with A = J M^-1 J^T, which is given."""
    m = len(J)

    def solve(A_in, D_in, r):
        K = []
        for i in range(m):
            row = []
            for j in range(m):
                c = j - j % 3
                total = sum((A_in[i * m + c + a] * D_in[3 * (c + a) + j % 3] for a in range(3)), 0.0)
                row.append(total + 1.0 if i == j else total)
            K.append(row)
        return {"x": lu_solve(K, r)}

    return Program(None, {"A_in": m * m, "D_in": 3 * m, "r": m}, solve)


def contact_matrix(H: np.ndarray, J: np.ndarray) -> Program:
    """A = J M^-1 J^T."""
    n, m = H.shape[0], len(J)

    def make(H_in, J_in, r):
        factors = lu_factor([[H_in[i * n + j] if H[i, j] else 0.0 for j in range(n)] for i in range(n)])
        rows = [{k: J_in[i * n + k] for k in range(n) if J[i, k]} for i in range(m)]
        A = []
        for i, row in enumerate(rows):
            half = factors.half_solved(row)
            y = factors.solved([half.get(k, 0.0) for k in range(n)])
            A += [sum((x * y[k] for k, x in other.items()), 0.0) for other in rows[: i + 1]]
        return {"x": A}

    return Program(None, {"H_in": n * n, "J_in": m * n, "r": 1}, make)


def measure(program: Program, given: dict[str, np.ndarray]) -> tuple[int, float]:
    """Operations in the graph, and microseconds per solution."""
    graph, outputs = program.trace()
    function = compile_program(program)
    arrays = {name: np.ascontiguousarray(x, dtype=float).reshape(-1, 1) for name, x in given.items()}
    arrays["x"] = np.zeros((len(outputs["x"]), 1))
    run = function.runner(arrays)
    best = np.inf
    for _ in range(1000):
        started = time.perf_counter()
        run(0, 1, 200)
        best = min(best, time.perf_counter() - started)
    count = len(graph.operation) - graph.input_count - len(graph.constants)
    return count, best / 200 * 1e6


def main() -> None:
    random = np.random.default_rng(1)
    print("one Newton system            unknowns  rank of A  operations  time/us")
    for name in SCENES:
        H, J = system(name)
        m = len(J)
        A = J @ np.linalg.inv(H) @ J.T
        D = np.tile(random.uniform(1.0, 2.0, (1, 9)) + 30.0 * np.eye(3).ravel(), (m // 3, 1))
        rank = np.linalg.matrix_rank(A)
        ours = measure(machine_form(H, J), {"H_in": H, "J_in": J, "D_in": D, "r": np.ones(len(H))})
        theirs, few = (
            measure(contact_form(J[:n]), {"A_in": A[:n, :n], "D_in": D[: n // 3], "r": np.ones(n)})
            for n in (m, int(rank))
        )
        making = measure(contact_matrix(H, J), {"H_in": H, "J_in": J, "r": np.ones(1)})
        print(f"{name:10s} machine {len(H):18d} {'':10s} {ours[0]:11d} {ours[1]:8.2f}")
        print(f"{name:10s} contacts {m:17d} {rank:10d} {theirs[0]:11d} {theirs[1]:8.2f}")
        print(f"{name:10s} independent {rank:14d} {rank:10d} {few[0]:11d} {few[1]:8.2f}")
        print(f"{name:10s} making A {'':28s} {making[0]:11d} {making[1]:8.2f}")
    print("\n                              strong Wolfe                               halving")
    print("drive over hills   steps   rounds searched   missed   no end      rounds   no end")
    for name in SCENES:
        for dt in (0.01, 0.04):
            steps, rounds, searched, missed, endless = counted(Counted, name, dt)
            _, halving, _, _, lost = counted(Halving, name, dt)
            print(
                f"{name:10s} {dt:.2f} s {steps:6d} {rounds:8d} {searched:8d} {missed:8d} {endless:8d} "
                f"{halving:11d} {lost:8d}"
            )


def counted(problem: type, name: str, dt: float) -> list[int]:
    """What a drive takes with another line search; its machine code belongs in no lasting store."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TREADLE_CACHE"] = folder
        force_balance._Problem = problem
        return count_rounds(name, dt)


if __name__ == "__main__":
    main()
