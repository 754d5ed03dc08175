"""What the force balance of wheels does: its line search, and its unknowns against those of the contacts.

1. Operations and time of one Newton system in the velocities of the machine, in those of the contacts with
   A = J M^-1 J^T, and in as many of these as are independent; and of making A, once a step. What chooses
   the independent ones in every step is not counted.
2. Rounds of Newton's method on a drive over hills, those whose step was halved, those whose accepted step
   misses the slope condition |phi'(s)| <= 0.9 |phi'(0)|, and the rounds with a strong-Wolfe line search.

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
    """Counts halved rounds and misses of the slope condition in the higher digits of the rounds."""

    def one_round(self, values):
        first, second = len(self.v), len(self.v) + len(self.closure)
        third = second + len(self.bounds)
        at = force_balance._Iterate(values[:first], values[first:second], values[second:third])
        full = self._newton_iterate(at)
        whole, before = self._cost(full)[0], self._cost(at)[0]
        new, again = super().one_round(values)
        # the share of the step, from the largest of its components
        change = sum(((b - a) * (b - a) for a, b in zip(at.w, full.w, strict=True)), 0.0)
        went = sum(((b - a) * (c - a) for a, b, c in zip(at.w, full.w, new, strict=False)), 0.0)
        share = where(whole > before, went / change, 1.0)
        missed = abs(slope(self, at, full, share)) > 0.9 * 2.0 * before
        new[-2] = new[-2] + where(whole > before, BASE, 0.0) + where(missed, BASE * BASE, 0.0)
        return new, again


class Wolfe(force_balance._Problem):
    """A strong-Wolfe line search by bisection, between nothing and twice Newton's step."""

    def one_round(self, values):
        first, second = len(self.v), len(self.v) + len(self.closure)
        third = second + len(self.bounds)
        at = force_balance._Iterate(values[:first], values[first:second], values[second:third])
        full = self._newton_iterate(at)
        before, _ = self._cost(at)

        def judged(share, low, high):
            cost, kept = self._cost(at.towards(full, share))
            rise = slope(self, at, full, share)
            long = (cost > before * (1.0 - 2e-4 * share)) | (rise > 1.8 * before)
            short = rise < -1.8 * before
            low, high = where(long, low, where(short, share, low)), where(long, share, high)
            return [share, low, high, cost, *kept], long | short

        def searched(trial):
            return judged(0.5 * (trial[1] + trial[2]), trial[1], trial[2])

        trial, again = judged(1.0, 0.0, 2.0)
        share, _, _, after, *kept = iterate(searched, trial, force_balance._HALVINGS, when=again)
        new = at.towards(full, share)
        enough = force_balance.TOLERANCE * self.dt
        return [*new.w, *new.y, *new.p, *kept, values[-2] + 1.0, after], after > enough * enough


def slope(problem, at, full, share):
    """Derivative of the cost along a step."""
    ahead, behind = (problem._cost(at.towards(full, share + d))[0] for d in (1e-5, -1e-5))
    return (ahead - behind) * 0.5e5


def count_rounds(name: str, dt: float) -> list[int]:
    """Steps, rounds, halved rounds, misses, and steps without end, of a drive to and fro."""
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
            halved, rounds = divmod(rest, BASE)
            total += [1, int(rounds), int(halved), int(missed), int(rounds >= 20)]
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
            D = [[D_in[3 * (c + a) + b] for b in range(3)] for a in range(3)]
            force_balance._add_products(K, rows, D)
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
    for _ in range(5):
        started = time.perf_counter()
        run(0, 1, 20_000)
        best = min(best, time.perf_counter() - started)
    count = len(graph.operation) - graph.input_count - len(graph.constants)
    return count, best / 20_000 * 1e6


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
    print("\n                                     halving                            strong Wolfe")
    print("drive over hills   steps   rounds   halved   missed   no end      rounds   no end")
    for name in SCENES:
        for dt in (0.01, 0.04):
            steps, rounds, halved, missed, endless = counted(Counted, name, dt)
            _, wolfe, _, _, lost = counted(Wolfe, name, dt)
            print(
                f"{name:10s} {dt:.2f} s {steps:6d} {rounds:8d} {halved:8d} {missed:8d} {endless:8d} "
                f"{wolfe:11d} {lost:8d}"
            )


def counted(problem: type, name: str, dt: float) -> list[int]:
    """What a drive takes with another line search; its machine code belongs in no lasting store."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TREADLE_CACHE"] = folder
        force_balance._Problem = problem
        return count_rounds(name, dt)


if __name__ == "__main__":
    main()
