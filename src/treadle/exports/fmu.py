"""An exported machine as a Functional Mock-up Unit for co-simulation (FMI 2.0 and 3.0).

The archive has the C source of the step, a wrapper with the functions of the standard, and a shared library
of both for this computer. The machine takes its own steps of `dt` inside a communication step; what is left
over of one is taken as a shorter step.
"""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib import resources
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from treadle._version import __version__
from treadle.errors import InputError
from treadle.exports.fmu_variables import TIME, UNITS, Variable, variables
from treadle.exports.machine import ExportedMachine
from treadle.exports.source import c_files, step_layout

__all__ = ["fmu"]

#: Folders of the shared library by operating system: FMI 2.0, FMI 3.0, ending.
_PLATFORMS = {
    "linux": ("linux64", "{0}-linux", ".so"),
    "darwin": ("darwin64", "{0}-darwin", ".dylib"),
    "win32": ("win64", "{0}-windows", ".dll"),
}


def fmu(machine: ExportedMachine, version: int, compiler: str | None = None) -> bytes:
    """The archive, for FMI 2 or 3; InputError without a C compiler."""
    found = compiler or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        raise InputError("an FMU needs a C compiler, and there is none; install gcc or clang")
    listed = variables(machine, step_layout(machine))
    token = hashlib.sha256(repr([machine.name, machine.start, listed, __version__]).encode()).hexdigest()
    token = f"{token[:8]}-{token[8:12]}-{token[12:16]}-{token[16:20]}-{token[20:32]}"
    token = f"{{{token}}}"
    sources = {**c_files(machine), "fmu.c": _wrapper(machine, version, token)}
    older, newer, ending = _PLATFORMS.get(sys.platform, _PLATFORMS["linux"])
    folder = older if version == 2 else newer.format(_architecture())
    description = _description(machine, listed, version, token)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description)
        archive.writestr(f"binaries/{folder}/{machine.name}{ending}", _compiled(found, sources))
        for name, text in sources.items():
            archive.writestr(f"sources/{name}", text)
        if version == 3:
            archive.writestr("sources/buildDescription.xml", _build_description(machine))
    return content.getvalue()


def _wrapper(machine: ExportedMachine, version: int, token: str) -> str:
    """The functions of the standard, for this machine."""
    head = [
        f'#include "{machine.name}.h"',
        "",
        f"typedef {machine.name}_state machine_state;",
        f"#define machine_initialize {machine.name}_initialize",
        f"#define machine_step {machine.name}_step",
        f'#define MACHINE_TOKEN "{token}"',
        f"#define MACHINE_TIME {TIME}u",
        "",
    ]
    files = resources.files("treadle.exports")
    return "\n".join(head) + "".join(
        files.joinpath(name).read_text(encoding="utf-8") for name in ("fmi_instance.h", f"fmi{version}.c")
    )


def _compiled(compiler: str, sources: dict[str, str]) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        files = [str(folder / file) for file in sources if file.endswith(".c")]
        command = [
            compiler,
            "-std=c99",
            "-O2",
            "-fPIC",
            "-shared",
            "-o",
            str(folder / "library"),
            *files,
            "-lm",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"{compiler} cannot compile the FMU: {' '.join(done.stderr.split())[:300]}")
        return (folder / "library").read_bytes()


def _architecture() -> str:
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def _description(machine: ExportedMachine, listed: list[Variable], version: int, token: str) -> bytes:
    """modelDescription.xml."""
    root = Element("fmiModelDescription", {
        "fmiVersion": f"{version}.0",
        "modelName": machine.model.name,
        "guid" if version == 2 else "instantiationToken": token,
        "description": f"{machine.model.name}, steps by {machine.integrator}",
        "generationTool": f"Treadle {__version__}",
        "variableNamingConvention": "structured",
    })  # fmt: skip
    SubElement(root, "CoSimulation", {
        "modelIdentifier": machine.name,
        "canHandleVariableCommunicationStepSize": "true",
        "canGetAndSetFMUstate" if version == 2 else "canGetAndSetFMUState": "true",
        "canSerializeFMUstate" if version == 2 else "canSerializeFMUState": "true",
    })  # fmt: skip
    if version == 2:
        _source_files(root[0], machine)
    units = SubElement(root, "UnitDefinitions")
    for name in sorted({variable.unit for variable in listed if variable.unit} | {"s"}):
        unit = SubElement(units, "Unit", {"name": name})
        SubElement(unit, "BaseUnit", {key: str(power) for key, power in UNITS[name].items()})
    step = repr(machine.start["dt"][0])
    SubElement(root, "DefaultExperiment", {"startTime": "0.0", "stopTime": "1.0", "stepSize": step})
    described = SubElement(root, "ModelVariables")
    if version == 3:
        time = {"causality": "independent", "variability": "continuous", "unit": "s"}
        SubElement(described, "Float64", {"name": "time", "valueReference": str(TIME), **time})
    for variable in listed:
        _variable(described, variable, version)
    structure = SubElement(root, "ModelStructure")
    outputs = [(k, variable) for k, variable in enumerate(listed, start=1) if variable.causality == "output"]
    if version == 2:
        for tag in ("Outputs", "InitialUnknowns"):
            group = SubElement(structure, tag)
            for k, _ in outputs if tag == "Outputs" else ():
                SubElement(group, "Unknown", {"index": str(k), "dependencies": ""})
            if not len(group):
                structure.remove(group)
    else:
        for _, variable in outputs:
            SubElement(structure, "Output", {"valueReference": str(variable.reference), "dependencies": ""})
    indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root)


def _variable(parent: Element, variable: Variable, version: int) -> None:
    # outputs are states of the step: where it starts can be set
    exact = variable.causality in ("output", "parameter")
    attributes = {
        "name": variable.name,
        "valueReference": str(variable.reference),
        "causality": variable.causality,
        "variability": "tunable" if variable.causality == "parameter" else "continuous",
        **({"description": variable.description} if variable.description else {}),
        **({"initial": "exact"} if exact else {}),
    }
    value = {"start": repr(variable.start), **({"unit": variable.unit} if variable.unit else {})}
    if version == 2:
        scalar = SubElement(parent, "ScalarVariable", attributes)
        SubElement(scalar, "Real", value)
    else:
        SubElement(parent, "Float64", {**attributes, **value})


def _source_files(parent: Element, machine: ExportedMachine) -> None:
    files = SubElement(parent, "SourceFiles")
    for name in (f"{machine.name}.c", "fmu.c"):
        SubElement(files, "File", {"name": name})


def _build_description(machine: ExportedMachine) -> bytes:
    root = Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    built = SubElement(root, "BuildConfiguration", {"modelIdentifier": machine.name})
    sources = SubElement(built, "SourceFileSet", {"language": "C99"})
    for name in (f"{machine.name}.c", "fmu.c"):
        SubElement(sources, "SourceFile", {"name": name})
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root)
