"""Force elements, one type per file; the table of types is `ELEMENTS`."""

from __future__ import annotations

from treadle.forces.element import ForceElement
from treadle.forces.elements.bushing import Bushing
from treadle.forces.elements.charge_pair import ChargePair
from treadle.forces.elements.foil import Foil
from treadle.forces.elements.gravity import Gravity
from treadle.forces.elements.hull import Hull
from treadle.forces.elements.load import Load
from treadle.forces.elements.mujoco_fluid import MujocoFluid
from treadle.forces.elements.propeller import Propeller
from treadle.forces.elements.spring import Spring
from treadle.forces.elements.torsion import TorsionSpring
from treadle.forces.elements.wind import Wind

__all__ = ["ELEMENTS"]

#: Types of force elements by name; their parameters are in `model.elements`.
ELEMENTS: dict[str, type[ForceElement]] = {
    "spring": Spring,
    "torsion_spring": TorsionSpring,
    "bushing": Bushing,
    "load": Load,
    "gravity": Gravity,
    "charge_pair": ChargePair,
    "hull": Hull,
    "propeller": Propeller,
    "mujoco_fluid": MujocoFluid,
    "foil": Foil,
    "wind": Wind,
}
