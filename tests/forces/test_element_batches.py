"""Many worlds have the forces of one: every type of element."""

import numpy as np
import pytest

import treadle as td
from treadle.forces.elements import ELEMENTS

#: Parameters of each type that make it act.
ACTING = {
    "spring": {"stiffness": 2e4, "damping": 30.0, "length": 0.7, "law": "400*x**3 + 2*tanh(v)"},
    "torsion_spring": {"axis": (0.2, 1, 0), "stiffness": 4e3, "damping": 2.0, "angle": 0.3},
    "bushing": {"stiffness": (300, 300, 300, 2e4, 2e4, 2e4), "damping": (1, 1, 1, 40, 40, 40)},
    "load": {"force": ("3*sin(5*t)", 1, 0), "torque": (0, "0.2*t", 0), "axes": "body"},
    "gravity": {"uniform": (0.5, 0, 0), "center": (0, 0, -9), "parameter": 30.0},
    "charge_pair": {"strength": -2.0, "radius": 0.1},
    "hull": {"shape": "box", "size": (0.6, 0.4, 0.3), "linear_drag": (0.1, 0.1, 0.1, 9, 9, 9)},
    "propeller": {"diameter": 0.2, "thrust": (0.4, -0.3), "torque": (0.05, -0.03)},
    "mujoco_fluid": {"size": (0.3, 0.2, 0.1), "viscosity": 1e-3},
    "foil": {"area": 0.05, "drag": (0.02, 1.0)},
    "wind": {"velocity": ("3+z", 1, "0.2*sin(t)"), "drag_area": 0.3},
}
PAIRS = ("spring", "torsion_spring", "bushing", "charge_pair")


def machine(kind: str) -> td.Model:
    """Two free bodies, each with an arm, and an element on or between them."""
    spec = td.ModelSpec(kind)
    td.Fluid(1000.0, surface=0.9, waves=[(0.05, 2.0, 0.3, 0.0)]).surround(spec)
    for k in range(2):
        spec.add_body(f"b{k}", 3.0 + k, center=(0.02, 0, 0.01), inertia=(0.2, 0.25, 0.3))
        spec.add_joint(f"j{k}", "free", None, f"b{k}", position=(0.8 * k, 0, 1.0))
        spec.add_body(f"arm{k}", 0.5, center=(0, 0.1, 0), inertia=(0.02, 0.01, 0.02))
        spec.add_joint(f"turn{k}", "revolute", f"b{k}", f"arm{k}", axis=(1, 0, 0), position=(0, 0.2, 0))
    frames = ("arm0", "arm1") if kind in PAIRS else ("b0",)
    spec.add_element("it", kind, frames, [(0.05, 0.02, 0)] * len(frames), **ACTING[kind])
    return spec.compile()


def compare(model: td.Model, steps: int, **options) -> td.Batch:
    """A batch and as many simulations from the same random states."""
    rng = np.random.default_rng(0)
    states = [rng.uniform(-0.5, 0.5, model.nv) for _ in range(3)]
    worlds = td.Batch(model, 3, dt=5e-3, **options)
    for k, v in enumerate(states):
        worlds.v[k] = v
    worlds.step(steps)
    for k, v in enumerate(states):
        sim = td.Simulation(model, dt=5e-3, v=v, **options)
        sim.step(steps)
        np.testing.assert_array_equal(worlds.q[k], sim.q)
        np.testing.assert_array_equal(worlds.v[k], sim.v)
        assert np.isfinite(sim.v).all()
    return worlds


@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_type_in_a_batch(kind):
    compare(machine(kind), 40)
