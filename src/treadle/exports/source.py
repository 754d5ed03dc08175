"""An exported machine as C99 source."""

from __future__ import annotations

from treadle.exports.header import function_signature, header, members
from treadle.exports.machine import ExportedMachine, c_comment
from treadle.native.c_elementary import c_elementary
from treadle.native.c_source import c_functions, literal
from treadle.native.layout import Layout

__all__ = ["c_files", "step_layout"]


def c_files(machine: ExportedMachine) -> dict[str, str]:
    """Texts of the header and of the source file, by their names."""
    name, step = machine.name, machine.step
    graph, outputs = step.trace()
    body, layout = c_functions(f"{name}_step", graph, step.inputs, outputs, step.carry)
    graph.release()
    functions = [body, *[_function(machine, key) for key in machine.functions]]
    parts = [
        f"/* Made by Treadle from the expression graph of {c_comment(machine.model.name)}; see {name}.h. */",
        f'#include "{name}.h"',
        "",
        "#include <math.h>",
        "",
        c_elementary("\n".join(functions)),
        f"typedef {name}_state {name}_step_frame;",
        "",
        functions[0],
        _initialize(machine),
        _step(machine),
        *functions[1:],
    ]
    return {f"{name}.h": header(machine, layout, None), f"{name}.c": "\n".join(parts)}


def step_layout(machine: ExportedMachine) -> Layout:
    """Where the arrays of the struct lie, up to its scratch memory."""
    graph, outputs = machine.step.trace()
    sizes = {name: len(values) for name, values in outputs.items()}
    graph.release()
    return Layout(dict(machine.step.inputs), sizes, dict(machine.step.carry), 0)


def _initialize(machine: ExportedMachine) -> str:
    name = machine.name
    first = next(key for key, values in machine.start.items() if values)
    lines = [
        f"void {name}_initialize({name}_state *state)",
        "{",
        f"    static const {name}_state zero = {{.{first} = {{0.0}}}};",
        "    *state = zero;",
    ]
    for key, values in machine.start.items():
        lines += [f"    state->{key}[{k}] = {literal(x)};" for k, x in enumerate(values) if x != 0.0]
    return "\n".join([*lines, "}", ""])


def _step(machine: ExportedMachine) -> str:
    name, step = machine.name, machine.step
    lines = [f"int {name}_step({name}_state *state)", "{", f"    {name}_step_body(state);"]
    for source, target in step.carry.items():
        count = step.inputs[target]
        lines.append(f"    for (int k = 0; k < {count}; k++) state->{target}[k] = state->{source}[k];")
    lines += ["    return state->alive[0] != 1.0;", "}", ""]
    return "\n".join(lines)


def _function(machine: ExportedMachine, key: str) -> str:
    """A function of the dynamics, whose frame is on the stack."""
    name, program = f"{machine.name}_{key}", machine.functions[key]
    graph, outputs = program.trace()
    body, layout = c_functions(name, graph, program.inputs, outputs, {})
    graph.release()
    size = layout.outputs["result"]
    lines = ["typedef struct {", *members(layout), f"}} {name}_frame;", "", body]
    lines += [function_signature(machine, key, program.inputs, size), "{", f"    {name}_frame frame;"]
    for given, count in program.inputs.items():
        lines.append(f"    for (int k = 0; k < {count}; k++) frame.{given}[k] = {given}[k];")
    lines += [f"    {name}_body(&frame);"]
    lines += [f"    for (int k = 0; k < {size}; k++) result[k] = frame.result[k];", "}", ""]
    return "\n".join(lines)
