"""`treadle export`: a machine's step and dynamics for use without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.console import Debug, Json, busy, console, print_json, reported
from treadle.cli.machine import Floating, MachineName, open_machine
from treadle.errors import InputError

__all__ = ["export"]

Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="Where the files go; made if it is not there.")]
Kind = Annotated[
    str,
    typer.Option(
        help="static, shared or object (library and C header), source, fmu (FMI 3.0), fmu2 or casadi."
    ),
]
Name = Annotated[str | None, typer.Option(help="Prefix of all names in C; else that of the machine.")]
TargetName = Annotated[
    str | None, typer.Option("--target", help="LLVM triple, such as aarch64-linux-gnu; else this computer.")
]
Cpu = Annotated[str, typer.Option(help="Processor of the target, such as cortex-a72 or x86-64-v3.")]
Step = Annotated[float | None, typer.Option("--dt", help="Time step in s; else the machine's.")]
Integrator = Annotated[str | None, typer.Option(help="Integrator; else the machine's.")]
NoContact = Annotated[bool, typer.Option("--no-contact", help="Export the machine without its contact.")]
Loads = Annotated[bool, typer.Option("--loads", help="Have forces on bodies as inputs of the step.")]


@reported
def export(
    machine: MachineName,
    folder: Folder,
    kind: Kind = "static",
    name: Name = None,
    target: TargetName = None,
    cpu: Cpu = "",
    dt: Step = None,
    integrator: Integrator = None,
    loads: Loads = False,
    no_contact: NoContact = False,
    floating: Floating = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Export a machine as C library, C source or FMU.

    Writes the compiled step, with loops, limits, friction, actuators, force elements and wheels, and
    functions of the dynamics. Contact cannot be exported: such a machine is refused without --no-contact.

    \b
    Examples:
      treadle export robot.urdf out
      treadle export robot.urdf out --target aarch64-linux-gnu --cpu cortex-a72
      treadle export roadheader out --kind source
      treadle export roadheader out --kind fmu --dt 1e-3
    """
    from treadle.exports import export as write
    from treadle.sim.simulation import Simulation

    model = open_machine(machine, floating)
    sim = Simulation(model, dt=dt, integrator=integrator, contact=False if no_contact else None)
    if sim.contact:
        raise InputError(f"{machine!r} has contact, which cannot be exported: leave it out with --no-contact")
    with busy(f"writing {folder}", shown=not json):
        files = write(sim, folder, kind, name=name, target=target, cpu=cpu, loads=loads)
    if json:
        rows = [{"file": str(path), "bytes": path.stat().st_size} for path in files]
        print_json({"command": "export", "machine": machine, "kind": kind, "rows": rows})
        return
    out = console()
    for path in files:
        out.print(f"wrote  {path}  {_amount(path)}", markup=False, highlight=False, soft_wrap=True)


def _amount(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.3g} MB" if size >= 1e6 else f"{size / 1e3:.3g} kB"
