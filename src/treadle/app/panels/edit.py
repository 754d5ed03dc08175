"""Changing the machine while it runs: its numbers, and joints that are locked or free."""

from __future__ import annotations

import io
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treadle.app.changes import Machine
from treadle.app.edits import KINDS, Field, change, fields, item_names, shown, unit
from treadle.app.html import changes_html, message_html, note_html, success_html
from treadle.app.panels.panel import Panel, put
from treadle.app.precompile import compile_step, knows, twin
from treadle.errors import TreadleError
from treadle.formats.save import WRITERS, save_files
from treadle.model.describe import describe
from treadle.model.finding import Finding
from treadle.model.model import Model
from treadle.sim.edit import adopt, edited
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["EditPanel"]


#: Changes that are listed: the last ones.
_LISTED = 12

#: What a file cannot say, of which so many things are told.
_LOST = 4

#: What is said when it is done.
_DONE = {"Undo": "taken back", "Redo": "made again", "Original": "as it was opened"}


class EditPanel(Panel):
    """A dialog for every part of the machine."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        spec = describe(stage.sim.model)
        kinds = tuple(kind for kind in KINDS if item_names(spec, kind))
        gui.add_html(note_html("Click a body to choose it. Changes keep the state of the machine."))
        self.kind = gui.add_dropdown("kind", kinds, hint="What to change")
        self.name: Any = gui.add_dropdown("name", tuple(item_names(spec, kinds[0])), hint="Which one")
        self.lock = gui.add_button("Lock", visible=False, hint="Hold the joint where it is, or let it go")
        #: fields of the part that is chosen, by name
        self.fields: dict[str, Any] = {}
        self._folder: Any = None
        self._place = gui.add_folder(None)
        self.apply = gui.add_button("Apply", hint="Change the machine, which goes on from where it is")
        #: what became of the last change, beside the button that made it
        self.outcome = gui.add_html("", visible=False)
        self.history = gui.add_button_group(
            "changes",
            ("Undo", "Redo", "Original"),
            hint="take back the last change; make it again; return to the machine as it was opened",
        )
        #: what was changed since it was opened
        self.changes = gui.add_html("")
        self.format = gui.add_dropdown(
            "save as", tuple(WRITERS), hint="Robot description of Treadle, of MuJoCo, or URDF"
        )
        self.save = gui.add_button("Save the machine", hint="As it is now; your browser keeps the file")
        self._filling = threading.Lock()
        self._names = {kind: item_names(spec, kind) for kind in kinds}
        self._fill()
        self._list()
        self._connect()
        stage.selection.changed.append(lambda body: None if body is None else self.choose("body", body))

    def choose(self, kind: str, name: str) -> None:
        """Show the fields of a part."""
        if name in self._names.get(kind, ()):
            put(self.kind, kind)
            self.name.options = tuple(self._names[kind])
            put(self.name, name)
            self._fill()
            self._foresee()

    def numbers(self, sim: Simulation) -> None:
        """Whether the joint that is chosen is locked."""
        if self.lock.visible and self._moving(sim):
            self.lock.label = "Free" if sim.joint(self.name.value).locked else "Lock"

    def change(self, kind: str, name: str, texts: Mapping[str, str]) -> None:
        """Change fields of a part; the machine is compiled aside, so that the run hardly stops for it."""
        stage = self.stage
        self.begin()
        before = stage.sim.model
        was = shown(describe(before), kind, name)
        model = _prepared(stage.sim, kind, name, texts)

        def edit(sim: Simulation) -> str:
            if sim.model is before:
                adopt(sim, model)
            else:
                # someone else was faster: what they changed stays
                with sim.edit() as spec:
                    change(spec, kind, name, texts)
            return f"{kind} {name}: {_changes(was, texts)}"

        self.make(edit)

    def begin(self) -> None:
        """Take away what was said about the change before."""
        self.stage.forgive()
        self.outcome.content, self.outcome.visible = "", False
        # what was foreseen is to keep nobody waiting
        self.stage.precompiler.expect([])

    def make(self, edit: Callable[[Simulation], str]) -> None:
        """Have the loop make a change that can be undone; `edit` returns what was changed."""

        def act(sim: Simulation) -> None:
            before = Machine.of(sim)
            try:
                text = edit(sim)
            except TreadleError as error:
                self._say(error)
                return
            self.stage.changes.note(before, text)
            self._say(None, text)
            self.stage.edited(sim, text)

        self.stage.commands.do(act)

    def go(self, which: str) -> None:
        """Take back a change, make it again, or return to the original; the machine stays where it is."""
        stage = self.stage
        self.begin()

        def act(sim: Simulation) -> None:
            before, changes = Machine.of(sim), self.stage.changes
            try:
                target = changes.target(which)
                if target.model is not sim.model:
                    adopt(sim, target.model)
                target.lock(sim)
            except TreadleError as error:
                self._say(error)
                return
            changes.went(which, before)
            count = "1 change" if changes.count == 1 else f"{changes.count} changes"
            text = f"{_DONE[which]}; {count} can be undone"
            self._say(None, text)
            stage.edited(sim, text)

        stage.commands.do(act)

    def saved(self, suffix: str) -> tuple[str, bytes, tuple[Finding, ...]]:
        """The machine as it is now: name and content of a file, and what it cannot say.

        The file is an archive where the machine has meshes.
        """
        model = self.stage.sim.model
        with tempfile.TemporaryDirectory(prefix="treadle-") as name:
            folder = Path(name)
            path = folder / f"{_file_name(model.name)}{suffix}"
            lost = save_files(model, path, gather=True).findings
            files = sorted(file for file in folder.rglob("*") if file.is_file())
            if len(files) == 1:
                return path.name, path.read_bytes(), lost
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
                for file in files:
                    pack.write(file, file.relative_to(folder))
            return f"{path.stem}.zip", archive.getvalue(), lost

    def toggle_lock(self) -> None:
        """Lock the joint that is chosen, or free it."""
        name = self.name.value

        def act(sim: Simulation) -> str:
            joint = sim.joint(name)
            if joint.locked:
                joint.free()
                return f"joint {name} is free"
            joint.lock()
            return f"joint {name} is locked"

        self.begin()
        self.make(act)

    def edited(self, sim: Simulation) -> None:
        """Show the fields as they are now."""
        texts = shown(describe(sim.model), self.kind.value, self.name.value)
        for key, field in self.fields.items():
            put(field, texts[key])
        self._list()
        self._foresee()

    def _list(self) -> None:
        """List what was changed, with what was undone."""
        done, undone = self.stage.changes.texts
        rows = [(f"{number}.", text) for number, text in enumerate(done, 1)]
        rows += [("undone", text) for text in undone]
        self.changes.content = changes_html(rows[-_LISTED:])

    def _say(self, error: TreadleError | None, text: str = "") -> None:
        """Show what became of a change, right below the button."""
        self.outcome.content = message_html(error) if error is not None else success_html(text)
        self.outcome.visible = True

    def _moving(self, sim: Simulation) -> bool:
        return any(joint.name == self.name.value for joint in sim.model.joints)

    def _fill(self) -> None:
        """Make the fields of the part that is chosen."""
        gui, kind, name = self.stage.server.gui, self.kind.value, self.name.value
        spec = describe(self.stage.sim.model)
        texts = shown(spec, kind, name)
        with self._filling, self._place:
            if self._folder is not None:
                self._folder.remove()
            self._folder, self.fields = gui.add_folder(f"{kind} {name}"), {}
            with self._folder:
                for field in fields(spec, kind, name):
                    self._add_field(field, texts[field.name], unit(spec, kind, name, field))
        self.lock.visible = kind == "joint" and self._moving(self.stage.sim)

    def _foresee(self) -> None:
        """Have the code ready for numbers of the part that are zero now: without zero it is other code."""
        stage, kind, name = self.stage, self.kind.value, self.name.value
        numbers = [field for field in fields(describe(stage.sim.model), kind, name) if not field.choices]
        zeros = [field for field in numbers if self.fields[field.name].value in ("0", "")]
        # those of materials are no part of the code; of elements, few that are zero are ever meant to be more
        known = kind in ("material", "element")
        guesses = [] if known else [{field.name: _guess(field)} for field in zeros]
        stage.precompiler.expect([partial(_prepared, stage.sim, kind, name, texts) for texts in guesses])

    def _add_field(self, field: Field, text: str, unit: str) -> None:
        gui = self.stage.server.gui
        label = f"{field.name} ({unit})" if unit else field.name
        hint = f"{field.hint}; in {unit}" if unit else field.hint
        if not field.choices:
            self.fields[field.name] = gui.add_text(label, text, hint=hint)
        elif text in field.choices:
            self.fields[field.name] = gui.add_dropdown(label, field.choices, initial_value=text, hint=hint)

    def _connect(self) -> None:
        def kind_chosen(_: Any) -> None:
            self.name.options = tuple(self._names[self.kind.value])
            self._fill()
            self._foresee()

        def name_chosen(_: Any) -> None:
            self._fill()
            self._foresee()

        def apply(_: Any) -> None:
            texts = {key: str(field.value) for key, field in self.fields.items()}
            try:
                self.change(self.kind.value, self.name.value, texts)
            except TreadleError as error:
                self._say(error)

        def save(event: Any) -> None:
            try:
                name, content, lost = self.saved(self.format.value)
            except TreadleError as error:
                self._say(error)
                return
            if event.client is not None:
                event.client.send_file_download(name, content, save_immediately=True)
            self._say(None, f"saved as {name}{_without(lost)}")

        self.history.on_click(lambda event: self.go(event.target.value))
        self.save.on_click(save)
        self.kind.on_update(kind_chosen)
        self.name.on_update(name_chosen)
        self.apply.on_click(apply)
        self.lock.on_click(lambda _: self.toggle_lock())


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name) or "machine"


def _without(lost: Sequence[Finding]) -> str:
    """What a file cannot say, to be read after its name."""
    texts = [str(finding) for finding in lost[:_LOST]]
    if len(lost) > _LOST:
        texts.append(f"and {len(lost) - _LOST} more")
    return f", but without what its format cannot say: {'; '.join(texts)}" if texts else ""


def _changes(before: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """What is different, to be read."""
    found = [
        f"{key} is now {text.strip() or 'none'} (was {before[key] or 'none'})"
        for key, text in texts.items()
        if text.strip() != before[key]
    ]
    return ", ".join(found) or "nothing to change"


def _guess(field: Field) -> str:
    """A number that is not zero: far away for a limit, where there may be none."""
    return "1" if not field.optional else "-1e6" if field.name == "lower" else "1e6"


def _prepared(sim: Simulation, kind: str, name: str, texts: Mapping[str, str]) -> Model:
    """The changed machine, compiled in the thread that asks for it while the simulation goes on."""
    spec = describe(sim.model)
    change(spec, kind, name, texts)
    model = edited(spec)
    if knows(sim):
        compile_step(twin(sim, model), sim.stepper.bounded, bool(sim.loads.any()))
    return model
