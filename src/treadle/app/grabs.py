"""Pulling at a machine with the mouse: a spring while it runs, by hand while it stands still."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from treadle.app.drag_ik import DragIk
from treadle.app.loads import Loads, Spring, newtons
from treadle.app.overlays import size
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["Grabs"]

#: The keys that are held to pull, and to turn a body; without them the mouse turns the view.
_MODIFIER, _TURNING = "cmd/ctrl", "cmd/ctrl+shift"


@dataclass
class _Grab:
    """What one page has hold of."""

    spring: Spring
    arrow: viser.ArrowsHandle
    label: viser.LabelHandle


class Grabs:
    """Who pulls at what. Events come on the server's loop, `frame` is called by the simulation's."""

    def __init__(self, stage: Stage, loads: Loads) -> None:
        self._stage, self._loads = stage, loads
        self._held: dict[int, _Grab] = {}
        # taken to remove and to move what is drawn of a pull, which either thread does
        self._drawn = threading.Lock()
        self._drag_ik: DragIk | None = None
        self._reaching = False
        #: the largest force of a pull (N), and its stiffness (N/m) where it is not the one that suits
        self.limit, self.stiffness = float("inf"), 0.0
        self._plain = False
        for name in stage.scene.nodes:
            for mesh in stage.scene.meshes[name]:
                self._listen(mesh, name)
        stage.driver_lock.on_release.append(self.end)

    def without_key(self, plain: bool) -> None:
        """Whether bodies are pulled by the mouse alone, too."""
        if plain == self._plain:
            return
        self._plain = plain
        for name in self._stage.scene.nodes:
            for mesh in self._stage.scene.meshes[name]:
                mesh.remove_drag_callback()
                self._listen(mesh, name)

    def _listen(self, mesh: viser.MeshHandle, name: str) -> None:
        mesh.on_drag("left", modifier=_MODIFIER)(self._handler(name))
        mesh.on_drag("left", modifier=_TURNING)(self._handler(name, turns=True))
        if self._plain:
            mesh.on_drag("left")(self._handler(name))
            mesh.on_drag("left", modifier="shift")(self._handler(name, turns=True))

    @property
    def forces(self) -> dict[str, float]:
        """The forces of all pulls (N) by the body that is pulled."""
        held = tuple(self._held.values())
        return {grab.spring.body: float(np.linalg.norm(grab.spring.force)) for grab in held}

    def begin(self, client: int, body: str, place: np.ndarray, turns: bool = False) -> None:
        """Take hold of a body at a place in the world (m), to pull or to turn it."""
        self.end(client)
        stage = self._stage
        point = np.linalg.inv(stage.scene.pose(body)) @ np.array([*place, 1.0])
        spring = Spring.on(stage.sim.model, body, tuple(point[:3].tolist()), tuple(place))
        spring.limit, spring.turns = self.limit, turns
        if self.stiffness > 0.0:
            spring.stiffness = self.stiffness
        length = size(stage.scene)
        arrow = stage.server.scene.add_arrows(
            f"{stage.scene.under}/overlay/pull {client}",
            np.array([[place, place]]),
            colors=(160, 60, 200) if turns else (220, 40, 40),
            shaft_radius=0.004 * length,
            head_radius=0.012 * length,
            head_length=0.03 * length,
        )
        label = stage.server.scene.add_label(
            f"{stage.scene.under}/overlay/pull of {client}", "", position=place
        )
        self._held[client] = _Grab(spring, arrow, label)
        self._loads.springs[f"pull {client}"] = spring

    def move(self, client: int, target: np.ndarray) -> None:
        """Pull to a place in the world (m)."""
        grab = self._held.get(client)
        if grab is None:
            return
        grab.spring.target = tuple(target)
        if self._stage.pace.paused and not self._reaching:
            self._reaching = True
            self._stage.commands.do(lambda sim: self._by_hand(sim, client))

    def end(self, client: int) -> None:
        """Let go."""
        grab = self._held.pop(client, None)
        if grab is not None:
            self._loads.springs.pop(f"pull {client}", None)
            with self._drawn:
                grab.arrow.remove()
                grab.label.remove()

    def frame(self, sim: Simulation) -> None:
        """Show the pulls and their forces."""
        with self._drawn:
            self._draw()

    def forget(self) -> None:
        """Forget what was known of the machine, after it was changed."""
        self._drag_ik = None

    def close(self) -> None:
        """Let go of everything."""
        self._stage.driver_lock.on_release.remove(self.end)

    def _draw(self) -> None:
        for grab in tuple(self._held.values()):
            spring = grab.spring
            place = (self._stage.scene.pose(spring.body) @ np.array([*spring.point, 1.0]))[:3]
            target = np.array(spring.target)
            grab.arrow.points = np.array([[place, target]], dtype=np.float32)
            grab.label.position = target
            arm = place - self._stage.scene.pose(spring.body)[:3, 3]
            load = np.cross(arm, spring.force) if spring.turns else spring.force
            text = newtons(float(np.linalg.norm(load))) + (" m" if spring.turns else "")
            grab.label.text = "by hand" if self._stage.pace.paused else text

    def _by_hand(self, sim: Simulation, client: int) -> None:
        """Move a machine that stands still; it is at rest where it is put."""
        self._reaching = False
        grab = self._held.get(client)
        if grab is None or not self._stage.pace.paused:
            return
        if self._drag_ik is None:
            self._drag_ik = DragIk(sim.model)
        spring = grab.spring
        sim.q = self._drag_ik(sim.q.copy(), spring.body, np.array(spring.point), np.array(spring.target))
        sim.v = np.zeros(sim.model.nv)

    def _handler(self, body: str, turns: bool = False) -> Any:
        async def dragged(event: Any) -> None:
            if event.phase == "start":
                self.begin(event.client_id, body, np.array(event.start_position), turns)
            if event.phase == "end":
                self.end(event.client_id)
            else:
                self.move(event.client_id, np.array(event.end_position))

        return dragged
