"""What contact of two materials is like."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.collision.collider import Collider
from treadle.contact.laws import LAWS
from treadle.sim.step.materials import surface_table


def machine(first, second, shape=("sphere", (0.1,)), contact=None):
    """A body of the first material above ground of the second."""
    spec = td.ModelSpec("machine")
    for name, options in (("first", first), ("second", second), ("own", contact)):
        if options is not None:
            spec.add_material(name, **options)
    spec.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("float", "free", None, "ball")
    spec.add_shape("ball", "ball", *shape, role="collision", material="first")
    spec.add_shape("ground", None, "plane", role="collision", material=None if second is None else "second")
    if contact is not None:
        spec.add_contact(None, "ball", material="own")
    return spec.compile()


def surface(*args, **options):
    model = machine(*args, **options)
    table = surface_table(model, Collider(model).shapes)
    return table.surfaces[table.surface_of[table.kind[0], table.kind[1]]], table.laws


def test_springs_and_dampers_in_series_and_the_geometric_mean_of_friction():
    found, laws = surface(
        {"stiffness": 3e6, "damping": 20.0, "friction": 0.9, "rolling_friction": 1e-3},
        {"stiffness": 6e6, "damping": 30.0, "friction": 0.4, "spinning_friction": 2e-3},
    )
    assert found["stiffness"] == pytest.approx(2e6)
    assert found["damping"] == pytest.approx(12.0)
    assert found["friction"] == pytest.approx(0.6)
    assert (found["rolling"], found["spinning"]) == (1e-3, 2e-3)
    assert (found["law"], laws) == (-1, [])


def test_a_rigid_material_leaves_the_law_to_the_other():
    found, laws = surface({"restitution": 0.3}, {"stiffness": 1e8, "law": "flores", "restitution": 0.7})
    assert (found["stiffness"], found["exponent"], found["restitution"]) == (1e8, 1.5, 0.3)
    assert laws == [LAWS["flores"]]
    assert surface({"friction": 0.2}, None)[0]["stiffness"] == math.inf


def test_stiffnesses_of_a_law_in_series_carry_the_same_force():
    found, _ = surface({"stiffness": 1e9, "law": "hertz"}, {"stiffness": 4e9, "law": "hertz"})
    depth = [(500.0 / K) ** (2.0 / 3.0) for K in (1e9, 4e9)]
    assert found["stiffness"] * sum(depth) ** 1.5 == pytest.approx(500.0)


def test_hertz_from_moduli_and_radii():
    steel = {"law": "hertz", "young_modulus": 2.07e11, "poisson_ratio": 0.3}
    found, _ = surface(steel, steel)
    # the figure of the facts: sphere of 0.1 m on a plane, steel on steel
    assert found["stiffness"] == pytest.approx(4.796e10, rel=1e-4)
    rigid, _ = surface(steel, {"friction": 0.5})
    assert rigid["stiffness"] == pytest.approx(2.0 * found["stiffness"])
    box, _ = surface({**steel, "radius": 0.1}, steel, shape=("box", (1.0, 1.0, 1.0)))
    assert box["stiffness"] == pytest.approx(found["stiffness"])


def test_flat_shapes_need_a_radius():
    steel = {"law": "hertz", "young_modulus": 2.07e11, "poisson_ratio": 0.3}
    with pytest.raises(td.ModelError, match="state its radius"):
        surface(steel, steel, shape=("box", (1.0, 1.0, 1.0)))


def test_different_laws_need_a_material_of_their_own():
    first, second = {"stiffness": 1e6}, {"stiffness": 1e8, "law": "hertz"}
    with pytest.raises(td.ModelError, match="different contact laws"):
        surface(first, second)
    found, _ = surface(first, second, contact={"stiffness": 7e5, "damping": 3.0, "friction": 0.3})
    assert (found["stiffness"], found["damping"], found["friction"]) == (7e5, 3.0, 0.3)


def test_numbers_per_mass_are_averaged():
    found, _ = surface(
        {"stiffness": 2500.0, "damping": 100.0, "per_mass": True},
        {"stiffness": 1600.0, "damping": 80.0, "per_mass": True},
    )
    # the means of the time constants 2/D, 20 and 25 ms, and of the damping ratios, both 1
    assert found["stiffness"] == pytest.approx(1.0 / 0.0225**2)
    assert (found["damping"], found["per_mass"]) == (pytest.approx(2.0 / 0.0225), 1)


def test_an_unknown_law_is_named():
    with pytest.raises(td.InputError, match=r"no contact law 'herz'.*hertz"):
        surface({"stiffness": 1e6, "law": "herz"}, None)


def test_shapes_of_one_body_have_no_surface():
    """Their materials may differ in anything."""
    model = machine({"stiffness": 1e6}, None)
    table = surface_table(model, Collider(model).shapes)
    assert np.isfinite(table.surfaces["friction"]).all()
