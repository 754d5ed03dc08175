"""modelDescription.xml and buildDescription.xml of an FMU."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from treadle._version import __version__
from treadle.exports.fmu_variables import TIME, UNITS, Variable, printable
from treadle.exports.machine import ExportedMachine

__all__ = ["build_description", "description"]


def description(
    machine: ExportedMachine, listed: Sequence[Variable], rates: Sequence[Variable], version: int, token: str
) -> bytes:
    """modelDescription.xml; `rates` are those of the continuous states, if the machine has them."""
    title = printable(machine.model.name)
    root = Element("fmiModelDescription", {
        "fmiVersion": f"{version}.0",
        "modelName": title,
        "guid" if version == 2 else "instantiationToken": token,
        "description": f"{title}, steps by {machine.integrator}",
        "generationTool": f"Treadle {__version__}",
        "variableNamingConvention": "structured",
    })  # fmt: skip
    for kind in ("ModelExchange", "CoSimulation") if rates else ("CoSimulation",):
        _interface(root, machine, kind, version, bool(rates))
    units = SubElement(root, "UnitDefinitions")
    every = [*listed, *rates]
    for name in sorted({variable.unit for variable in every if variable.unit} | {"s"}):
        unit = SubElement(units, "Unit", {"name": name})
        SubElement(unit, "BaseUnit", {key: str(power) for key, power in UNITS[name].items()})
    step = repr(machine.start["dt"][0])
    SubElement(root, "DefaultExperiment", {"startTime": "0.0", "stopTime": "1.0", "stepSize": step})
    described = SubElement(root, "ModelVariables")
    if version == 3:
        time = {"causality": "independent", "variability": "continuous", "unit": "s"}
        SubElement(described, "Float64", {"name": "time", "valueReference": str(TIME), **time})
    places = {variable.name: k for k, variable in enumerate(every, start=1)}
    references = {variable.name: variable.reference for variable in every}
    for variable in every:
        _variable(described, variable, version, places if version == 2 else references)
    structure = SubElement(root, "ModelStructure")
    outputs = [variable.name for variable in listed if variable.causality == "output"]
    inputs = [variable.name for variable in listed if variable.causality == "input"]
    states = [variable.state for variable in rates]
    if version == 2:
        _structure2(structure, outputs, [variable.name for variable in rates], [*states, *inputs], places)
    else:
        _structure3(structure, outputs, [variable.name for variable in rates], [*states, *inputs], references)
    indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root)


def build_description(machine: ExportedMachine) -> bytes:
    """buildDescription.xml of FMI 3.0."""
    root = Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    built = SubElement(root, "BuildConfiguration", {"modelIdentifier": machine.name})
    sources = SubElement(built, "SourceFileSet", {"language": "C99"})
    for name in (f"{machine.name}.c", "fmu.c"):
        SubElement(sources, "SourceFile", {"name": name})
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root)


def _interface(parent: Element, machine: ExportedMachine, kind: str, version: int, smooth: bool) -> None:
    word = "FMUstate" if version == 2 else "FMUState"
    derivative = "providesDirectionalDerivative" + ("" if version == 2 else "s")
    own = {"canHandleVariableCommunicationStepSize": "true"} if kind == "CoSimulation" else {}
    element = SubElement(parent, kind, {
        "modelIdentifier": machine.name,
        **own,
        f"canGetAndSet{word}": "true",
        f"canSerialize{word}": "true",
        **({derivative: "true"} if smooth else {}),
    })  # fmt: skip
    if version == 2:
        files = SubElement(element, "SourceFiles")
        for name in (f"{machine.name}.c", "fmu.c"):
            SubElement(files, "File", {"name": name})


def _variable(parent: Element, variable: Variable, version: int, places: dict[str, int]) -> None:
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
    value = {"unit": variable.unit} if variable.unit else {}
    if variable.state:
        value["derivative"] = str(places[variable.state])
    else:
        value["start"] = repr(variable.start)
    if version == 2:
        scalar = SubElement(parent, "ScalarVariable", attributes)
        SubElement(scalar, "Real", value)
    else:
        SubElement(parent, "Float64", {**attributes, **value})


def _structure2(
    parent: Element,
    outputs: Sequence[str],
    rates: Sequence[str],
    known: Sequence[str],
    places: dict[str, int],
) -> None:
    def add(tag: str, names: Sequence[str], dependencies: str) -> None:
        if names:
            group = SubElement(parent, tag)
            for name in names:
                SubElement(group, "Unknown", {"index": str(places[name]), "dependencies": dependencies})

    # an output is a state, or what a step has left behind
    by_all = " ".join(str(k) for k in sorted(places[name] for name in known))
    if rates and outputs:
        group = SubElement(parent, "Outputs")
        for name in outputs:
            SubElement(group, "Unknown", {"index": str(places[name]), "dependencies": str(places[name])})
    else:
        add("Outputs", outputs, "")
    add("Derivatives", rates, by_all)
    add("InitialUnknowns", rates, by_all)


def _structure3(
    parent: Element,
    outputs: Sequence[str],
    rates: Sequence[str],
    known: Sequence[str],
    places: dict[str, int],
) -> None:
    by_all = " ".join(str(places[name]) for name in known)
    for name in outputs:
        own = str(places[name]) if rates else ""
        SubElement(parent, "Output", {"valueReference": str(places[name]), "dependencies": own})
    for tag in ("ContinuousStateDerivative", "InitialUnknown"):
        for name in rates:
            SubElement(parent, tag, {"valueReference": str(places[name]), "dependencies": by_all})
