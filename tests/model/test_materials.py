"""Materials: what their numbers may be, and which of them go together."""

import pytest

import treadle as td

GOOD = [
    {"stiffness": 1e6, "damping": 10.0},
    {"stiffness": 1e6, "restitution": 0.5, "law": "kelvin_voigt", "exponent": 1.0},
    {"stiffness": 2e9, "restitution": 0.5, "law": "hunt_crossley", "exponent": 1.4},
    {"law": "flores", "young_modulus": 2e11, "poisson_ratio": 0.3, "radius": 0.01},
    {"stiffness": 2500.0, "damping": 100.0, "per_mass": True},
]

BAD = [
    ({"stiffness": -1.0}, "stiffness is negative"),
    ({"stiffness": 0.0}, "stiffness is zero"),
    ({"restitution": 1.2}, "restitution is above 1"),
    ({"damping": 1.0, "restitution": 0.5}, "damping and restitution"),
    ({"stiffness": 1e6, "exponent": 1.5}, "a spring has the exponent 1"),
    ({"young_modulus": 2e11, "poisson_ratio": 0.3}, "no law that uses it"),
    ({"law": "hertz"}, "needs a stiffness"),
    ({"law": "hertz", "stiffness": 1e9, "damping": 3.0}, "has no damping"),
    ({"law": "hertz", "stiffness": 1e9, "per_mass": True}, "per_mass goes with springs only"),
    ({"law": "hertz", "stiffness": 1e9, "exponent": 0.5}, "exponent is below 1"),
    ({"law": "hertz", "stiffness": 1e9, "young_modulus": 1e9, "poisson_ratio": 0.3}, "stiffness and young"),
    ({"law": "hertz", "young_modulus": 0.0, "poisson_ratio": 0.3}, "not above zero"),
    ({"law": "hertz", "young_modulus": 1e9}, "needs a poisson_ratio"),
    ({"law": "hertz", "young_modulus": 1e9, "poisson_ratio": 0.6}, "poisson_ratio is out of range"),
    ({"law": "hertz", "young_modulus": 1e9, "poisson_ratio": 0.3, "exponent": 2.0}, "the exponent 1.5"),
    ({"stiffness": 1e6, "radius": 0.1}, "no young_modulus"),
    ({"stiffness": 1e6, "law": ""}, "law needs the name"),
    ({"stiffness": 1e6, "per_mass": 1}, "per_mass needs true or false"),
]


def compiled(**options):
    spec = td.ModelSpec("machine")
    spec.add_material("steel", **options)
    return spec.compile()


@pytest.mark.parametrize("options", GOOD)
def test_materials_that_are_whole(options):
    material = compiled(**options).materials[0]
    assert {name: getattr(material, name) for name in options} == options


@pytest.mark.parametrize(("options", "message"), BAD)
def test_materials_that_are_not(options, message):
    with pytest.raises(td.ModelError, match=message):
        compiled(**options)


@pytest.mark.parametrize("options", GOOD)
def test_materials_survive_their_file(tmp_path, options):
    model = compiled(**options)
    td.save(model, tmp_path / "robot.toml")
    assert td.load(tmp_path / "robot.toml").materials == model.materials
