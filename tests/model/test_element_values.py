"""Constants of force elements and of the fluid that differ between worlds."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from treadle.model import lift


def machine(**changed) -> td.Model:
    """A vehicle with an arm in water: every type of element; `changed` parameters by element and name."""
    spec = td.ModelSpec("vehicle")
    fluid = {"density": 1000.0, "viscosity": 0.1, "current": (0.3, 0.0, 0.1), "surface": 0.4}
    td.Fluid(**(fluid | changed.pop("fluid", {}))).surround(spec)
    spec.add_body("base", 8.0, inertia=(0.2, 0.3, 0.4))
    spec.add_joint("free", "free", None, "base")
    spec.add_body("arm", 1.0, center=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    spec.add_joint("hinge", "revolute", "base", "arm", axis=(0, 1, 0), position=(0.2, 0, 0))
    spec.add_body("hand", 0.5, center=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    spec.add_joint("wrist", "revolute", "arm", "hand", axis=(0, 0, 1), position=(0.2, 0, 0))
    given = {
        "strut": {"stiffness": 40.0, "damping": 2.0, "length": 0.3, "pretension": 1.0},
        "coil": {"axis": (0, 1, 0), "stiffness": 3.0, "damping": 0.1, "angle": 0.2},
        "rubber": {"stiffness": (3, 3, 3, 50, 50, 50), "damping": (0.1,) * 6},
        "push": {"force": (1.0, -2.0, 0.5), "torque": (0.1, 0, 0), "amplitude": 0.5, "frequency": 3.0},
        "planet": {"uniform": (0.1, 0.0, 0.0), "center": (1.0, 2.0, 3.0), "parameter": 2.0},
        "poles": {"strength": 0.5, "radius": 0.1},
        "hull": {"size": (0.3, 0.2, 0.1), "drag_coefficient": 0.4, "quadratic_drag": (1, 2, 3, 4, 5, 6)},
        "screw": {"thrust": (0.4, -0.3), "torque": (0.05, -0.02)},
        "fin": {"area": 0.02, "drag": (0.01, 1.0)},
        "air": {"velocity": (2.0, 1.0, 0.0), "drag_area": 0.05},
    }  # fmt: skip
    for name, values in changed.items():
        given[name] = given[name] | values
    spec.add_spring("strut", "base", "hand", (0, 0.1, 0), (0.1, 0, 0), **given["strut"])
    for name, kind, frames in (
        ("coil", "torsion_spring", ("base", "arm")), ("rubber", "bushing", ("arm", "hand")),
        ("push", "load", ("hand",)), ("planet", "gravity", ("arm",)),
        ("poles", "charge_pair", ("base", "hand")), ("screw", "propeller", ("hand",)),
        ("fin", "foil", ("hand",)), ("air", "wind", ("base",)),
    ):  # fmt: skip
        spec.add_element(name, kind, frames, **given[name])
    spec.add_hull("hull", "base", **given["hull"])
    return spec.compile()


#: Name, value, and the same as a change of the description.
CHANGES = [
    ("strut.stiffness", 4e4, {"strut": {"stiffness": 4e4}}),
    ("strut.damping", 90.0, {"strut": {"damping": 90.0}}),
    ("strut.pretension", -3.0, {"strut": {"pretension": -3.0}}),
    ("strut.length", 0.5, {"strut": {"length": 0.5}}),
    ("coil.angle", -0.7, {"coil": {"angle": -0.7}}),
    ("push.force.y", 5.0, {"push": {"force": (1.0, 5.0, 0.5)}}),
    ("planet.parameter", 9.0, {"planet": {"parameter": 9.0}}),
    ("poles.strength", -4.0, {"poles": {"strength": -4.0}}),
    ("hull.quadratic_drag[3]", 90.0, {"hull": {"quadratic_drag": (1, 2, 3, 90, 5, 6)}}),
    ("hull.drag_coefficient", 1.7, {"hull": {"drag_coefficient": 1.7}}),
    ("hull.density", 700.0, {"hull": {"density": 700.0}}),
    ("screw.thrust[0]", 0.9, {"screw": {"thrust": (0.9, -0.3)}}),
    ("fin.area", 0.3, {"fin": {"area": 0.3}}),
    ("air.velocity.x", -4.0, {"air": {"velocity": (-4.0, 1.0, 0.0)}}),
    ("fluid.density", 800.0, {"fluid": {"density": 800.0}}),
    ("fluid.viscosity", 3.0, {"fluid": {"viscosity": 3.0}}),
    ("fluid.surface", -0.02, {"fluid": {"surface": -0.02}}),
    ("fluid.current.z", -1.0, {"fluid": {"current": (0.3, 0.0, -1.0)}}),
]


def state(model: td.Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = np.array(model.initial()[0])
    q[-2:] = rng.uniform(-0.5, 0.5, 2)
    return q, rng.uniform(-1.0, 1.0, model.nv)


@pytest.fixture(scope="module")
def nominal() -> td.Model:
    return machine()


@pytest.fixture(scope="module")
def batch(nominal) -> td.Batch:
    """A world per change, and one that nothing is changed in."""
    # a hull with a density of its own is not in that of the fluid
    names = [name for name, _, _ in CHANGES if name != "hull.density"]
    worlds = td.Batch(nominal, len(CHANGES) + 1, dt=2e-3, threads=1, parameters=names)
    worlds.q[:], worlds.v[:] = state(nominal)
    for k, (name, value, _) in enumerate(CHANGES):
        if name in names:
            worlds.parameter(name)[k] = value
    worlds.step(25)
    return worlds


@pytest.mark.parametrize("k", range(len(CHANGES)), ids=[name for name, _, _ in CHANGES])
def test_a_world_moves_as_the_machine_with_that_constant(batch, nominal, k):
    if CHANGES[k][0] == "hull.density":
        batch = td.Batch(nominal, len(CHANGES) + 1, dt=2e-3, threads=1, parameters=["hull.density"])
        batch.q[:], batch.v[:] = state(nominal)
        batch.parameter("hull.density")[k] = CHANGES[k][1]
        batch.step(25)
    changed = machine(**CHANGES[k][2])
    q, v = state(nominal)
    # elements that may become stiff by a parameter are taken as such throughout
    sim = td.Simulation(_taken_as(changed, batch.world.model), dt=2e-3, q=q, v=v)
    sim.step(25)
    np.testing.assert_allclose(batch.q[k], sim.q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(batch.v[k], sim.v, rtol=0, atol=1e-9)
    assert np.abs(batch.v[k] - batch.v[-1]).max() > 1e-6


def _taken_as(model: td.Model, like: td.Model) -> td.Model:
    """The model with those elements implicit that another one has."""
    flags = {element.name: element.implicit for element in like.elements}
    return replace(model, elements=tuple(replace(x, implicit=flags[x.name]) for x in model.elements))


@pytest.mark.parametrize("k", range(len(CHANGES)), ids=[name for name, _, _ in CHANGES])
def test_lift_is_the_changed_description(nominal, k):
    name, value, change = CHANGES[k]
    q, v = state(nominal)
    found = []
    for model in (machine(**change), lift(nominal, {name: value})):
        assert td.parameter_value(model, name) == value
        sim = td.Simulation(_taken_as(model, nominal), dt=1e-3, q=q, v=v)
        sim.step(5)
        found.append(sim.v.copy())
    np.testing.assert_allclose(*found, rtol=0, atol=1e-11)


def test_every_name_has_a_value(nominal):
    names = [
        x for x in td.parameter_names(nominal) if x.partition(".")[0] in {"strut", "hull", "fluid", "push"}
    ]
    assert {"strut.stiffness", "hull.linear_drag[5]", "fluid.density", "push.torque.z"} <= set(names)
    values = {name: td.parameter_value(nominal, name) for name in names}
    same = lift(nominal, values)
    assert [dict(x.parameters) for x in same.elements] == [dict(x.parameters) for x in nominal.elements]


def test_from_soft_to_stiff_in_one_batch():
    """A weight on springs of 10 to 1e9 N/m at 10 ms: each swings as it should, or hangs still."""
    spec = td.ModelSpec("weight")
    spec.add_body("weight", 1.0, inertia=(1, 1, 1))
    spec.add_joint("slide", "prismatic", None, "weight", axis=(0, 0, -1))
    spec.add_spring("spring", None, "weight", (0, 0, 1), stiffness=10.0, length=1.0)
    stiffness = 10.0 ** np.arange(1, 10)
    worlds = td.Batch(spec.compile(), 9, dt=1e-2, threads=1, parameters=["spring.stiffness"])
    worlds.parameter("spring.stiffness")[:] = stiffness
    worlds.step(100)
    largest = np.zeros(9)
    for _ in range(200):
        worlds.step(1)
        largest = np.maximum(largest, np.abs(worlds.q[:, 0]))
    rest = 9.81 / stiffness
    # without damping it falls to twice the depth of rest, where the step resolves that
    np.testing.assert_allclose(largest[:2], 2.0 * rest[:2], rtol=0.05)
    np.testing.assert_allclose(largest[4:], rest[4:], rtol=0.05)


@pytest.mark.parametrize(
    "name", ["strut.acts", "hull.size.x", "strut.table", "rubber.stiffness[0]", "fluid.waves"]
)
def test_what_is_no_parameter(nominal, name):
    with pytest.raises(td.InputError, match="no parameter named"):
        td.parameter_value(nominal, name)


@pytest.mark.parametrize(
    ("name", "value"), [("strut.stiffness", -1.0), ("hull.density", -2.0), ("strut.length", np.nan)]
)
def test_values_out_of_range(nominal, name, value):
    with pytest.raises(td.InputError, match=name):
        lift(nominal, {name: value})


def test_a_law_reads_an_input_of_its_own_world():
    spec = td.ModelSpec("ball", gravity=(0, 0, 0))
    spec.add_body("ball", 2.0, inertia=(1, 1, 1))
    spec.add_joint("free", "free", None, "ball")
    pull, stiffness = td.Input(1.0), td.Input(0.0)

    @td.force_element("ball", energy=lambda ball: 0.5 * stiffness.value * ball.position.dot(ball.position))
    def law(ball, t):
        return {"ball": (pull.value, 0.0, 0.0)}

    worlds = td.Batch(spec.compile(), 4, dt=1e-3, threads=1, laws=[law])
    worlds.input(pull)[:] = [1.0, 2.0, 3.0, 4.0]
    worlds.input(stiffness)[:] = [0.0, 0.0, 0.0, 8.0]
    worlds.step(1000)
    np.testing.assert_allclose(worlds.v[:3, 3], [0.5, 1.0, 1.5], rtol=1e-9)
    np.testing.assert_allclose(worlds.v[3, 3], np.sin(2.0), rtol=2e-3)
