"""Balls and boxes on the ground, as all engines get them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treadle.model import Model, ModelSpec, box_inertia

__all__ = ["GRAVITY", "Scene", "Solid"]

#: m/s2
GRAVITY = 9.81


@dataclass(frozen=True)
class Solid:
    """A free body: a ball of one radius, or a box of three sides (m), with its mass (kg) and centre (m)."""

    mass: float
    size: tuple[float, ...]
    place: tuple[float, float, float]

    @property
    def is_ball(self) -> bool:
        return len(self.size) == 1

    @property
    def moments(self) -> tuple[float, float, float]:
        """Principal moments of inertia (kg m2), those of a homogeneous body."""
        if self.is_ball:
            moment = 0.4 * self.mass * self.size[0] ** 2
            return (moment, moment, moment)
        x, y, z = box_inertia(self.mass, *self.size)[:3]
        return (x, y, z)


@dataclass(frozen=True)
class Scene:
    """Solids over the plane z = 0; friction of boxes on the ground, of balls on boxes; one restitution."""

    name: str
    solids: tuple[Solid, ...]
    sliding: float = 0.0
    rolling: float = 0.0
    restitution: float = 0.0

    def model(self) -> Model:
        """The scene as a machine; bodies are named by their number."""
        spec = ModelSpec(self.name, gravity=(0.0, 0.0, -GRAVITY))
        for name, friction in (("smooth", 0.0), ("sliding", self.sliding), ("rolling", self.rolling)):
            spec.add_material(name, friction=friction, restitution=self.restitution)
        spec.add_shape("ground", None, "plane", role="collision", material="smooth")
        boxes = [f"body{k}" for k, solid in enumerate(self.solids) if not solid.is_ball]
        for k, solid in enumerate(self.solids):
            name, kind = f"body{k}", "sphere" if solid.is_ball else "box"
            spec.add_body(name, solid.mass, inertia=solid.moments)
            spec.add_joint(name, "free", None, name, position=solid.place)
            spec.add_shape(name, name, kind, solid.size, role="collision", material="smooth")
            if name in boxes:
                spec.add_contact(None, name, material="sliding")
            for box in boxes if solid.is_ball else ():
                spec.add_contact(box, name, material="rolling")
        return spec.compile()

    def places(self) -> np.ndarray:
        """Centres (m) at the start, one row each."""
        return np.array([solid.place for solid in self.solids])

    def masses(self) -> np.ndarray:
        """Masses (kg)."""
        return np.array([solid.mass for solid in self.solids])
