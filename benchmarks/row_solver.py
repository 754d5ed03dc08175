"""How the solver of rows converges, and what it costs, against other methods on the same tables.

1. Tables of towers, walls, arches, mass ratios and random contacts (`treadle.bench.row_problems`),
   and, with `--scenes`, of simulated scenes. For each method: share solved to 1e-8 m/s, without and with a
   warm start (impulses that are off by 1 %), mean iterations, and CPU time.
2. Towers against a whole step of MuJoCo in the same scene, CPU time.

Methods: `newton` (semi-smooth Newton steps alone), `interior` (interior point alone), `proximal` (proximal
point method alone), `both` (what solve_rows
does), `sweeps` (projected Gauss-Seidel with subspace solves, 150 sweeps), and `admm` (ADMM on the dense
Delassus matrix with De Saxce's shift and an adapted penalty, 500 iterations, in NumPy: no time to compare).

python benchmarks/row_solver.py [--json] [--quick] [--only NAME] [--scenes]
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from treadle.bench.row_problems import arch, random_contacts, tower, wall
from treadle.solvers.row_solver import PAIR, SECOND, impulses_to_places, residuals, solve_rows
from treadle.solvers.row_solver.solve import BOTH, INTERIOR, NEWTON, PROXIMAL
from treadle.solvers.row_solver.table import empty_table
from treadle.solvers.sequential import TOGETHER, empty_rows, prepare, solve

TOLERANCE = 1e-8
BUDGET = 200
SHARED = (
    "first", "loops", "place", "y", "kind", "normal", "share", "velocity", "slowest", "fastest", "low",
    "high", "softness", "impulse",
)  # fmt: skip


def cases(quick):
    """Groups of tables by name."""
    count = 40 if quick else 200
    groups = {f"tower {n}": [tower(n, step) for step in (0.001, 0.01)] for n in (1, 2, 5, 10, 20, 50)}
    groups["mass ratios"] = [tower(3, 0.01, [1.0, 10.0**k, 1.0]) for k in range(-6, 7)]
    groups["heavier upwards"] = [tower(8, 0.01, [2.0**k for k in range(8)])]
    groups["arches"] = [arch(n, t) for n in (7, 15, 31) for t in (0.12, 0.2)]
    groups["walls"] = [wall(n, n) for n in ((3, 5) if quick else (3, 5, 10))]
    groups["random, rigid"] = [random_contacts(k, 1 + k % 12, 2 + k % 40) for k in range(count)]
    groups["random, 6 decades"] = [random_contacts(k, 1 + k % 12, 2 + k % 40, 6.0) for k in range(count)]
    groups["random, soft"] = [random_contacts(k, 1 + k % 12, 2 + k % 40, 2.0, 1.0) for k in range(count)]
    return groups


def scenes():
    """Tables of the last substep of simulated scenes, by what a simulation keeps of them."""
    import treadle as td

    groups = {}
    for n in (4, 10):
        spec = td.ModelSpec(f"pile of {n}")
        spec.add_shape("floor", None, "plane", role="collision")
        rng = np.random.default_rng(n)
        for k in range(n):
            spec.add_body(f"b{k}", mass=1.0, type="box", size=(0.2, 0.15, 0.1))
            angle = rng.uniform(-3, 3)
            turn = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
            spec.add_joint(
                f"j{k}",
                "free",
                None,
                f"b{k}",
                position=(0.05 * rng.normal(), 0, 0.2 + 0.3 * k),
                rotation=turn,
            )
            spec.add_shape(f"s{k}", f"b{k}", "box", (0.2, 0.15, 0.1), role="collision")
        sim = td.Simulation(spec.compile(), dt=0.005)
        tables = []
        for _ in range(30):
            sim.step(10)
            tables.append(_copied(sim._touching()._stage.rows, int(sim._touching()._solver.solver.task[1])))
        groups[f"pile of {n}"] = [table for table in tables if len(table.kind)]
    return groups


def _copied(rows, count):
    table = empty_table(count, int(rows.first[count]), int(rows.places[0]))
    for name in SHARED:
        values = getattr(table, name)
        values[:] = getattr(rows, name)[: len(values)]
    return table


def run_rows(table, way):
    z = np.zeros(table.places[0])
    before = time.process_time()
    taken, left = solve_rows(table, len(table.kind), z, table.residual, BUDGET, TOLERANCE, way)
    return taken, left, time.process_time() - before


def run_sweeps(table):
    count = len(table.kind)
    rows = empty_rows(count, len(table.y), int(table.places[0]), 128)
    for name in SHARED:
        getattr(rows, name)[:] = getattr(table, name)
    z = np.zeros(table.places[0])
    before = time.process_time()
    prepare(rows, count, z)
    taken, _ = solve(rows, count, z, 150, 0.0, 1e-11, TOGETHER)
    taken_time = time.process_time() - before
    table.impulse[:] = rows.impulse
    impulses_to_places(table, count, z)
    return taken, residuals(table, count, z, table.residual), taken_time


def run_admm(table, limit=500):
    """ADMM: x solves (A + R + rho) x = ..., s is x in its cone, and rho balances both residuals."""
    count = len(table.kind)
    Y = np.zeros((count, table.places[0]))
    for i in range(count):
        for e in range(table.first[i], table.first[i + 1]):
            Y[i, table.place[e]] += table.y[e]
    unit = np.where(table.normal >= 0, np.where(table.share > 0.0, table.share, 1.0), 1.0)
    A = (Y @ Y.T + np.diag(table.softness)) * np.outer(unit, unit)
    b = np.where(np.isfinite(table.slowest), table.velocity - table.slowest, 0.0) * unit
    s, y, z = table.impulse / unit, np.zeros(count), np.zeros(table.places[0])
    rho = float(np.sqrt(np.trace(A) / count * max(np.linalg.eigvalsh(A)[0], 1e-6)))
    before, left = time.process_time(), np.inf
    factor = cho_factor(A + rho * np.eye(count))
    for taken in range(1, limit + 1):
        shift = np.zeros(count)
        u = A @ s + b
        for i in range(count):
            if table.kind[i] == PAIR:
                shift[table.normal[i]] += np.hypot(u[i], u[i + 1])
            elif table.normal[i] >= 0 and table.kind[i] != SECOND:
                shift[table.normal[i]] += abs(u[i])
        x = cho_solve(factor, -(b + shift) + rho * s - y)
        old, s = s, _in_cones(table, x + y / rho)
        y = y + rho * (x - s)
        if not np.isfinite(s).all():
            break
        table.impulse[:] = s * unit
        if taken % 10 == 0:
            impulses_to_places(table, count, z)
            left = min(left, residuals(table, count, z, table.residual))
            if left <= TOLERANCE:
                break
            primal, dual = np.linalg.norm(x - s), np.linalg.norm(rho * (s - old))
            if primal > 10 * dual / rho or dual / rho > 10 * primal:
                rho *= 3.0 if primal > dual / rho else 1.0 / 3.0
                factor = cho_factor(A + rho * np.eye(count))
    return taken, left, time.process_time() - before


def _in_cones(table, w):
    """The nearest impulses of all cones |q_k| <= p, round and with one normal each."""
    s = np.zeros_like(w)
    groups = {}
    for i in range(len(w)):
        if table.kind[i] == PAIR:
            groups[table.normal[i]].append([i, i + 1])
        elif table.normal[i] >= 0 and table.kind[i] != SECOND:
            groups[table.normal[i]].append([i])
        elif table.normal[i] < 0:
            groups[i] = []
    for n, cones in groups.items():
        lengths = [np.linalg.norm(w[c]) for c in cones]
        total, parts = w[n], 1
        for length in sorted(lengths, reverse=True):
            if length > total / parts:
                total, parts = total + length, parts + 1
        s[n] = max(total / parts, 0.0)
        for c, length in zip(cones, lengths, strict=True):
            s[c] = w[c] if length <= s[n] else w[c] * (s[n] / length)
    return s


METHODS = {
    "newton": lambda table: run_rows(table, NEWTON),
    "interior": lambda table: run_rows(table, INTERIOR),
    "proximal": lambda table: run_rows(table, PROXIMAL),
    "both": lambda table: run_rows(table, BOTH),
    "sweeps": run_sweeps,
    "admm": run_admm,
}


def measure(groups, methods, report):
    """One record per group and method, each reported as soon as it is there."""
    rng = np.random.default_rng(0)
    rows = []
    for name, tables in groups.items():
        answers = []
        for table in tables:
            table.impulse[:] = 0.0
            run_rows(table, BOTH)
            answers.append(table.impulse.copy())
        for method in methods:
            run = METHODS[method]
            if method == "admm":
                chosen = [k for k, table in enumerate(tables) if len(table.kind) <= 130][:4]
            else:
                chosen = list(range(len(tables)))
            record = {"group": name, "method": method, "tables": len(chosen)}
            for start in ("cold", "warm"):
                solved, iterations, cost = 0, [], []
                for k in chosen:
                    best = np.inf
                    noise = 1.0 + 0.01 * rng.standard_normal(len(answers[k]))
                    for _ in range(1 if method == "admm" else 3):
                        tables[k].impulse[:] = 0.0 if start == "cold" else answers[k] * noise
                        taken, left, seconds = run(tables[k])
                        best = min(best, seconds)
                    solved, iterations, cost = (
                        solved + (left <= TOLERANCE),
                        [*iterations, taken],
                        [*cost, best],
                    )
                if chosen:
                    record[f"{start}_solved"] = round(solved / len(chosen), 4)
                    record[f"{start}_iterations"] = round(float(np.mean(iterations)), 1)
                    record[f"{start}_us"] = round(1e6 * float(np.mean(cost)), 1)
            rows.append(record)
            report(record)
    return rows


def against_mujoco():
    """Towers: CPU time of a solve, without and with a warm start and at rest, and of a step of MuJoCo."""
    import mujoco

    rows = []
    for n in (10, 20, 50):
        boxes = "".join(
            f'<body pos="0 0 {0.5 + k}"><freejoint/>'
            '<geom type="box" size=".5 .5 .5" mass="1" friction=".5"/></body>'
            for k in range(n)
        )
        text = (
            '<mujoco><option timestep=".005" cone="elliptic"/><worldbody>'
            f'<geom type="plane" size="9 9 1"/>{boxes}</worldbody></mujoco>'
        )
        model = mujoco.MjModel.from_xml_string(text)
        data, peer = mujoco.MjData(model), np.inf
        for _ in range(10):
            before = time.process_time()
            mujoco.mj_step(model, data, 20)
            peer = min(peer, (time.process_time() - before) / 20)
        table = tower(n)
        run_rows(table, BOTH)
        answer, rng = table.impulse.copy(), np.random.default_rng(n)
        for start, off in (("cold", None), ("warm", 0.01), ("at rest", 0.0)):
            best = np.inf
            for _ in range(50):
                noise = 0.0 if off is None else answer * (1.0 + off * rng.standard_normal(len(answer)))
                table.impulse[:] = noise
                taken, left, seconds = run_rows(table, BOTH)
                best = min(best, seconds)
            rows.append(
                {"group": f"tower {n}", "start": start, "us": round(1e6 * best, 1), "left": float(left),
                 "iterations": taken, "peer": "mujoco step", "peer_us": round(1e6 * peer, 1),
                 "ratio": round(peer / best, 3)}
            )  # fmt: skip
    return rows


def _print_record(row):
    if row["tables"]:
        print(
            f"{row['group']:20s} {row['method']:9s} {row['tables']:4d} "
            f"{row['cold_solved']:14.3f} {row['cold_iterations']:6.1f} {row['cold_us']:9.1f} "
            f"{row['warm_solved']:12.3f} {row['warm_iterations']:6.1f} {row['warm_us']:9.1f}",
            flush=True,
        )


def _ignore(row):
    pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="groups whose names contain this")
    parser.add_argument("--scenes", action="store_true", help="simulated scenes, too")
    options = parser.parse_args()
    groups = cases(options.quick) | (scenes() if options.scenes else {})
    if not options.json:
        print(
            f"{'tables':20s} {'method':9s} {'n':>4s}   cold: solved  its      us   warm: solved  its      us"
        )
    rows = measure(groups, METHODS, _ignore if options.json else _print_record)
    peers = against_mujoco()
    both = [row for row in rows if row["method"] == "both"]
    checks = [
        {"name": f"{row['group']}, {start}: share solved", "value": row[f"{start}_solved"], "limit": 1.0,
         "holds": row[f"{start}_solved"] == 1.0}
        for row in both
        for start in ("cold", "warm")
    ] + [
        {"name": f"{row['group']}, {row['start']}: MuJoCo's step by the solve", "value": row["ratio"],
         "limit": 1.0, "holds": row["ratio"] >= 1.0}
        for row in peers
    ]  # fmt: skip
    if options.json:
        print(json.dumps({"rows": rows + peers, "checks": checks}))
        return
    for row in peers:
        ours = f"{row['group']:10s} {row['start']:8s} {row['us']:8.1f} us"
        print(f"{ours}, MuJoCo's step {row['peer_us']:8.1f} us")
    missed = [check for check in checks if not check["holds"]]
    print(f"{len(checks) - len(missed)} of {len(checks)} checks hold")
    for check in missed:
        print(f"  not: {check['name']} {check['value']} (limit {check['limit']})")


if __name__ == "__main__":
    main()
