"""The C header of an exported machine: the struct of its state, its functions, and indices by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle._version import __version__
from treadle.exports.machine import FUNCTIONS, ExportedMachine, c_comment, c_name
from treadle.native.layout import Layout

__all__ = ["function_signature", "header", "members"]

#: What the arrays of a step are.
_MEANING = {
    "q": "positions (rad, m), in the order of the joints below",
    "v": "velocities (rad/s, m/s)",
    "tau": "joint forces (N m, N), held until they are changed",
    "dt": "time step (s)",
    "clock": "start of the run (s) and steps taken since",
    "loads": "forces on bodies, 21 numbers each (see the documentation)",
    "inputs": "inputs of force laws and controllers",
    "commands": "commands of the actuators",
    "drives": "state of the actuators (pressures of cylinders in Pa)",
    "options": "options of the integrator",
    "memory": "what the integrator keeps from step to step",
    "effort": "rounds of the solver, and the worst residual left over",
    "closing": "time constant of Baumgarte's feedback (s)",
    "gap": "largest gap of the loops so far, and what tells singular positions",
    "alive": "1 until a step would diverge, and steps taken",
}


def header(machine: ExportedMachine, layout: Layout, needs: Sequence[str] | None) -> str:
    """The text of the header; `needs` are functions of the C library, None for C source."""
    name, upper = machine.name, machine.name.upper()
    library = "sin, cos and others of <math.h> (-lm)" if needs is None else ", ".join(needs) or "nothing"
    return "\n".join(
        [
            f"/* {c_comment(machine.model.name)}: step ({machine.integrator}) and dynamics, by Treadle "
            f"{__version__}.",
            " *",
            f" * A state takes {8 * layout.slots} bytes. No function allocates memory or keeps any between",
            " * calls: threads may use different states at once. Units are SI, angles in radians.",
            f" * Needed from the C library: {library}.",
            " */",
            f"#ifndef {upper}_H",
            f"#define {upper}_H",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            *_indices(machine),
            f"/* State, inputs and scratch memory of a step; `{name}_initialize` fills it. */",
            f"typedef struct {name}_state {{",
            *members(layout),
            f"}} {name}_state;",
            "",
            "/* Go to where the run starts. */",
            f"void {name}_initialize({name}_state *state);",
            "",
            "/* Advance by state->dt[0]. Returns 0, or 1 if the step would diverge: it is then not taken. */",
            f"int {name}_step({name}_state *state);",
            "",
            *[line for key in machine.functions for line in _declared(machine, key)],
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "",
            "#endif",
            "",
        ]
    )


def members(layout: Layout) -> list[str]:
    """Members of the struct: inputs, outputs and scratch memory in the order of the frame."""
    lines = []
    for name, size in layout.inputs.items():
        if size:
            lines.append(f"    double {name}[{size}]; /* {_MEANING.get(name, name)} */")
    scratch = layout.slots - sum(layout.inputs.values()) - sum(layout.outputs.values())
    lines += [f"    double {name}[{size}];" for name, size in layout.outputs.items() if size]
    return [*lines, *([f"    double work[{scratch}];"] if scratch else [])]


def function_signature(machine: ExportedMachine, key: str, inputs: Mapping[str, int], size: int) -> str:
    """Declaration of a function of the dynamics."""
    given = [f"const double {name}[{count}]" for name, count in inputs.items()]
    return f"void {machine.name}_{key}({', '.join(given)}, double result[{size}])"


def _declared(machine: ExportedMachine, key: str) -> list[str]:
    program = machine.functions[key]
    graph, outputs = program.trace()
    size = len(outputs["result"])
    graph.release()
    return [f"/* {FUNCTIONS[key]} */", f"{function_signature(machine, key, program.inputs, size)};", ""]


def _indices(machine: ExportedMachine) -> list[str]:
    """Places of joints, actuators and frames in the arrays."""
    upper, model = machine.name.upper(), machine.model
    lines = [f"#define {upper}_NQ {model.nq}", f"#define {upper}_NV {model.nv}", ""]
    named: dict[str, list[tuple[str, int]]] = {
        "Q": [(joint.name, joint.q.start) for joint in model.joints],
        "V": [(joint.name, joint.v.start) for joint in model.joints],
        "COMMAND": [(actuator.name, k) for k, actuator in enumerate(model.actuators)],
    }
    if "frame_poses" in machine.functions:
        named["FRAME"] = [(frame.name, k) for k, frame in enumerate(model.frames)]
    meaning = {
        "Q": "the first position of each joint in q",
        "V": "its first velocity in v and its first force in tau",
        "COMMAND": "each actuator in commands",
        "FRAME": "each link and frame in frame_poses",
    }
    for kind, entries in named.items():
        if entries:
            lines.append(f"/* place of {meaning[kind]} */")
            used: set[str] = set()
            for text, place in entries:
                name = c_name(text).upper()
                while name in used:
                    name = f"{name}_{place}"
                used.add(name)
                lines.append(f"#define {upper}_{kind}_{name} {place}")
            lines.append("")
    return lines
