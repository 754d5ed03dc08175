"""What a newcomer is told: what the machine is, what moves it, and all keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.app.panels.scenes import scene_of, scene_text

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["guidance"]

#: What is the same for every machine: (keys, what they do).
_COMMON = (
    ("Space", "start and pause"),
    ("N", "one time step"),
    ("Backspace", "back to the start"),
    ("M", "a bookmark on the timeline"),
    ("V", "look from the cockpit, or ride on the selected body; again: get off"),
    ("Ctrl + drag", "pull a body; while paused, move it by hand"),
    ("drag, right drag, wheel", "turn, move and zoom the view"),
    ("W A S D Q E", "move the camera"),
    ("?", "this list"),
)


def guidance(stage: Stage) -> dict[str, Any]:
    """Name, description, first steps and keys of the machine on a stage, for `guidance.js`."""
    name = stage.sim.model.name
    scene = scene_of(name)
    moves = [
        (" or ".join(_key(key) for key in (move.key, move.other_key) if key), move.name)
        for move in stage.drive.held_buttons.moves.values()
        if move.key
    ]
    routine = [("P", "play the routine, and stop it")] if stage.routine.available else []
    if stage.routine.pushed:
        routine = [("P", "give it a push")]
    return {
        "scene": name,
        "text": "" if scene is None else scene_text(scene),
        "steps": _steps(stage, [keys for keys, _ in moves]),
        "routine": stage.routine.button.label.partition("  ")[0] if routine else "",
        "keys": [*moves, *routine, *_COMMON],
    }


def _steps(stage: Stage, keys: list[str]) -> list[str]:
    """What to do first."""
    steps = []
    if stage.routine.available:
        steps.append("Press P: it shows what it does.")
    elif stage.routine.pushed:
        steps.append("Press P to give it a push.")
    if any(move.other_key for move in stage.drive.held_buttons.moves.values()):
        steps.append("Drive it with the arrow keys or I, J, K, L; the camera goes along.")
    elif keys:
        shown = ", ".join(keys[:4]) + (" and more" if len(keys) > 4 else "")
        steps.append(f"Hold a key to move it: {shown}.")
    else:
        steps.append("Hold Ctrl and drag a body: it is pulled like by a spring.")
    return [*steps, "The tab Scenes has more machines; ? shows all keys."]


def _key(key: str) -> str:
    arrows = {"arrowup": "\u2191", "arrowdown": "\u2193", "arrowleft": "\u2190", "arrowright": "\u2192"}
    return arrows.get(key, key.upper())
