"""Friction, stiffness and damping of two materials, by the rules that they state."""

import itertools

import mujoco
import numpy as np
import pytest

import treadle as td
from tests.formats.mjcf_texts import read, world
from treadle.collision.collider import Collider
from treadle.sim.step.materials import surface_table

RULES = {"geometric_mean": 0.4, "maximum": 0.8, "minimum": 0.2, "multiply": 0.16}


def surface(first: dict, second: dict):
    """The surface of a ball on a floor of these materials."""
    spec = td.ModelSpec("pair")
    for name, options in (("floor", first), ("ball", second)):
        spec.add_material(name, **options)
    spec.add_shape("floor", None, "plane", role="collision", material="floor")
    spec.add_body("ball", 1.0, type="sphere", size=(0.1,))
    spec.add_joint("ball", "free", None, "ball")
    spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision", material="ball")
    return contact_surface(spec.compile(), "floor", "ball")


def contact_surface(model, first, second):
    collider = Collider(model)
    table = surface_table(model, collider.shapes)
    kinds = [table.kind[collider.names.index(name)] for name in (first, second)]
    return table.surfaces[table.surface_of[kinds[0], kinds[1]]]


@pytest.mark.parametrize("rule", RULES)
def test_friction_by_a_rule(rule):
    found = surface({"friction": 0.2, "combination": rule}, {"friction": 0.8})
    assert found["friction"] == found["across"] == pytest.approx(RULES[rule])


def test_without_a_rule_it_is_the_geometric_mean():
    assert surface({"friction": 0.2}, {"friction": 0.8})["friction"] == pytest.approx(0.4)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(RULES, 2)))
def test_of_two_rules_the_first_in_order_acts(one, other):
    order = ["maximum", "multiply", "minimum", "geometric_mean"]
    expected = RULES[min(one, other, key=order.index)]
    for pair in ((one, other), (other, one)):
        materials = [{"friction": mu, "combination": rule} for mu, rule in zip((0.2, 0.8), pair, strict=True)]
        assert surface(*materials)["friction"] == pytest.approx(expected)


def test_higher_priority_counts_alone():
    found = surface({"friction": 0.2, "priority": 1, "restitution": 0.9}, {"friction": 0.8, "stiffness": 1e4})
    assert found["friction"] == 0.2
    assert found["restitution"] == 0.9
    assert np.isinf(found["stiffness"])


@pytest.mark.parametrize("dimensions", [1, 3, 4, 6])
def test_frictions_by_dimensions(dimensions):
    full = {"friction": 0.5, "rolling_friction": 0.01, "spinning_friction": 0.02}
    found = surface(full | {"friction_dimensions": dimensions}, {"friction": 0.5, "friction_dimensions": 1})
    acting = [found[name] > 0.0 for name in ("friction", "spinning", "rolling")]
    assert acting == [dimensions >= 3, dimensions >= 4, dimensions >= 6]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"combination": "mean"}, "there is no combination 'mean'"),
        ({"friction_dimensions": 2}, "friction_dimensions is 2"),
        ({"priority": -1}, "priority needs a whole number"),
        ({"mix": -1.0}, "mix"),
    ],
)
def test_mistakes(options, message):
    spec = td.ModelSpec("wrong")
    spec.add_material("paint", **options)
    with pytest.raises(td.ModelError, match=message):
        spec.compile()


def geom(rng) -> str:
    """Random contact parameters of a geom."""
    slide, spin, roll = rng.uniform(0.1, 1.0), rng.uniform(0.001, 0.1), rng.uniform(0.0001, 0.01)
    return (
        f'condim="{rng.choice([1, 3, 4, 6])}" friction="{slide} {spin} {roll}" '
        f'priority="{rng.integers(-1, 2)}" solmix="{rng.uniform(0.1, 3.0)}" '
        f'solref="{rng.uniform(0.005, 0.05)} {rng.uniform(0.5, 2.0)}" '
        f'solimp="{rng.uniform(0.5, 0.9)} {rng.uniform(0.9, 0.99)} {rng.uniform(1e-4, 1e-2)} '
        f'{rng.uniform(0.2, 0.8)} {rng.uniform(1.0, 4.0)}"'
    )


@pytest.mark.parametrize("seed", range(40))
def test_geoms_touch_as_in_mujoco(seed):
    rng = np.random.default_rng(seed)
    xml = world(
        f'<geom name="floor" type="plane" size="1 1 1" {geom(rng)}/>'
        f'<body pos="0 0 0.099"><freejoint/><geom name="ball" size="0.1" {geom(rng)}/></body>'
    )
    there = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    (contact,) = data.contact
    found = contact_surface(read(xml).compile(), "floor", "ball")
    time, ratio = contact.solref
    slide, _, spin, roll, _ = contact.friction
    dimension = int(contact.dim)
    assert found["stiffness"] == pytest.approx(1.0 / (time * ratio) ** 2)
    assert found["damping"] == pytest.approx(2.0 / time)
    impedance = [found[key] for key in ("impedance", "most_impedance", "width", "midpoint", "power")]
    assert impedance == pytest.approx(contact.solimp)
    assert found["friction"] == pytest.approx(slide if dimension >= 3 else 0.0)
    assert found["spinning"] == pytest.approx(spin if dimension >= 4 else 0.0)
    assert found["rolling"] == pytest.approx(roll if dimension >= 6 else 0.0)
