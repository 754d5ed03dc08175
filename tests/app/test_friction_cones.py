"""Friction cones: their shape, and which of them slide."""

import numpy as np
import pytest

import treadle as td
from treadle.app.friction_cones import cone_mesh, slides
from treadle.sim.contacts.points import ContactPoint


def point(force, normal=(0.0, 0.0, 1.0), friction: float = 0.5) -> ContactPoint:
    return ContactPoint(
        ("a", "b"), (None, "b"), np.array([1.0, 2.0, 3.0]), np.array(normal), np.array(force), np.zeros(3),
        0.0, friction,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_force_on_its_cone_ends_on_its_rim(seed):
    random = np.random.default_rng(seed)
    normal = random.normal(size=3)
    normal /= np.linalg.norm(normal)
    across = np.cross(normal, random.normal(size=3))
    across /= np.linalg.norm(across)
    size, mu, scale = random.uniform(1.0, 100.0), random.uniform(0.1, 1.5), 0.01
    one = point(size * (normal + mu * across), normal, mu)
    vertices, faces = cone_mesh([one], scale)
    tip, rim = vertices[0].astype(float), vertices[1:].astype(float)
    np.testing.assert_allclose(tip, one.position, atol=1e-6)
    end = one.position + scale * one.force
    # all of the rim, and the end of the arrow, are at the same height and as far from the axis
    for place in (*rim, end):
        height = (place - one.position) @ normal
        assert height == pytest.approx(scale * size, rel=1e-4)
        away = np.linalg.norm(place - one.position - height * normal)
        assert away == pytest.approx(mu * scale * size, rel=1e-4)
    assert len(faces) == len(rim)


def test_sliding_and_sticking():
    assert not slides(point((0.0, 0.0, 10.0)))
    assert not slides(point((4.0, 0.0, 10.0)))
    assert slides(point((3.0, 4.0, 10.0)))
    # a contact that is about to carry something does neither
    assert not slides(point((0.0, 0.0, 0.0)))


@pytest.mark.parametrize(("push", "sliding"), [(5.0, False), (25.0, True)])
def test_a_pushed_block(live, until, push, sliding):
    spec = td.ModelSpec("block")
    spec.add_body("block", 3.0, inertia=td.box_inertia(3.0, 0.2, 0.2, 0.2))
    spec.add_joint("base", "free", None, "block")
    spec.add_material("steel", restitution=0.0, friction=0.5)
    spec.add_shape("cube", "block", "box", size=(0.2, 0.2, 0.2), role="collision", material="steel")
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -0.1), material="steel")
    sim = td.Simulation(spec.compile())
    sim.step()
    assert {contact.friction for contact in sim.contacts()} == {0.5}
    sim.apply_force("block", (push, 0.0, 0.0))
    app = live(sim)
    view = app.stage.view
    view.cones.value = True
    meshes = view.forces.cones.meshes
    until(lambda: meshes[sliding].visible and not meshes[not sliding].visible)
    assert "friction cones" in view.forces.legend
    view.cones.value = False
    until(lambda: not meshes[sliding].visible)
