"""Machines with springs, loops, actuators and rotations whose derivatives are checked."""

import numpy as np

import treadle as td
from tests.loops import swinging_machine
from tests.machines import random_spec


def sprung_arm() -> td.Simulation:
    """Two links with joint springs and dampers, a servo, and a spring and damper between two points."""
    spec = td.ModelSpec("sprung arm")
    for name in ("upper", "lower"):
        spec.add_body(name, 2.0, center=(0.05, 0.0, -0.3), inertia=(0.1, 0.08, 0.03))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 1, 0), damping=0.3)
    spec.add_joint(
        "elbow", "revolute", "upper", "lower", axis=(0.6, 0.8, 0), position=(0, 0, -0.6), stiffness=5.0
    )
    spec.add_actuator("drive", "position", "elbow", stiffness=20.0, damping=1.0)
    points = (0.5, 0.2, 0.0), (0.0, 0.0, -0.4)
    spec.add_spring("spring", None, "lower", *points, stiffness=80.0, damping=2.0, length=0.6)
    return moving(spec.compile())


def four_bar() -> td.Simulation:
    """A closed loop of four hinges with a spring and a motor, in motion."""
    spec = td.ModelSpec("four-bar")
    for name, length in (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.6)):
        spec.add_body(name, 1.5 * length, center=(0.5 * length, 0.0, 0.0), inertia=(0.02, 0.02, 0.02))
    spec.add_joint("a", "revolute", None, "crank", axis=(0, 1, 0), damping=0.05)
    spec.add_joint("b", "revolute", "crank", "coupler", axis=(0, 1, 0), position=(0.3, 0, 0))
    spec.add_joint("d", "revolute", None, "rocker", axis=(0, 1, 0), position=(0.9, 0, 0), stiffness=3.0)
    ends = {"position": (0.8, 0, 0), "child_position": (0.6, 0, 0)}
    spec.add_joint("c", "revolute", "coupler", "rocker", axis=(0, 1, 0), **ends)
    spec.add_actuator("motor", "motor", "a")
    model = spec.compile()
    sim = td.Simulation(model, q=td.assemble(model, [-0.8, 0.5, -1.6]).q)
    sim.actuator("motor").command = 0.4
    sim.step(200)
    return sim


def hydraulic_slide() -> td.Simulation:
    """A pendulum on a slide that a hydraulic cylinder moves, which has pressures of its own."""
    spec = td.ModelSpec("slide")
    spec.add_body("slide", 40.0, inertia=(1.0, 1.0, 1.0))
    spec.add_body("bob", 5.0, center=(0.0, 0.0, -0.4), inertia=(0.2, 0.2, 0.1))
    spec.add_joint("stroke", "prismatic", None, "slide", axis=(1, 0, 0))
    spec.add_joint("hinge", "revolute", "slide", "bob", axis=(0, 1, 0), damping=0.2)
    oil = {"areas": (2e-3, 1e-3), "pressure": 2e7, "flow": 1e-3}
    spec.add_actuator("ram", "cylinder", "stroke", lower=-1.0, upper=1.0, **oil)
    return moving(spec.compile())


def swinging_loop() -> td.Simulation:
    """Random bodies in a loop, ball joints among them."""
    model, q, v = swinging_machine(3)
    return td.Simulation(model, q=q, v=v)


def floating_tree() -> td.Simulation:
    """Random bodies with free and ball joints."""
    return moving(random_spec(np.random.default_rng(4), 3).compile())


def moving(model: td.Model) -> td.Simulation:
    """A simulation away from rest."""
    rng = np.random.default_rng(7)
    sim = td.Simulation(model, dt=2e-3)
    sim.v[:] = rng.normal(size=model.nv)
    sim.tau[:] = rng.normal(size=model.nv)
    sim.arrays["commands"][:] = rng.normal(size=sim.arrays["commands"].shape)
    sim.step(20)
    return sim


MACHINES = {
    "sprung arm": sprung_arm,
    "four-bar": four_bar,
    "slide": hydraulic_slide,
    "loop": swinging_loop,
    "tree": floating_tree,
}


def state_of(sim: td.Simulation, names: list[str]) -> list[np.ndarray]:
    """Arrays of a simulation by name."""
    given = {"time": [sim.time]}
    return [np.array(given.get(name, sim.arrays.get(name, np.zeros((0, 1)))[:, 0])) for name in names]
