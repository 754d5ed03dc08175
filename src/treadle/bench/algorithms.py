"""The two algorithms of forward dynamics by each other: composite inertias, and articulated bodies."""

from __future__ import annotations

import numpy as np

from treadle.bench.machines import Machine
from treadle.bench.peers import difference
from treadle.bench.race import Contestant, Effort, race
from treadle.bench.results import Outcome, Rival, Row, compare
from treadle.dynamics.aba import aba
from treadle.dynamics.forward import by_composite_inertia
from treadle.dynamics.regroup import regroup
from treadle.model.identical_subtrees import subtree_inputs
from treadle.native.program import Program, compile_program

__all__ = ["measure_algorithms"]

#: Evaluations per timed call.
_EVALUATIONS = 200

_ALGORITHMS = {"composite": by_composite_inertia, "articulated": aba}


def measure_algorithms(machine: Machine, effort: Effort) -> Outcome:
    """One evaluation of each on one world; the ratio is the articulated bodies' time by the composite's."""
    model = machine.model()
    grouped = regroup(model)
    sizes = {"q": model.nq, "v": model.nv, "tau": model.nv}
    arrays = {name: values.reshape(-1, 1) for name, values in zip(sizes, machine.state(), strict=True)}
    contestants, results, lengths = {}, {}, {}
    for name, algorithm in _ALGORITHMS.items():
        program = Program(
            f"benchmark {name} {model.digest}",
            sizes,
            lambda q, v, tau, algorithm=algorithm: {"acceleration": algorithm(grouped, q, v, tau)},
            twins=subtree_inputs(model, sizes),
        )
        graph, _ = program.trace()
        lengths[name] = len(graph)
        results[name] = np.empty((model.nv, 1))
        run = compile_program(program).runner({**arrays, "acceleration": results[name]})
        # the program carries nothing from step to step: it computes the same again and again
        contestants[name] = Contestant(lambda run=run: run(0, 1, _EVALUATIONS))
    best = {name: time / _EVALUATIONS * 1e6 for name, time in race(contestants, effort.seconds).items()}
    row = Row("algorithms", machine.name, model.nv, "composite inertia", "µs", best["composite"])
    detail = f"{lengths['composite']} and {lengths['articulated']} operations"
    agreement = difference(results["articulated"], results["composite"])
    rival = Rival("articulated bodies", best["articulated"], agreement, detail)
    return compare(row, rival, "articulated bodies")
