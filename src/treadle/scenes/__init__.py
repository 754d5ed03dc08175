"""The built-in machines. A new one is a function that returns a `ModelSpec`, and a line in `SCENES`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from treadle.errors import InputError
from treadle.model import Model, ModelSpec
from treadle.model.model import suggest
from treadle.plugins import Registry
from treadle.scenes.arm import arm
from treadle.scenes.bicycle import bicycle
from treadle.scenes.bouncing_ball import bouncing_ball
from treadle.scenes.box_stack import box_stack
from treadle.scenes.chain import chain
from treadle.scenes.four_bar_chain import four_bar_chain
from treadle.scenes.friction_chain import friction_chain
from treadle.scenes.grinding import grinding
from treadle.scenes.gripper import gripper
from treadle.scenes.loader import loader
from treadle.scenes.marbles import marbles
from treadle.scenes.mobile_manipulator import mobile_manipulator
from treadle.scenes.peaucellier import peaucellier
from treadle.scenes.pendulum import pendulum
from treadle.scenes.roadheader import roadheader
from treadle.scenes.roadheader.cutting import roadheader_cutting
from treadle.scenes.roadheader.ground import roadheader_ground
from treadle.scenes.rovers.campus import campus
from treadle.scenes.rovers.differential_drive import differential_drive
from treadle.scenes.rovers.landtamer import landtamer
from treadle.scenes.rovers.mecanum import mecanum
from treadle.scenes.rovers.minibaja import minibaja
from treadle.scenes.rovers.rocky7 import rocky7
from treadle.scenes.rovers.zoe import zoe
from treadle.scenes.slider_crank import slider_crank
from treadle.scenes.slope import slope
from treadle.scenes.squeezer import squeezer
from treadle.scenes.torso import torso
from treadle.scenes.water.barge import barge
from treadle.scenes.water.bluerov2 import bluerov2, bluerov2_arm
from treadle.scenes.water.buoy import moored_buoy
from treadle.scenes.water.remus import remus
from treadle.scenes.water.swimmer import swimmer

__all__ = ["SCENES", "scene", "scene_names"]

#: Functions that describe a scene, by name; their arguments are the scene's options.
SCENES: Registry[Callable[..., ModelSpec]] = Registry("treadle.scenes", {
    "arm": arm,
    "barge": barge,
    "bluerov2": bluerov2,
    "bluerov2-arm": bluerov2_arm,
    "bicycle": bicycle,
    "bouncing-ball": bouncing_ball,
    "box-stack": box_stack,
    "campus": campus,
    "chain": chain,
    "four-bar-chain": four_bar_chain,
    "friction-chain": friction_chain,
    "grinding": grinding,
    "gripper": gripper,
    "differential-drive": differential_drive,
    "landtamer": landtamer,
    "loader": loader,
    "marbles": marbles,
    "mecanum": mecanum,
    "minibaja": minibaja,
    "mobile-manipulator": mobile_manipulator,
    "peaucellier": peaucellier,
    "moored-buoy": moored_buoy,
    "pendulum": pendulum,
    "remus": remus,
    "roadheader": roadheader,
    "roadheader-cutting": roadheader_cutting,
    "roadheader-ground": roadheader_ground,
    "rocky7": rocky7,
    "slider-crank": slider_crank,
    "slope": slope,
    "squeezer": squeezer,
    "swimmer": swimmer,
    "torso": torso,
    "zoe": zoe,
})  # fmt: skip


def scene(name: str, **options: Any) -> Model:
    """A built-in machine, such as scene("chain", links=50)."""
    if not isinstance(name, str) or name not in SCENES:
        raise InputError(f"there is no scene named {name!r}; {suggest(name, scene_names())}")
    known = list(inspect.signature(SCENES[name]).parameters)
    for option in options:
        if option not in known:
            raise InputError(f"the scene {name!r} has no option {option!r}; {suggest(option, known)}")
    return SCENES[name](**options).compile()


def scene_names() -> list[str]:
    """The names of the built-in machines."""
    return sorted(SCENES)
