"""Write a machine as MJCF, as much of it as MJCF can say. The manual is docs/formats/mjcf.md."""

from __future__ import annotations

from pathlib import Path

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_drives import add_actuators, add_couplings, add_keyframes, add_loops
from treadle.formats.mjcf_write_elements import add_elements, fluid_options
from treadle.formats.mjcf_write_sensors import add_sensors, magnetic_field
from treadle.formats.mjcf_write_shapes import add_contacts, add_frames, add_shapes
from treadle.formats.mjcf_write_tendons import add_tendons
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model import Model
from treadle.model.finding import Finding

__all__ = ["mjcf_text", "write"]


def write(model: Model, path: Path) -> list[Finding]:
    """Write the file; return what it cannot say."""
    text, findings = mjcf_text(model)
    path.write_bytes(text.encode())
    return findings


def mjcf_text(model: Model) -> tuple[str, list[Finding]]:
    """The machine as the text of an MJCF file, and what that cannot say."""
    notes = Notes()
    names = Names(notes)
    root = Element("mujoco", model=model.name or None)
    root.add("compiler", angle="radian", inertiafromgeom="false")
    root.children.append(_option(model, notes))
    asset, contact = Element("asset"), Element("contact")
    equality, tendon = Element("equality"), Element("tendon")
    actuator, sensor, keyframe = Element("actuator"), Element("sensor"), Element("keyframe")

    tree = Tree(model, names, notes)
    touching = add_shapes(model, tree, asset, names, notes)
    add_frames(model, tree, names)
    add_contacts(model, tree, contact, touching, notes)
    add_loops(model, tree, equality, names, notes)
    add_couplings(model, tree, equality, names, notes)
    add_elements(model, tree, tendon, names, notes)
    tendons = add_tendons(model, tree, tendon, names, notes)
    add_actuators(model, tree, actuator, tendons, names, notes)
    add_sensors(model, tree, sensor, tendons, names, notes)
    add_keyframes(model, tree, keyframe, names)

    sections = [asset, tree.finish(), contact, equality, tendon, actuator, sensor, keyframe]
    root.children += [section for section in sections if section.children]
    for wheel in model.wheels:
        notes.add("wheels that are not written", wheel.name)
    findings = notes.findings()
    if equality.children:
        findings.append(Finding("loops and couplings, exact here, are soft constraints in MuJoCo"))
    return root.text(), findings


def _option(model: Model, notes: Notes) -> Element:
    """Gravity, and those settings that MuJoCo has."""
    settings = dict(model.settings)
    step, integrator = settings.pop("dt", None), settings.pop("integrator", None)
    touches = settings.pop("contact", None)
    for name in settings:
        notes.add("settings that are not written", name)
    method = "RK4" if integrator == "rk4" else None
    medium = fluid_options(model, notes)
    medium |= {"magnetic": magnetic_field(model)}
    option = Element("option", timestep=step, gravity=model.gravity, integrator=method, **medium)
    if touches is False:
        option.add("flag", contact="disable")
    return option
