"""Springs and dampers between two points: closed forms, and properties over random machines."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.machines import random_spec, random_state, specs
from tests.numeric import central, integrate
from treadle.dynamics.kinematics import world_transforms
from treadle.forces.element import element_energy, element_inertia, element_loads
from treadle.forces.elements.spring import Spring
from treadle.forces.frames import FrameMotion
from treadle.integrators.system import System
from treadle.model.elements import ELEMENT_TYPES
from treadle.spatial import Force, Mat3, Vec3

DEFAULTS = {name: parameter.default for name, parameter in ELEMENT_TYPES["spring"].parameters.items()}


def spring_at(extension: float, rate: float = 0.0, **parameters) -> tuple[float, float]:
    """Tension and energy of a spring of free length 1 m along x."""
    law = Spring(**{**DEFAULTS, "length": 1.0, **parameters})
    ends = [
        FrameMotion(Mat3.identity(), Vec3(x), Vec3(), Vec3(v))
        for x, v in ((0.0, 0.0), (1.0 + extension, rate))
    ]
    first = [*law.conservative(*ends)[:1], *law.other(*ends, time=0.0)[:1]]
    second = [*law.conservative(*ends)[1:], *law.other(*ends, time=0.0)[1:]]
    tension = sum(force.linear.x for force in first)
    assert sum(force.linear.x for force in second) == -tension
    return tension, law.energy(*ends)


def test_a_linear_spring_and_damper():
    assert spring_at(0.2, 3.0, stiffness=10.0, damping=2.0, pretension=5.0) == pytest.approx((13.0, 1.2))


@pytest.mark.parametrize(
    ("acts", "extension", "rate", "tension"),
    [
        ("tension", 0.2, 0.0, 2.0),
        ("tension", -0.2, 0.0, 0.0),
        ("tension", -0.2, 9.0, 0.0),
        ("tension", 0.2, 1.0, 3.0),
        ("tension", 0.2, -9.0, 0.0),
        ("compression", -0.2, 0.0, -2.0),
        ("compression", 0.2, -9.0, 0.0),
        ("compression", -0.2, 9.0, 0.0),
    ],
)
def test_a_spring_that_acts_one_way(acts, extension, rate, tension):
    assert spring_at(extension, rate, stiffness=10.0, damping=1.0, acts=acts)[0] == pytest.approx(tension)


def test_the_table_is_interpolated_and_goes_on_at_its_ends():
    table = ((-0.1, -4.0), (0.1, 0.0), (0.2, 30.0))
    expected = {-0.2: -6.0, -0.1: -4.0, 0.0: -2.0, 0.1: 0.0, 0.15: 15.0, 0.2: 30.0, 0.3: 60.0}
    for extension, tension in expected.items():
        assert spring_at(extension, table=table)[0] == pytest.approx(tension)


@pytest.mark.parametrize("seed", range(6))
def test_the_tension_is_the_slope_of_the_energy(seed):
    rng = np.random.default_rng(seed)
    corners = np.cumsum(rng.uniform(0.05, 0.2, 4)) - 0.4
    for given_ in (
        {"table": tuple(zip(corners.tolist(), np.cumsum(rng.uniform(-2.0, 5.0, 4)).tolist()))},
        {"acts": "tension"},
        {"acts": "compression"},
        {"acts": "tension", "stiffness": 0.0},
    ):
        parameters = {"stiffness": 7.0, "pretension": rng.uniform(0.5, 1.0), **given_}
        if parameters.get("acts") == "compression":
            parameters["pretension"] *= -1.0
        for x in rng.uniform(-0.4, 0.4, 5):
            slope = central(lambda d, x=x, p=parameters: spring_at(x + d, **p)[1], 1e-5)
            assert spring_at(x, **parameters)[0] == pytest.approx(float(slope), abs=1e-4)


def sprung(spec: td.ModelSpec, rng: np.random.Generator, count: int = 3, stiff: float = 1.0) -> td.ModelSpec:
    """The machine with random springs between its bodies and the world."""
    names = [None, *(body.name for body in spec.bodies), *(frame.name for frame in spec.frames)]
    for k in range(count):
        ends = [names[int(i)] for i in rng.choice(len(names), 2, replace=False)]
        points = rng.uniform(-1.0, 1.0, (2, 3)).tolist()
        spec.add_spring(
            f"s{k}", *ends, *points, stiffness=stiff * rng.uniform(1.0, 9.0), length=rng.uniform(0.1, 1.0),
            damping=stiff * rng.uniform(0.0, 0.5), pretension=rng.uniform(-1.0, 1.0),
        )  # fmt: skip
    return spec


def damper_forces(model: td.Model, q, v) -> np.ndarray:
    """Joint forces of the dampers."""
    return np.array(System(model, [0.0] * model.nv).load_force(q, v, 0.0))


@given(specs(largest=5))
@settings(max_examples=25)
def test_the_force_is_the_gradient_of_the_energy(drawn):
    spec, rng = drawn
    model = sprung(spec, rng).compile()
    q, _, _ = random_state(model, rng)
    loads = element_loads(model, q, [0.0] * model.nv, 0.0)
    external = {model.bodies[i].name: np.array(list(force)) for i, force in loads.items()}
    rest = [0.0] * model.nv
    force = td.inverse_dynamics(model, q, rest, rest) - td.inverse_dynamics(model, q, rest, rest, external)
    for _ in range(3):
        along = rng.uniform(-1.0, 1.0, model.nv)
        slope = central(
            lambda s, along=along: element_energy(model, integrate(model, q, (s * along).tolist())), 1e-5
        )
        assert float(force @ along) == pytest.approx(-float(slope), abs=1e-6 * (1.0 + np.abs(force).max()))


@given(specs(largest=6))
@settings(max_examples=25)
def test_action_is_reaction(drawn):
    """Forces between bodies have no sum, and no moment."""
    spec, rng = drawn
    spec.add_body("other", 1.5, inertia=(0.1, 0.2, 0.25))
    spec.add_joint("beside", "free", None, "other", position=(1.0, 0.5, 0.0))
    names = [body.name for body in spec.bodies]
    for k in range(3):
        ends = [names[int(i)] for i in rng.choice(len(names), 2, replace=False)]
        points = rng.uniform(-1.0, 1.0, (2, 3)).tolist()
        spec.add_spring(f"s{k}", *ends, *points, stiffness=20.0, damping=1.0)
    model = spec.compile()
    if any(link.body == -1 for link in model.links):
        return
    q, v, _ = random_state(model, rng)
    X = world_transforms(model, q)
    loads = element_loads(model, q, v, 0.0)
    total = sum((X[i].force_to_parent(force) for i, force in loads.items()), Force.zero())
    size = max([1.0, *(abs(x) for force in loads.values() for x in force)])
    assert max(abs(x) for x in total) < 1e-12 * size


def test_the_momentum_of_a_free_pair_is_kept():
    spec = td.ModelSpec("pair", gravity=(0, 0, 0))
    for k in range(2):
        spec.add_body(f"b{k}", 1.0 + k, inertia=(0.1, 0.2, 0.15))
        spec.add_joint(f"j{k}", "free", None, f"b{k}", position=(k, 0, 0))
    spec.add_spring("tie", "b0", "b1", (0.1, 0.2, 0), (0, 0.1, 0.3), stiffness=3000.0, damping=50.0)
    model = spec.compile()
    sim = td.Simulation(model, 1e-2, v=np.random.default_rng(1).uniform(-1.0, 1.0, model.nv))
    before = td.momentum(model, sim.q, sim.v)[3:]
    sim.run(1.0)
    np.testing.assert_allclose(td.momentum(model, sim.q, sim.v)[3:], before, atol=1e-12)


@given(specs(largest=5))
@settings(max_examples=15)
def test_the_implicit_matrix(drawn):
    """h J^T D J + h^2 J^T K J is symmetric, not negative, and has all of the dampers in it."""
    spec, rng = drawn
    spec.gravity = (0.0, 0.0, 0.0)
    model = sprung(spec, rng, 3, stiff=1e6).compile()
    assert all(element.implicit for element in model.elements if element.stiffness_rate > 0.0)
    q, v, _ = random_state(model, rng)
    h = 1e-2
    added = element_inertia(model, q, v, h)
    matrix = np.zeros((model.nv, model.nv))
    for (i, j), x in added.items():
        matrix[i, j] = x
    np.testing.assert_allclose(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > -1e-9 * (1.0 + abs(matrix).max())

    def force(velocity):
        return damper_forces(model, q, velocity.tolist())

    for _ in range(2):
        along = rng.uniform(-1.0, 1.0, model.nv)
        damping = (force(np.array(v)) - force(np.array(v) + along)) @ along
        assert h * damping <= along @ matrix @ along * (1.0 + 1e-9) + 1e-6


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint", "variational"])
def test_the_energy_balance_closes(integrator):
    rng = np.random.default_rng(4)
    spec = td.ModelSpec("pair")
    for k in range(2):
        spec.add_body(f"b{k}", 1.0 + k, inertia=(0.1, 0.2, 0.15))
        spec.add_joint(f"j{k}", "free", None, f"b{k}", position=(k, 0, 0))
    spec.add_spring("tie", "b0", "b1", (0.1, 0.2, 0), (0, 0.1, 0.3), stiffness=30.0, damping=0.5)
    spec.add_spring("hook", None, "b0", (0, 0, 2), stiffness=40.0, length=1.0)
    model = spec.compile()
    drifts = []
    v = rng.uniform(-1.0, 1.0, model.nv)
    for dt in (2e-3, 1e-3):
        sim = td.Simulation(model, dt, integrator, v=v)
        sim.run(1.0)
        drifts.append(abs(sim.quality()["energy drift"]))
    order = {"symplectic_euler": 1, "rk4": 4}.get(integrator, 2)
    assert drifts[1] < {1: 2e-2, 2: 1e-4, 4: 1e-9}[order]
    assert drifts[1] < drifts[0] * 0.7**order + 1e-11


def test_a_spring_is_the_strut_that_it_replaces():
    """A double pendulum held by a spring, and by a massless prismatic strut that closes a loop."""

    def machine(strut: bool) -> td.Model:
        spec = td.ModelSpec("held")
        for k in range(2):
            spec.add_body(f"b{k}", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
            spec.add_joint(f"j{k}", "revolute", f"b{k - 1}" if k else None, f"b{k}", axis=(0, 1, 0))
            spec.joints[-1].position = (0, 0, -1.0 if k else 0.0)
        ends = (1.0, 0.0, -0.5), (0.0, 0.0, -0.3)
        if not strut:
            spec.add_spring("spring", None, "b1", *ends, stiffness=50.0, damping=2.0, length=0.8)
            return spec.compile()
        tip = np.array([0.0, 0.0, -1.3])
        along = tip - ends[0]
        angle = math.atan2(-along[2], along[0])
        spec.add_body("tube", 0.0)
        spec.add_joint("turn", "revolute", None, "tube", axis=(0, 1, 0), position=ends[0], armature=1e-9)
        spec.add_body("rod", 1e-9, inertia=(1e-10, 1e-10, 1e-10))
        reach = float(np.linalg.norm(along))
        spec.add_joint(
            "slide", "prismatic", "tube", "rod", axis=(1, 0, 0), stiffness=50.0, damping=2.0, reference=0.8
        )
        spec.add_joint("pin", "revolute", "rod", "b1", axis=(0, 1, 0), child_position=ends[1])
        spec.add_keyframe("initial", {"turn": angle, "slide": reach})
        return spec.compile()

    runs = []
    for strut in (False, True):
        sim = td.Simulation(machine(strut), dt=5e-4, integrator="rk4")
        sim.run(1.0)
        runs.append([sim.joint(f"j{k}").position for k in range(2)])
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-6)


# with springs that act where they are at the end of the step 7, 10, 24 and 57 gain energy
@pytest.mark.parametrize("seed", [0, 1, 2, 7, 10, 24, 57])
def test_any_stiffness_is_stable_with_the_default_method(seed):
    """Random trees with springs of up to 1e8 N/m between all their branches, at 10 ms."""
    rng = np.random.default_rng(seed)
    spec = sprung(random_spec(rng, 4, kinds=("revolute", "prismatic", "ball"), root="free"), rng, 3)
    for item in spec.elements:
        item.parameters |= {
            "stiffness": 10.0 ** rng.uniform(2.0, 8.0),
            "damping": 10.0 ** rng.uniform(0.0, 5.0),
        }
        item.parameters |= {"length": None, "pretension": 0.0}
        if rng.random() < 0.3:
            item.parameters["acts"] = "tension"
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-2, v=rng.uniform(-0.3, 0.3, model.nv))
    available = td.kinetic_energy(model, sim.q, sim.v)
    height = td.potential_energy(model, sim.q)
    for _ in range(20):
        sim.run(0.1)
        available += abs(td.potential_energy(model, sim.q) - height)
        height = td.potential_energy(model, sim.q)
        # what falls gains speed, what is stiff gives none
        assert td.kinetic_energy(model, sim.q, sim.v) < 1.5 * available + 1.0


def test_soft_springs_keep_their_energy_with_the_default_method():
    spec = td.ModelSpec("oscillator", gravity=(0, 0, 0))
    spec.add_body("ball", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "ball")
    spec.add_spring("spring", None, "ball", (0, 0, 3.0), stiffness=8.0, length=2.0)
    sim = td.Simulation(spec.compile(), dt=1e-2)
    energies = [sim.quality()["energy"]]
    for _ in range(20):
        sim.run(5.0)
        energies.append(sim.quality()["energy"])
    assert np.abs(np.array(energies) / energies[0] - 1.0).max() < 0.03


@pytest.mark.parametrize(("seed", "stiff"), [(7, 1e4), (8, 1.0), (9, 1.0)])
def test_a_batch_is_the_simulation(seed, stiff):
    """To the last bit, though a simulation keeps accounts of the work of springs, and a batch does not."""
    rng = np.random.default_rng(seed)
    model = sprung(random_spec(rng, 4, root="free"), rng, 3, stiff=stiff).compile()
    q, v, _ = random_state(model, rng)
    sim = td.Simulation(model, dt=2e-3, q=q, v=v)
    worlds = td.Batch(model, 5, dt=2e-3)
    worlds.q[:], worlds.v[:] = sim.q, sim.v
    sim.step(20)
    worlds.step(20)
    np.testing.assert_array_equal(worlds.q[3], sim.q)
    np.testing.assert_array_equal(worlds.v[4], sim.v)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stiffness": -1.0}, "stiffness is negative"),
        ({"stifness": 1.0}, "did you mean 'stiffness'"),
        ({"acts": "sideways"}, "use one of both, tension, compression"),
        ({"table": ((0.0, 0.0),)}, "at least two pairs"),
        ({"table": ((0.0, 0.0), (1.0, 1.0)), "acts": "tension"}, "write zeros into the table"),
    ],
)
def test_mistakes_are_named(change, message):
    spec = td.ModelSpec("m")
    spec.add_body("b", 1.0, inertia=(1, 1, 1))
    spec.add_joint("j", "free", None, "b")
    spec.add_spring("s", None, "b", **change)
    with pytest.raises(td.ModelError, match=message):
        spec.compile()


def test_an_element_on_no_body_is_refused():
    spec = td.ModelSpec("m")
    spec.add_body("b", 1.0, inertia=(1, 1, 1))
    spec.add_joint("j", "free", None, "b")
    spec.add_spring("s", None, "c")
    with pytest.raises(td.ModelError, match="'c' is not a body or frame"):
        spec.compile()
    spec.elements.clear()
    spec.add_spring("s", None, None)
    with pytest.raises(td.ModelError, match="acts on the world alone"):
        spec.compile()
