"""Force-torque sensors: what goes through a joint, a loop, or a cut inside a body, in the sensor's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model, suggest
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Channel, Instant, Option, SensorKind, channels
from treadle.spatial import ArticulatedInertia, Force, Mat3, Motion, Transform, Vec3

__all__ = ["ForceSensor", "ForceTorque", "LoadCell", "TorqueSensor"]


class ForceTorque(SensorKind):
    """Force and moment on what lies beyond the joint or cut, from what lies before it.

    On a joint of the tree they are those on its body, on a loop joint those on its successor, on a link those
    on the link and all that it carries. The moment is about the sensor's origin: the joint's, unless it is
    placed elsewhere in the body. Forces that act on a body as a whole (loads, wheels) are taken to act before
    a cut inside it.
    """

    mount: ClassVar[str] = "machine"
    meaning: ClassVar[str] = "force and moment through a joint, a loop or a cut"
    options: ClassVar = {
        "direction": Option(
            "parent_to_child", "choice", "on which side", ("parent_to_child", "child_to_parent")
        ),
        "links": Option(
            None, "values", "links of the body that lie beyond a cut; what hangs on it if absent"
        ),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        names = [body.joint.name for body in model.bodies]
        loops = [loop.name for loop in model.loops]
        frames = [frame.name for frame in model.frames]
        #: what is measured: "joint", "loop" or "cut", the number of the body or loop, the sensor's place
        #: there
        if sensor.on in names:
            self._way, self._number, self._place = "joint", names.index(sensor.on), _pose(sensor)
        elif sensor.on in loops:
            self._way, self._number, self._place = "loop", loops.index(sensor.on), _pose(sensor)
        elif sensor.on in frames:
            self._way, self._number, self._place = "cut", sensor.body, sensor.placement
            self._links = self._beyond()
            whole = {link.name for link in model.links if link.body == sensor.body}
            if sensor.body != WORLD and set(self._links) == whole:
                self._way = "joint"
        else:
            hint = suggest(sensor.on, [*names, *loops, *frames])
            raise ValueError(
                f"it is placed on a joint, a link or a frame of one, which {sensor.on!r} is not; {hint}"
            )

    def channels(self) -> Sequence[Channel]:
        return [*channels("tx ty tz", "N m", "torque"), *channels("fx fy fz", "N", "force")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.wrench(at))

    def wrench(self, at: Instant) -> Force:
        """Moment about its origin and force, in its axes."""
        found = {"joint": self._through_joint, "loop": self._through_loop, "cut": self._through_cut}[
            self._way
        ](at)
        force = self._place.force_to_child(found)
        return force if self.parameters["direction"] == "parent_to_child" else Force.zero() - force

    def _through_joint(self, at: Instant) -> Force:
        """On the body, in its frame."""
        return _turned_back(at.bodies[self._number].rotation, at.reactions[self._number])

    def _through_loop(self, at: Instant) -> Force:
        """On the successor, about and in the axes of the joint's frame there."""
        loop = self.model.loops[self._number]
        X = loop.successor_placement
        R = X.rotation if loop.successor < 0 else at.bodies[loop.successor].rotation @ X.rotation
        return _turned_back(R, at.loop_reactions[self._number])

    def _through_cut(self, at: Instant) -> Force:
        """On the links beyond the cut, in the frame of their body."""
        i, total = self._number, Force.zero()
        still = Motion(Vec3(), -Vec3(*self.model.gravity)), Motion.zero()
        acceleration, velocity = still if i == WORLD else (at.proper_accelerations[i], at.velocities[i])
        for link in self.model.links:
            if link.name in self._links:
                inertia = link.inertia()
                total = total + inertia.apply(acceleration) + velocity.cross_force(inertia.apply(velocity))
        for k, body in enumerate(self.model.bodies):
            if body.parent == i and body.holder in self._links:
                world = at.bodies[k].translation.cross(at.reactions[k].linear) + at.reactions[k].angular
                total = total + self._body(at).force_to_child(Force(world, at.reactions[k].linear))
        total = total + self._added_mass(at) - self._elements(at)
        return total - self._contact(at) - self._loops(at) - self._tendons(at)

    def _body(self, at: Instant) -> Transform:
        """Pose of the body that is cut."""
        return Transform.identity() if self._number == WORLD else at.bodies[self._number]

    def _elements(self, at: Instant) -> Force:
        """Of force elements on links beyond the cut."""
        loads = [force for link, force in at.element_loads if link in self._links] if self._loaded else []
        return sum(loads, Force.zero())

    @property
    def _loaded(self) -> bool:
        return any(link in self._links for element in self.model.elements for link in element.links)

    def _added_mass(self, at: Instant) -> Force:
        """What moves the fluid around hulls beyond the cut; it has no weight."""
        total, i = Force.zero(), self._number
        if i == WORLD:
            return total
        lifted = at.bodies[i].rotation.apply_transposed(Vec3(*self.model.gravity))
        acceleration = at.proper_accelerations[i] + Motion(Vec3(), lifted)
        for element in at.model.elements:
            if element.type == "hull" and element.links[0] in self._links:
                matrix = ArticulatedInertia.of_matrix(element.parameters["added_mass"])
                A = matrix.to_parent(element.placements[0])
                total = (
                    total + A.apply(acceleration) + at.velocities[i].cross_force(A.apply(at.velocities[i]))
                )
        return total

    def _contact(self, at: Instant) -> Force:
        """Of the shapes beyond the cut."""
        total = Force.zero()
        for shape in self.model.shapes:
            if shape.link in self._links and shape.name in at.shape_forces:
                numbers = at.shape_forces[shape.name]
                total = total + Force(Vec3(*numbers[3:6]), Vec3(*numbers[:3]))
        return self._body(at).force_to_child(total)

    def _loops(self, at: Instant) -> Force:
        """Of loop joints on links beyond the cut."""
        total = Force.zero()
        for loop, force in zip(self.model.loops, at.loop_reactions, strict=True) if self.model.loops else ():
            X = loop.successor_placement
            point = (X if loop.successor < 0 else at.bodies[loop.successor] @ X).translation
            wrench = Force(force.angular + point.cross(force.linear), force.linear)
            if loop.successor_link in self._links:
                total = total + wrench
            if loop.predecessor_link in self._links:
                total = total - wrench
        return self._body(at).force_to_child(total)

    def _tendons(self, at: Instant) -> Force:
        """Of tendons on links beyond the cut."""
        total = Force.zero()
        for part, force in at.tendon_loads:
            if part.link in self._links:
                total = total + force
        return self._body(at).force_to_child(total)

    def _beyond(self) -> tuple[str | None, ...]:
        """Names of the links beyond the cut, None for the world."""
        given = self.parameters["links"]
        known = [link.name for link in self.model.links if link.body == self.sensor.body]
        for name in given or ():
            if name not in known:
                raise ValueError(
                    f"its links name {name!r}, which is not in that body; {suggest(name, known)}"
                )
        if not given and not self.sensor.beyond:
            # a frame of the world: all that this carries
            return None, *known
        return tuple(given) if given else self.sensor.beyond


class ForceSensor(ForceTorque):
    """The force alone."""

    meaning: ClassVar[str] = "force through a joint, a loop or a cut"

    def channels(self) -> Sequence[Channel]:
        return channels("fx fy fz", "N")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.wrench(at).linear)


class TorqueSensor(ForceTorque):
    """The moment alone."""

    meaning: ClassVar[str] = "moment through a joint, a loop or a cut"

    def channels(self) -> Sequence[Channel]:
        return channels("tx ty tz", "N m")

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(self.wrench(at).angular)


class LoadCell(ForceTorque):
    """Force along one axis through a joint, a loop or a cut."""

    meaning: ClassVar[str] = "force along an axis through a joint, a loop or a cut"
    options: ClassVar = {
        **ForceTorque.options,
        "axis": Option((0.0, 0.0, 1.0), "vector", "the axis in the sensor's frame"),
    }

    def channels(self) -> Sequence[Channel]:
        return [Channel("force", "N")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [self.wrench(at).linear.dot(Vec3(*self.parameters["axis"]))]


def _pose(sensor: Sensor) -> Transform:
    return Transform(Mat3.of([list(row) for row in sensor.rotation]), Vec3(*sensor.position))


def _turned_back(R: Mat3, force: Force) -> Force:
    return Force(R.apply_transposed(force.angular), R.apply_transposed(force.linear))
