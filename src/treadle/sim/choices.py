"""What may be chosen about the steps of a simulation, as its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.forces.law import ForceLaw

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.sim.step.options import StepOptions
    from treadle.sim.world import World
    from treadle.terrain import Terrain

__all__ = ["Choices"]


class Choices:
    """A simulation seen by its options; `integrator`, `stabilization` and `solver` may be set."""

    #: everything that was chosen about a step
    step_options: StepOptions
    #: the state and the compiled steps
    world: World

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of the world, one column each."""
        return self.world.arrays

    def rechoose(self, **given: Any) -> None:
        """Continue with other options."""
        raise NotImplementedError

    @property
    def integrator(self) -> str:
        """Name of the integrator; may be changed between steps."""
        return self.step_options.integrator

    @integrator.setter
    def integrator(self, name: str) -> None:
        self.rechoose(integrator=name, tuning={})

    @property
    def stabilization(self) -> str:
        """How loops stay closed; may be changed between steps."""
        return self.step_options.stabilization

    @stabilization.setter
    def stabilization(self, name: str) -> None:
        self.rechoose(stabilization=name, closing_time=None)

    @property
    def solver(self) -> str:
        """What finds the forces of loops, limits and friction; may be changed between steps."""
        return self.step_options.solver

    @solver.setter
    def solver(self, name: str) -> None:
        self.rechoose(solver=name)

    @property
    def contact(self) -> bool:
        """Whether shapes touch."""
        return self.step_options.contact

    @property
    def terrain(self) -> Terrain | None:
        """The ground under wheels, or that shapes touch."""
        return self.step_options.terrain

    @property
    def rolling(self) -> str:
        """What wheels do in a step."""
        return self.step_options.rolling

    @property
    def laws(self) -> tuple[ForceLaw, ...]:
        """The user's own force laws."""
        return self.step_options.laws

    @property
    def motions(self) -> Mapping[str, Motion]:
        """Prescribed positions of joints, by name."""
        return self.step_options.motions

    @property
    def options(self) -> dict[str, float]:
        """Options of the integrator."""
        names = self.step_options.method.options
        return dict(zip(names, self.arrays["options"][:, 0].tolist(), strict=True))
