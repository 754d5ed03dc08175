"""Functions of a machine with exact derivatives of any order, over arrays of states.

A `MachineFunction` maps named vectors to named vectors, by compiled code. Its `pullback` maps the same inputs
and weights of the outputs to the derivatives of sum(weights * outputs) by every input: one reverse sweep over
the expression graph, compiled as well. It is a `MachineFunction` itself: derivatives have derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from treadle.dynamics.compiled import dynamics_program
from treadle.errors import InputError
from treadle.graph import Expr, Scalar, reverse, unrolled
from treadle.model.model import Model, suggest
from treadle.model.parameters import lift
from treadle.model.values import real_array
from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program, default_lanes
from treadle.sim.arrays import CARRIED
from treadle.sim.simulation import Simulation
from treadle.sim.state_rates import check_smooth, state_inputs, state_rates
from treadle.sim.step.program import StepKind, step_program

__all__ = ["FUNCTIONS", "MachineFunction", "machine_function"]

#: What can be made differentiable, with a description.
FUNCTIONS = {
    "forward_dynamics": "accelerations of the rigid bodies under joint forces tau",
    "inverse_dynamics": "joint forces that give the accelerations a",
    "mass_matrix": "joint-space inertia matrix, row by row",
    "frame_poses": "rotations (row by row) and positions of all links and frames, 12 numbers each",
    "kinetic_energy": "kinetic energy",
    "potential_energy": "potential energy in gravity",
    "acceleration": "accelerations and rates of actuators of the whole machine: springs, actuators, loops",
    "step": "the state after one step of the simulation",
}

#: Rounds of a loop's projection that derivatives are taken through; each gains as many digits as the first.
_ROUNDS = 4

#: Named vectors -> named vectors, over scalars of any kind.
Definition: TypeAlias = Callable[..., Mapping[str, Sequence[Scalar]]]


class MachineFunction:
    """A compiled function with named inputs and outputs, whose sizes are `inputs` and `outputs`."""

    def __init__(self, name: str, inputs: Mapping[str, int], definition: Definition) -> None:
        self.name = name
        self.inputs = dict(inputs)
        #: named vectors -> named vectors over scalars of any kind, to be traced elsewhere
        self.definition = definition
        self._sizes = list(self.inputs.values())
        self._program = Program(None, self.inputs, self._traced)
        #: compiled code by the number of lanes
        self._compiled: dict[int, Executable] = {}
        graph, results = self._program.trace()
        self.outputs = {key.removeprefix("new "): len(values) for key, values in results.items()}
        graph.release()

    def __repr__(self) -> str:
        given = ", ".join(f"{name} ({size})" for name, size in self.inputs.items())
        return f"{self.name}: {given} -> {', '.join(f'{k} ({n})' for k, n in self.outputs.items())}"

    def __call__(self, *arrays: np.ndarray) -> np.ndarray:
        """All outputs, one after another, in the last axis; the axes before it are those of the inputs."""
        given = [real_array(x) for x in arrays]
        if all(x.ndim == 1 for x in given) and [x.size for x in given] == self._sizes:
            return self._one(given)
        for x, (name, size) in zip(given, self.inputs.items(), strict=True):
            if x.shape[-1:] != (size,):
                raise InputError(
                    f"{self.name}: {name} needs {size} numbers along its last axis, not {x.shape}"
                )
        shape = np.broadcast_shapes(*[x.shape[:-1] for x in given])
        flat = [np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1]) for x in given]
        return self._evaluated(flat).reshape(*shape, sum(self.outputs.values()))

    @cached_property
    def pullback(self) -> MachineFunction:
        """Derivatives of sum(weights * outputs) by all inputs, from the inputs and "weights"."""
        names = list(self.inputs)

        weights = f"weights of {self.name}"

        def definition(**given: Sequence[Expr]) -> dict[str, Sequence[Scalar]]:
            weighing = given.pop(weights)
            outputs = [x for values in self.definition(**given).values() for x in values]
            flat = reverse(outputs, weighing, [x for name in names for x in given[name]])
            places = np.cumsum([0, *self.inputs.values()])
            return {name: flat[places[k] : places[k + 1]] for k, name in enumerate(names)}

        inputs = {**self.inputs, weights: sum(self.outputs.values())}
        return MachineFunction(f"pullback of {self.name}", inputs, definition)

    def _traced(self, **given: Sequence[Expr]) -> dict[str, Sequence[Scalar]]:
        # a program has different names for what it reads and writes
        with unrolled(_ROUNDS):
            return {f"new {key}": values for key, values in self.definition(**given).items()}

    def _executable(self, lanes: int) -> Executable:
        if lanes not in self._compiled:
            self._compiled[lanes] = compile_program(self._program, lanes)
        return self._compiled[lanes]

    def _one(self, vectors: Sequence[np.ndarray]) -> np.ndarray:
        """Outputs of one state."""
        found = self._executable(1)(*vectors)
        if found is None:
            raise InputError(f"{self.name}: an input is not finite")
        return np.concatenate(found)

    def _evaluated(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """Outputs (n, size) of inputs (n, size each)."""
        count = len(columns[0])
        lanes = 1 if count < default_lanes() else default_lanes()
        if count == 1:
            return self._one([x[0] for x in columns])[None]
        stride = -(-count // lanes) * lanes
        arrays = {}
        for (name, size), column in zip(self.inputs.items(), columns, strict=True):
            arrays[name] = np.empty((size, stride))
            arrays[name][:, :count] = column.T
            # lanes that are left over compute the last state again
            arrays[name][:, count:] = column[-1:].T
        arrays |= {f"new {name}": np.empty((size, stride)) for name, size in self.outputs.items()}
        self._executable(lanes).run(arrays, 0, count)
        return np.concatenate([arrays[f"new {name}"][:, :count] for name in self.outputs]).T


def machine_function(
    machine: Model | Simulation, name: str, parameters: Sequence[str] = ()
) -> MachineFunction:
    """One of `FUNCTIONS` of a machine, with `parameters` (see `td.parameter_names`) as a further input.

    "acceleration" and "step" are those of a `Simulation`; limits of joints are left out of them. InputError
    for what has no derivatives.
    """
    if not isinstance(machine, Model | Simulation):
        raise InputError(f"a Model or a Simulation is needed, not {type(machine).__name__}")
    if name not in FUNCTIONS:
        raise InputError(f"no function {name!r} has derivatives; {suggest(str(name), list(FUNCTIONS))}")
    model = machine if isinstance(machine, Model) else machine.model
    lift(model, dict.fromkeys(parameters, 1.0))
    if name in ("acceleration", "step"):
        if isinstance(machine, Model):
            raise InputError(f"{name!r} is a function of a simulation: give td.Simulation(model)")
        _check(machine)
        make = _step if name == "step" else _acceleration
        return make(machine, tuple(parameters))
    return _dynamics(model, name, tuple(parameters))


def _dynamics(model: Model, name: str, parameters: Sequence[str]) -> MachineFunction:
    program = dynamics_program(model, name)
    if not parameters:
        return MachineFunction(name, program.inputs, program.function)
    inputs = {**program.inputs, "parameters": len(parameters)}

    def definition(**given: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
        lifted = lift(model, dict(zip(parameters, given.pop("parameters"), strict=True)))
        return dict(dynamics_program(lifted, name).function(**given))

    return MachineFunction(name, inputs, definition)


def _acceleration(sim: Simulation, parameters: Sequence[str]) -> MachineFunction:
    def definition(**given: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
        named = dict(zip(parameters, given.pop("parameters", ()), strict=True))
        rates = state_rates(sim, given, lift(sim.model, named) if named else None)
        nv = sim.model.nv
        return {"acceleration": rates[:nv], **({"drives": rates[nv:]} if rates[nv:] else {})}

    own = {"parameters": len(parameters)} if parameters else {}
    return MachineFunction("acceleration", {**state_inputs(sim), **own}, definition)


def _step(sim: Simulation, parameters: Sequence[str]) -> MachineFunction:
    """One step without limits: what is carried over from step to step are its outputs."""
    kind = StepKind(parameters=parameters, guarded=False)
    program = step_program(sim.model, sim.step_options, kind, sim.controllers.traced, sim.world.inputs.inputs)
    state = [name for name in ("q", "v", "drives", "memory") if name in program.inputs]
    free = [name for name in (*state, "tau", "commands", "inputs", "parameters") if name in program.inputs]
    fixed = {
        name: sim.arrays[name][:, 0].tolist() if name in sim.arrays else [0.0] * size
        for name, size in program.inputs.items()
        if name not in free
    }
    timed = "clock" in fixed

    def definition(**given: Sequence[Scalar]) -> dict[str, Sequence[Scalar]]:
        clock = {"clock": [given.pop("time")[0], 0.0]} if timed else {}
        after = program.function(**(fixed | clock | given))
        return {name: after[f"next_{name}"] for name in state}

    assert set(state) <= set(CARRIED)
    sizes = {name: program.inputs[name] for name in free} | ({"time": 1} if timed else {})
    return MachineFunction("step", sizes, definition)


def _check(sim: Simulation) -> None:
    check_smooth(sim)
    model, method = sim.model, sim.step_options.method
    if model.rubs:
        raise InputError(
            f"dry friction of {model.name!r} has no derivative; set friction=0 and use damping or a force law"
        )
    if sim.step_options.motions or any(actuator.rigid for actuator in model.actuators):
        raise InputError(f"prescribed motions and rigid motors of {model.name!r} have no derivative here")
    if method.adaptive or method.iterates:
        raise InputError(
            f"a step of {sim.step_options.integrator!r} takes a number of rounds that depends on the state; "
            "derivatives are those of symplectic_euler, rk4 and other methods with a fixed number of stages"
        )
    if sim.controllers.called_back or tuple(sim.events) or sim.processes.active:
        raise InputError(f"events, processes and controllers in Python of {model.name!r} have no derivative")
