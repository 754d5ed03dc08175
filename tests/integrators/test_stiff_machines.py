"""Random machines on springs of 100 to 1e10 N/m, at steps of 1 to 20 ms with the default integrator."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec

KINDS = ("revolute", "prismatic", "universal", "ball", "free")


def machine(seed: int) -> td.ModelSpec:
    """Springs and bushings between random bodies that hold at most 1 J each, some of no length."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, int(rng.integers(1, 6)), KINDS)
    bare = td.Simulation(spec.compile())
    names = [None, *[body.name for body in spec.bodies]]
    for k in range(int(rng.integers(1, 6))):
        first, second = (names[i] for i in rng.choice(len(names), 2, replace=False))
        A, B = (np.eye(4) if name is None else np.array(bare.body(name).pose) for name in (first, second))
        stiffness = 10.0 ** rng.uniform(2.0, 10.0)
        damping = float(rng.choice([0.0, 1e-4, 1e-2])) * stiffness * rng.random()
        loose = np.sqrt(2.0 * rng.random() / stiffness)
        point = rng.uniform(-0.5, 0.5, 3)
        # where the point of the second body lies in the first
        there = np.linalg.inv(A) @ B
        kind = rng.choice(["bushing", "no length", "spring"])
        if kind == "bushing":
            place, turn = there[:3, :3] @ point + there[:3, 3], there[:3, :3]
            spec.add_frame(f"f{k}", first, position=place.tolist(), rotation=turn.tolist())
            K, D = ([0.01 * x] * 3 + [x] * 3 for x in (stiffness, damping))
            ends = (0, 0, loose), point.tolist()
            spec.add_element(f"s{k}", "bushing", (f"f{k}", second), ends, stiffness=K, damping=D)
            continue
        other = there[:3, :3] @ point + there[:3, 3] + (0, 0, loose)
        options = {"stiffness": stiffness, "damping": damping, "length": 0.0}
        if kind == "spring":
            other = rng.uniform(-0.5, 0.5, 3)
            options |= {"length": None, "acts": str(rng.choice(["both", "tension", "compression"]))}
        spec.add_spring(f"s{k}", first, second, other.tolist(), point.tolist(), **options)
    return spec


@pytest.mark.parametrize("seed", range(6))
def test_the_machine_moves_as_with_short_steps(seed):
    """As long as it turns and moves by less than a quarter (rad, m) a step, the fastest joint is as fast."""
    dt = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2)[seed % 5]
    model = machine(seed).compile()
    coarse, fine = (td.Simulation(model, dt=h) for h in (dt, dt / 8.0))
    for _ in range(20):
        fine.run(5.0 * dt)
        fastest = np.abs(fine.v).max()
        if fastest * dt > 0.25:
            break
        coarse.run(5.0 * dt)
        assert np.abs(coarse.v).max() < 1.5 * fastest + 1.0


@pytest.mark.parametrize("kind", ["spring", "bushing"])
def test_a_carrier_that_falls_is_not_turned_by_what_it_carries(kind):
    """A free joint passes no force on: one body hangs on the world, the other flies away from it."""
    spec = td.ModelSpec("pair")
    spec.add_body("carrier", 2.0, center=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
    spec.add_joint("fall", "free", None, "carrier")
    spec.add_body("hung", 1.0, inertia=(0.1, 0.2, 0.3))
    spec.add_joint("loose", "free", "carrier", "hung", position=(0.5, 0.3, 0.2))
    if kind == "spring":
        spec.add_spring("tie", None, "hung", (0.5, 0.3, 1.2), stiffness=1e8, damping=1e4)
    else:
        spec.add_frame("wall", None, position=(0.5, 0.3, 0.2))
        spec.add_element(
            "tie", "bushing", ("wall", "hung"), stiffness=[1e6] * 3 + [1e8] * 3, damping=[1e4] * 6
        )
    sim = td.Simulation(spec.compile(), dt=1e-2, v=[0, 0, 0, 2, 1, 0, 0, 0, 0, -2, -1, 0])
    sim.run(1.0)
    np.testing.assert_allclose(sim.v[:3], 0.0, atol=1e-6)
    assert sim.body("carrier").position[2] == pytest.approx(-0.5 * 9.81 * (1.0 + 1e-2), abs=1e-6)
    assert sim.body("hung").position[2] == pytest.approx(0.2, abs=1e-5)
