"""What is seen, and from where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from treadle.app.cameras import CHOICES, View, cockpit, look, traveller, vehicle_body
from treadle.app.dust import Dust
from treadle.app.forces import Forces
from treadle.app.overlays import CenterOfMass, MotionIcons, Trail, ellipsoids, joint_axes, show_frames
from treadle.app.panels.panel import Panel
from treadle.app.tape import KINDS, Tape, hit
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["ViewPanel"]

#: The word for none.
_NONE = "none"


class ViewPanel(Panel):
    """Views, axes, trails, transparency, and a tree of what is shown."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui, scene = stage.server.gui, stage.scene
        bodies = tuple(scene.nodes)
        self.views: dict[str, View] = {}
        self.standard = gui.add_button_group("view", CHOICES, hint="Move your own camera")
        self.saved: viser.GuiDropdownHandle[str] = gui.add_dropdown(  # type: ignore[assignment]
            "saved views", (_NONE,), hint="Go to a view that was saved"
        )
        self.save = gui.add_button("Save this view", hint="Keep where your camera is")
        self.closer = gui.add_button(
            "Look at the selected body",
            color="gray",
            hint="Your camera turns about it",
        )
        self.cockpit = gui.add_button(
            "Cockpit",
            color="gray",
            hint="Look from the operator's place, or ride on the selected body (key V); again: get off",
        )
        self.dark = gui.add_button("Light or dark", color="gray", hint="Change the colours of your own page")
        #: the body of a vehicle, whose front is the front of the machine
        self._base = vehicle_body(stage.sim.model, bodies)
        self.follow = gui.add_dropdown(
            "follow",
            (_NONE, *bodies),
            initial_value=traveller(stage.sim.model, bodies) or _NONE,
            hint="Cameras go along with a body; with that of a vehicle they turn, too",
        )
        self.tape = Tape(stage)
        self.dust = Dust(stage)
        self.center = CenterOfMass(stage.server, scene)
        self.motions = MotionIcons(stage.server, scene, stage.sim.model)
        self.forces = Forces(stage.server, scene, stage.sim)
        with gui.add_folder("Draw"):
            self.opacity = gui.add_slider(
                "opacity", 0.1, 1.0, 0.05, 1.0, hint="How solid the machine looks, from 0.1 to 1"
            )
            self.frames = gui.add_checkbox("axes of bodies", False, hint="x red, y green, z blue")
            self.axes = gui.add_checkbox("axes of joints", False, hint="What joints turn about or slide on")
            self.mass = gui.add_checkbox("centre of mass", False, hint="Of the whole machine")
            self.inertia = gui.add_checkbox(
                "inertia", False, hint="The solid ellipsoid with the mass and inertia of each body"
            )
            self.contacts = gui.add_checkbox(
                "forces",
                False,
                hint="Of contacts, and of the ground on wheels; their scale is in the picture",
            )
            self.cones = gui.add_checkbox(
                "friction cones", False, hint="At every contact; a force on its cone slides"
            )
            self.measure: viser.GuiDropdownHandle[str] = gui.add_dropdown(  # type: ignore[assignment]
                "measure",
                (_NONE, *KINDS),
                hint="Click on bodies: two points for a distance, three for an angle, two bodies for the "
                "clearance between them; followed while they move",
            )
            self.trail = gui.add_dropdown("trail", (_NONE, *bodies), hint="Draw the way of a body's origin")
            self.shadows = gui.add_checkbox(
                "shadows",
                any(lamp.cast_shadow for lamp in scene.lamps),
                hint="Shadows, and shading where parts meet; without a graphics card once it is ticked again",
            )
            self.dusty: viser.GuiCheckboxHandle | None = None
            if self.dust.possible:
                self.dusty = gui.add_checkbox("dust", True, hint="Where the head cuts")
        self._casting = [lamp for lamp in scene.lamps if lamp.cast_shadow]
        #: whether someone wants shadows; None where nobody has chosen
        self.cast: bool | None = None
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
        self._ellipsoids: list[viser.MeshHandle] = []
        self._trail: Trail | None = None
        self._solid = [mesh.opacity or 1.0 for meshes in scene.meshes.values() for mesh in meshes]
        self._legend = ""
        # that of the machine before
        stage.line.send({"legend": ""})
        self._connect()

    def frame(self, sim: Simulation) -> None:
        """Move what is drawn over the machine."""
        self.center.frame(sim.model, self.stage.run.shown(sim))
        self.forces.frame(sim)
        self.tape.frame()
        self.dust.frame(sim)
        trail = self._trail
        if trail is not None:
            trail.frame(sim)

    def numbers(self, sim: Simulation) -> None:
        """Say the scale of what is drawn."""
        self.motions.numbers(sim)
        self.tape.numbers()
        legend = "; ".join(filter(None, (self.tape.text, self.forces.legend)))
        if numbers := self.forces.numbers:
            self.stage.line.send({"forces": numbers})
        if legend != self._legend:
            self._legend = legend
            self.stage.line.send({"legend": legend, "forces": numbers})

    def opened(self, client: int) -> None:
        """Say it to a page that comes."""
        self.stage.line.send({"legend": self._legend}, [client])

    @property
    def heading(self) -> float:
        """Where the front of a vehicle points (rad, about z); 0 for other machines."""
        x, y = self.stage.scene.pose(self._base)[:2, 0] if self._base else (1.0, 0.0)
        return math.atan2(y, x)

    def chase(self, clients: Sequence[int] | None = None) -> None:
        """Have pages go along with the body that is chosen."""
        body = None if self.follow.value == _NONE else self.follow.value
        self.stage.presenter.follow(body, body == self._base, clients)

    def ride(self, clients: Sequence[int] | None = None) -> None:
        """Have pages look from the operator's place, or from the selected body."""
        stage = self.stage
        body = stage.selection.body or self._base or next(iter(stage.scene.nodes), None)
        if body in stage.scene.nodes:
            place, off = cockpit(stage.scene, stage.sim.model, body), stage.view_of_all()
            stage.presenter.call("treadleCameras.ride", [place, off], clients)

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
                self.stage.aim(event.target.value, [event.client.client_id])

        def save(event: Any) -> None:
            if event.client is not None:
                camera, name = event.client.camera, f"view {len(self.views) + 1}"
                self.views[name] = View(tuple(camera.position.tolist()), tuple(camera.look_at.tolist()))
                self.saved.options = (_NONE, *self.views)

        def recall(event: Any) -> None:
            if event.client is not None and self.saved.value in self.views:
                look(event.client, self.views[self.saved.value])

        def change(event: Any) -> None:
            if event.client is not None:
                self.stage.script("window.treadle?.dark()", [event.client.client_id])

        def closer(event: Any) -> None:
            body = self.stage.selection.body
            if event.client is not None and body is not None:
                self.stage.aim(clients=[event.client.client_id], body=body)

        def ride(event: Any) -> None:
            if event.client is not None:
                self.ride([event.client.client_id])

        self.closer.on_click(closer)
        self.cockpit.on_click(ride)
        self.standard.on_click(standard)
        self.follow.on_update(lambda _: self.chase())
        self.save.on_click(save)
        self.dark.on_click(change)
        self.saved.on_update(recall)
        self.opacity.on_update(lambda _: self._fade())
        self.frames.on_update(lambda _: show_frames(scene, self.frames.value))
        self.axes.on_update(lambda _: self._show_axes())
        self.inertia.on_update(lambda _: self._show_inertia())
        for name, ball in self.motions.balls.items():
            ball.on_click(lambda _, name=name: self.stage.edit.choose("actuator", name))
        self.mass.on_update(lambda _: self._show(self.center.ball, self.mass.value))
        self.contacts.on_update(lambda _: self._show(self.forces.arrows, self.contacts.value))
        self.cones.on_update(lambda _: self._show(self.forces.cones, self.cones.value))
        if (dusty := self.dusty) is not None:
            dusty.on_update(lambda _: setattr(self.dust, "shown", dusty.value))
        self.measure.on_update(lambda _: self._measure())
        self.trail.on_update(lambda _: self._draw_trail())
        for body, meshes in scene.meshes.items():
            for mesh in meshes:
                mesh.on_click(lambda event, body=body: self._clicked(event, body))
        self.shadows.on_update(lambda _: self._cast())

    def _show(self, node: Any, visible: bool) -> None:
        node.visible = visible
        # a loop that is paused takes no frames by itself
        self.stage.commands.do(lambda sim: None)

    def _measure(self) -> None:
        self.tape.switch(self.measure.value if self.measure.value in KINDS else None)
        self.stage.commands.do(lambda sim: None)

    def _clicked(self, event: Any, body: str) -> None:
        """Select a body, or put a point of the tape, where the ray of a click meets it."""
        mesh, X = event.target, self.stage.scene.pose(body)
        turn, origin = X[:3, :3], np.array(event.ray_origin) - X[:3, 3]
        place = hit(mesh.vertices, mesh.faces, origin @ turn, np.array(event.ray_direction) @ turn)
        if self.tape.kind is None:
            x, y, z = (0.0, 0.0, 0.0) if place is None else (round(float(c), 4) for c in place)
            self.stage.selection.choose(body, (x, y, z))
        elif place is not None:
            self.tape.touch(body, turn @ place + X[:3, 3])
            self.stage.commands.do(lambda sim: None)

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

    def _show_inertia(self) -> None:
        if self.inertia.value and not self._ellipsoids:
            self._ellipsoids = ellipsoids(self.stage.server, self.stage.scene, self.stage.sim.model)
        for mesh in self._ellipsoids:
            mesh.visible = self.inertia.value

    def _draw_trail(self) -> None:
        before, self._trail = self._trail, None
        if before is not None:
            before.line.remove()
        if self.trail.value != _NONE:
            self._trail = Trail(self.stage.server, self.stage.scene, self.trail.value)

    def _cast(self) -> None:
        self.cast = bool(self.shadows.value)
        for lamp in self._casting:
            lamp.cast_shadow = self.cast
        self.stage.introduce()
