"""Geoms of MJCF as shapes, materials and contacts."""

import mujoco
import numpy as np
import pytest

import treadle as td
from tests.formats.mjcf_texts import BODY, read, with_mesh, world, write_mesh
from treadle.formats.mjcf_write import mjcf_text
from treadle.geometry.mesh import read_mesh
from treadle.model import MaterialSpec, ModelSpec

SHAPES = """
<geom name="floor" type="plane" size="1 1 1"/>
<body name="arm"><joint/>
  <geom name="box" type="box" size="1 2 3" pos="1 2 3" material="paint"/>
  <geom name="tube" type="cylinder" size="1 2" contype="0" conaffinity="0" rgba="1 0 0 1"/>
  <geom name="pill" type="capsule" size="1 2" group="3"/>
  <geom name="egg" type="ellipsoid" size="1 2 3" rgba="1 1 1 0"/>
  <geom name="ghost" size="1" group="4" contype="0" conaffinity="0"/>
</body>"""

MATERIALS = """
<body><joint/>
  <geom name="a" size="1" solref="0.02 0.5" friction="0.7 0.1 0.2"/>
  <geom name="b" size="1" solref="-900 -30" friction="0.7 0.1 0.2" condim="4"/>
  <geom name="c" size="1" solref="0.02 0.5" friction="0.3 0.1 0.2" condim="6"/>
  <geom name="d" size="1" solref="0.02 0.5" friction="0.3 0.1 0.2" condim="1"/>
</body>"""

CHAIN = """
<geom name="floor" type="plane" size="1 1 1"/>
<body name="a"><joint/><geom name="a" size="1"/>
  <body name="b"><joint/><geom name="b" size="1"/>
    <body name="c"><joint/><geom name="c" size="1"/><geom name="c2" size="1"/>
      <body name="d"><joint/><geom name="d" size="1"/></body>
    </body>
  </body>
</body>"""


BALL = """
<geom type="plane" size="1 1 1" solref="0.05 0.1" solimp="0.9999 0.9999" condim="1"/>
<body pos="0 0 1"><freejoint/>
  <geom size="1" mass="3" solref="0.05 0.1" solimp="0.9999 0.9999" condim="1"/>
</body>"""


def test_shapes():
    spec = read(world(SHAPES, '<asset><material name="paint" rgba="0.1 0.2 0.3 0.4"/></asset>'))
    shapes = {shape.name: shape for shape in spec.shapes}
    assert {name: (shape.role, shape.type, shape.size) for name, shape in shapes.items()} == {
        "floor": ("collision", "plane", ()),
        "floor/visual": ("visual", "plane", ()),
        "box": ("collision", "box", (2.0, 4.0, 6.0)),
        "box/visual": ("visual", "box", (2.0, 4.0, 6.0)),
        "tube": ("visual", "cylinder", (1.0, 4.0)),
        "pill": ("collision", "capsule", (1.0, 4.0)),
        "egg": ("collision", "ellipsoid", (1.0, 2.0, 3.0)),
    }
    assert (shapes["floor"].body, shapes["box"].body) == (None, "arm")
    assert (shapes["box"].color, shapes["box"].position) == ((0.1, 0.2, 0.3, 0.4), (1.0, 2.0, 3.0))
    assert (shapes["tube"].material, shapes["box"].material) == (None, "contact0")
    assert 'geoms left out, for they are neither shown nor touch anything: "ghost"' in spec.report
    assert len(spec.compile().shapes) == 7


@pytest.mark.parametrize(
    "attributes",
    ["", "scale='1 2 -3' refpos='0.1 0.2 0.3'", "scale='2 2 2' refpos='0.1 0.2 0.3' refquat='1 2 3 4'"],
)
def test_meshes_stay_where_they_are(tmp_path, attributes):
    """The points of the file, placed as the shape says, are MuJoCo's points in the body."""
    path = write_mesh(tmp_path / "parts" / "part.obj")
    _, shape = read(with_mesh("parts/part.obj", attributes), tmp_path).shapes
    assert (shape.type, shape.role, shape.file) == ("mesh", "visual", "parts/part.obj")
    points, _ = read_mesh(tmp_path / shape.file, shape.scale)
    actual = points @ np.array(shape.rotation).T + shape.position

    there = mujoco.MjModel.from_xml_string(with_mesh(str(path), attributes))
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    expected = there.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    distances = np.abs(actual[:, None] - expected[None]).max(axis=2)
    # MuJoCo keeps points in single precision
    assert distances.min(axis=0).max() < 1e-5
    assert distances.min(axis=1).max() < 1e-5


def test_meshes_that_cannot_be_kept(tmp_path):
    write_mesh(tmp_path / "part.obj")
    spec = read(with_mesh("part.obj", "scale='1 2 3' refquat='1 1 0 0'"), tmp_path)
    assert 'geoms left out, for their meshes are turned and then scaled unevenly: "part"' in spec.report
    spec = read(with_mesh("").replace("file=''", "vertex='0 0 0 1 0 0 0 1 0 0 0 1'"), tmp_path)
    assert 'geoms left out, for their meshes are not files: "part"' in spec.report
    assert spec.shapes == []


def test_contact_parameters_become_materials():
    spec = read(world(MATERIALS))
    assert any("per kg of effective mass" in line for line in spec.report)
    materials = {material.name: material for material in spec.materials}
    a, b, c, d = (materials[str(x.material)] for x in spec.shapes if x.role == "collision")
    # a mass of 1 kg on such a spring and damper has the frequency and the damping ratio of solref
    assert (np.sqrt(a.stiffness), a.damping / (2.0 * np.sqrt(a.stiffness))) == pytest.approx((100.0, 0.5))
    assert (b.stiffness, b.damping) == (900.0, 30.0)
    # the larger condim of two geoms says which of the coefficients act, so that all are kept
    assert [frictions(material) for material in (a, b, c, d)] == [
        (3, 0.7, 0.1, 0.2), (4, 0.7, 0.1, 0.2), (6, 0.3, 0.1, 0.2), (1, 0.3, 0.1, 0.2),
    ]  # fmt: skip
    assert {material.combination for material in materials.values()} == {"maximum"}


def frictions(material: MaterialSpec) -> tuple:
    coefficients = material.friction, material.spinning_friction, material.rolling_friction
    return material.friction_dimensions, *coefficients


MARGINS = """
<geom name="floor" type="plane" size="1 1 1" margin="0.01"/>
<body name="a" pos="0 0 1"><freejoint/><geom name="ball" size="0.1" margin="0.02"/></body>
<body name="b" pos="1 0 1"><freejoint/><geom name="pill" type="capsule" size="0.1 0.2" margin="0.03"/></body>
<body name="c" pos="2 0 1"><freejoint/><geom name="box" type="box" size="0.1 0.2 0.3" margin="0.04"/>
</body>"""


def test_margins_are_part_of_the_shapes():
    spec = read(world(MARGINS))
    shapes = {shape.name: shape for shape in spec.shapes}
    assert shapes["floor"].position == pytest.approx((0.0, 0.0, 0.01))
    assert shapes["floor/visual"].position == (0.0, 0.0, 0.0)
    assert shapes["ball"].size == pytest.approx((0.12,))
    assert shapes["pill"].size == pytest.approx((0.13, 0.4))
    assert shapes["box"].size == pytest.approx((0.28, 0.48, 0.68))
    assert shapes["box/visual"].size == (0.2, 0.4, 0.6)
    (line,) = [line for line in spec.report if "margin" in line]
    assert '"box"' in line
    assert "ball" not in line


def test_a_ball_with_a_margin_rests_as_in_mujoco():
    """A stiff contact holds the ball at the sum of both margins above the floor."""
    xml = world(MARGINS.partition('<body name="b"')[0], '<option timestep="0.001"/>')
    there = mujoco.MjModel.from_xml_string(xml)
    there.geom_solref[:] = (0.002, 1.0)
    data = mujoco.MjData(there)
    data.qpos[2] = 0.131
    mujoco.mj_step(there, data, 2000)
    spec = read(xml)
    ball, floor = (next(shape for shape in spec.shapes if shape.name == name) for name in ("ball", "floor"))
    assert data.qpos[2] == pytest.approx(ball.size[0] + floor.position[2], abs=1e-4)


def test_a_mass_bounces_as_in_mujoco():
    """What a mass does on the spring and damper of its material is what MuJoCo's contact lets it do."""
    xml = world(BALL, '<option timestep="0.0001" gravity="0 0 0"/>')
    (material,) = read(xml).materials
    there = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(there)
    data.qvel[2] = speed = -0.5
    z, dt = 0.0, there.opt.timestep
    while z <= 0.0:
        # both by the same method, with the effective mass of 3 kg
        force = -3.0 * (material.stiffness * z + material.damping * speed)
        speed += dt * force / 3.0
        z += dt * speed
        mujoco.mj_step(there, data)
        assert data.qpos[2] - 1.0 == pytest.approx(z, abs=1e-5)
    assert z > 0.0


RESTING = """
<geom type="plane" size="1 1 1" {0} condim="1"/>
<body pos="0 0 0.101"><freejoint/><geom size="0.1" mass="3" {0} condim="1"/></body>"""


@pytest.mark.parametrize(
    "attributes",
    ["", 'solref="0.005 0.7" solimp="0.5 0.99 0.002 0.3 3"', 'solref="-3000 -40" solimp="0.8 0.8 0.01"'],
)
def test_a_ball_lands_and_rests_as_in_mujoco(attributes):
    """Depth and speed of a ball that falls by 1 mm, from the impact to its rest; MuJoCo's R is exact here."""
    xml = world(RESTING.format(attributes), '<option timestep="0.0001"/>')
    there = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(there)
    sim = td.Simulation(read(xml).compile(), dt=1e-4, contact=True)
    deepest = 0.0
    for _ in range(200):
        mujoco.mj_step(there, data, 50)
        sim.step(50)
        deepest = max(deepest, 0.1 - data.qpos[2])
        # that a contact begins within a step is of first order in MuJoCo
        assert sim.q[6] == pytest.approx(data.qpos[2], abs=5e-5)
    assert deepest > 2e-4
    assert sim.q[6] == pytest.approx(data.qpos[2], abs=1e-8)
    assert data.qpos[2] < 0.1 - 1e-6


def test_feet_hold_without_forces_that_balance_each_other():
    """Four points of a box on a floor: friction of a small push, not cones full of opposing forces."""
    box = """<geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.1 0.1" mass="5"/></body>"""
    sim = td.Simulation(read(world(box)).compile(), dt=0.002, contact=True)
    sim.v = (0.3, -0.2, 0.1, 0.0, 0.0, 0.0)
    sim.run(1.0)
    forces = np.array([contact.force for contact in sim.contacts()])
    assert np.sum(forces, axis=0) == pytest.approx((0.0, 0.0, 5.0 * 9.81), abs=1e-3)
    assert np.abs(forces[:, :2]).max() < 1e-2


def test_overridden_contact_parameters():
    option = '<option o_solref="0.1 1" o_friction="2 2 0 0 0"><flag override="enable"/></option>'
    (material,) = read(world(BODY, option)).materials
    assert (material.stiffness, material.friction) == (pytest.approx(100.0), 2.0)


def pairs(spec: ModelSpec, enabled: bool = False) -> set[str]:
    return {f"{x.first}-{x.second}" for x in spec.contacts if x.enabled == enabled}


def test_neighbours_do_not_touch():
    assert pairs(read(world(CHAIN))) == {"a-b", "b-c", "c-d"}
    spec = read(world(CHAIN, '<option><flag filterparent="disable"/></option>'))
    assert pairs(spec) == set()
    assert pairs(spec, enabled=True) == {"a-b", "b-c", "c-d"}


def test_excluded_and_stated_pairs():
    contact = """<contact><exclude body1="a" body2="d"/>
    <pair geom1="floor" geom2="c" solref="0.1 1" friction="2 3 0 0 0"/>
    <pair geom1="floor" geom2="c2" solref="0.2 1"/><pair geom1="a" geom2="b"/></contact>"""
    spec = read(world(CHAIN, contact))
    assert pairs(spec) == {"b-c", "c-d", "a-d"}
    assert pairs(spec, enabled=True) == {"None-c", "a-b"}
    (stated,) = [contact for contact in spec.contacts if contact.first is None]
    (material,) = [material for material in spec.materials if material.name == stated.material]
    assert (material.stiffness, material.friction) == (pytest.approx(100.0), 2.0)
    left_out = "contact pairs left out, for other geoms of the same bodies have another one"
    uneven = "contact pairs whose friction depends on the direction, of which the first counts"
    assert {f'{left_out}: "pair1"', f'{uneven}: "pair0"'} <= set(spec.report)
    assert len(spec.compile().contacts) == 5


def touching(spec: ModelSpec) -> set[frozenset[str]]:
    """Pairs of shapes that touch where everything is in one place."""
    model = spec.compile()
    return {frozenset((p.first, p.second)) for p in td.contact_points(model, model.neutral(), margin=9.0)}


def there(text: str) -> set[frozenset[str]]:
    """Pairs of geoms that touch in MuJoCo."""
    model = mujoco.MjModel.from_xml_string(text)
    model.geom_margin[:] = 9.0
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {frozenset(model.geom(int(g)).name for g in contact.geom) for contact in data.contact}


def test_masks_become_groups():
    masked = CHAIN.replace('geom name="d"', 'geom name="d" contype="2" conaffinity="2"')
    spec = read(world(masked))
    assert pairs(spec) == {"a-b", "b-c", "c-d"}
    assert {x.name: (x.group, x.meets) for x in spec.shapes if x.name in ("c", "d")} == {
        "c": ("default", ("default",)),
        "d": ("contype 2 conaffinity 2", ("contype 2 conaffinity 2",)),
    }
    assert {x.group for x in read(world(CHAIN)).shapes} == {"default"}


FLIERS = "".join(f'<body name="{n}"><freejoint/>{{{n}}}</body>' for n in "abcd")
PAIRED = '<contact><pair geom1="g0" geom2="g3"/><exclude body1="b" body2="c"/></contact>'


@pytest.mark.parametrize("seed", range(8))
def test_geoms_touch_as_in_mujoco_and_as_in_what_is_written(seed):
    """Four bodies of two geoms with random masks, some of which touch by a stated pair alone."""
    masks = np.random.default_rng(seed).integers(0, 4, (8, 2)) * [1, 3]
    masks[0] = 0
    geoms = [
        f'<geom name="g{k}" size="1" contype="{a}" conaffinity="{b}"/>' for k, (a, b) in enumerate(masks)
    ]
    bodies = FLIERS.format(**{n: geoms[2 * k] + geoms[2 * k + 1] for k, n in enumerate("abcd")})
    text = world(bodies, PAIRED)
    spec = read(text)
    expected = there(text)
    assert frozenset(("g0", "g3")) in expected
    assert touching(spec) == expected
    written = mjcf_text(spec.compile())[0]
    assert there(written) == expected
    assert touching(read(written)) == expected


def test_a_body_touches_the_fixed_one_that_carries_it():
    """As MuJoCo has it, whose filter leaves out what is fixed to the world; a file may exclude them."""
    fixed = """<body name="base"><geom name="base" size="1"/>
      <body name="arm"><joint/><geom name="arm" size="1"/>
      <body name="hand"><joint/><geom name="hand" size="1"/></body></body></body>"""
    for contact in ("", '<contact><exclude body1="base" body2="arm"/></contact>'):
        text = world(fixed, contact)
        assert touching(read(text)) == there(text) == touching(read(mjcf_text(read(text).compile())[0]))
    spec = read(world(fixed))
    spec.contacts.clear()
    assert touching(spec) == there(mjcf_text(spec.compile())[0]) == {frozenset(("base", "hand"))}


def test_contact_that_is_switched_off_stays_off():
    ball = '<geom type="plane" size="1 1 1"/><body name="b"><freejoint/><geom size="1"/></body>'
    spec = read(world(ball, '<option><flag contact="disable"/></option>'))
    assert not td.Simulation(spec.compile()).contact
    assert td.Simulation(read(world(ball)).compile()).contact
    assert td.Simulation(spec.compile(), contact=True).contact
    assert 'contact="disable"' in mjcf_text(spec.compile())[0]


def test_bodies_that_a_constraint_connects():
    """They touch in MuJoCo and not here, and what is written says so."""
    bodies = FLIERS.format(**{n: f'<geom name="{n}" size="1"/>' for n in "abcd"})
    equality = '<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>'
    spec = read(world(bodies, equality))
    text = 'pairs of bodies that a constraint connects, which touch in MuJoCo but not here: "a - b"'
    assert text in spec.report
    assert frozenset("ab") not in touching(spec)
    written = mjcf_text(spec.compile())[0]
    assert there(written) == touching(spec)
    assert not any("constraint connects" in line for line in read(written).report)
