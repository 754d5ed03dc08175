"""Calls with wrong arguments, by name: each must end in one of Treadle's own errors, in one sentence.

Wrong values are combined with the functions that take such a value. Imported by tests and by
`tools/mutants.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import treadle as td

#: What is no number.
NO_NUMBER: dict[str, Any] = {
    "none": None, "text": "fast", "complex": 1j, "nan": float("nan"), "infinite": float("inf"),
    "object": object(), "list": [1.0, 2.0, 3.0], "mapping": {}, "function": len, "truth": True,
}  # fmt: skip

#: What is no vector of three (or of any other length that is used here).
NO_VECTOR: dict[str, Any] = {
    "none": None, "text": "abc", "complex": np.full(3, 1j), "nan": [0.0, float("nan"), 0.0],
    "short": [1.0], "long": [0.0] * 50, "nested": [[[0.0]]], "ragged": [[1.0], [1.0, 2.0]],
    "object": object(), "mapping": {"x": 1.0}, "scalar": 3.0, "objects": [object()] * 3,
}  # fmt: skip

#: What is no count.
NO_COUNT: dict[str, Any] = {
    "none": None, "text": "ten", "half": 1.5, "negative": -1, "truth": True, "complex": 2j, "list": [3],
    "absurd": 10**18,
}  # fmt: skip

#: What is no name.
NO_NAME: dict[str, Any] = {
    "none": None,
    "number": 3,
    "unknown": "nobody",
    "empty": "",
    "list": ["arm"],
    "bytes": b"arm",
}


def wrong_calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names and calls; every call makes what it needs, apart from models that are made once."""
    machine = two_links()
    yield from _simulations(machine)
    yield from _handles(machine)
    yield from _functions(machine)
    yield from _descriptions()
    yield from _laws(machine)
    yield from _tables(machine)
    yield from _exports(machine)


def two_links() -> td.Model:
    """An arm of two links with a motor, a shape and a free body."""
    spec = td.ModelSpec("wrong")
    spec.add_body("upper", 1.0, center=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_body("lower", 1.0, center=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 1, 0))
    spec.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0, 0, -1))
    spec.add_actuator("motor", "motor", "elbow")
    return spec.compile()


def _simulations(model: td.Model) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, value in NO_NUMBER.items():
        if value is not None:
            yield f"dt {name}", lambda x=value: td.Simulation(model, dt=x)
            yield f"Batch dt {name}", lambda x=value: td.Batch(model, 2, dt=x)
        yield f"run {name}", lambda x=value: td.Simulation(model).run(x)
        yield f"tolerance {name}", lambda x=value: td.Simulation(model, integrator="dopri5", tolerance=x)
    for name, value in NO_VECTOR.items():
        if value is not None:
            yield f"q {name}", lambda x=value: td.Simulation(model, q=x)
            yield f"v {name}", lambda x=value: td.Simulation(model, v=x)
        yield f"tau {name}", lambda x=value: setattr(td.Simulation(model), "tau", x)
        for part in ("force", "torque", "point"):
            given = {part: value}
            yield f"apply_force {part} {name}", lambda g=given: td.Simulation(model).apply_force("lower", **g)
    for name, value in NO_COUNT.items():
        if name != "absurd":
            yield f"step {name}", lambda x=value: td.Simulation(model).step(x)
        yield f"worlds {name}", lambda x=value: td.Batch(model, x)
        if value is not None:
            yield f"threads {name}", lambda x=value: td.Batch(model, 2, threads=x)
            yield f"lanes {name}", lambda x=value: td.Batch(model, 2, lanes=x)
    for name, value in NO_NAME.items():
        if value is not None:
            yield f"integrator {name}", lambda x=value: td.Simulation(model, integrator=x)
            yield f"solver {name}", lambda x=value: td.Simulation(model, solver=x)
            yield f"stabilization {name}", lambda x=value: td.Simulation(model, stabilization=x)
            yield f"precision {name}", lambda x=value: td.Batch(model, 2, precision=x)
        yield f"model {name}", lambda x=value: td.Simulation(x)
        yield f"Batch model {name}", lambda x=value: td.Batch(x, 2)
        yield f"restore {name}", lambda x=value: td.Simulation(model).restore(x)
        yield f"record {name}", lambda x=value: td.Simulation(model).record(x)
    yield "keyword", lambda: td.Simulation(model, timestep=1e-3)
    yield "attribute", lambda: setattr(td.Simulation(model), "position", 1.0)


def _handles(model: td.Model) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, value in NO_NAME.items():
        for kind in ("joint", "body", "actuator", "loop", "coupling", "wheel"):
            yield f"{kind} {name}", lambda k=kind, x=value: getattr(td.Simulation(model), k)(x)
        yield f"apply_force to {name}", lambda x=value: td.Simulation(model).apply_force(x, (0, 0, 1))
        yield f"axes {name}", lambda x=value: td.Simulation(model).apply_force("lower", axes=x)
    for name, value in NO_NUMBER.items():
        if name == "truth":
            continue
        for kind in ("position", "velocity", "torque"):
            yield f"{kind} {name}", lambda k=kind, x=value: setattr(td.Simulation(model).joint("elbow"), k, x)
        yield f"command {name}", lambda x=value: setattr(td.Simulation(model).actuator("motor"), "command", x)


def _functions(model: td.Model) -> Iterator[tuple[str, Callable[[], Any]]]:
    two = [0.0, 0.0]
    for name, value in NO_VECTOR.items():
        for function in (td.mass_matrix, td.center_of_mass, td.potential_energy, td.frame_poses):
            yield f"{function.__name__} {name}", lambda f=function, x=value: f(model, x)
        for function in (td.forward_dynamics, td.inverse_dynamics, td.derivatives):
            for k in range(3):
                given = [two] * k + [value] + [two] * (2 - k)
                yield f"{function.__name__} {k} {name}", lambda f=function, g=given: f(model, *g)
        yield f"frame_pose {name}", lambda x=value: td.frame_pose(model, x, "lower")
        if value is not None:
            yield f"assemble {name}", lambda x=value: td.assemble(model, x)
    for name, value in NO_NAME.items():
        yield f"frame_jacobian {name}", lambda x=value: td.frame_jacobian(model, two, x)
        yield f"mass_matrix model {name}", lambda x=value: td.mass_matrix(x, two)
        yield f"load {name}", lambda x=value: td.load(x)
        yield f"scene {name}", lambda x=value: td.scene(x)
        yield f"save {name}", lambda x=value: td.save(model, x)
        yield f"read_recording {name}", lambda x=value: td.read_recording(x)
        yield f"linearize {name}", lambda x=value: td.linearize(x)
        yield f"parameter {name}", lambda x=value: td.parameter_value(model, x)


def _descriptions() -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, value in NO_NUMBER.items():
        if name in ("truth", "list"):
            continue
        yield f"mass {name}", lambda x=value: _compiled(mass=x)
        yield f"damping {name}", lambda x=value: _compiled(joint={"damping": x})
        yield f"sphere_inertia {name}", lambda x=value: td.sphere_inertia(1.0, x)
    for name, value in NO_VECTOR.items():
        yield f"center {name}", lambda x=value: _compiled(center=x)
        yield f"gravity {name}", lambda x=value: _compiled(gravity=x)
        if value is not None:
            yield f"axis {name}", lambda x=value: _compiled(joint={"axis": x})
        yield f"position {name}", lambda x=value: _compiled(joint={"position": x})
        if name != "scalar":
            yield f"rpy {name}", lambda x=value: td.rpy(x, 0.0, 0.0)
        yield f"box size {name}", lambda x=value: _compiled(shape=x)
    for name, value in NO_NAME.items():
        if value is not None:
            yield f"parent {name}", lambda x=value: _compiled(joint={"parent": x})
        yield f"type {name}", lambda x=value: _compiled(joint={"type": x})


def _compiled(
    mass: Any = 1.0,
    center: Any = (0, 0, 0),
    gravity: Any = (0, 0, -9.81),
    joint: Any = None,
    shape: Any = (1, 1, 1),
) -> Any:
    spec = td.ModelSpec("wrong", gravity=gravity)
    spec.add_body("arm", mass, center=center, inertia=(0.1, 0.1, 0.1))
    spec.add_shape("hull", "box", "arm", size=shape)
    spec.add_joint("hinge", **({"type": "revolute", "parent": None, "child": "arm"} | (joint or {})))
    return spec.compile()


def _laws(model: td.Model) -> Iterator[tuple[str, Callable[[], Any]]]:
    laws: dict[str, Any] = {
        "no argument": lambda: {}, "one argument": lambda q: {}, "four arguments": lambda q, v, t, x: {},
        "no mapping": lambda q, v, t: 3.0, "none": lambda q, v, t: None,
        "no joint": lambda q, v, t: {"knee": 1.0},
        "a pair for one": lambda q, v, t: {"elbow": (1.0, 2.0)}, "text": lambda q, v, t: {"elbow": "much"},
        "complex": lambda q, v, t: {"elbow": 1j}, "nan": lambda q, v, t: {"elbow": float("nan")},
        "no such coordinate": lambda q, v, t: {"elbow": q["knee"]},
        "branch": lambda q, v, t: {"elbow": 1.0 if q["elbow"] > 0 else 0.0},
        "object": lambda q, v, t: {"elbow": object()}, "no function": 3.0, "a name": "friction",
        "math": lambda q, v, t: {"elbow": __import__("math").sin(q["elbow"])},
    }  # fmt: skip
    for name, law in laws.items():
        yield f"law {name}", lambda x=law: td.Simulation(model, laws=[x]).step()
        if name not in ("branch", "math", "nan"):
            yield f"controller {name}", lambda x=law: td.Simulation(model, controllers=[x]).step()
    for name, value in (("number", 3.0), ("name", "friction"), ("function", laws["no joint"])):
        yield f"laws {name}", lambda x=value: td.Simulation(model, laws=x)
        yield f"motions {name}", lambda x=value: td.Simulation(model, motions=x)
        yield f"motion {name}", lambda x=value: td.Simulation(model, motions={"elbow": x})
        yield f"events {name}", lambda x=value: td.Simulation(model, events=[x])
        yield f"terrain {name}", lambda x=value: td.Simulation(model, terrain=x)
        yield f"meshes {name}", lambda x=value: td.Simulation(model, meshes=x)
    yield (
        "event with no arguments",
        lambda: td.Simulation(model, events=[td.Event("top", lambda: 1.0)]).step(),
    )
    yield "contact law with two", lambda: td.contact_law(lambda a, b: 1.0)
    yield "wheel model with none", lambda: td.wheel_model(lambda: 1.0)
    yield "absurd grid", lambda: td.random_grid(10**9, 10**9)


def _tables(machine: td.Model) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Tables of Denavit and Hartenberg, and fields that a part of a description has not."""
    for what, x in NO_NUMBER.items():
        yield f"DHRow a={what}", lambda x=x: td.DHRow(a=x)
    for what, x in {"none": None, "number": 5, "empty": [], "short text": ["abc"], "row": [5]}.items():
        yield f"dh_arm rows={what}", lambda x=x: td.dh_arm(x)
    for what, x in {"number": 5, "small": np.eye(3), "scaled": 2.0 * np.eye(4), "text": "base"}.items():
        yield f"dh_arm base={what}", lambda x=x: td.dh_arm([td.DHRow()], base=x)
    for part in ("body", "joint"):
        for what, x in {"number": 5, "unknown": {"weight": 5.0}}.items():
            yield f"dh_arm {part}={what}", lambda x=x, part=part: td.dh_arm([td.DHRow(**{part: x})])
    for what in ("none", "text", "complex", "short", "long", "nested", "ragged", "object", "mapping"):
        x = NO_VECTOR[what]
        yield f"DHTable.pose {what}", lambda x=x: td.dh_table(td.scene("arm")).pose(x)
    parts = {
        "body": ("b",), "joint": ("j", "revolute", None, "b"), "frame": ("f", "b"),
        "shape": ("s", "b", "box"),
        "material": ("m",), "contact": ("a", "b"), "actuator": ("a", "motor"), "wheel": ("w", "j", 0.1),
        "coupling": ("c", "i", "j"), "tendon": ("t",), "keyframe": ("k",),
    }  # fmt: skip
    for part, given in parts.items():
        yield (
            f"add_{part} weight=",
            lambda part=part, given=given: getattr(td.ModelSpec("x"), f"add_{part}")(*given, weight=1.0),
        )


def _exports(machine: td.Model) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Options of exports; nothing is written."""
    options: dict[str, dict[str, Any]] = {
        "kind": {"none": None, "unknown": "jar", "number": 3},
        "name": {"number": 3, "bytes": b"arm", "list": ["arm"]},
        "target": {"number": 3, "unknown": "abacus-none", "empty": ""},
        "cpu": {"number": 3, "none": None, "unknown": "abacus"},
        "functions": {"number": 3, "text": "mass_matrix", "unknown": ["dynamics"], "numbers": [3]},
        "loads": {"none": None, "text": "yes", "number": 1},
    }
    for option, values in options.items():
        for what, x in values.items():
            yield (
                f"export {option}={what}",
                lambda x=x, option=option: td.export(machine, "/nowhere", **{option: x}),
            )
    for what, x in {"none": None, "number": 3, "nul": "a\0b", "bytes": b"out"}.items():
        yield f"export folder={what}", lambda x=x: td.export(machine, x)
    for what, x in {"none": None, "text": "arm", "spec": td.ModelSpec("x")}.items():
        yield f"export {what}", lambda x=x: td.export(x, "/nowhere")
