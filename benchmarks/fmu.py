"""The squeezer and the roadheader as FMUs in one co-simulation in FMPy, with a controller that is an FMU too.

python benchmarks/fmu.py            needs a C compiler and FMPy
python benchmarks/fmu.py --json

All units are validated by FMPy. The controller (C source below, FMI 3.0) reads a joint of each machine and
commands an actuator of each; the master exchanges signals every millisecond. Treadle runs the same in one
process, and the differences of all positions at the end are the rows.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import zipfile
from importlib import resources
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.validation import validate_fmu

import treadle as td
from treadle.exports.library import linked

#: Seconds of a communication step, and how many are taken.
EVERY, COUNT = 1e-3, 100

#: Joint that is measured, actuator that is commanded, reference and gain, by scene.
LOOPS = {"squeezer": ("beta", "motor", -0.3, 2e-3), "roadheader": ("lift", "lift_left", 0.5, 4.0)}

CONTROLLER = """
typedef struct { double dt[1]; double reference[2]; double gain[2]; double measured[2]; double command[2]; }
    machine_state;
#define MACHINE_TOKEN "{controller}"
#define MACHINE_TIME 4000000000u
#define MACHINE_RATES 3000000000u
#define MACHINE_STATES 0
#define MACHINE_Q 0
#define MACHINE_V 0
#define MACHINE_DRIVES 0

static void machine_initialize(machine_state *s)
{
    static const machine_state zero = {{0.01}, {0.0}, {0.0}, {0.0}, {0.0}};
    *s = zero;
}

static int machine_step(machine_state *s)
{
    for (int k = 0; k < 2; k++) {
        const double x = s->gain[k] * (s->reference[k] - s->measured[k]);
        s->command[k] = x > 1.0 ? 1.0 : x < -1.0 ? -1.0 : x;
    }
    return 0;
}
"""

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="controller" instantiationToken="{controller}">
  <CoSimulation modelIdentifier="controller" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <Float64 name="time" valueReference="4000000000" causality="independent" variability="continuous"/>
%s  </ModelVariables>
  <ModelStructure><Output valueReference="7"/><Output valueReference="8"/></ModelStructure>
</fmiModelDescription>
"""


def controller() -> bytes:
    """The controller as an FMU: two proportional loops with a limited command."""
    files = resources.files("treadle.exports")
    text = CONTROLLER + "".join(files.joinpath(x).read_text() for x in ("fmi_instance.h", "fmi3.c"))
    # no states that could be moved
    text = text.replace("it->now.state.q", "it->now.state.dt").replace("it->now.state.v", "it->now.state.dt")
    line = '    <Float64 name="{}" valueReference="{}" causality="{}" variability="{}"{}/>\n'
    places = {"reference": 1, "gain": 3, "measured": 5, "command": 7}
    causes = {"reference": "parameter", "gain": "parameter", "measured": "input", "command": "output"}
    lines = "".join(
        line.format(f"{name}.{k}", place + k, causes[name],
                    "tunable" if causes[name] == "parameter" else "continuous",
                    ' initial="exact" start="0.0"' if causes[name] == "output" else ' start="0.0"')
        for name, place in places.items() for k in range(2)
    )  # fmt: skip
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION % lines)
        archive.writestr("binaries/x86_64-linux/controller.so", linked({"fmu.c": text.encode()}))
    return content.getvalue()


class Unit:
    """An FMU that runs, with its variables by name."""

    def __init__(self, path: Path) -> None:
        self.problems = validate_fmu(str(path))
        described: Any = fmpy.read_model_description(str(path))
        self._places = {variable.name: variable.valueReference for variable in described.modelVariables}
        self._unit: Any = fmpy.instantiate_fmu(fmpy.extract(str(path)), described, "CoSimulation")
        self._unit.enterInitializationMode()
        self._unit.exitInitializationMode()

    def __getitem__(self, name: str) -> float:
        return self._unit.getFloat64([self._places[name]])[0]

    def __setitem__(self, name: str, value: float) -> None:
        self._unit.setFloat64([self._places[name]], [value])

    def advance(self, time: float) -> None:
        self._unit.doStep(time, EVERY)


def clipped(x: float) -> float:
    return min(max(x, -1.0), 1.0)


def main() -> int:
    """Print the table, or rows and checks."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    sims = {name: td.Simulation(td.scene(name), contact=False) for name in LOOPS}
    checks = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "controller.fmu").write_bytes(controller())
        units = {name: Unit(td.export(sim, folder, "fmu", name=name)[0]) for name, sim in sims.items()}
        master = Unit(folder / "controller.fmu")
        for k, (_, _, reference, gain) in enumerate(LOOPS.values()):
            master[f"reference.{k}"], master[f"gain.{k}"] = reference, gain
        for step in range(COUNT):
            for k, (name, (joint, actuator, reference, gain)) in enumerate(LOOPS.items()):
                master[f"measured.{k}"] = units[name][f"{joint}.position"]
                own = gain * (reference - float(sims[name].joint(joint).position))
                sims[name].actuator(actuator).command = clipped(own)
            master.advance(step * EVERY)
            for k, (name, (_, actuator, _, _)) in enumerate(LOOPS.items()):
                units[name][f"{actuator}.command"] = master[f"command.{k}"]
                units[name].advance(step * EVERY)
                sims[name].step(round(EVERY / sims[name].dt))
        rows = []
        for name, unit in {**units, "controller": master}.items():
            checks.append({"name": f"{name}: problems found by FMPy", "value": len(unit.problems), "limit": 0,
                           "holds": not unit.problems})  # fmt: skip
        for name, sim in sims.items():
            found = [unit_value(units[name], joint) for joint in sim.model.joints]
            error = float(np.abs(np.concatenate(found) - sim.q).max())
            moved = float(np.abs(sim.q - td.Simulation(sim.model, contact=False).q).max())
            rows.append({"machine": name, "difference": error, "moved": moved})
            checks.append({"name": f"{name}: difference of positions", "value": error, "limit": 1e-9,
                           "holds": error <= 1e-9 and moved > 1e-3})  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}, indent=1))
    else:
        for row in rows:
            print("{machine:<12} moved by {moved:.3g}, differs by {difference:.2e}".format(**row))
        for check in checks:
            print("{name}: {value:.3g} (at most {limit:g}) {holds}".format(**check))
    return 0 if all(check["holds"] for check in checks) else 1


def unit_value(unit: Unit, joint: Any) -> np.ndarray:
    names = [f".{part}" if joint.type.nq > 1 else "" for part in joint.type.positions]
    return np.array([unit[f"{joint.name}.position{name}"] for name in names])


if __name__ == "__main__":
    sys.exit(main())
