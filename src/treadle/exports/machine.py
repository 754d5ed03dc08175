"""What is exported of a machine: its step, functions of its dynamics, and where it starts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treadle.dynamics.compiled import dynamics_program
from treadle.errors import InputError
from treadle.model.model import Model, suggest
from treadle.native.program import Program
from treadle.sim.simulation import Simulation
from treadle.sim.state_rates import rates_program
from treadle.sim.step.program import StepKind, step_program

__all__ = ["FUNCTIONS", "ExportedMachine", "c_comment", "c_name", "prepare", "simulation_of", "smooth"]

#: Functions of the dynamics that can be exported, with what they return.
FUNCTIONS = {
    "forward_dynamics": "accelerations (nv) under the joint forces tau, without springs, loops and actuators",
    "inverse_dynamics": "joint forces (nv) that give the accelerations a",
    "mass_matrix": "joint-space inertia matrix (nv x nv), row by row",
    "frame_poses": "4 x 4 poses of all links and frames in the world, row by row, in the order of the list",
    "center_of_mass": "centre of mass in the world (m)",
    "kinetic_energy": "kinetic energy (J)",
    "potential_energy": "potential energy (J) in gravity",
    "state_rates": "rates of q, v and the actuators' state of the whole machine but limits, at `time` (s)",
    "state_rates_along": "derivative of state_rates along a direction (dq, dv, dtau, ...)",
}

#: Words that C keeps for itself.
_KEYWORDS = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
    "while",
})  # fmt: skip


#: Characters of a name: with those of what is added to it, it stays within the 63 of C99.
_LONGEST = 40


@dataclass(frozen=True)
class ExportedMachine:
    """A machine ready to be written: `name` is an identifier of C, `start` the arrays of its first step."""

    name: str
    model: Model
    step: Program
    start: Mapping[str, Sequence[float]]
    functions: Mapping[str, Program]
    integrator: str

    @property
    def continuous(self) -> bool:
        """Whether its rates are exported, as a function of the state."""
        return "state_rates" in self.functions


def prepare(
    source: Model | Simulation, name: str | None = None, functions: Sequence[str] = (), loads: bool = False
) -> ExportedMachine:
    """The step of a simulation (or of a machine with its own settings) from its present state.

    The step is that of a `Batch`: limits and friction act from the start, and no ledger of work is kept.
    With `loads` it has forces on bodies as inputs. InputError for what such a step cannot do.
    """
    sim = simulation_of(source)
    _check(sim)
    model, options = sim.model, sim.step_options
    kind = StepKind(loaded=loads, bounded=bool(model.limited or model.held or options.motions))
    step = step_program(model, options, kind, sim.controllers.traced, sim.world.inputs.inputs)
    for function in functions:
        if function not in FUNCTIONS:
            raise InputError(
                f"no function {function!r} can be exported; {suggest(function, list(FUNCTIONS))}"
            )
    start = {key: sim.arrays[key][:, 0].tolist() for key in step.inputs if key not in ("alive", "clock")}
    clock = {"alive": [1.0, 0.0], "clock": [sim.world.start, float(sim.world.steps)]}
    return ExportedMachine(
        name=c_name(name or model.name),
        model=model,
        step=step,
        start=start | {key: value for key, value in clock.items() if key in step.inputs},
        functions={key: _function(sim, key) for key in functions},
        integrator=options.integrator,
    )


def smooth(sim: Simulation) -> bool:
    """Whether all of a machine's forces but limits are functions of its state, so that it has rates."""
    driven = sim.step_options.motions or any(actuator.rigid for actuator in sim.model.actuators)
    return not (sim.model.wheels or sim.model.rubs or driven or sim.controllers.traced)


def _function(sim: Simulation, key: str) -> Program:
    if not key.startswith("state_rates"):
        return dynamics_program(sim.model, key)
    if not smooth(sim):
        raise InputError(
            f"{sim.model.name!r} has no state_rates: wheels, dry friction, rigid motors, prescribed motions "
            "and controllers are no functions of its state"
        )
    return rates_program(sim, along=key.endswith("along"))


def c_name(text: str) -> str:
    """A name as an identifier of C, no longer than compilers have to tell apart."""
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()[:_LONGEST] or "machine"
    return f"{name}_" if name in _KEYWORDS else f"m_{name}" if name[0].isdigit() else name


def c_comment(text: str) -> str:
    """A name inside a comment of C, which it can neither end nor begin."""
    return " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *")


def simulation_of(source: Model | Simulation) -> Simulation:
    """The simulation that is exported: of a model, one with its own settings."""
    return source if isinstance(source, Simulation) else Simulation(source, contact=_touches(source))


def _touches(model: Model) -> bool | None:
    """Contact where the machine asks for it itself, so that it is refused with a reason."""
    return model.settings.get("contact")


def _check(sim: Simulation) -> None:
    what = sim.model.name
    if sim.step_options.contact:
        raise InputError(
            f"the contact of {what!r} is solved by kernels that cannot be exported; export a Simulation with "
            "contact=False, or its dynamics alone"
        )
    if sim.processes.active:
        raise InputError(
            f"the processes of {what!r} run between its steps and cannot be exported; take 'processes' out "
            "of its settings"
        )
    if tuple(sim.events):
        raise InputError(f"the events of {what!r} call Python and cannot be exported; leave them out")
    if sim.controllers.called_back:
        raise InputError(
            f"a controller of {what!r} is called in Python and cannot be exported; write it so that it can "
            "be traced (see docs/howto/write-a-controller.md), or leave it out"
        )
