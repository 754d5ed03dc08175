"""Every world has the same bits alone and among others, whatever its place, the lanes and the threads."""

import functools

import numpy as np
import pytest

import treadle as td
from tests.machines import random_state
from tests.native.direct import identical
from tests.native.walkers import LEG, walker
from treadle.integrators import INTEGRATORS

STEPS = 25
COUNT = 64


@functools.cache
def machine(name: str) -> td.Model:
    if name == "quadruped":
        return walker([LEG] * 4)
    spec = td.ModelSpec("mixed")
    solid = {"center": (0.05, 0.02, -0.1), "inertia": (0.03, 0.02, 0.025)}
    for link in ("cart", "mast", "head"):
        spec.add_body(link, 1.0, **solid)
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0), stiffness=20.0, damping=0.5)
    spec.add_joint("hinge", "revolute", "cart", "mast", axis=(0, 1, 0), position=(0, 0, 0.2))
    spec.add_joint("neck", "ball", "mast", "head", position=(0, 0, -0.3), damping=0.1)
    return spec.compile()


@functools.cache
def starts(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(6)
    return tuple(
        np.array(x) for x in zip(*[random_state(machine(name), rng) for _ in range(COUNT)], strict=True)
    )


@functools.cache
def alone(name: str, integrator: str = "symplectic_euler", loaded: bool = False) -> np.ndarray:
    """States after STEPS, each world by a Simulation of its own."""
    q, v, tau = starts(name)
    sim = td.Simulation(machine(name), integrator=integrator)
    rows = []
    for k in range(COUNT):
        sim.reset()
        sim.clear_forces()
        sim.q[:], sim.v[:], sim.tau[:] = q[k], v[k], tau[k]
        if loaded:
            push(sim, name)
        sim.step(STEPS)
        rows.append([*sim.q, *sim.v])
    return np.array(rows)


def push(world, name: str, **options) -> None:
    world.apply_force(
        machine(name).links[-1].name, (1.0, -2.0, 0.5), (0.1, 0.2, 0.3), (0.05, 0.0, 0.1), **options
    )


def together(name: str, worlds, loaded: bool = False, **options) -> np.ndarray:
    """States after STEPS of the chosen worlds in one batch."""
    q, v, tau = starts(name)
    batch = td.Batch(machine(name), len(worlds), **options)
    batch.q[:], batch.v[:], batch.tau[:] = q[worlds], v[worlds], tau[worlds]
    if loaded:
        push(batch, name)
    batch.step(STEPS)
    return np.hstack([batch.q, batch.v])


@pytest.mark.parametrize("name", ["mixed", "quadruped"])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_lanes(name, lanes):
    worlds = np.arange(17)
    assert identical(together(name, worlds, lanes=lanes, threads=1), alone(name)[worlds])


@pytest.mark.parametrize("count", [1, 3, 4, 5, 17, 64])
def test_number_and_place(count):
    rng = np.random.default_rng(count)
    for _ in range(2):
        worlds = rng.permutation(COUNT)[:count]
        assert identical(together("mixed", worlds), alone("mixed")[worlds])


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [5, 64])
def test_threads(threads, count):
    worlds = np.arange(count)
    assert identical(together("mixed", worlds, threads=threads), alone("mixed")[worlds])


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("loaded", [False, True])
def test_integrators_and_loads(integrator, loaded):
    worlds = np.arange(5)
    result = together("mixed", worlds, loaded, integrator=integrator, threads=2)
    assert identical(result, alone("mixed", integrator, loaded)[worlds])


def test_steps_one_by_one():
    q, v, tau = starts("mixed")
    batch = td.Batch(machine("mixed"), 5)
    batch.q[:], batch.v[:], batch.tau[:] = q[:5], v[:5], tau[:5]
    for _ in range(STEPS):
        batch.step()
    assert batch.steps == STEPS
    assert identical(np.hstack([batch.q, batch.v]), alone("mixed")[:5])


def test_restore_continues_bit_for_bit():
    q, v, tau = starts("mixed")
    batch = td.Batch(machine("mixed"), 10, threads=2)
    batch.q[:], batch.v[:], batch.tau[:] = q[:10], v[:10], tau[:10]
    push(batch, "mixed", worlds=slice(2, 5))
    batch.step(10)
    state = batch.save()
    kept = {name: x.copy() for name, x in state.items()}
    batch.step(20)
    expected = np.hstack([batch.q, batch.v])
    batch.tau[:] = 0.0
    batch.clear_forces()
    batch.dt = 0.1
    batch.step(3)
    # the saved state is a copy
    assert all(np.array_equal(state[name], kept[name]) for name in state)
    batch.restore(state)
    assert batch.steps == 10
    batch.step(20)
    assert identical(np.hstack([batch.q, batch.v]), expected)
    # also in another batch of the same shape, with other threads
    other = td.Batch(machine("mixed"), 10, threads=1)
    other.restore(state)
    other.step(20)
    assert identical(np.hstack([other.q, other.v]), expected)


def test_a_world_that_diverges_disturbs_no_other():
    q, v, tau = starts("mixed")
    batch = td.Batch(machine("mixed"), 17, threads=2, lanes=4)
    batch.q[:], batch.v[:], batch.tau[:] = q[:17], v[:17], tau[:17]
    batch.tau[6] = 1e300
    batch.v[9, 0] = np.nan
    batch.step(STEPS)
    good = batch.alive
    assert good.tolist() == [k not in (6, 9) for k in range(17)]
    assert batch.taken.tolist() == [STEPS if k not in (6, 9) else 0 for k in range(17)]
    assert identical(np.hstack([batch.q, batch.v])[good], alone("mixed")[:17][good])
    # the one that stopped stands where all was still fine, and can go on
    assert identical(batch.q[6], q[6]) and identical(batch.v[6], v[6])
    batch.tau[6] = tau[6]
    batch.step(STEPS)
    assert batch.taken[6] == 0
    batch.revive(6)
    batch.step(STEPS)
    assert batch.taken[6] == STEPS
    assert identical(np.hstack([batch.q, batch.v])[6], alone("mixed")[6])


def test_a_time_step_per_world():
    q, v, tau = starts("mixed")
    batch = td.Batch(machine("mixed"), 5, dt=1e-3)
    assert batch.dt.tolist() == [1e-3] * 5
    batch.q[:], batch.v[:], batch.tau[:] = q[:5], v[:5], tau[:5]
    batch.dt = [1e-3, 2e-3, 3e-3, 4e-3, 5e-3]
    batch.step(STEPS)
    for k in range(5):
        sim = td.Simulation(machine("mixed"), dt=1e-3 * (k + 1))
        # the same number, however it was rounded
        sim.arrays["dt"][0, 0] = batch.dt[k]
        sim.q[:], sim.v[:], sim.tau[:] = q[k], v[k], tau[k]
        sim.step(STEPS)
        assert identical(sim.q, batch.q[k])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_laws(integrator):
    def law(q, v, t):
        return {"hinge": td.sin(50.0 * t) - 0.1 * v["hinge"], "rail": -td.tanh(v["rail"])}

    q, v, tau = starts("mixed")
    batch = td.Batch(machine("mixed"), 5, integrator=integrator, laws=[law], lanes=2, threads=2)
    batch.q[:], batch.v[:], batch.tau[:] = q[:5], v[:5], tau[:5]
    batch.step(10)
    batch.step(STEPS - 10)
    for k in range(5):
        sim = td.Simulation(machine("mixed"), integrator=integrator, laws=[law])
        sim.q[:], sim.v[:], sim.tau[:] = q[k], v[k], tau[k]
        sim.step(STEPS)
        assert identical(sim.q, batch.q[k])
        assert identical(sim.v, batch.v[k])


# single precision


def test_single_precision_is_near_and_has_its_own_bits():
    q, v, tau = starts("mixed")
    results = []
    for lanes, threads in ((1, 1), (4, 1), (8, 3), (None, 2)):
        batch = td.Batch(machine("mixed"), 17, lanes=lanes, threads=threads, precision="float32")
        assert batch.q.dtype == np.float32
        batch.q[:], batch.v[:], batch.tau[:] = q[:17], v[:17], tau[:17]
        batch.step(STEPS)
        results.append(np.hstack([batch.q, batch.v]))
    assert all((result == results[0]).all() for result in results)
    np.testing.assert_allclose(results[0], alone("mixed")[:17], rtol=1e-3, atol=1e-4)
    assert not (results[0] == alone("mixed")[:17]).all()


def test_single_precision_holds_twice_as_many_worlds():
    model = machine("mixed")
    assert td.Batch(model, 4, precision="float32").lanes == 2 * td.Batch(model, 4).lanes
    with pytest.raises(td.InputError, match="there is no precision named 'float16'"):
        td.Batch(model, 4, precision="float16")


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_stops_friction_and_loops_are_the_same_bits(integrator):
    """A linkage that slides, sticks and meets its stop, in worlds that do so at different times."""
    spec = td.ModelSpec("linkage")
    hinge = {"axis": (0, 1, 0)}
    for name in ("crank", "coupler", "rocker"):
        spec.add_body(name, 1.0, center=(0, 0, 0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("a", "revolute", None, "crank", friction=0.5, lower=-0.5, upper=0.4, **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, 0, 1), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(1, 0, 0), damping=0.1, **hinge)
    spec.add_joint(
        "c", "revolute", "coupler", "rocker", position=(0, 0, 1), child_position=(0, 0, 1), **hinge
    )
    spec.add_keyframe("initial", positions={"a": 0.1, "b": 1.4, "d": 0.1})
    model = spec.compile()
    tau = np.random.default_rng(2).uniform(-8.0, 8.0, (9, model.nv))
    batch = td.Batch(model, 9, dt=2e-3, integrator=integrator, threads=2, lanes=4)
    batch.tau[:] = tau
    batch.step(500)
    reached = set()
    for k in range(9):
        sim = td.Simulation(model, dt=2e-3, integrator=integrator)
        sim.tau[:] = tau[k]
        sim.step(500)
        assert identical(sim.q, batch.q[k])
        reached.add(round(sim.joint("a").position, 2))
    # stops on either side, at least
    assert {-0.5, 0.4} <= reached
