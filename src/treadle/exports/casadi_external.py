"""Functions of a machine as a library for `casadi.external`, with exact Jacobians.

Every function `NAME_key` follows CasADi's C interface for external functions, and `jac_NAME_key` gives its
Jacobian blocks, output by input, dense and column by column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.exports.header import members
from treadle.exports.library import linked
from treadle.exports.machine import c_comment
from treadle.exports.machine_function import MachineFunction, machine_function
from treadle.graph import Expr, Scalar, jacobian, unrolled
from treadle.native.c_elementary import c_elementary
from treadle.native.c_source import c_functions
from treadle.native.program import Program
from treadle.sim.simulation import Simulation

__all__ = ["casadi_files"]

_HEAD = """/* Functions of {title} for casadi.external("{name}_{first}", "lib{name}_casadi.so"). */
#include <math.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED
#endif

typedef double casadi_real;
typedef long long int casadi_int;

static void take(double *to, const casadi_real *from, int count)
{{
    if (from == NULL) memset(to, 0, (size_t)count * sizeof(double));
    else memcpy(to, from, (size_t)count * sizeof(double));
}}
"""

_INTERFACE = """
EXPORTED int {name}(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{{
    {name}_frame frame;
    (void)iw; (void)w; (void)mem;
{take}
    {name}_body(&frame);
{give}
    return 0;
}}

EXPORTED casadi_int {name}_n_in(void) {{ return {n_in}; }}
EXPORTED casadi_int {name}_n_out(void) {{ return {n_out}; }}

EXPORTED const char *{name}_name_in(casadi_int i)
{{
    static const char *const names[] = {{{names_in}}};
    return i >= 0 && i < {n_in} ? names[i] : 0;
}}

EXPORTED const char *{name}_name_out(casadi_int i)
{{
    static const char *const names[] = {{{names_out}}};
    return i >= 0 && i < {n_out} ? names[i] : 0;
}}

EXPORTED const casadi_int *{name}_sparsity_in(casadi_int i)
{{
    static const casadi_int dense[][3] = {{{dense_in}}};
    return i >= 0 && i < {n_in} ? dense[i] : 0;
}}

EXPORTED const casadi_int *{name}_sparsity_out(casadi_int i)
{{
    static const casadi_int dense[][3] = {{{dense_out}}};
    return i >= 0 && i < {n_out} ? dense[i] : 0;
}}

EXPORTED int {name}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)
{{
    if (sz_arg) *sz_arg = {n_in};
    if (sz_res) *sz_res = {n_out};
    if (sz_iw) *sz_iw = 0;
    if (sz_w) *sz_w = 0;
    return 0;
}}
"""


def casadi_files(name: str, sim: Simulation, functions: Sequence[str]) -> dict[str, bytes]:
    """The C source and a shared library for this computer, by file names."""
    parts: list[str] = []
    for key in functions:
        function = machine_function(sim, key)
        parts += [_value(f"{name}_{key}", function), _jacobian(f"jac_{name}_{key}", function)]
    body = "\n".join(parts)
    head = _HEAD.format(title=c_comment(sim.model.name), name=name, first=functions[0])
    text = "\n".join([head, c_elementary(body), body])
    return {f"{name}_casadi.c": text.encode(), f"lib{name}_casadi.so": linked({"casadi.c": text.encode()})}


def _value(name: str, function: MachineFunction) -> str:
    def values(**given: Sequence[Expr]) -> dict[str, Sequence[Scalar]]:
        return {f"new_{key}": list(x) for key, x in function.definition(**given).items()}

    sizes_in = {key: (size, 1) for key, size in function.inputs.items()}
    sizes_out = {key: (size, 1) for key, size in function.outputs.items()}
    return _written(name, Program(None, function.inputs, values), sizes_in, sizes_out)


def _jacobian(name: str, function: MachineFunction) -> str:
    """Blocks by output and input; the outputs themselves are inputs too, which are not used."""

    def blocks(**given: Sequence[Expr]) -> dict[str, Sequence[Scalar]]:
        found: dict[str, Sequence[Scalar]] = {}
        results = function.definition(**given)
        rows = jacobian([x for y in results.values() for x in y], [x for y in given.values() for x in y])
        first = 0
        for output, size in function.outputs.items():
            start = 0
            for key, count in function.inputs.items():
                part = [rows[first + i][start + j] for j in range(count) for i in range(size)]
                found[f"new_jac_{output}_{key}"] = part
                start += count
            first += size
        return found

    sizes_in = {key: (size, 1) for key, size in function.inputs.items()}
    sizes_in |= {f"out_{key}": (size, 1) for key, size in function.outputs.items()}
    sizes_out = {
        f"jac_{output}_{key}": (rows, columns)
        for output, rows in function.outputs.items()
        for key, columns in function.inputs.items()
    }
    return _written(name, Program(None, function.inputs, blocks), sizes_in, sizes_out)


def _written(
    name: str,
    program: Program,
    inputs: Mapping[str, tuple[int, int]],
    outputs: Mapping[str, tuple[int, int]],
) -> str:
    """A program as C functions over a frame on the stack, and CasADi's functions around it."""
    with unrolled(4):
        graph, results = program.trace()
    body, layout = c_functions(name, graph, program.inputs, results, {})
    graph.release()
    take = [
        f"    take(frame.{key}, arg[{k}], {size});" for k, (key, size) in enumerate(program.inputs.items())
    ]
    give = [
        f"    if (res[{k}]) memcpy(res[{k}], frame.new_{key}, sizeof frame.new_{key});"
        for k, key in enumerate(outputs)
    ]
    written = _INTERFACE.format(
        name=name, take="\n".join(take), give="\n".join(give), n_in=len(inputs), n_out=len(outputs),
        names_in=", ".join(f'"{key}"' for key in inputs), names_out=", ".join(f'"{key}"' for key in outputs),
        dense_in=", ".join(f"{{{a}, {b}, 1}}" for a, b in inputs.values()),
        dense_out=", ".join(f"{{{a}, {b}, 1}}" for a, b in outputs.values()),
    )  # fmt: skip
    return "\n".join(["typedef struct {", *members(layout), f"}} {name}_frame;", "", body, written])
