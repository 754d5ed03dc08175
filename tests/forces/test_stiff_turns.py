"""Stiff torsion springs and bushings at large turns: the stiffness that a step takes implicitly is that of
their energy, whatever the turn."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_rotation
from treadle.forces.elements.bushing import Bushing
from treadle.forces.elements.torsion import TorsionSpring
from treadle.forces.frames import FrameMotion
from treadle.spatial import Mat3, Vec3

STILL = (Vec3(), Vec3())

#: Chains; with the stiffness of small tilts they gain energy.
SEEDS = (2, 9, 11, 12, 13)


@pytest.mark.parametrize("kind", ["torsion_spring", "bushing"])
@pytest.mark.parametrize("seed", range(8))
def test_the_stiffness_is_that_of_one_coordinate(kind, seed):
    """Of an energy k y^2 / 2 the force is f = -k y dy, and the stiffness k dy dy^T = f f^T / 2 U."""
    rng = np.random.default_rng(seed)
    frames = [
        FrameMotion(Mat3.of(random_rotation(rng).tolist()), Vec3(*rng.uniform(-1, 1, 3).tolist()), *STILL)
        for _ in range(2)
    ]
    if kind == "bushing":
        u = rng.uniform(-1.0, 1.0, 6)
        law = Bushing(stiffness=(9.0 * np.outer(u, u)).tolist(), damping=np.zeros((6, 6)).tolist())
    else:
        axis = rng.uniform(-1.0, 1.0, 3).tolist()
        law = TorsionSpring(axis=axis, stiffness=9.0, damping=0.0, angle=0.4, preload=0.0)
    force = np.array(list(law.conservative(*frames)[1]))
    expected = np.outer(force, force) / (2.0 * law.energy(*frames))
    np.testing.assert_allclose(np.array(law.linear(*frames).stiffness), expected, rtol=1e-9, atol=1e-9)


def tied(seed: int, bodies: int, stiffness: float) -> td.Model:
    """A body on a bushing to the world, or two on one between them, a metre off its rest."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("tied", gravity=(0, 0, 0))
    for k in range(bodies):
        spec.add_body(f"b{k}", 1.0, inertia=tuple(0.02 * rng.uniform(1.0, 1.8, 3)))
        spec.add_joint(f"j{k}", "free", None, f"b{k}", position=(k, 0, 1))
    root = rng.standard_normal((6, 6))
    matrix = stiffness * root @ root.T / 6.0
    frames = (None, "b0") if bodies == 1 else ("b0", "b1")
    spec.add_element("tie", "bushing", frames, stiffness=matrix.tolist(), damping=(1e-3 * matrix).tolist())
    return spec.compile()


@pytest.mark.parametrize("seed", range(6))
def test_a_bushing_far_off_its_rest_comes_to_rest(seed):
    """Its force is taken at large turns, where that of small ones would throw the body about."""
    for bodies in (1, 2):
        model = tied(seed, bodies, 3e4)
        sim = td.Simulation(model, dt=1e-2)
        first = sim.quality()["energy"]
        for _ in range(6):
            sim.step(10)
            assert sim.quality()["energy"] <= first
        assert sim.quality()["energy"] < 0.05 * first


def twisted(seed: int, damping: float) -> td.Model:
    """A free chain of five bodies with a torsion spring from its first to its last one, up to 1.5 rad off."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("twisted", gravity=(0, 0, 0))
    for k, kind in enumerate(("free", "revolute", "ball", "revolute", "universal")):
        center, inertia = rng.uniform(-0.1, 0.1, 3), 0.02 * rng.uniform(1.0, 1.8, 3)
        spec.add_body(f"b{k}", rng.uniform(0.5, 2.0), center=tuple(center), inertia=tuple(inertia))
        turns = {"axis": tuple(rng.standard_normal(3))} if kind == "revolute" else {}
        place = tuple(rng.uniform(-0.3, 0.3, 3))
        spec.add_joint(f"j{k}", kind, f"b{k - 1}" if k else None, f"b{k}", position=place, **turns)
    axis, angle = tuple(rng.standard_normal(3)), rng.uniform(-1.5, 1.5)
    given = {"axis": axis, "stiffness": 3e4, "damping": damping, "angle": float(angle)}
    spec.add_element("tie", "torsion_spring", ("b0", "b4"), **given)
    return spec.compile()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stiff_torsion_spring_brings_no_energy(seed):
    """Also where the chain flings its axis past the reversed one, at which the angle has no meaning."""
    sim = td.Simulation(twisted(seed, 0.0), dt=1e-2)
    first = sim.quality()["energy"]
    for _ in range(10):
        sim.step(10)
        assert sim.quality()["energy"] < 1.05 * first
