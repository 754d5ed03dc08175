"""The shapes of the roadheader, component by component; a component is a moving (or bolted-on) body."""

from __future__ import annotations

from treadle.scenes.roadheader.components.arm_base import arm_base
from treadle.scenes.roadheader.components.boom import supporting_arm, telescopic_arm
from treadle.scenes.roadheader.components.conveyor import conveyor
from treadle.scenes.roadheader.components.crawler import crawler
from treadle.scenes.roadheader.components.cutting_head import cutting_head
from treadle.scenes.roadheader.components.cylinder import barrel, piston_rod
from treadle.scenes.roadheader.components.main_body import main_body
from treadle.scenes.roadheader.components.rear_frame import rear_frame, rear_leg
from treadle.scenes.roadheader.components.shape import Shape, mirrored
from treadle.scenes.roadheader.components.shovel import gathering_arm, shovel_plate
from treadle.scenes.roadheader.dimensions import CYLINDERS

__all__ = ["Shape", "components"]


def components() -> dict[str, list[Shape]]:
    """The parts of every body by its name, in the body's own frame."""
    shapes = {
        "main_body": main_body(),
        "crawler_left": crawler(),
        "crawler_right": mirrored(crawler()),
        "conveyor": conveyor(),
        "rear_frame": rear_frame(),
        "rear_leg_left": rear_leg(),
        "rear_leg_right": mirrored(rear_leg()),
        "arm_base": arm_base(),
        "supporting_arm": supporting_arm(),
        "telescopic_arm": telescopic_arm(),
        "cutting_head": cutting_head(),
        "shovel_plate": shovel_plate(),
        "gathering_arm_left": gathering_arm(),
        "gathering_arm_right": mirrored(gathering_arm()),
    }
    for cylinder in CYLINDERS:
        shapes[f"{cylinder.name}_barrel"] = barrel(cylinder)
        shapes[f"{cylinder.name}_rod"] = piston_rod(cylinder)
    return shapes
