"""A machine in motion: its state as arrays with a column per world, its options, and its compiled steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.forces.input import Input, InputTable, law_inputs
from treadle.forces.law import ForceLaw
from treadle.model.model import Model
from treadle.native.executable import Executable
from treadle.native.program import compile_program
from treadle.sim.arrays import allocate
from treadle.sim.step.options import StepOptions
from treadle.sim.step.program import StepKind, kept_rows, step_program
from treadle.solvers.stabilization import STABILIZATIONS

if TYPE_CHECKING:
    from treadle.sim.step.machine_code import MachineCode

__all__ = ["World"]


class World:
    """The arrays of a machine (a row per number, a column per world) and the code that advances them.

    `parameters` name constants of the model that are inputs of its steps; `controllers` are those that are
    traced, and `inputs` the live inputs that they read. A machine without shapes that touch has one fused
    program per kind of step; one with contact has the programs that the stages of its step call.
    """

    def __init__(
        self,
        model: Model,
        options: StepOptions,
        dt: float,
        *,
        controllers: Sequence[ForceLaw] = (),
        inputs: Sequence[Input] = (),
        parameters: Sequence[str] = (),
        columns: int = 1,
        precision: str = "float64",
        lanes: int = 1,
    ) -> None:
        if parameters:
            from treadle.model.element_values import may_stiffen

            model = may_stiffen(model, parameters)
        self.model = model
        self.options = options
        self.controllers = tuple(controllers)
        self.parameters = tuple(parameters)
        self.precision, self.lanes = precision, lanes
        #: by name, see `sim.arrays`
        self.arrays: dict[str, np.ndarray] = allocate(
            model,
            options.integrator,
            dt,
            options.tuning,
            self.parameters,
            columns,
            precision,
            options.closing_time,
        )
        # what bounded rows (limits, friction, motors, motions) gave in the last step
        self.arrays["rows"] = np.zeros((kept_rows(model, options.motions), columns), dtype=precision)
        self.arrays["next_rows"] = self.arrays["rows"]
        #: the live inputs of laws and controllers
        self.inputs = InputTable([*law_inputs(model, options.laws), *inputs])
        self.arrays["inputs"] = self.inputs.array(columns, precision)
        #: time (s) is start + steps dt
        self.start, self.steps = 0.0, 0
        self._fused: dict[tuple, Executable] = {}
        self._code: dict[tuple[tuple[str, ...], bool, bool], MachineCode] = {}

    def retrace(self, controllers: Sequence[ForceLaw], inputs: Sequence[Input]) -> None:
        """Go on with controllers that were traced again; steps are compiled when they are next taken."""
        before, old = self.inputs, self.arrays["inputs"]
        self.controllers = tuple(controllers)
        self.inputs = InputTable([*law_inputs(self.model, self.options.laws), *inputs])
        self.arrays["inputs"] = self.inputs.array(old.shape[1], self.precision)
        self.inputs.take_over(self.arrays["inputs"], before, old)
        self._fused.clear()
        self._code.clear()

    def read_inputs(self) -> None:
        """Take over live inputs that were set."""
        self.inputs.copy_to(self.arrays["inputs"])

    def fused(self, kind: StepKind) -> Executable:
        """The step as one compiled program."""
        key = kind if kind.events is None else (*kind._replace(events=None), "watched")
        if key not in self._fused:
            program = step_program(self.model, self.options, kind, self.controllers, self.inputs.inputs)
            self._fused[key] = compile_program(program, self.lanes, self.precision)
        return self._fused[key]

    def contact_code(
        self, parameters: Sequence[str] = (), loaded: bool = True, accounted: bool = True
    ) -> MachineCode:
        """The compiled programs that the stages of a contact step call, for `loaded` bodies or others.

        Unless they are `accounted`, the work of forces is not counted.
        """
        key = (tuple(parameters), loaded, accounted)
        if key not in self._code:
            self._code[key] = self._compile_contact(*key)
        return self._code[key]

    def _compile_contact(self, parameters: tuple[str, ...], loaded: bool, accounted: bool) -> MachineCode:
        from treadle.sim.step.machine_code import MachineCode
        from treadle.sim.step.predict_program import Prediction

        model, options = self.model, self.options
        prediction = Prediction(
            model,
            laws=options.laws,
            motions=options.motions,
            parameters=parameters,
            inputs=self.inputs.inputs,
            terrain=options.terrain,
            rolling=options.rolling,
            feedback=options.feedback,
            projects=model.closed and STABILIZATIONS[options.stabilization].projects,
            loaded=loaded,
            accounted=accounted,
        )
        flow = None
        if options.method.flows:
            bounded = bool(model.held or model.limited or options.arrested)
            kind = StepKind(
                loaded=loaded, parameters=parameters, guarded=False, bounded=bounded, accounted=accounted
            )
            flow = step_program(model, options.without_contact(), kind, live=self.inputs.inputs)
        return MachineCode(prediction, flow, options.method.adaptive, self.controllers)
