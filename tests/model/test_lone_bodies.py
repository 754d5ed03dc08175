"""Lone bodies apart from the rest: the same motion and the same functions as in one piece."""

import numpy as np
import pytest

import treadle as td
from treadle.model import lone_bodies
from treadle.model.lone_bodies import LoneBodies, without_bodies


def scene(rng, boxes=12, order="mixed", arm=True):
    """Boxes that fall on a plane, and an arm with a closed loop between them in the order of bodies."""
    spec = td.ModelSpec("scene")
    spec.add_material("m", friction=0.6, restitution=0.0)
    spec.add_shape("floor", None, "plane", (), role="collision", material="m")
    places = {}

    def box(k):
        size = rng.uniform(0.1, 0.3, 3)
        spec.add_body(
            f"box{k}",
            float(rng.uniform(0.5, 3.0)),
            center=rng.uniform(-0.02, 0.02, 3),
            inertia=(0.02, 0.03, 0.04),
        )
        spec.add_shape(f"box{k}", f"box{k}", "box", size, role="collision", material="m")
        spec.add_joint(f"box{k}", "free", None, f"box{k}", position=rng.uniform(-0.1, 0.1, 3))
        turn = rng.normal(size=4)
        places[f"box{k}"] = (*turn / np.linalg.norm(turn), *rng.uniform(-0.5, 0.5, 2), 0.3 + 0.35 * k)

    def linkage():
        for k in range(3):
            spec.add_body(f"link{k}", 1.0, center=(0, 0, -0.1), inertia=(0.01, 0.01, 0.002))
            spec.add_joint(
                f"hinge{k}", "revolute", f"link{k - 1}" if k else None, f"link{k}",
                position=(0, 0, -0.2) if k else (2.0, 0.0, 1.5), axis=(0, 1, 0), damping=0.1,
            )  # fmt: skip
        spec.add_actuator("motor", "motor", "hinge1")
        places["hinge0"] = 0.4

    for k in range(boxes // 2 if order == "mixed" else 0):
        box(k)
    if arm:
        linkage()
    for k in range(boxes // 2 if order == "mixed" else 0, boxes):
        box(k)
    spec.add_keyframe("initial", places)
    return spec.compile()


def in_one_piece(model, monkeypatch):
    """The same model as one piece."""
    monkeypatch.setattr(lone_bodies, "FEWEST", 10**6)
    model.__dict__.pop("_lone_bodies", None)
    model.__dict__.pop("_functions", None)
    return model


def test_bodies_that_anything_names_are_not_alone():
    rng = np.random.default_rng(0)
    model = scene(rng)
    assert [model.bodies[i].name for i in lone_bodies.lone_bodies(model)] == [f"box{k}" for k in range(12)]
    spec = td.ModelSpec("tied")
    for k in range(10):
        spec.add_body(f"box{k}", 1.0, type="box", size=(0.1, 0.1, 0.1))
        spec.add_joint(f"box{k}", "free", None, f"box{k}", damping=0.1 if k == 9 else 0.0)
    spec.add_spring("spring", "box0", "box1", stiffness=1.0, length=0.1)
    spec.add_joint("tie", "ball", "box2", "box3")
    names = [spec.compile().bodies[i].name for i in lone_bodies.lone_bodies(spec.compile())]
    assert names == ["box4", "box5", "box6", "box7", "box8"]


def test_the_rest_is_a_machine_of_its_own():
    model = scene(np.random.default_rng(1))
    rest = without_bodies(model, lone_bodies.lone_bodies(model))
    assert [body.name for body in rest.bodies] == ["link0", "link1", "link2"]
    assert rest.nq == rest.nv == 3
    q, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 0.5])
    whole = [body.joint for body in model.bodies if body.name.startswith("link")]
    at_q, at_v = np.array(model.initial()[0]), np.zeros(model.nv)
    for joint, x, rate in zip(whole, q, v, strict=True):
        at_q[joint.q], at_v[joint.v] = x, rate
    own = td.forward_dynamics(rest, q, v, np.zeros(3))
    both = td.forward_dynamics(model, at_q, at_v, np.zeros(model.nv))
    assert np.allclose([both[joint.v][0] for joint in whole], own, rtol=1e-12)


@pytest.mark.parametrize("order", ["mixed", "behind"])
def test_functions_are_those_of_the_model_in_one_piece(order, monkeypatch):
    rng = np.random.default_rng(2)
    model = scene(rng, order=order)
    q, v = np.array(model.initial()[0]), rng.normal(size=model.nv)
    many = np.stack([q, q])
    tau = rng.normal(size=model.nv)

    def results():
        return [
            td.kinetic_energy(model, q, v), td.potential_energy(model, q), td.momentum(model, q, v),
            td.center_of_mass(model, q), td.forward_dynamics(model, q, v, tau),
            td.inverse_dynamics(model, q, v, tau), td.frame_poses(model, q), td.frame_poses(model, many),
            td.kinetic_energy(model, many, v),
        ]  # fmt: skip

    parted = results()
    assert LoneBodies.of(model) is not None
    in_one_piece(model, monkeypatch)
    for a, b in zip(parted, results(), strict=True):
        assert np.allclose(a, b, rtol=1e-10, atol=1e-10)


def test_wrong_arguments_are_explained():
    model = scene(np.random.default_rng(3))
    with pytest.raises(td.InputError, match="q"):
        td.kinetic_energy(model, [0.0], np.zeros(model.nv))
    with pytest.raises(td.InputError, match="nan"):
        td.potential_energy(model, np.full(model.nq, np.nan))


@pytest.mark.parametrize("order", ["mixed", "behind"])
def test_steps_are_those_of_the_model_in_one_piece(order, monkeypatch):
    """Bit for bit, with contact, loads and a motor."""
    model = scene(np.random.default_rng(4), order=order)

    def run():
        sim = td.Simulation(model, dt=5e-3)
        sim.actuator("motor").command = 0.3
        sim.apply_force("box3", (1.0, 0.0, 2.0))
        sim.step(120)
        return sim.q.copy(), sim.v.copy(), len(sim.contacts())

    parted = run()
    in_one_piece(model, monkeypatch)
    whole = run()
    assert parted[2] == whole[2] > 0
    assert np.array_equal(parted[0], whole[0])
    assert np.array_equal(parted[1], whole[1])
