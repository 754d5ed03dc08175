"""Treadle: an interactive simulator for articulated machines and robots.

Describe a machine or load one, and Treadle compiles it into machine code made for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle._version import __version__
from treadle.lazy import lazy_names

if TYPE_CHECKING:
    from treadle.app.view import view
    from treadle.batch import Batch, Cluster, sweep
    from treadle.collision.collider import Collider
    from treadle.collision.convex_parts import convex_parts
    from treadle.collision.height_field import HeightField
    from treadle.collision.mesh import convex_hull
    from treadle.collision.queries import contact_points, distance, ray_cast, ray_casts, time_of_impact
    from treadle.contact.laws import Touch, contact_law
    from treadle.dynamics.compiled import (
        Derivatives,
        center_of_mass,
        forward_dynamics,
        frame_jacobian,
        frame_pose,
        frame_poses,
        impulse_response,
        inverse_dynamics,
        inverse_dynamics_jacobians,
        kinetic_energy,
        mass_matrix,
        momentum,
        potential_energy,
    )
    from treadle.errors import (
        InputError,
        MissingPackage,
        ModelError,
        RecordingError,
        SimulationDiverged,
        TreadleError,
    )
    from treadle.exports import export
    from treadle.exports.jax_function import jax_function
    from treadle.exports.torch_function import torch_function
    from treadle.forces.frame_law import force_element
    from treadle.forces.frames import FrameMotion
    from treadle.forces.input import Input
    from treadle.forces.law import ForceLaw
    from treadle.forces.switch import switch
    from treadle.formats import load, load_spec, save
    from treadle.formats.dh import DHRow, DHTable, dh_arm, dh_table
    from treadle.formats.srdf import read_disabled_collisions
    from treadle.geometry.collision_meshes import collision_meshes
    from treadle.geometry.hull_mesh import hull_mesh, mesh_added_mass
    from treadle.graph import (
        acos,
        asin,
        atan,
        atan2,
        clip,
        cos,
        exp,
        floor,
        log,
        lookup,
        lookup2,
        maximum,
        minimum,
        sin,
        sqrt,
        tan,
        tanh,
        where,
    )
    from treadle.model import (
        BodySpec,
        Fluid,
        FrameSpec,
        JointSpec,
        Model,
        ModelSpec,
        box_inertia,
        cylinder_inertia,
        parameter_names,
        parameter_value,
        rpy,
        sphere_inertia,
    )
    from treadle.model.hydrodynamics import irregular_waves
    from treadle.planning.cost_to_go import cost_to_go
    from treadle.planning.ilqr import ILQR
    from treadle.planning.inverse_kinematics import InverseKinematics, inverse_kinematics
    from treadle.planning.plan import Plan
    from treadle.planning.predict import Prediction, predict
    from treadle.planning.receding_horizon import RecedingHorizon
    from treadle.planning.sampling import CEM, MPPI, RandomShooting
    from treadle.planning.trajectory import Trajectory
    from treadle.process.grinding import GrindingPass, GrindingSetup, grind
    from treadle.process.identify import ContactParameters, identify
    from treadle.process.tune_path import TunedPath, tune_path
    from treadle.scenes import scene, scene_names
    from treadle.sim import Event, History, Pace, Routine, Simulation, State, trajectory
    from treadle.sim.derivatives import MachineDerivatives, derivatives
    from treadle.sim.linearize import Linearization, linearize
    from treadle.sim.recording import read_recording
    from treadle.sim.settle import Settled, settle
    from treadle.solvers.assembly import Assembly, assemble
    from treadle.terrain import (
        Grid,
        Patch,
        Plane,
        Ramp,
        Soil,
        Terrain,
        fractal_grid,
        load_terrain,
        random_grid,
    )
    from treadle.wheels import WheelContact, wheel_model

__all__ = [
    "Assembly", "Batch", "BodySpec", "CEM", "Cluster", "Collider", "ContactParameters", "DHRow", "DHTable",
    "Derivatives", "Event", "Fluid", "ForceLaw", "FrameMotion", "FrameSpec", "Grid", "GrindingPass",
    "GrindingSetup", "HeightField", "History", "ILQR", "Input", "InputError", "InverseKinematics",
    "JointSpec", "Linearization", "MPPI", "MachineDerivatives", "MissingPackage", "Model", "ModelError",
    "ModelSpec", "Pace", "Patch", "Plan", "Plane", "Prediction", "Ramp", "RandomShooting", "RecedingHorizon",
    "RecordingError", "Routine", "Settled", "Simulation", "SimulationDiverged", "Soil", "State", "Terrain",
    "Touch", "Trajectory", "TreadleError", "TunedPath", "WheelContact", "__version__", "acos", "asin",
    "assemble", "atan", "atan2", "box_inertia", "center_of_mass", "clip", "collision_meshes", "contact_law",
    "contact_points", "convex_hull", "convex_parts", "cos", "cost_to_go", "cylinder_inertia", "derivatives",
    "dh_arm", "dh_table", "distance", "exp", "export", "floor", "force_element", "forward_dynamics",
    "fractal_grid", "frame_jacobian", "frame_pose", "frame_poses", "grind", "hull_mesh", "identify",
    "impulse_response",
    "inverse_dynamics", "inverse_dynamics_jacobians", "inverse_kinematics", "irregular_waves",
    "jax_function", "kinetic_energy", "linearize", "load", "load_spec", "load_terrain", "log", "lookup",
    "lookup2", "mass_matrix", "maximum", "mesh_added_mass", "minimum", "momentum", "parameter_names",
    "parameter_value", "potential_energy", "predict", "random_grid", "ray_cast", "ray_casts",
    "read_disabled_collisions", "read_recording", "rpy", "save", "scene", "scene_names", "settle", "sin",
    "sphere_inertia", "sqrt", "sweep", "switch", "tan", "tanh", "time_of_impact", "torch_function",
    "trajectory", "tune_path", "view", "wheel_model", "where",
]  # fmt: skip

#: Where the public names live; a module is imported when one of its names is first used.
_HOMES = {
    "treadle.app.view": (
        "view",
    ),
    "treadle.batch": (
        "Batch", "Cluster", "sweep",
    ),
    "treadle.collision.collider": (
        "Collider",
    ),
    "treadle.collision.convex_parts": (
        "convex_parts",
    ),
    "treadle.collision.height_field": (
        "HeightField",
    ),
    "treadle.collision.mesh": (
        "convex_hull",
    ),
    "treadle.collision.queries": (
        "contact_points", "distance", "ray_cast", "ray_casts", "time_of_impact",
    ),
    "treadle.contact.laws": (
        "Touch", "contact_law",
    ),
    "treadle.dynamics.compiled": (
        "Derivatives", "center_of_mass", "forward_dynamics", "frame_jacobian",
        "frame_pose", "frame_poses", "impulse_response", "inverse_dynamics", "inverse_dynamics_jacobians",
        "kinetic_energy", "mass_matrix", "momentum", "potential_energy",
    ),
    "treadle.errors": (
        "InputError", "MissingPackage", "ModelError", "RecordingError", "SimulationDiverged", "TreadleError",
    ),
    "treadle.exports": (
        "export",
    ),
    "treadle.exports.jax_function": (
        "jax_function",
    ),
    "treadle.exports.torch_function": (
        "torch_function",
    ),
    "treadle.forces.frame_law": (
        "force_element",
    ),
    "treadle.forces.frames": (
        "FrameMotion",
    ),
    "treadle.forces.input": (
        "Input",
    ),
    "treadle.forces.law": (
        "ForceLaw",
    ),
    "treadle.forces.switch": (
        "switch",
    ),
    "treadle.formats": (
        "load", "load_spec", "save",
    ),
    "treadle.formats.dh": (
        "DHRow", "DHTable", "dh_arm", "dh_table",
    ),
    "treadle.geometry.collision_meshes": (
        "collision_meshes",
    ),
    "treadle.geometry.hull_mesh": (
        "hull_mesh", "mesh_added_mass",
    ),
    "treadle.formats.srdf": (
        "read_disabled_collisions",
    ),
    "treadle.graph": (
        "acos", "asin", "atan", "atan2", "clip", "cos", "exp", "floor", "log", "lookup", "lookup2",
        "maximum", "minimum", "sin", "sqrt", "tan", "tanh", "where",
    ),
    "treadle.model": (
        "BodySpec", "Fluid", "FrameSpec", "JointSpec", "Model", "ModelSpec", "box_inertia",
        "cylinder_inertia", "parameter_names", "parameter_value", "rpy", "sphere_inertia",
    ),
    "treadle.model.hydrodynamics": (
        "irregular_waves",
    ),
    "treadle.planning.cost_to_go": (
        "cost_to_go",
    ),
    "treadle.planning.ilqr": (
        "ILQR",
    ),
    "treadle.planning.inverse_kinematics": (
        "InverseKinematics", "inverse_kinematics",
    ),
    "treadle.planning.plan": (
        "Plan",
    ),
    "treadle.planning.predict": (
        "Prediction", "predict",
    ),
    "treadle.planning.receding_horizon": (
        "RecedingHorizon",
    ),
    "treadle.planning.sampling": (
        "CEM", "MPPI", "RandomShooting",
    ),
    "treadle.planning.trajectory": (
        "Trajectory",
    ),
    "treadle.process.grinding": (
        "GrindingPass", "GrindingSetup", "grind",
    ),
    "treadle.process.identify": (
        "ContactParameters", "identify",
    ),
    "treadle.process.tune_path": (
        "TunedPath", "tune_path",
    ),
    "treadle.scenes": (
        "scene", "scene_names",
    ),
    "treadle.sim": (
        "Event", "History", "Pace", "Routine", "Simulation", "State", "trajectory",
    ),
    "treadle.sim.derivatives": (
        "MachineDerivatives", "derivatives",
    ),
    "treadle.sim.linearize": (
        "Linearization", "linearize",
    ),
    "treadle.sim.recording": (
        "read_recording",
    ),
    "treadle.sim.settle": (
        "Settled", "settle",
    ),
    "treadle.solvers.assembly": (
        "Assembly", "assemble",
    ),
    "treadle.terrain": (
        "Grid", "Patch", "Plane", "Ramp", "Soil", "Terrain", "fractal_grid", "load_terrain", "random_grid",
    ),
    "treadle.wheels": (
        "WheelContact", "wheel_model",
    ),
}  # fmt: skip

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
