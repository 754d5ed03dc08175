"""What is seen, and from where."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import viser

from treadle.app.cameras import VIEWS, View, follow, look, standard_view
from treadle.app.overlays import CenterOfMass, ContactForces, Trail, joint_axes, show_frames
from treadle.app.panels.panel import Panel
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["ViewPanel"]

#: Seconds between moves of a camera that follows, and the word for none.
_FOLLOW, _NONE = 1.0 / 30.0, "none"


class ViewPanel(Panel):
    """Views, axes, trails, transparency, and a tree of what is shown."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui, scene = stage.server.gui, stage.scene
        bodies = tuple(scene.nodes)
        self.views: dict[str, View] = {}
        self.standard = gui.add_button_group("view", tuple(VIEWS), hint="Move your own camera")
        self.saved: viser.GuiDropdownHandle[str] = gui.add_dropdown(  # type: ignore[assignment]
            "saved views", (_NONE,), hint="Go to a view that was saved"
        )
        self.save = gui.add_button("Save this view", hint="Keep where your camera is")
        self.follow = gui.add_dropdown("follow", (_NONE, *bodies), hint="Keep all cameras on a body")
        self.center = CenterOfMass(stage.server, scene)
        self.forces = ContactForces(stage.server, scene, stage.sim.model)
        with gui.add_folder("Draw"):
            self.opacity = gui.add_slider(
                "opacity", 0.1, 1.0, 0.05, 1.0, hint="How solid the machine looks, from 0.1 to 1"
            )
            self.frames = gui.add_checkbox("axes of bodies", False, hint="x red, y green, z blue")
            self.axes = gui.add_checkbox("axes of joints", False, hint="What joints turn about or slide on")
            self.mass = gui.add_checkbox("centre of mass", False, hint="Of the whole machine")
            self.contacts = gui.add_checkbox(
                "contact forces",
                False,
                hint="Where bodies touch; as long as the machine is its weight",
            )
            self.trail = gui.add_dropdown("trail", (_NONE, *bodies), hint="Draw the way of a body's origin")
            self.shadows = gui.add_checkbox(
                "shadows", any(lamp.cast_shadow for lamp in scene.lamps), hint="Cast shadows"
            )
        #: checkboxes of what is shown, by name of component
        self.parts: dict[str, viser.GuiCheckboxHandle] = {}
        with gui.add_folder("Components", expand_by_default=False):
            for name, meshes in scene.meshes.items():
                # nodes carry other things, too, but a machine's body may be the world itself
                self._add_part(name, [scene.nodes[name]] if name in scene.nodes else meshes)
        around: dict[str, Any] = dict(scene.scenery)
        if scene.ground is not None:
            around["ground"] = scene.ground
        if around:
            with gui.add_folder("Surroundings", expand_by_default=False):
                for name, node in around.items():
                    self._add_part(name, [node])
        self._axes: list[viser.ArrowsHandle] = []
        self._trail: Trail | None = None
        self._followed = 0.0
        self._solid = [mesh.opacity or 1.0 for meshes in scene.meshes.values() for mesh in meshes]
        self._connect()

    def frame(self, sim: Simulation) -> None:
        """Move what is drawn over the machine, and cameras that follow."""
        self.center.frame(sim.model, self.stage.run.shown(sim))
        self.forces.frame(sim)
        trail = self._trail
        if trail is not None:
            trail.frame(sim)
        now = time.monotonic()
        if self.follow.value != _NONE and now - self._followed >= _FOLLOW:
            self._followed = now
            place = self.stage.scene.pose(self.follow.value)[:3, 3]
            follow(self.stage.server.get_clients().values(), place)

    def _add_part(self, name: str, nodes: list[Any]) -> None:
        box = self.parts[name] = self.stage.server.gui.add_checkbox(
            name.replace("_", " "), True, hint=f"Show {name}"
        )

        def shown(_: Any) -> None:
            for node in nodes:
                node.visible = box.value

        box.on_update(shown)

    def _connect(self) -> None:
        scene = self.stage.scene

        def standard(event: Any) -> None:
            if event.client is not None:
                look(event.client, standard_view(scene, event.target.value))

        def save(event: Any) -> None:
            if event.client is not None:
                camera, name = event.client.camera, f"view {len(self.views) + 1}"
                self.views[name] = View(tuple(camera.position.tolist()), tuple(camera.look_at.tolist()))
                self.saved.options = (_NONE, *self.views)

        def recall(event: Any) -> None:
            if event.client is not None and self.saved.value in self.views:
                look(event.client, self.views[self.saved.value])

        self.standard.on_click(standard)
        self.save.on_click(save)
        self.saved.on_update(recall)
        self.opacity.on_update(lambda _: self._fade())
        self.frames.on_update(lambda _: show_frames(scene, self.frames.value))
        self.axes.on_update(lambda _: self._show_axes())
        self.mass.on_update(lambda _: setattr(self.center.ball, "visible", self.mass.value))
        self.contacts.on_update(lambda _: setattr(self.forces.arrows, "visible", self.contacts.value))
        self.trail.on_update(lambda _: self._draw_trail())
        self.shadows.on_update(lambda _: self._cast())

    def _fade(self) -> None:
        meshes = [mesh for meshes in self.stage.scene.meshes.values() for mesh in meshes]
        for mesh, solid in zip(meshes, self._solid, strict=True):
            opacity = solid * float(self.opacity.value)
            mesh.opacity = None if opacity >= 1.0 else opacity

    def _show_axes(self) -> None:
        if self.axes.value and not self._axes:
            self._axes = joint_axes(self.stage.server, self.stage.scene, self.stage.sim.model)
        for arrows in self._axes:
            arrows.visible = self.axes.value

    def _draw_trail(self) -> None:
        before, self._trail = self._trail, None
        if before is not None:
            before.line.remove()
        if self.trail.value != _NONE:
            self._trail = Trail(self.stage.server, self.stage.scene, self.trail.value)

    def _cast(self) -> None:
        for lamp in self.stage.scene.lamps:
            lamp.cast_shadow = self.shadows.value
