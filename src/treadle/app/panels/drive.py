"""The commands of a machine: buttons to hold, sliders, and what the drives do."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import viser

from treadle.app.controls import Control, controls, measured
from treadle.app.driving import driving
from treadle.app.gamepad import Gamepad
from treadle.app.held_buttons import HeldButtons
from treadle.app.html import note_html, plain, rows_html
from treadle.app.moves import Move, moves, opposites
from treadle.app.panels.panel import Panel, put
from treadle.app.viser_private import uuid_of
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["DrivePanel", "command_field"]

#: Positions of a slider, and how often per second a page says that a button is held.
_NOTCHES, _HOLD_RATE = 200, 10.0


class DrivePanel(Panel):
    """Buttons for the moves of the machine, and a slider or field for every command."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui, model = stage.server.gui, stage.sim.model
        #: how a machine on wheels is driven
        self.driving = driving(model)
        self.controls = [self._bounded(control) for control in controls(model)]
        by_hand = [] if self.driving is None else self.driving.controls
        self._start = [control.read(stage.sim) for control in self.controls]
        found = [] if self.driving is None else self.driving.moves
        # what the machine has beside its wheels: a boom, an arm
        driven = set[str]() if self.driving is None else self.driving.drives
        others = [control for control in self.controls if control.name not in driven]
        found = [*found, *moves(model, others, {move.key for move in found})]
        self.held_buttons = HeldButtons(
            found, {control.name: control for control in (*by_hand, *self.controls)}
        )
        self.keys = {
            key: move
            for move in self.held_buttons.moves.values()
            for key in (move.key, move.other_key)
            if key
        }
        self.gamepad = Gamepad(self.held_buttons)
        self._before = time.monotonic()
        #: whether someone wants levers in the picture; None where nobody has chosen
        self.levers: bool | None = None
        #: buttons of the moves by name
        self.buttons: dict[str, viser.GuiButtonHandle] = {}
        if self.held_buttons.moves:
            with gui.add_folder("Moves"):
                gui.add_html(note_html("Hold a button or its key; space starts and pauses."))
                for move in self.held_buttons.moves.values():
                    self._add_button(move.name)
                levers = gui.add_checkbox(
                    "levers", False, hint="Two levers to drag in the picture; touch screens have them at once"
                )
            levers.on_update(lambda _: self._choose(levers.value))
        # commands that the fields show: one that differs was given by something else
        self._shown = {control.name: start for control, start in zip(self.controls, self._start)}
        #: sliders, or fields where a range has no ends, by name of actuator or joint
        self.fields: dict[str, Any] = {}
        title = "Commands" if model.actuators else "Joint torques"
        some = bool(self.controls)
        with gui.add_folder(title, expand_by_default=not self.held_buttons.moves, visible=some):
            for control, start in zip(self.controls, self._start, strict=True):
                field = self.fields[control.name] = command_field(gui, control, start)
                # the value is read when it is set: of changes that overtake one another the last counts
                field.on_update(lambda _, control=control, field=field: self._moved(control, field))
            self.release = gui.add_button("All as at the start", hint="Every command back to its first value")
        if not some:
            gui.add_html(note_html("Nothing on it is driven: pull it with Ctrl and the mouse."))
        with gui.add_folder("Measured", expand_by_default=not self.held_buttons.moves, visible=some):
            self.measured = gui.add_html("")
        self.release.on_click(lambda _: stage.commands.do(self._released))
        stage.driver_lock.on_release.append(self.held_buttons.lift)

    def frame(self, sim: Simulation) -> None:
        """Command what is held."""
        self.held_buttons.apply(sim)
        now = time.monotonic()
        if self.driving is not None:
            self.driving.apply(sim, min(now - self._before, 0.1))
        self._before = now

    def numbers(self, sim: Simulation) -> None:
        """Commands in force, and what the drives do."""
        self._follow(sim)
        rows = []
        for control, values in zip(self.controls, measured(sim, self.controls), strict=True):
            cells = ["" if x is None else f"{plain(x)} {unit}" for x, unit in zip(values, control.units)]
            rows.append((control.name, plain(control.read(sim)), *cells))
        self.measured.content = rows_html(rows, ("drive", "command", "position", "velocity", "force"))

    def settle(self, sim: Simulation) -> None:
        """Bring the sliders to the commands that are in force."""
        self._shown = dict.fromkeys(self._shown, math.nan)
        if self.driving is not None:
            self.driving.rest()
        self._follow(sim)

    def key_down(self, client: int, key: str) -> bool:
        """Begin what a key does; whether it does anything."""
        move = self.keys.get(key)
        if move is None:
            return False
        self.stage.routine.stop()
        if move.switch:
            self.stage.commands.do(lambda sim: self.held_buttons.switch(sim, move.name))
        else:
            self.held_buttons.press(client, move.name)
            # a loop that is paused takes no frames by itself
            self.stage.commands.do(lambda sim: None)
        return True

    def key_up(self, client: int, key: str | None) -> None:
        """End what a key does, or all keys."""
        move = self.keys.get(key or "")
        if key is None or move is not None:
            self.held_buttons.lift(client, None if move is None else move.name)

    def pad(self, client: int, values: Sequence[float]) -> list[str]:
        """Do what a gamepad says; what else was pressed on it: "start" or "back"."""
        pressed = self.gamepad.take(client, values)
        if any(values):
            self.stage.routine.stop()
        for name in pressed:
            if name in self.held_buttons.moves:
                self.stage.commands.do(lambda sim, name=name: self.held_buttons.switch(sim, name))
        # a loop that is paused takes no frames by itself
        self.stage.commands.do(lambda sim: None)
        return [name for name in pressed if name not in self.held_buttons.moves]

    def close(self) -> None:
        """Forget who holds what."""
        self.stage.driver_lock.on_release.remove(self.held_buttons.lift)

    @property
    def pairs(self) -> list[str]:
        """Buttons that stand side by side: those of moves that are opposite, two by two."""
        held = [move for move in self.held_buttons.moves.values() if not move.switch]
        paired = {move.name for pair in opposites(held) for move in pair}
        return [uuid_of(self.buttons[move.name]) for move in held if move.name in paired]

    def _choose(self, levers: bool) -> None:
        self.levers = levers
        self.stage.introduce()

    def _add_button(self, name: str) -> None:
        move = self.held_buttons.moves[name]
        label = f"{name}  [{_key_names(move)}]" if move.key else name
        button = self.buttons[name] = self.stage.server.gui.add_button(
            label, hint=move.hint, color="gray" if move.switch else None
        )
        if move.switch:
            button.on_click(lambda _: self.stage.commands.do(lambda sim: self.held_buttons.switch(sim, name)))
            return

        async def held(event: Any) -> None:
            self.stage.routine.stop()
            self.held_buttons.renew(-1 if event.client_id is None else event.client_id, name)

        button.on_hold(held, callback_hz=_HOLD_RATE)

    def _bounded(self, control: Control) -> Control:
        """A control whose range has ends: for the drive of a wheel, of the speeds that it is driven at."""
        rate = None if self.driving is None else self.driving.rate(control.name)
        if rate is None or math.isfinite(control.upper - control.lower):
            return control
        return replace(control, lower=-rate, upper=rate)

    def _moved(self, control: Control, field: Any) -> None:
        self.stage.routine.stop()
        self.stage.commands.do(lambda sim: self._command(sim, control, float(field.value)))

    def _command(self, sim: Simulation, control: Control, value: float) -> None:
        control.write(sim, value)
        self._shown[control.name] = control.read(sim)

    def _follow(self, sim: Simulation) -> None:
        """Move the fields whose command was given by something else; the others may be in someone's hand."""
        for control in self.controls:
            value = control.read(sim)
            if value != self._shown[control.name]:
                self._shown[control.name] = value
                put(self.fields[control.name], min(max(value, control.lower), control.upper))

    def _released(self, sim: Simulation) -> None:
        for control, start in zip(self.controls, self._start, strict=True):
            control.write(sim, start)
        self.settle(sim)


def _key_names(move: Move) -> str:
    arrows = {"arrowup": "↑", "arrowdown": "↓", "arrowleft": "←", "arrowright": "→"}
    return " ".join(arrows.get(key, key.upper()) for key in (move.key, move.other_key) if key)


def command_field(gui: viser.GuiApi, control: Control, start: float) -> Any:
    """A slider over the range, or a field for any number where the range has no ends."""
    label = f"{control.name} ({control.unit})"
    low, high = control.lower, control.upper
    if math.isfinite(low) and math.isfinite(high) and low < high:
        value = min(max(start, low), high)
        hint = f"{control.hint}, from {low:.4g} to {high:.4g}"
        return gui.add_slider(label, low, high, (high - low) / _NOTCHES, value, hint=hint)
    return gui.add_number(label, float(start), step=0.01, hint=control.hint)
