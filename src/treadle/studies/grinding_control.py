"""The whole arm of the study of grinding, under position, impedance and direct force control at 1 kHz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.planning.tool_control import ForceLoop, ToolControl, with_workpiece
from treadle.planning.tool_plan import planned_motion, tuned_plan
from treadle.process.grinding import GrindingSetup
from treadle.process.path_plan import PathPlan
from treadle.process.types import processes_of
from treadle.scenes.grinding import TOP, grinding

__all__ = ["CONTROLS", "WholeArm", "compared"]

#: Half length of the path (m), feed (m/s), and the force (N).
_HALF, _FEED, _FORCE = 0.03, 0.02, 5.0

#: Shares of a run that are left out: where a controller finds the surface, and where the arm stops.
_FIRST, _LAST = 0.1, 0.01

#: Ways to control the arm, in the order of the tables.
CONTROLS = ("position, path as it was", "position, tuned path", "impedance", "force")


class WholeArm:
    """The arm of the scene with a controller for each way, along the path as it was or as it is tuned."""

    def __init__(self) -> None:
        self.model = grinding().compile()
        tool: Any = processes_of(self.model)["grinding"]
        ends = (TOP[0] - _HALF, 0.0), (TOP[0] + _HALF, 0.0)
        plan = PathPlan(ends, offset=-tool.pad.approach(_FORCE), feed=_FEED)
        tuned, _ = tuned_plan(self.model, tool, plan, _FORCE)
        before, after = (planned_motion(self.model, tool, each) for each in (plan, tuned))
        stiffness = tool.pad.stiffness(_FORCE)
        loops = (
            None,
            None,
            ForceLoop.by_impedance(_FORCE, contact_stiffness=stiffness),
            ForceLoop.by_force(_FORCE, contact_stiffness=stiffness),
        )
        self.controls = {
            name: ToolControl(self.model, "pad_tip", before if k == 0 else after, loop)
            for k, (name, loop) in enumerate(zip(CONTROLS, loops, strict=True))
        }

    def forces(self, name: str, world: GrindingSetup) -> tuple[np.ndarray, np.ndarray]:
        """Times (s) and forces (N) of a run before a disturbed workpiece."""
        control = self.controls[name]
        model = with_workpiece(self.model, world.stiffness_factor, world.offset, world.seam_factor)
        sim = control.simulation(model)
        tool: Any = sim.processes["grinding"]
        rows = []
        for _ in range(round(control.motion.end / sim.dt)):
            sim.step()
            rows.append((sim.time, tool.normal_force))
        times, forces = np.array(rows).T
        return times, forces


def compared(
    rows: list[dict[str, Any]], arm: WholeArm, small: Sequence[GrindingSetup], large: Sequence[GrindingSetup]
) -> Iterator[Check]:
    """Errors of the force of all controls before workpieces that are disturbed a little and a lot."""
    mean: dict[tuple[str, str], float] = {}
    largest: dict[tuple[str, str], float] = {}
    for size, worlds in (("small", small), ("large", large)):
        for name in CONTROLS:
            errors = np.concatenate([_errors(arm.forces(name, world)[1]) for world in worlds])
            mean[size, name], largest[size, name] = float(errors.mean()), float(errors.max())
            case = f"whole arm, {len(worlds)} {size} disturbances, {name}"
            rows.append(
                {"case": f"{case}: mean error of the force", "value": 100 * errors.mean(), "unit": "%"}
            )
            rows.append({"case": f"{case}: largest error", "value": 100 * errors.max(), "unit": "%"})
    before, position, impedance, force = CONTROLS
    yield at_most("whole arm, position, tuned path: mean error (%)", 100 * mean["small", position], 2.75)
    yield at_most("whole arm, position, tuned path: largest error (%)", 100 * largest["small", position], 5.0)
    gain = mean["small", before] / mean["small", position]
    yield at_least("whole arm: mean error of the path as it was by that of the tuned one", gain, 5.0)
    for name in (impedance, force):
        gain = mean["large", position] / mean["large", name]
        yield at_least(f"whole arm, large disturbances: error of position by {name} control", gain, 5.0)
    yield at_most(
        "whole arm, large disturbances, force control: mean error (%)", 100 * mean["large", force], 2.75
    )
    yield at_most(
        "whole arm, large disturbances, force control: largest (%)", 100 * largest["large", force], 5.0
    )


def _errors(force: np.ndarray) -> np.ndarray:
    count = len(force)
    return np.abs(force[round(_FIRST * count) : round((1.0 - _LAST) * count)] / _FORCE - 1.0)
