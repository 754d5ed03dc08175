"""Every integrator, solver and stabilization with every kind of machine: it keeps its promise, or is refused.

What is promised: a run ends near that of fine steps, as near as the order of its integrator says; loops stay
closed as far as their stabilization says; wheels roll and boxes rest. What is refused says why.
"""

import functools
import itertools

import numpy as np
import pytest

import treadle as td
from treadle.constraints.rows import residuals
from treadle.integrators import INTEGRATORS
from treadle.solvers import SOLVERS
from treadle.solvers.stabilization import STABILIZATIONS

#: Seconds of a run, and the step; stiff wheels bound that of explicit methods.
DURATION, STEP = 0.1, 2e-3


def pendulum(spec: td.ModelSpec) -> None:
    """Two links that swing."""
    for name, parent, place in (("upper", None, (0, 3, 2)), ("lower", "upper", (0, 0, -0.5))):
        spec.add_body(name, 1.0, center=(0, 0, -0.25), inertia=(0.02, 0.02, 0.01))
        spec.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=place, damping=0.1)


def four_bar(spec: td.ModelSpec) -> None:
    """A crank, a coupler and a rocker, closed by a hinge."""
    for name, parent, place, tip in (
        ("crank", None, (0, 0, 2), (0, 0, 0.3)),
        ("coupler", "crank", (0, 0, 0.3), (0.8, 0, 0.2)),
        ("rocker", None, (0.8, 0, 2), (0, 0, 0.5)),
    ):
        spec.add_body(name, 1.0, center=np.multiply(tip, 0.5), inertia=(0.01, 0.01, 0.01))
        spec.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=place)
    ends = {"position": (0.8, 0, 0.2), "child_position": (0, 0, 0.5)}
    spec.add_joint("pin", "revolute", "coupler", "rocker", axis=(0, 1, 0), **ends)


def cart(spec: td.ModelSpec) -> None:
    """A board on four wheels, two of which are driven."""
    spec.add_body("board", 5.0, inertia=(0.05, 0.1, 0.1))
    spec.add_joint("base", "free", None, "board", position=(0, -2, 0.099))
    contact = {"stiffness": 2e4, "damping": 400.0, "grip": 200.0, "side_grip": 200.0}
    for k, (x, y) in enumerate(itertools.product((0.2, -0.2), (0.15, -0.15))):
        name = f"wheel{k}"
        spec.add_body(name, 0.5, inertia=(0.002, 0.004, 0.002))
        spec.add_joint(name, "continuous", "board", name, axis=(0, 1, 0), position=(x, y, 0))
        spec.add_wheel(name, name, 0.1, model="linear", parameters=contact)
        if x < 0:
            spec.add_actuator(name, "motor", name)


def box(spec: td.ModelSpec) -> None:
    """A box that slides to a stop on the floor."""
    spec.add_body("box", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("box", "free", None, "box", position=(0, 1, 0.1))
    spec.add_shape("box", "box", "box", (0.2, 0.2, 0.2), role="collision")
    spec.add_shape("floor", None, "plane", role="collision")


PARTS = {"tree": (pendulum,), "loop": (four_bar,), "wheels": (cart,), "contact": (box, pendulum)}
PARTS["all"] = (pendulum, four_bar, cart, box)

#: Order of the motion where wheels roll, and while contacts last, whatever the integrator.
LASTING = {"wheels": 1, "contact": 2, "all": 2}

#: Errors (m) that a run of first and of second order may have.
ERRORS = {1: 0.5 * STEP, 2: 4.0 * STEP**2}


@functools.cache
def machine(kind: str) -> td.Model:
    spec = td.ModelSpec(kind)
    for part in PARTS[kind]:
        part(spec)
    return spec.compile()


def start(sim: td.Simulation) -> None:
    """Set everything in motion."""
    for joint in sim.model.joints:
        if joint.name in ("upper", "lower"):
            sim.joint(joint.name).position = 0.7
        if joint.name == "crank":
            sim.joint("crank").velocity = 2.0
        if joint.name == "box":
            sim.v[joint.v] = [0, 0, 0, 0.8, 0.3, 0]
    for actuator in sim.model.actuators:
        sim.actuator(actuator.name).command = 0.5


def outcome(kind: str, steps: float = STEP, **options) -> tuple[td.Simulation, np.ndarray]:
    sim = td.Simulation(machine(kind), dt=steps, **options)
    start(sim)
    if machine(kind).closed:
        assembly = td.assemble(machine(kind), sim.q, sim.v)
        sim.q[:], sim.v[:] = assembly.q, assembly.v
    sim.run(DURATION)
    return sim, np.concatenate([sim.body(link.name).position for link in sim.model.links])


@functools.cache
def reference(kind: str) -> np.ndarray:
    """Fine steps of a method of high order; wheels by force balance."""
    method = "symplectic_euler" if kind in ("wheels", "all") else "rk4"
    return outcome(kind, 1.25e-4, integrator=method)[1]


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_combination_keeps_its_promise_or_says_why_not(kind, integrator):
    accepted = 0
    for solver, stabilization in itertools.product(SOLVERS, STABILIZATIONS):
        options = {"integrator": integrator, "solver": solver, "stabilization": stabilization}
        try:
            sim, ends = outcome(kind, **options)
        except td.InputError as refusal:
            assert len(str(refusal)) > 20
            assert "\n" not in str(refusal)
            continue
        accepted += 1
        assert (sim.integrator, sim.solver, sim.stabilization) == (integrator, solver, stabilization)
        order = LASTING.get(kind, min(INTEGRATORS[integrator].order, 2))
        assert np.abs(ends - reference(kind)).max() < ERRORS[order], options
        if stabilization == "projection" and machine(kind).closed:
            assert max(abs(x) for x in residuals(machine(kind), sim.q.tolist())) < 1e-11
        if kind in ("contact", "all"):
            assert sim.contact
            assert sim.body("box").position[2] == pytest.approx(0.1, abs=1e-9)
    assert accepted, "no solver and stabilization goes with this integrator"
