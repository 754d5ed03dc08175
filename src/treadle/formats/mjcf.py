"""MJCF files, through MuJoCo's own compiler: what is read is the model as MuJoCo would simulate it.

Needs the package `mujoco` (treadle[mjcf]). The report names what Treadle does not have. The manual is
docs/formats/mjcf.md.
"""

from __future__ import annotations

from treadle.errors import ModelError
from treadle.formats.folder import Folder
from treadle.formats.mjcf_bodies import add_bodies, add_frames, add_keyframes
from treadle.formats.mjcf_compiled import compile_source, library
from treadle.formats.mjcf_contact import Materials, add_contacts, add_shapes
from treadle.formats.mjcf_drives import add_actuators, add_equalities
from treadle.formats.mjcf_field import add_field
from treadle.formats.mjcf_fluid import add_fluid
from treadle.formats.mjcf_gravity import add_compensation
from treadle.formats.mjcf_report import report_rest
from treadle.formats.mjcf_sensors import add_sensors
from treadle.formats.mjcf_source import gather
from treadle.formats.mjcf_tendons import add_tendons
from treadle.model import ModelSpec

__all__ = ["read"]


def read(content: bytes, name: str, floating_base: bool = False, folder: Folder | None = None) -> ModelSpec:
    """The machine in a file's content; `name` serves where the model has none.

    Files that it includes or names must lie in `folder`, and without one it may name none.
    """
    if floating_base:
        hint = "give its root a <freejoint/>, instead of asking for a floating base"
        raise ModelError("its base is defined by the file itself", hint=hint)
    compiled = compile_source(gather(content, folder))
    model = compiled.model
    own = compiled.source.nodes[0].attributes.get("model", "").strip()
    if not own:
        compiled.report.insert(0, f"the model has no name and was called {name!r} after its file")
    gravity = (0.0, 0.0, 0.0) if compiled.switched("mjDSBL_GRAVITY") else model.opt.gravity
    integrator = "rk4" if model.opt.integrator == library().mjtIntegrator.mjINT_RK4 else "symplectic_euler"
    settings = {"dt": float(model.opt.timestep), "integrator": integrator}
    if compiled.switched("mjDSBL_CONTACT"):
        settings["contact"] = False
    spec = ModelSpec(own or name, gravity=gravity, settings=settings)
    materials = Materials(spec, compiled)
    add_bodies(spec, compiled)
    add_frames(spec, compiled)
    add_shapes(spec, compiled, materials)
    add_field(spec, compiled, materials)
    add_contacts(spec, compiled, materials)
    add_tendons(spec, compiled)
    add_actuators(spec, compiled)
    add_equalities(spec, compiled)
    add_compensation(spec, compiled)
    add_fluid(spec, compiled)
    add_sensors(spec, compiled)
    add_keyframes(spec, compiled)
    report_rest(compiled)
    spec.report = compiled.report
    return spec
