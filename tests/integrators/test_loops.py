"""Closed machines under every integrator: order of convergence, loops that hold, energy that stays."""

import functools
import re
from pathlib import Path

import numpy as np
import pytest

import treadle as td
from tests.loops import close_loop
from tests.machines import build_spec
from treadle.constraints.rows import residuals
from treadle.dynamics import compiled
from treadle.integrators import INTEGRATORS
from treadle.integrators.closing import loop_jacobian
from treadle.integrators.system import System

#: Steps over the measured time at which the error is neither coarse nor rounding.
STEPS = {
    "symplectic_euler": 800, "explicit_euler": 800, "implicit_euler": 800, "linear_implicit_euler": 800,
    "index2_euler": 800, "midpoint": 400, "implicit_midpoint": 200, "generalized_alpha": 400,
    "variational": 200, "rk4": 100, "variational4": 50, "rk6": 20,
}  # fmt: skip

DURATION = 0.5

MACHINES = ("slider-crank", "spatial")


@functools.cache
def machine(name: str) -> tuple[td.Model, np.ndarray, np.ndarray]:
    """A planar loop of three hinges and a slider, or a crank and a ball whose link slides on a plane."""
    if name == "slider-crank":
        model = td.scene("slider-crank")
        return model, *(np.array(x) for x in model.initial())
    rng = np.random.default_rng(5)
    spec = build_spec(rng, ["revolute", "ball"], [-1, 0])
    for joint in spec.joints:
        joint.damping = 0.1
    position = np.array([x for joint in spec.compile().joints for x in joint.type.sample(rng)])
    close_loop(spec, rng, position, "planar", None, spec.bodies[1].name)
    model = spec.compile()
    return model, position, np.linspace(-1.0, 1.0, model.nv)


def simulation(name: str, steps: int, integrator: str, **options) -> td.Simulation:
    model, q, v = machine(name)
    return td.Simulation(model, DURATION / steps, integrator, q=q, v=v, **options)


@functools.cache
def reference(name: str) -> tuple[np.ndarray, np.ndarray]:
    sim = simulation(name, 1, "dopri853", tolerance=1e-13)
    sim.step()
    return sim.q.copy(), sim.v.copy()


def error(name: str, integrator: str, steps: int) -> float:
    sim = simulation(name, steps, integrator)
    sim.step(steps)
    q, v = reference(name)
    turns = [
        x
        for joint in sim.model.joints
        for x in joint.type.difference(q[joint.q].tolist(), sim.q[joint.q].tolist())
    ]
    return float(np.linalg.norm([*turns, *(sim.v - v)]))


def test_every_integrator_holds_loops():
    assert all(method.loops for method in INTEGRATORS.values())
    assert set(STEPS) == {name for name, method in INTEGRATORS.items() if not method.adaptive}


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("integrator", STEPS)
def test_order(integrator, name):
    order, steps = INTEGRATORS[integrator].order, STEPS[integrator]
    coarse, fine = error(name, integrator, steps), error(name, integrator, 2 * steps)
    assert 1e-12 < fine < coarse < 0.2
    # rk6 starts above its order
    assert order - 0.15 < np.log2(coarse / fine) < order + (0.15 if order < 6 else 0.7)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("integrator", [n for n in STEPS if INTEGRATORS[n].loops == "positions"])
def test_positions_and_velocities_stay_on_the_loops_without_stabilization(integrator, name):
    sim = simulation(name, 50, integrator, stabilization="none")
    sim.step(50)
    J = loop_jacobian(System(sim.model, sim.tau.tolist()), sim.q.tolist())
    speeds = [sum(x * sim.v[k] for k, x in row.items()) for row in J]
    assert np.abs(residuals(sim.model, sim.q.tolist())).max() < 1e-12
    assert np.abs(speeds).max() < 1e-11 * np.abs(sim.v).max()


def test_index_2_euler_satisfies_the_loops_velocities_without_stabilization():
    sim = simulation("slider-crank", 50, "index2_euler", stabilization="none")
    sim.step(50)
    J = loop_jacobian(System(sim.model, sim.tau.tolist()), sim.q.tolist())
    speeds = [sum(x * sim.v[k] for k, x in row.items()) for row in J]
    assert np.abs(speeds).max() < 1e-12 * np.abs(sim.v).max()
    # the positions drift: nothing holds them
    assert np.abs(residuals(sim.model, sim.q.tolist())).max() > 1e-5


@pytest.mark.parametrize("integrator", ["variational", "implicit_midpoint", "variational4"])
def test_symmetric_methods_keep_the_energy_of_a_closed_machine(integrator):
    """After 400 turns the energy is as near to the first as after four: rk4 at this step is not."""

    def worst(name: str, turns: int) -> float:
        sim = td.Simulation(td.scene("slider-crank"), 5e-3, name)
        first, found = energy(sim), 0.0
        for _ in range(turns):
            sim.run(0.63)
            found = max(found, abs(energy(sim) - first))
        return found

    assert worst(integrator, 400) < 2.0 * worst(integrator, 4)
    assert worst("rk4", 400) > 20.0 * worst("rk4", 4)


def stiff(q, v, t):
    """A spring of 10 MN m/rad that the user wrote: its vibration takes a tenth of a step of 10 ms."""
    return {"bearing": -1e7 * td.sin(q["bearing"] - 0.5)}


STIFF = ["implicit_euler", "linear_implicit_euler", "generalized_alpha"]


@pytest.mark.parametrize("integrator", STIFF)
def test_stiff_laws_of_users_hold_a_closed_machine(integrator):
    options = {"spectral_radius": 0.5} if integrator == "generalized_alpha" else {}
    sim = td.Simulation(td.scene("slider-crank"), 1e-2, integrator, laws=[stiff], **options)
    sim.step(200)
    # it sinks by what the weight does to the spring
    assert sim.joint("bearing").position == pytest.approx(0.5, abs=1e-5)
    assert np.abs(sim.v).max() < 1e-3
    assert sim.quality()["loop residual"] < 1e-13


def test_stiff_laws_are_too_much_for_explicit_methods():
    sim = td.Simulation(td.scene("slider-crank"), 1e-2, "rk4", laws=[stiff])
    with pytest.raises(td.SimulationDiverged):
        sim.step(200)


def energy(sim: td.Simulation) -> float:
    return compiled.kinetic_energy(sim.model, sim.q, sim.v) + compiled.potential_energy(sim.model, sim.q)


def test_the_docs_list_every_method_on_the_level_on_which_it_holds_loops():
    """None of them refuses loops, and `constraints.md` says so."""
    theory = Path(__file__).parents[2] / "docs" / "theory"
    section = (theory / "integration.md").read_text().partition("## Loops, limits and friction")[2]
    levels = {}
    for line in section.splitlines():
        level = re.match(r"\| (accelerations|velocities|positions) \(index \d\) \| (.*?) \|", line)
        if level:
            levels |= dict.fromkeys(re.findall(r"`(\w+)`", level[2]), level[1])
    held = {name: method.loops for name, method in INTEGRATORS.items()}
    # by the projection that it has unless another stabilization is chosen
    assert levels == held | {"symplectic_euler": "positions"}
    limits = (theory / "constraints.md").read_text()
    assert "All methods satisfy loops" in limits
    assert not re.search(r"(implicit|variational)[^.|]*refuse[^.]*loops", limits)
