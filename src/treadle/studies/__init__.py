"""Published experiments, each in a file that runs it again. A new one is its file and a line in STUDIES.

A study's description is the first sentence of its file.
"""

from __future__ import annotations

import sys
from functools import partial
from inspect import signature

from treadle.errors import InputError
from treadle.model.model import suggest
from treadle.studies import (
    bouncing_ball,
    calibration,
    chain_scaling,
    closed_energy,
    cluster,
    fluid,
    gauntlet,
    gps_campus,
    grinding,
    landtamer_prediction,
    landtamer_ramp,
    largest_step,
    loops,
    mpi,
    overconstrained,
    planning,
    ray_sensors,
    roadheader_accuracy,
    roadheader_energy,
    roadheader_performance,
    rock_cutting,
    rocky7_terrain,
    sensors,
    simbenchmark,
    simgc_table,
    singular,
    stabilization,
    wheel_models,
    work_precision,
)
from treadle.studies.study import Findings, Study

__all__ = ["STUDIES", "Findings", "Study", "description", "find_study", "find_study_parts"]

#: Functions that run a study, by name.
STUDIES: dict[str, Study] = {
    "bouncing-ball": bouncing_ball.run,
    "calibration": calibration.run,
    "chain-scaling": chain_scaling.run,
    "closed-energy": closed_energy.run,
    "cluster": cluster.run,
    "contact-gauntlet": gauntlet.run,
    "fluid": fluid.run,
    "gps-campus": gps_campus.run,
    "grinding": grinding.run,
    "landtamer-prediction": landtamer_prediction.run,
    "landtamer-ramp": landtamer_ramp.run,
    "largest-step": largest_step.run,
    "loops": loops.run,
    "mpi": mpi.run,
    "overconstrained": overconstrained.run,
    "planning": planning.run,
    "ray-sensors": ray_sensors.run,
    "roadheader-accuracy": roadheader_accuracy.run,
    "roadheader-energy": roadheader_energy.run,
    "roadheader-performance": roadheader_performance.run,
    "rock-cutting": rock_cutting.run,
    "rocky7-terrain": rocky7_terrain.run,
    "sensors": sensors.run,
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


def find_study_parts(name: str, only: list[str] | None, seed: int | None) -> Study:
    """The study of this name, of which only some parts run, with a seed; InputError where it has none."""
    study = find_study(name)
    given = {key: value for key, value in (("only", only), ("seed", seed)) if value is not None}
    if not given:
        return study
    for key in given:
        if key not in signature(study).parameters:
            raise InputError(f"the study {name!r} runs as a whole: leave out --{key}")
    return partial(study, **given)


def description(name: str) -> str:
    """What a study is about, in one line."""
    text = sys.modules[find_study(name).__module__].__doc__ or ""
    return " ".join(text.split("\n\n")[0].split()).rstrip(".")
