"""Published experiments, each in a file that runs it again. A new one is its file and a line in STUDIES.

A study's description is the first sentence of its file.
"""

from __future__ import annotations

import sys

from treadle.errors import InputError
from treadle.model.model import suggest
from treadle.studies import (
    bouncing_ball,
    calibration,
    chain_scaling,
    fluid,
    landtamer_prediction,
    landtamer_ramp,
    largest_step,
    loops,
    roadheader_accuracy,
    roadheader_energy,
    roadheader_performance,
    rocky7_terrain,
    simbenchmark,
    simgc_table,
    singular,
    stabilization,
    wheel_models,
    work_precision,
)
from treadle.studies.study import Findings, Study

__all__ = ["STUDIES", "Findings", "Study", "description", "find_study"]

#: Functions that run a study, by name.
STUDIES: dict[str, Study] = {
    "bouncing-ball": bouncing_ball.run,
    "calibration": calibration.run,
    "chain-scaling": chain_scaling.run,
    "fluid": fluid.run,
    "landtamer-prediction": landtamer_prediction.run,
    "landtamer-ramp": landtamer_ramp.run,
    "largest-step": largest_step.run,
    "loops": loops.run,
    "roadheader-accuracy": roadheader_accuracy.run,
    "roadheader-energy": roadheader_energy.run,
    "roadheader-performance": roadheader_performance.run,
    "rocky7-terrain": rocky7_terrain.run,
    "simbenchmark": simbenchmark.run,
    "simgc-table": simgc_table.run,
    "singular": singular.run,
    "stabilization": stabilization.run,
    "wheel-models": wheel_models.run,
    "work-precision": work_precision.run,
}


def find_study(name: str) -> Study:
    """The study of this name."""
    if name not in STUDIES:
        raise InputError(f"there is no study named {name!r}; {suggest(name, list(STUDIES))}")
    return STUDIES[name]


def description(name: str) -> str:
    """What a study is about, in one line."""
    text = sys.modules[find_study(name).__module__].__doc__ or ""
    return " ".join(text.split("\n\n")[0].split()).rstrip(".")
