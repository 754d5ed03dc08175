"""What the sensors of one rate measure, as one compiled function of the state, for all worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from treadle.graph import Scalar
from treadle.native.program import Program
from treadle.sensors.kind import SensorKind
from treadle.sim.moment_program import MeasureKind, code_digest, moment_program
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.world import World

__all__ = ["measure_program"]


def measure_program(world: World, sensors: Sequence[SensorKind], kind: MeasureKind) -> Program:
    """q, v, joint forces, loads, time, step -> "measured": the numbers of all sensors in turn."""

    def measured(moment: Moment, _: Mapping[str, Sequence[Scalar]]) -> Mapping[str, Sequence[Scalar]]:
        return {"measured": [x for sensor in sensors for x in sensor.measure(cast(Any, moment))]}

    described = [
        (s.type, s.on, s.body, s.placement.to_list(), sorted(s.parameters.items()))
        for s in [sensor.sensor for sensor in sensors]
    ]
    owners = [type(sensor) for sensor in sensors]
    digest = code_digest(world, owners, f"sensors {kind} {described}")
    return moment_program(world, kind, measured, digest)
