"""Everything that may be chosen about a step, made once and passed on whole.

To a simulation, a batch, an edit, a trial run and the code that compiles ahead. Every option is honoured or
refused here, with a sentence that says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.errors import InputError
from treadle.forces.law import ForceLaw
from treadle.integrators import INTEGRATORS, Method
from treadle.model.model import Model
from treadle.sim.arrays import DEFAULTS, check_options
from treadle.sim.checks import (
    MESH_FORMS,
    check_choice,
    check_closes,
    check_contact,
    check_model,
    check_motions,
    check_stabilization,
)
from treadle.sim.ground import check_rolling, ground
from treadle.solvers import SOLVERS

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.geometry.collision_meshes import MeshChoice, Meshes
    from treadle.terrain import Terrain

__all__ = ["StepOptions"]


@dataclass(frozen=True)
class StepOptions:
    """What a step does; `StepOptions.of` fills in a machine's own settings and checks all of it."""

    integrator: str = "symplectic_euler"
    #: values of the integrator's own options, by name
    tuning: Mapping[str, float] = field(default_factory=dict)
    stabilization: str = "projection"
    #: time constant (s) of Baumgarte's feedback, 0 for its default
    closing_time: float = 0.0
    solver: str = "direct"
    terrain: Terrain | None = None
    rolling: str = "balance"
    #: whether shapes touch, and what was asked for: None leaves it to the machine
    contact: bool = False
    asked_contact: bool | None = None
    #: geometry of the shapes that are meshes, by name
    meshes: Meshes = field(default_factory=dict)
    #: what meshes of the machine's files touch as, see `sim.meshes`: None leaves it to the machine
    mesh_form: str | None = None
    laws: tuple[ForceLaw, ...] = ()
    controllers: tuple[ForceLaw, ...] = ()
    motions: Mapping[str, Motion] = field(default_factory=dict)
    #: whether islands of free bodies at rest are left out, see `sim.step.sleep`
    sleep: bool = False
    #: whether contacts begin and end with steps: one solve a step, of first order, see `advance`
    time_stepping: bool = False

    @classmethod
    def of(
        cls,
        model: Model,
        *,
        integrator: str | None = None,
        stabilization: str | None = None,
        closing_time: float | None = None,
        solver: str | None = None,
        terrain: Terrain | Mapping[str, Any] | None = None,
        rolling: str | None = None,
        contact: bool | None = None,
        meshes: MeshChoice | None = None,
        mesh_form: str | None = None,
        laws: Sequence[ForceLaw] = (),
        controllers: Sequence[ForceLaw] = (),
        motions: Mapping[str, Motion] | None = None,
        tuning: Mapping[str, float] | None = None,
        sleep: bool = False,
        time_stepping: bool = False,
    ) -> StepOptions:
        """What was given, or else the machine's settings, or else the defaults; InputError if it is wrong."""
        check_model(model, "Simulation")
        settings: dict[str, Any] = DEFAULTS | dict(model.settings)
        method = settings["integrator"] if integrator is None else integrator
        check_choice("integrator", method, INTEGRATORS)
        check_closes(model, method)
        kept = settings["stabilization"] if stabilization is None else stabilization
        chosen = settings["solver"] if solver is None else solver
        check_choice("solver", chosen, SOLVERS)
        ground_under = ground(model, terrain, settings, contact)
        asked = settings.get("contact") if contact is None else contact
        touches = check_contact(model, ground_under, asked)
        if isinstance(meshes, str):
            meshes, mesh_form = {}, meshes
        if mesh_form is not None:
            check_choice("form of meshes", mesh_form, MESH_FORMS)
        for name, flag in (("sleep", sleep), ("time_stepping", time_stepping)):
            if not isinstance(flag, (bool, np.bool_)):
                raise InputError(f"{name} must be True or False, not {flag!r}")
        options = cls(
            integrator=method,
            tuning=check_options(method, tuning or {}),
            stabilization=kept,
            closing_time=check_stabilization(method, kept, closing_time),
            solver=chosen,
            terrain=ground_under,
            rolling=check_rolling(settings.get("rolling", "balance") if rolling is None else rolling),
            contact=touches,
            asked_contact=contact,
            meshes=_contact_meshes(model, meshes, mesh_form) if touches else dict(meshes or {}),  # type: ignore[arg-type]
            mesh_form=mesh_form,
            laws=tuple(laws),
            controllers=tuple(controllers),
            motions=check_motions(model, motions or {}, method),
            sleep=bool(sleep),
            time_stepping=bool(time_stepping),
        )
        options._check_together(model)
        return options

    @cached_property
    def method(self) -> Method:
        """The integrator."""
        return INTEGRATORS[self.integrator]

    @property
    def driven(self) -> bool:
        """Whether rotors follow the motions, for the method asks for no impulses on its way."""
        return bool(self.motions) and not self.method.arrests

    @property
    def arrested(self) -> bool:
        """Whether impulses hold the motions."""
        return bool(self.motions) and self.method.arrests

    @property
    def feedback(self) -> float | None:
        """Time constant of the feedback that closes loops, 0 for its default; None where there is none."""
        return self.closing_time if self.stabilization == "baumgarte" else None

    def changed(self, model: Model, **given: Any) -> StepOptions:
        """The same with other choices, checked anew for a machine."""
        own = {
            "integrator": self.integrator,
            "tuning": self.tuning,
            "stabilization": self.stabilization,
            "closing_time": self.closing_time or None,
            "solver": self.solver,
            "terrain": self.terrain,
            "rolling": self.rolling,
            "contact": self.asked_contact,
            "meshes": self.meshes,
            "mesh_form": self.mesh_form,
            "laws": self.laws,
            "controllers": self.controllers,
            "motions": self.motions,
            "sleep": self.sleep,
            "time_stepping": self.time_stepping,
        }
        return type(self).of(model, **own | given)

    def moved(self, before: Model, after: Model) -> StepOptions:
        """The same for an edited machine, which touches what it did."""
        # the layer that reads geometry takes long to import
        from treadle.sim.contact_default import may_touch, touches
        from treadle.sim.meshes import unchanged_meshes

        grounded = bool(after.wheels) or touches(after, self.terrain)
        terrain = self.terrain if grounded else None
        return self.changed(
            after,
            terrain=terrain,
            contact=self.asked_contact and may_touch(after, terrain),
            meshes=unchanged_meshes(self.meshes, before, after),
        )

    def without_contact(self) -> StepOptions:
        """The same for the part of a step in which no contact acts."""
        return replace(self, contact=False, controllers=(), terrain=self.terrain)

    def _check_together(self, model: Model) -> None:
        """InputError where choices exclude each other."""
        if self.contact and self.rolling == "kinematic" and model.wheels:
            raise InputError(
                "rolling='kinematic' has no forces that contact could act against: use rolling='balance', or "
                "give contact=False"
            )
        if self.sleep and not self.contact:
            raise InputError("sleep is for scenes whose shapes touch: leave it out, or give contact=True")
        if self.sleep and self.method.flows:
            raise InputError(
                f"{self.integrator!r} moves bodies between contacts by a map of its own, where none sleeps: "
                "use 'symplectic_euler', or leave sleep=True out"
            )
        if self.time_stepping:
            self._check_time_stepping(model)
        if self.contact and self.solver == "simgc":
            raise InputError(
                "solver='simgc' solves joints and loops alone: use solver='direct' with contact, or give "
                "contact=False"
            )

    def _check_time_stepping(self, model: Model) -> None:
        """InputError where contacts cannot begin and end with steps."""
        if not self.contact:
            raise InputError(
                "time_stepping is for machines whose shapes touch: leave it out, or give contact=True"
            )
        for material in model.materials:
            if material.stiffness is not None and material.impedance is None:
                raise InputError(
                    "time stepping takes materials that are rigid or have an impedance, and "
                    f"{material.name!r} has a spring: leave time_stepping=True out, or its stiffness"
                )


def _contact_meshes(model: Model, meshes: Any, form: str | None) -> Meshes:
    # reading geometry takes long to import
    from treadle.sim.meshes import contact_meshes

    return contact_meshes(model, meshes, form)
