"""The public names: a change of this list is a change for users, and belongs into the changelog."""

import inspect

import treadle
from treadle import graph

PUBLIC = [
    "Assembly",
    "Batch",
    "BodySpec",
    "CEM",
    "Cluster",
    "Collider",
    "ContactParameters",
    "DHRow",
    "DHTable",
    "Derivatives",
    "Event",
    "Fluid",
    "ForceLaw",
    "FrameMotion",
    "FrameSpec",
    "Grid",
    "GrindingPass",
    "GrindingSetup",
    "HeightField",
    "History",
    "ILQR",
    "Input",
    "InputError",
    "InverseKinematics",
    "JointSpec",
    "Linearization",
    "MPPI",
    "MachineDerivatives",
    "MissingPackage",
    "Model",
    "ModelError",
    "ModelSpec",
    "Pace",
    "Patch",
    "Plan",
    "Plane",
    "Prediction",
    "Ramp",
    "RandomShooting",
    "RecedingHorizon",
    "RecordingError",
    "Routine",
    "Settled",
    "Simulation",
    "SimulationDiverged",
    "Soil",
    "State",
    "Terrain",
    "Touch",
    "Trajectory",
    "TreadleError",
    "TunedPath",
    "WheelContact",
    "__version__",
    "acos",
    "asin",
    "assemble",
    "atan",
    "atan2",
    "box_inertia",
    "center_of_mass",
    "clip",
    "collision_meshes",
    "contact_law",
    "contact_points",
    "convex_hull",
    "convex_parts",
    "cos",
    "cost_to_go",
    "cylinder_inertia",
    "derivatives",
    "dh_arm",
    "dh_table",
    "distance",
    "exp",
    "export",
    "floor",
    "force_element",
    "forward_dynamics",
    "fractal_grid",
    "frame_jacobian",
    "frame_pose",
    "frame_poses",
    "grind",
    "hull_mesh",
    "identify",
    "impulse_response",
    "inverse_dynamics",
    "inverse_dynamics_jacobians",
    "inverse_kinematics",
    "irregular_waves",
    "jax_function",
    "kinetic_energy",
    "linearize",
    "load",
    "load_spec",
    "load_terrain",
    "log",
    "lookup",
    "lookup2",
    "mass_matrix",
    "maximum",
    "mesh_added_mass",
    "minimum",
    "momentum",
    "parameter_names",
    "parameter_value",
    "potential_energy",
    "predict",
    "random_grid",
    "ray_cast",
    "ray_casts",
    "read_disabled_collisions",
    "read_recording",
    "rpy",
    "save",
    "scene",
    "scene_names",
    "settle",
    "sin",
    "sphere_inertia",
    "sqrt",
    "sweep",
    "switch",
    "tan",
    "tanh",
    "time_of_impact",
    "torch_function",
    "trajectory",
    "tune_path",
    "view",
    "wheel_model",
    "where",
]


def test_the_public_names():
    assert sorted(treadle.__all__) == PUBLIC


def test_every_name_exists():
    for name in treadle.__all__:
        assert getattr(treadle, name) is not None


def test_every_class_and_function_is_documented():
    for name in treadle.__all__:
        item = getattr(treadle, name)
        # sin is sin
        if (inspect.isclass(item) or inspect.isfunction(item)) and name not in graph.__all__:
            text = inspect.getdoc(item) or ""
            assert len(text.split()) >= 3, name
            # not the signature that a dataclass writes for itself
            assert not text.startswith(f"{name}("), name


def test_no_class_has_too_many_methods():
    for cls in (treadle.Simulation, treadle.Batch, treadle.Model, treadle.ModelSpec):
        methods = [
            name
            for name, member in vars(cls).items()
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
        ]
        assert len(methods) <= 20, cls.__name__


def test_errors_are_one_family():
    for error in (treadle.InputError, treadle.ModelError, treadle.RecordingError, treadle.SimulationDiverged):
        assert issubclass(error, treadle.TreadleError)
    assert issubclass(treadle.InputError, ValueError)
