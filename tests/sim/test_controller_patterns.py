"""Controllers mean what their author wrote: however they are run, they do what calls at every step do."""

import numpy as np
import pytest

import treadle as td
from tests.sim.controller_patterns import CALLED, PATTERNS, TRACED
from tests.sim.controller_sources import SOURCES, WRAPPINGS
from treadle.native.program import compile_program
from treadle.sim.controller import CalledBack, Controllers, controller_program

PAUSES, STEPS = 4, 12


def pendulum() -> td.Model:
    return td.scene("pendulum")


def arm_on_a_table() -> td.Model:
    """Two links that swing above a table and hit it."""
    spec = td.ModelSpec("arm", settings={"dt": 2e-3})
    spec.add_material("rubber", friction=0.4, restitution=0.2)
    spec.add_shape("table", None, "plane", role="collision", material="rubber")
    spec.add_body("upper", 1.0, center=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
    spec.add_body("lower", 0.6, center=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 1, 0), position=(0, 0, 0.16))
    spec.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0.4, 0, 0))
    spec.add_shape(
        "tip", "lower", "sphere", (0.05,), position=(0.4, 0, 0), role="collision", material="rubber"
    )
    return spec.compile()


MACHINES = {"tree": pendulum, "contact": arm_on_a_table}


def run(model: td.Model, name: str, forced: bool) -> tuple[list[np.ndarray], list[str]]:
    """States in the pauses of a run, and the ways that were chosen before the first and after the last."""
    case = PATTERNS[name].make()
    sim = td.Simulation(model, controllers=[CalledBack(case.controller) if forced else case.controller])
    sim.q, sim.v = [0.2, 0.1], [0.5, -0.3]
    states, ways = [], [sim.controllers.reports[0].way]
    for k in range(PAUSES):
        sim.step(STEPS)
        states.append(np.concatenate([sim.q, sim.v]))
        case.change(k, sim)
    sim.step(STEPS)
    return [*states, np.concatenate([sim.q, sim.v])], [*ways, sim.controllers.reports[0].way]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", PATTERNS)
def test_a_controller_does_what_calls_at_every_step_do(name, machine):
    model = MACHINES[machine]()
    states, ways = run(model, name, forced=False)
    expected, called = run(model, name, forced=True)
    assert called == [CALLED, CALLED]
    np.testing.assert_allclose(states, expected, atol=1e-12, rtol=1e-12)
    assert ways == [PATTERNS[name].way, PATTERNS[name].after]


def test_the_machine_with_contact_has_contact():
    sim = td.Simulation(arm_on_a_table())
    assert sim.contact
    sim.q, sim.v = [0.2, 0.1], [0.5, -0.3]
    touched = False
    for _ in range((PAUSES + 1) * STEPS):
        sim.step()
        touched = touched or bool(sim.contacts())
    assert touched


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", [name for name, p in PATTERNS.items() if p.way == TRACED])
def test_a_batch_does_what_calls_at_every_step_do(name, machine):
    model = MACHINES[machine]()
    forced, case = PATTERNS[name].make(), PATTERNS[name].make()
    sim = td.Simulation(model, controllers=[CalledBack(forced.controller)])
    worlds = td.Batch(model, 3, controllers=[case.controller], threads=1)
    for start in (sim, worlds):
        start.q, start.v = [0.2, 0.1], [0.5, -0.3]
    for k in range(2):
        sim.step(STEPS)
        worlds.step(STEPS)
        forced.change(k, sim)
        case.change(k, worlds)
        if "simulation" in name:
            # what no longer can be traced a batch refuses
            with pytest.raises(td.InputError, match=r"td\.Input"):
                worlds.step()
            return
    sim.step(STEPS)
    worlds.step(STEPS)
    np.testing.assert_allclose(worlds.q, np.tile(sim.q, (3, 1)), atol=1e-12, rtol=1e-12)
    np.testing.assert_allclose(worlds.v, np.tile(sim.v, (3, 1)), atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name, p in PATTERNS.items() if p.way == CALLED])
def test_a_batch_says_why_it_refuses_a_controller(name):
    with pytest.raises(
        td.InputError, match=r"a Batch takes controllers that can be traced, but '.*' .*td\.Input"
    ):
        td.Batch(pendulum(), 3, controllers=[PATTERNS[name].make().controller])


@pytest.mark.parametrize("name", [name for name, p in PATTERNS.items() if p.way == TRACED])
def test_a_traced_controller_is_a_program_of_its_own(name):
    model, case = pendulum(), PATTERNS[name].make()
    controllers = Controllers(model, [case.controller])
    program = compile_program(controller_program(model, controllers.traced, controllers.inputs))
    inputs = [np.concatenate([x.numbers() for x in controllers.inputs])] if controllers.inputs else []
    called = Controllers(model, [CalledBack(case.controller)])
    for seed in range(3):
        q, v, t = (np.random.default_rng(seed).uniform(-1, 1, n) for n in (2, 2, 1))
        called.force(q, v, float(t[0]))
        np.testing.assert_allclose(program(q, v, t, *inputs)[0], called.commanded, atol=1e-12)


def run_source(name: str, wrapping: str, forced: bool) -> tuple[list[np.ndarray], str]:
    """States in the pauses of a run in which the number of a source is set, and what was chosen at first."""
    read, put = SOURCES[name]()
    controller = WRAPPINGS[wrapping](read)
    sim = td.Simulation(pendulum(), controllers=[CalledBack(controller) if forced else controller])
    sim.q = [0.4, 0.1]
    way, states = sim.controllers.reports[0].way, []
    for gain in (2.0, 5.0, 5.0, 9.0, 14.0):
        sim.step(3)
        put(gain)
        states.append(sim.q.copy())
    sim.step(3)
    return [*states, sim.q], way


PAIRS = [(name, wrapping) for name in SOURCES for wrapping in WRAPPINGS]


# there are eight wrappings: every third pair has all sources and all wrappings
@pytest.mark.parametrize(("name", "wrapping"), PAIRS[::3])
def test_a_number_that_changes_is_found_wherever_it_is(name, wrapping):
    states, way = run_source(name, wrapping, forced=False)
    expected, _ = run_source(name, wrapping, forced=True)
    assert way == TRACED
    np.testing.assert_allclose(states, expected, atol=1e-12, rtol=1e-12)
