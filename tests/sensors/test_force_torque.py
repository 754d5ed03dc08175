"""Force-torque sensors at all joints close the Newton-Euler equations of every body."""

from itertools import pairwise

import numpy as np
import pytest

import treadle as td
from tests.loops import swinging_machine
from tests.machines import random_spec, random_state
from tests.numeric import complex_step, position_rate
from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.forces.element import element_loads
from treadle.model.describe import describe
from treadle.sim.contacts.sensors import body_wrenches
from treadle.sim.recording.signals.sampler import Sampler
from treadle.sim.recording.signals.select import matching
from treadle.spatial import Force, Vec3

TOLERANCE = 1e-9


def instrumented(model):
    """The machine with a sensor at every joint."""
    spec = describe(model)
    for joint in (*model.joints, *model.loops):
        spec.add_sensor(f"at {joint.name}", "force_torque", joint.name)
    return spec.compile()


def acceleration(sim):
    sampler = Sampler(sim, matching(sim.model, ["joint.*.acceleration"], strict=True))
    row = np.empty(sampler.width)
    sampler.sample(row)
    return row[1:].tolist()


def momenta(model, q, v):
    """Spatial momentum of every body about the world's origin, in world axes."""
    X, motion = world_transforms(model, q), body_velocities(model, q, v)
    return [
        x
        for body, X_WB, u in zip(model.bodies, X, motion, strict=True)
        for x in X_WB.force_to_parent(body.inertia.apply(u))
    ]


def in_world(X, values):
    return np.array(list(X.force_to_parent(Force(Vec3(*values[:3]), Vec3(*values[3:])))), dtype=float)


def residual(sim, loads=0.0):
    """Largest share of the forces on a body, `loads` among them, that its momentum does not account for."""
    model, q, v = sim.model, sim.q.tolist(), sim.v.tolist()
    X = world_transforms(model, q)
    a = acceleration(sim)
    rates = complex_step(lambda x, y: momenta(model, x, y), [q, v], [position_rate(model, q, v), a])
    total = np.zeros((len(model.bodies), 6)) + loads
    size = np.abs(rates.reshape(-1, 6)).sum(axis=0)
    for i, body in enumerate(model.bodies):
        wrench = in_world(X[i], sim.sensor(f"at {body.joint.name}").value)
        size = size + np.abs(wrench)
        total[i] += wrench
        if body.parent >= 0:
            total[body.parent] -= wrench
        center = X[i].rotation.apply(body.inertia.moment) + X[i].translation * body.inertia.mass
        gravity = Vec3(*model.gravity)
        total[i] += np.array([*center.cross(gravity), *(gravity * body.inertia.mass)], dtype=float)
    for loop in model.loops:
        at = loop.successor_placement if loop.successor < 0 else X[loop.successor] @ loop.successor_placement
        wrench = in_world(at, sim.sensor(f"at {loop.name}").value)
        size = size + np.abs(wrench)
        for index, sign in ((loop.successor, 1.0), (loop.predecessor, -1.0)):
            if index >= 0:
                total[index] += sign * wrench
    for index, force in element_loads(model, q, v, sim.time).items():
        total[index] += np.array(list(X[index].force_to_parent(force)), dtype=float)
    if sim.contact:
        pressed = body_wrenches(sim)
        total += np.hstack([pressed[:, 3:], pressed[:, :3]])
    return np.abs(total - rates.reshape(-1, 6)).max() / max(size.max(), 1.0)


def cable_loads(sim, tension):
    """Forces of a straight cable on its bodies about the world's origin, from the places of its points."""
    model, X = sim.model, world_transforms(sim.model, sim.q.tolist())
    (tendon,) = model.tendons
    total = np.zeros((len(model.bodies), 6))
    places = [
        part.placement.translation if part.body < 0 else X[part.body].apply_point(part.placement.translation)
        for part in tendon.path
    ]
    points = [np.array(list(place), dtype=float) for place in places]
    for k, (first, second) in enumerate(pairwise(points)):
        pull = tension * (second - first) / np.linalg.norm(second - first)
        for end, point, sign in ((k, first, 1.0), (k + 1, second, -1.0)):
            if tendon.path[end].body >= 0:
                total[tendon.path[end].body] += sign * np.concatenate([np.cross(point, pull), pull])
    return total


@pytest.mark.parametrize("seed", range(3))
def test_cables(seed):
    """A spring, a damper and a winch on a cable through three bodies and the world."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, 5)
    path = [{"frame": frame, "point": rng.normal(size=3).tolist()} for frame in ("b1", "b4", None, "b2")]
    spec.add_tendon("cable", tuple(path), stiffness=30.0, damping=4.0, length=0.7)
    spec.add_actuator("winch", "motor", tendon="cable")
    spec.add_sensor("length", "tendon_length", "cable")
    spec.add_sensor("rate", "tendon_velocity", "cable")
    spec.add_sensor("pull", "tendon_force", "cable")
    sim = td.Simulation(instrumented(spec.compile()))
    sim.q, sim.v, _ = random_state(sim.model, rng)
    sim.actuator("winch").command = -25.0
    assert sim.sensor("pull").value == -25.0
    tension = 30.0 * (sim.sensor("length").value - 0.7) + 4.0 * sim.sensor("rate").value + 25.0
    assert residual(sim, cable_loads(sim, tension)) < TOLERANCE
    assert residual(sim) > 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_trees(seed):
    rng = np.random.default_rng(seed)
    sim = td.Simulation(instrumented(random_spec(rng, 5).compile()), contact=False)
    q, v, tau = random_state(sim.model, rng)
    sim.q, sim.v, sim.tau = q, v, tau
    sim.apply_force(sim.model.bodies[-1].name, (0.0, 0.0, 0.0))
    assert residual(sim) < TOLERANCE


@pytest.mark.parametrize("seed", [0, 1])
def test_loops(seed):
    model, q, v = swinging_machine(seed)
    sim = td.Simulation(instrumented(model), q=q, v=v, contact=False)
    sim.step(3)
    assert residual(sim) < TOLERANCE


def test_in_a_fluid():
    rng = np.random.default_rng(1)
    spec = random_spec(rng, 3, root="free")
    spec.gravity = (0.0, 0.0, -9.81)
    td.Fluid(density=1000.0, viscosity=1e-3, current=(0.3, 0.0, 0.1)).surround(spec)
    for body in spec.bodies:
        spec.add_hull(f"hull of {body.name}", body.name, rng.uniform(-0.1, 0.1, 3), size=(0.2, 0.1, 0.15),
                      drag_coefficient=0.8)  # fmt: skip
    sim = td.Simulation(instrumented(spec.compile()), contact=False)
    q, v, _ = random_state(sim.model, rng)
    sim.q, sim.v = q, v
    sim.step(5)
    assert residual(sim) < TOLERANCE


def walker():
    """A box on two legs above the ground, with feet that are balls."""
    spec = td.ModelSpec("walker")
    spec.add_material("rubber", stiffness=2e4, damping=100.0, friction=0.8)
    spec.add_body("trunk", 5.0, type="box", size=(0.4, 0.2, 0.1))
    spec.add_joint("base", "free", None, "trunk", position=(0, 0, 0.45))
    for side, y in (("left", 0.1), ("right", -0.1)):
        spec.add_body(f"{side} leg", 1.0, center=(0, 0, -0.2), type="capsule", size=(0.03, 0.3))
        spec.add_joint(f"{side} hip", "revolute", "trunk", f"{side} leg", position=(0, y, 0), axis=(0, 1, 0),
                       damping=1.0, stiffness=40.0)  # fmt: skip
        spec.add_shape(f"{side} foot", f"{side} leg", "sphere", (0.04,), role="collision",
                       position=(0, 0, -0.4), material="rubber")  # fmt: skip
    spec.add_shape("ground", None, "plane", role="collision", material="rubber")
    return spec


def crawler(seed):
    """A machine with a closed loop, in water, on the ground: random sizes and masses."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("crawler")
    spec.add_material("rubber", stiffness=2e4, damping=100.0, friction=0.8)
    spec.add_body("trunk", rng.uniform(3, 6), type="box", size=(0.5, 0.2, 0.1))
    spec.add_joint(
        "base", "free", None, "trunk", position=(0, 0, 0.49), rotation=td.rpy(*rng.uniform(-0.1, 0.1, 3))
    )
    # a four-bar linkage: two legs, a coupler between them that closes the loop with the second leg
    span, length = rng.uniform(0.25, 0.35), rng.uniform(0.2, 0.3)
    for name, x in (("front", 0.5 * span), ("rear", -0.5 * span)):
        spec.add_body(name, rng.uniform(0.5, 1), center=(0, 0, -0.5 * length), inertia=(0.01, 0.012, 0.004))
        spec.add_joint(f"{name} hip", "revolute", "trunk", name, axis=(0, 1, 0), position=(x, 0, 0),
                       damping=0.5, stiffness=30.0)  # fmt: skip
        spec.add_shape(f"{name} foot", name, "sphere", (0.05,), role="collision", material="rubber",
                       position=(0, 0, -length - 0.1))  # fmt: skip
    spec.add_body("coupler", rng.uniform(0.3, 0.6), center=(-0.5 * span, 0, 0), inertia=(0.002, 0.01, 0.01))
    spec.add_joint("front pin", "revolute", "front", "coupler", axis=(0, 1, 0), position=(0, 0, -length))
    spec.add_joint("rear pin", "revolute", "rear", "coupler", axis=(0, 1, 0), position=(0, 0, -length),
                   child_position=(-span, 0, 0))  # fmt: skip
    spec.add_shape("ground", None, "plane", role="collision", material="rubber")
    td.Fluid(density=500.0, viscosity=1e-3, current=(0.2, 0.1, 0.0)).surround(spec)
    for body in ("trunk", "front", "rear", "coupler"):
        spec.add_hull(f"hull of {body}", body, rng.uniform(-0.05, 0.05, 3), size=rng.uniform(0.05, 0.12, 3),
                      drag_coefficient=0.8)  # fmt: skip
    return spec


@pytest.mark.parametrize("seed", [0, 1])
def test_with_contact_loops_and_fluid_together(seed):
    sim = td.Simulation(instrumented(crawler(seed).compile()), dt=1e-3)
    for _ in range(80):
        sim.step(10)
        if sum(abs(sim.contact_on(leg).force[2]) for leg in ("front", "rear")) > 1.0:
            break
    else:
        pytest.fail("it has not come down")
    assert residual(sim) < TOLERANCE


def test_with_contact():
    sim = td.Simulation(instrumented(walker().compile()), dt=1e-3)
    sim.step(120)
    assert abs(sim.contact_on("left leg").force[2]) > 1.0
    assert residual(sim) < TOLERANCE


def test_cut_between_fixed_links():
    """A sensor under a payload that is bolted on shows what accelerates and carries it."""
    spec = td.ModelSpec("arm with payload")
    spec.add_body("arm", 2.0, center=(0.2, 0, 0), inertia=(0.02, 0.05, 0.05))
    spec.add_body("flange", 0.5, type="cylinder", size=(0.05, 0.02))
    spec.add_body("payload", 3.0, center=(0.0, 0.02, 0.1), inertia=(0.03, 0.04, 0.02))
    spec.add_joint("shoulder", "revolute", None, "arm", axis=(0, 1, 0))
    spec.add_joint("bolts", "fixed", "arm", "flange", position=(0.4, 0, 0))
    spec.add_joint("clamp", "fixed", "flange", "payload", position=(0.1, 0, 0), rotation=td.rpy(0.3, 0, 0.2))
    spec.add_sensor("under the flange", "force_torque", "flange")
    spec.add_sensor("under the payload", "force_torque", "payload")
    spec.add_sensor("at the clamp", "force_torque", "clamp")
    spec.add_sensor("accelerometer", "accelerometer", "payload", position=(0.0, 0.02, 0.1))
    spec.add_sensor("flange accelerometer", "accelerometer", "flange")
    sim = td.Simulation(spec.compile())
    sim.q, sim.v = [0.4], [2.0]
    force = sim.sensor("under the payload").value[3:]
    assert np.allclose(force, 3.0 * sim.sensor("accelerometer").value, atol=1e-12)
    assert np.array_equal(sim.sensor("at the clamp").value, sim.sensor("under the payload").value)
    R = np.array(td.rpy(0.3, 0, 0.2))
    both = R @ force + 0.5 * sim.sensor("flange accelerometer").value
    assert np.allclose(sim.sensor("under the flange").value[3:], both, atol=1e-12)
    # a description of the compiled machine measures the same
    other = td.Simulation(describe(sim.model).compile())
    other.q, other.v = [0.4], [2.0]
    for name in ("under the flange", "under the payload"):
        assert np.allclose(other.sensor(name).value, sim.sensor(name).value, atol=1e-12)


def loaded_arm(clamp):
    """An arm in water with a payload on a joint of a kind; hulls and springs on both."""
    spec = td.ModelSpec("arm with payload")
    spec.add_body("arm", 2.0, center=(0.2, 0, 0), inertia=(0.02, 0.05, 0.05))
    spec.add_body("payload", 3.0, center=(0.0, 0.02, 0.1), inertia=(0.03, 0.04, 0.02))
    spec.add_joint("shoulder", "revolute", None, "arm", axis=(0, 1, 0.3))
    spec.add_joint("clamp", clamp, "arm", "payload", position=(0.4, 0, 0), rotation=td.rpy(0.3, 0, 0.2))
    spec.add_frame("hook", "payload", position=(0.0, 0.1, 0.05))
    td.Fluid(density=1000.0, viscosity=1e-3, current=(0.3, 0.0, 0.1)).surround(spec)
    spec.add_hull("of the arm", "arm", (0.2, 0, 0), size=(0.2, 0.05, 0.04), drag_coefficient=0.8)
    spec.add_hull("of the payload", "payload", (0, 0.03, 0), size=(0.1, 0.06, 0.08), drag_coefficient=0.8)
    spec.add_spring("rope", None, "hook", (0.5, 1.0, 0.2), stiffness=300.0, damping=5.0, length=0.5)
    spec.add_spring("stay", None, "arm", (0.1, -1.0, 0.4), (0.3, 0, 0), stiffness=80.0, length=0.5)
    spec.add_sensor("at the clamp", "force_torque", "clamp", position=(0.01, 0.02, 0.03))
    return spec.compile()


def test_a_cut_feels_the_water_and_the_springs_beyond_it():
    """Through a fixed joint goes what goes through a hinge that does not move."""
    fixed = td.Simulation(loaded_arm("fixed"), dt=1e-3)
    hinged = td.Simulation(loaded_arm("revolute"), dt=1e-3, motions={"clamp": lambda t: 0.0 * t})
    fixed.q, fixed.v = [0.4], [2.0]
    hinged.q, hinged.v = [0.4, 0.0], [2.0, 0.0]
    for _ in range(5):
        assert np.allclose(fixed.q, hinged.q[:1], rtol=0, atol=1e-12)
        wanted = hinged.sensor("at the clamp").value
        assert np.abs(fixed.sensor("at the clamp").value - wanted).max() < TOLERANCE * np.abs(wanted).max()
        fixed.step(20)
        hinged.step(20)


def test_load_cell_and_direction():
    spec = td.ModelSpec("scale")
    spec.add_body("load", 4.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("slide", "prismatic", None, "load", axis=(0, 0, 1), stiffness=1e5, damping=1e3)
    spec.add_sensor("cell", "load_cell", "slide")
    spec.add_sensor("reverse", "force_torque", "slide", direction="child_to_parent")
    spec.add_sensor("torque", "joint_torque", "slide")
    sim = td.Simulation(spec.compile())
    sim.step(3000)
    assert sim.sensor("cell").value == pytest.approx(4.0 * 9.81, rel=1e-9)
    assert sim.sensor("torque").value == pytest.approx(4.0 * 9.81, rel=1e-9)
    assert np.allclose(sim.sensor("reverse").value[3:], (0, 0, -4.0 * 9.81), atol=1e-6)
