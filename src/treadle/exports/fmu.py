"""An exported machine as a Functional Mock-up Unit for co-simulation and model exchange (FMI 2.0 and 3.0).

The archive has the C source of the step, a wrapper with the functions of the standard, and a shared library
of both for this computer. In co-simulation the machine takes its own steps of `dt` inside a communication
step; what is left over of one is taken as a shorter step. In model exchange it gives the rates of its
continuous states (q, v and the actuators' own), with exact directional derivatives; loops that are open
close, and limits are left to the importing tool.
"""

from __future__ import annotations

import hashlib
import io
import platform
import sys
import zipfile
from importlib import resources

from treadle._version import __version__
from treadle.exports.fmu_description import build_description, description
from treadle.exports.fmu_variables import RATES, TIME, derivatives, variables
from treadle.exports.library import linked
from treadle.exports.machine import ExportedMachine
from treadle.exports.source import c_files, step_layout
from treadle.native.layout import Layout

__all__ = ["fmu"]

#: Folders of the shared library by operating system: FMI 2.0, FMI 3.0, ending.
_PLATFORMS = {
    "linux": ("linux64", "{0}-linux", ".so"),
    "darwin": ("darwin64", "{0}-darwin", ".dylib"),
    "win32": ("win64", "{0}-windows", ".dll"),
}


def fmu(machine: ExportedMachine, version: int, compiler: str | None = None) -> bytes:
    """The archive, for FMI 2 or 3; InputError without a C compiler."""
    layout = step_layout(machine)
    listed = variables(machine, layout)
    rates = derivatives(machine, layout, listed)
    token = hashlib.sha256(repr([machine.name, machine.start, listed, __version__]).encode()).hexdigest()
    token = f"{token[:8]}-{token[8:12]}-{token[12:16]}-{token[16:20]}-{token[20:32]}"
    token = f"{{{token}}}"
    sources = {**c_files(machine), "fmu.c": _wrapper(machine, layout, version, token)}
    older, newer, ending = _PLATFORMS.get(sys.platform, _PLATFORMS["linux"])
    folder = older if version == 2 else newer.format(_architecture())
    library = linked({name: text.encode() for name, text in sources.items()}, compiler)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description(machine, listed, rates, version, token))
        archive.writestr(f"binaries/{folder}/{machine.name}{ending}", library)
        for name, text in sources.items():
            archive.writestr(f"sources/{name}", text)
        if version == 3:
            archive.writestr("sources/buildDescription.xml", build_description(machine))
    return content.getvalue()


def _wrapper(machine: ExportedMachine, layout: Layout, version: int, token: str) -> str:
    """The functions of the standard, for this machine."""
    states = [(name, layout.inputs.get(name, 0)) for name in ("q", "v", "drives")]
    head = [
        f'#include "{machine.name}.h"',
        "",
        f"typedef {machine.name}_state machine_state;",
        f"#define machine_initialize {machine.name}_initialize",
        f"#define machine_step {machine.name}_step",
        f'#define MACHINE_TOKEN "{token}"',
        f"#define MACHINE_TIME {TIME}u",
        f"#define MACHINE_RATES {RATES}u",
        f"#define MACHINE_STATES {sum(size for _, size in states) if machine.continuous else 0}",
        *[f"#define MACHINE_{name.upper()} {size}" for name, size in states],
        *(_rates_calls(machine) if machine.continuous else ()),
        "",
    ]
    files = resources.files("treadle.exports")
    return "\n".join(head) + "".join(
        files.joinpath(name).read_text(encoding="utf-8") for name in ("fmi_instance.h", f"fmi{version}.c")
    )


def _rates_calls(machine: ExportedMachine) -> list[str]:
    """Calls of the rates, and of their derivative along a direction, with the arrays that the machine has."""
    named = list(machine.functions["state_rates"].inputs)
    given = ", ".join("time" if name == "time" else f"(s)->{name}" for name in named)
    seeds = ", ".join(f"(d)->{name}" for name in named if name != "time")
    return [
        f"#define machine_rates(s, time, out) {machine.name}_state_rates({given}, out)",
        f"#define machine_rates_along(s, time, d, out) "
        f"{machine.name}_state_rates_along({given}, {seeds}, out)",
    ]


def _architecture() -> str:
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
