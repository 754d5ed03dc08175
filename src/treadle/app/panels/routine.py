"""The machine moves by itself: its routine, or one of its moves after the other."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from treadle.app.panels.panel import Panel
from treadle.dynamics.compiled import mass_matrix
from treadle.sim.routine import Routine
from treadle.sim.simulation import Simulation
from treadle.solvers.assembly import assemble

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["RoutinePanel"]

#: Seconds of each move, and the number under which they are held.
_EACH, _NOBODY = 2.5, -2

_PLAY, _STOP, _PUSH = "Play the routine  [P]", "Stop the routine  [P]", "Give it a push  [P]"

#: Kinetic energy of a push, as a share of the weight times the size: a pendulum swings to 60 degrees.
_SWING = 0.25


class RoutinePanel(Panel):
    """A button that plays the machine's routine; it ends when it is pressed again, or when someone drives.

    A demonstration, of a machine that nobody drives, also goes through the moves of one without a routine.
    Machines that nothing drives get a push instead.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._routine = Routine(stage.sim.model)
        #: whether the machine has a routine
        self.available = len(self._routine) > 0
        #: whether it is pushed instead, see `offer_push`
        self.pushed = False
        #: whether it plays, and whether as a demonstration
        self.playing = self.demonstrating = False
        self._begun, self._start, self._held = 0.0, 0.0, ""
        self._switches: list[str] = []
        self.button = stage.server.gui.add_button(
            _PLAY,
            visible=self.available,
            color="teal",
            hint="Reset, and let the machine show what it does (key P); it ends when you drive",
        )
        self.button.on_click(lambda _: self.toggle())

    def offer_push(self) -> None:
        """Offer a push where there is no routine, nothing to hold, and joints that turn or slide alone."""
        model, moves = self.stage.sim.model, self.stage.drive.held_buttons.moves
        self.pushed = not self.available and not moves and not model.actuators
        self.pushed = self.pushed and model.nv > 0 and all(joint.type.nv <= 1 for joint in model.joints)
        self.button.visible = self.available or self.pushed
        if self.pushed:
            self.button.label = _PUSH

    def edited(self, sim: Simulation) -> None:
        """Follow the routine that the machine has now."""
        self._routine = Routine(sim.model)
        self.available = len(self._routine) > 0
        self.offer_push()

    def toggle(self) -> None:
        """Play from the start, or stop."""
        if self.playing:
            self.stop()
        elif self.available:
            self.stage.forgive()
            self.stage.commands.do(self._restart)
            self.stage.pace.resume()
        elif self.pushed:
            self.stage.forgive()
            self.stage.commands.do(self._push)
            self.stage.pace.resume()

    def demonstrate(self) -> None:
        """Play until someone drives."""
        moves = self.stage.drive.held_buttons.moves.values()
        self._switches = [move.name for move in moves if move.switch]
        self._begun, self._start = time.monotonic(), self.stage.sim.time
        self.playing = self.demonstrating = True
        self.button.label = _STOP

    def stop(self) -> None:
        """End it; drives that are commanded a velocity or a force come to rest."""
        if self.playing:
            self.playing = self.demonstrating = False
            self.button.label = _PLAY
            self._release()
            self.stage.commands.do(self._rest)

    def frame(self, sim: Simulation) -> None:
        """Command what is due."""
        if not self.playing:
            return
        if self.demonstrating and self.stage.driver_lock.driver is not None:
            self.stop()
        elif self.available:
            # time may have been set back
            self._start = min(self._start, sim.time)
            for name, command in self._routine.commands(sim.time - self._start).items():
                sim.actuator(name).command = command
        else:
            self._move_on(sim)

    def _move_on(self, sim: Simulation) -> None:
        """Hold one move after the other."""
        held_buttons = self.stage.drive.held_buttons
        for name in self._switches:
            held_buttons.switch(sim, name)
        self._switches = []
        names = [move.name for move in held_buttons.moves.values() if not move.switch]
        if names:
            name = names[int((time.monotonic() - self._begun) / _EACH) % len(names)]
            if name != self._held:
                self._release()
                held_buttons.press(_NOBODY, name)
                self._held = name

    def _release(self) -> None:
        self.stage.drive.held_buttons.lift(_NOBODY)
        self._held = ""

    def _push(self, sim: Simulation) -> None:
        """Set a machine that rests in motion, all of its joints."""
        model, g = sim.model, float(np.linalg.norm(sim.model.gravity)) or 9.81
        v = assemble(model, sim.q, np.ones(model.nv)).v
        energy = 0.5 * float(v @ mass_matrix(model, sim.q) @ v)
        weight = g * sum(float(link.mass) for link in model.links)
        size = float(np.ptp(self.stage.scene.corners(), axis=0).max())
        if energy > 0.0:
            sim.v = sim.v + v * math.sqrt(_SWING * weight * size / energy)

    def _restart(self, sim: Simulation) -> None:
        sim.reset()
        self.stage.run.looking = None
        self.stage.settle(sim)
        self._start, self.playing, self.demonstrating = sim.time, True, False
        self.button.label = _STOP

    def _rest(self, sim: Simulation) -> None:
        if self.available:
            named = self._routine.commands(0.0)
            for control in self.stage.drive.controls:
                if control.name in named and not control.held:
                    control.write(sim, 0.0)
