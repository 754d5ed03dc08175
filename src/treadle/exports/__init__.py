"""A machine out of the house: its step and dynamics as a C library or as C source."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from treadle.errors import InputError
from treadle.exports.library import archive, machine_object, shared_library, symbols
from treadle.exports.machine import FUNCTIONS, c_name, prepare, simulation_of, smooth
from treadle.exports.source import c_files
from treadle.model.model import Model
from treadle.model.values import path_of
from treadle.native.target import Target
from treadle.sim.simulation import Simulation

__all__ = ["FUNCTIONS", "KINDS", "export"]

#: What can be exported, with a description.
KINDS = {
    "static": "C header and static library (.a)",
    "shared": "C header and shared library (.so)",
    "object": "C header and object file (.o)",
    "source": "C header and C99 source",
    "fmu": "Functional Mock-up Unit, FMI 3.0 co-simulation and model exchange (.fmu)",
    "fmu2": "Functional Mock-up Unit, FMI 2.0 co-simulation and model exchange (.fmu)",
    "casadi": "functions for casadi.external, with exact derivatives (.so and C source)",
}


def export(
    machine: Model | Simulation,
    folder: str | PathLike[str],
    kind: str = "static",
    *,
    name: str | None = None,
    target: str | None = None,
    cpu: str = "",
    functions: Sequence[str] | None = None,
    loads: bool = False,
) -> list[Path]:
    """Write the compiled step of a machine, and functions of its dynamics, for use without Python.

    `kind` is "static", "shared" or "object" (library and C header), "source" (C99), "fmu" (FMI 3.0), "fmu2"
    or "casadi". A `Simulation` gives its integrator, laws, traced controllers, terrain and current state; a
    model its own settings. `target` is an LLVM triple such as "aarch64-linux-gnu" and `cpu` one of its
    processors; without them the code is for this computer. `loads` adds forces on bodies as inputs. Returns
    the files; the header says how to call the functions.
    """
    if not isinstance(machine, Model | Simulation):
        raise InputError(f"export needs a Model or a Simulation, not {type(machine).__name__}")
    if kind not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    _check_options(name, target, cpu, functions, loads)
    if kind in ("source", "fmu", "fmu2", "casadi") and (target is not None or cpu):
        raise InputError(f"kind={kind!r} takes no target and no cpu: leave them out")
    if kind in ("fmu", "fmu2") and functions is not None:
        raise InputError(f"kind={kind!r} has functions of its own: leave out functions")
    if kind in ("fmu", "fmu2", "casadi") and loads:
        raise InputError(f"kind={kind!r} has no forces on bodies as inputs: leave out loads")
    if kind == "casadi" and functions is not None and not functions:
        raise InputError("kind='casadi' needs at least one function")
    if kind == "shared" and target is not None:
        raise InputError("a shared library is linked for this computer; for another one export kind='static'")
    place = path_of(folder)
    files = _contents(simulation_of(machine), kind, functions, name, loads, Target(target, cpu))
    try:
        place.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            (place / file).write_bytes(content)
    except OSError as error:
        raise InputError(f"{place} cannot be written ({error.strerror or error})") from None
    return [place / file for file in files]


def _check_options(name: object, target: object, cpu: object, functions: object, loads: object) -> None:
    for what, text in (("name", name), ("target", target), ("cpu", cpu)):
        if not isinstance(text, str) and (text is not None or what == "cpu"):
            raise InputError(f"{what} must be text, not {text!r}")
    if functions is not None and (isinstance(functions, str) or not isinstance(functions, Sequence)):
        raise InputError(f"functions must be a list of names, such as ['mass_matrix'], not {functions!r}")
    if not isinstance(loads, bool):
        raise InputError(f"loads must be True or False, not {loads!r}")


#: Functions that come with the step unless others are asked for.
_DYNAMICS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "frame_poses")


def _contents(
    sim: Simulation,
    kind: str,
    functions: Sequence[str] | None,
    name: str | None,
    loads: bool,
    target: Target,
) -> dict[str, bytes]:
    """Content of all files, by their names."""
    if kind == "casadi":
        from treadle.exports.casadi_external import casadi_files

        own = ("forward_dynamics", "inverse_dynamics", *(("acceleration", "step") if smooth(sim) else ()))
        return casadi_files(c_name(name or sim.model.name), sim, own if functions is None else functions)
    if kind.startswith("fmu"):
        from treadle.exports.fmu import fmu

        rates = ("state_rates", "state_rates_along") if smooth(sim) else ()
        prepared = prepare(sim, name, rates, loads)
        return {f"{prepared.name}.fmu": fmu(prepared, 2 if kind == "fmu2" else 3)}
    prepared = prepare(sim, name, _DYNAMICS if functions is None else functions, loads)
    if kind == "source":
        return {file: text.encode() for file, text in c_files(prepared).items()}
    text, code = machine_object(prepared, target)
    if kind == "static":
        library = {f"lib{prepared.name}.a": archive(code, symbols(prepared))}
    elif kind == "shared":
        library = {f"lib{prepared.name}.so": shared_library(code)}
    else:
        library = {f"{prepared.name}.o": code}
    return {f"{prepared.name}.h": text.encode(), **library}
