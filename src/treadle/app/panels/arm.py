"""An arm by a table of Denavit and Hartenberg: from lines to a machine on the page, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.app.dh_lines import arm_of_lines, lines_of_table
from treadle.app.html import note_html
from treadle.app.panels.panel import Panel
from treadle.errors import TreadleError
from treadle.formats.dh import CONVENTION_KEYS, dh_table
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["ArmPanel"]

#: An arm to begin with: waist, shoulder and elbow.
_FIRST = "waist revolute 0 pi/2 0.4 0\nshoulder revolute 0.5 0 0 0.6\nelbow revolute 0.4 0 0 -0.9"


class ArmPanel(Panel):
    """A table that people fill in, and that shows the present machine when it is asked to."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        with gui.add_folder("Arm by a table", expand_by_default=False):
            gui.add_html(note_html("A line is a joint: name, type, a (m), alpha (rad), d (m), theta (rad)."))
            self.convention = gui.add_dropdown(
                "convention", tuple(CONVENTION_KEYS), hint="Of Denavit and Hartenberg, or modified (Craig)"
            )
            self.lines = gui.add_text("table", _FIRST, multiline=True, hint="Numbers may be written as pi/2")
            self.mass = gui.add_number("link mass (kg)", 2.0, min=1e-3, step=0.1, hint="Of every link, in kg")
            self.make = gui.add_button(
                "Build this arm", hint="Put the arm on the page in place of the machine"
            )
            self.show = gui.add_button(
                "Show the table of this machine", color="gray", hint="Fill in the table from the machine"
            )
        self.make.on_click(lambda _: self.build())
        self.show.on_click(lambda _: self.fill())

    def build(self) -> None:
        """Put the arm of the table on the page."""
        stage = self.stage
        stage.forgive()
        try:
            model = arm_of_lines(str(self.lines.value), self.convention.value, float(self.mass.value))
        except TreadleError as error:
            stage.complain(error)
            return
        stage.switch(lambda: Simulation(model))

    def fill(self) -> None:
        """Show the table of the machine on the page."""
        stage = self.stage
        stage.forgive()
        try:
            self.lines.value = lines_of_table(dh_table(stage.sim.model, convention=self.convention.value))
        except TreadleError as error:
            stage.complain(error)
