"""Evaluation of one expression graph over many states on one thread, against heyoka."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.bench.heyoka_graph import to_heyoka
from treadle.bench.machines import Machine
from treadle.bench.peers import MissingPeer, difference, peer, peer_name
from treadle.bench.race import Contestant, Effort, race
from treadle.bench.results import Outcome, Rival, Row, compare
from treadle.dynamics.forward import forward_dynamics
from treadle.model.identical_subtrees import subtree_inputs
from treadle.native.program import Program, compile_program, default_lanes

__all__ = ["measure_evaluation"]

#: How many times faster than heyoka an evaluation has to be.
LIMITS = {"ur5": 1.0, "panda": 1.0}

#: Enough for the calls themselves not to count.
WORLDS = 4096


def measure_evaluation(machine: Machine, effort: Effort) -> Outcome:
    """Forward dynamics by Treadle's code and by a heyoka `cfunc` made from the same graph."""
    model = machine.model()
    sizes = {"q": model.nq, "v": model.nv, "tau": model.nv}
    program = Program(
        f"benchmark evaluation {model.digest}",
        sizes,
        lambda q, v, tau: {"acceleration": forward_dynamics(model, q, v, tau)},
        twins=subtree_inputs(model, sizes),
    )
    lanes = default_lanes()
    executable = compile_program(program, lanes)
    # rows a multiple of 4 KiB apart would all fall into one set of the cache, on both sides
    states = _states(machine, WORLDS + 8)
    parts = np.split(states, np.cumsum([model.nq, model.nv]))
    arrays = dict(zip(sizes, parts, strict=True))
    arrays["acceleration"] = np.empty((model.nv, states.shape[1]))
    worlds = states.shape[1]

    run = executable.runner(arrays)
    contestants = {"treadle": Contestant(lambda: run(0, worlds, 1))}
    run(0, worlds, 1)
    expected, agreement, missing = arrays["acceleration"].copy(), 0.0, ""
    try:
        heyoka = peer("heyoka")
        # it would use all cores for large arrays
        threads = heyoka.get_nthreads()
        heyoka.set_nthreads(1)
        try:
            for name, function in _functions(heyoka, program).items():
                result = np.empty_like(expected)
                contestants[name] = Contestant(
                    lambda function=function, result=result: function(states, outputs=result)
                )
                function(states, outputs=result)
                agreement = max(agreement, difference(result, expected))
            best = race(contestants, effort.seconds)
        finally:
            heyoka.set_nthreads(threads)
    except MissingPeer as error:
        missing, best = str(error), race(contestants, effort.seconds)

    cost = {name: seconds / worlds * 1e6 for name, seconds in best.items()}
    row = Row("evaluation", machine.name, model.nv, "evaluation", "µs per world", cost.pop("treadle"))
    fastest = min(cost, key=lambda name: cost[name], default="")
    rival = missing or Rival(peer_name("heyoka"), cost[fastest], agreement, fastest)
    return compare(row, rival, "heyoka", LIMITS.get(machine.name))


def _states(machine: Machine, worlds: int) -> np.ndarray:
    """Random positions, velocities and joint forces, a column per world."""
    model, random = machine.model(), np.random.default_rng(3)
    # straight-line code takes as long for any numbers, so that some positions may come again
    few = [[x for joint in model.joints for x in joint.type.sample(random)] for _ in range(64)]
    q = np.array(few).T[:, np.arange(worlds) % 64]
    return np.concatenate([q, random.standard_normal((2 * model.nv, worlds))])


def _functions(heyoka: Any, program: Program) -> dict[str, Any]:
    """heyoka's compiled function at its best settings, of which the faster depends on the machine."""
    graph, outputs = program.trace()
    variables, expressions = to_heyoka(graph, outputs["acceleration"])
    width = heyoka.recommended_simd_size(float)
    functions = {}
    for lanes in {width, max(1, width // 2)}:
        functions[f"fast_math, batch_size={lanes}"] = heyoka.cfunc(
            expressions, variables, fast_math=True, compact_mode=False, force_avx512=True, batch_size=lanes
        )
    return functions
