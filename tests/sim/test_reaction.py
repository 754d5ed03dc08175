"""Reactions of joints and loops, and forces of couplings: closed forms, and the balance of every body."""

from math import cos, sin

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.loops import loop_machines
from treadle.constraints.wrench import body_forces, loop_forces
from treadle.dynamics import compiled
from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.dynamics.reactions import joint_reactions
from treadle.solvers.direct import closed_motion
from treadle.spatial import Force

GRAVITY = 9.81


@settings(max_examples=12)
@given(loop_machines())
def test_every_body_of_a_closed_machine_is_in_balance(case):
    """Reactions of its joints and loops, weight and load = rate of its momentum, by Newton and Euler."""
    model, q, rng = case
    v = td.assemble(model, q, rng.standard_normal(model.nv)).v
    tau = rng.standard_normal(model.nv).tolist()
    loads = {i: Force.of(rng.standard_normal(6).tolist()) for i in range(len(model.bodies))}
    motion = closed_motion(model, q.tolist(), v.tolist(), tau, loads)
    in_loops = loop_forces(model, q.tolist(), motion.multipliers)
    external = {i: Force.of(list(load)) for i, load in loads.items()}
    for i, force in body_forces(model, q.tolist(), in_loops).items():
        external[i] = external[i] + force
    reactions = joint_reactions(model, q.tolist(), v.tolist(), motion.acceleration, external)

    a = np.array(motion.acceleration, dtype=float)
    X_WB = [X.to_matrix() for X in world_transforms(model, q.tolist())]
    pose = {body.name: X for body, X in zip(model.bodies, X_WB, strict=True)}
    total = {body.name: np.zeros(6) for body in model.bodies}

    def add(body: str | None, moment: np.ndarray, force: np.ndarray, point: np.ndarray) -> None:
        """A force at a point of the world, as moment about the world's origin and force."""
        if body in total:
            total[body] += np.array([*(moment + np.cross(point, force)), *force])

    for i, body in enumerate(model.bodies):
        X = pose[body.name]
        for wrench, parent in ((reactions[i], body.parent), (loads[i], None)):
            moment, force = np.array(list(wrench), dtype=float).reshape(2, 3) @ X[:3, :3].T
            add(body.name, moment, force, X[:3, 3])
            if parent is not None and parent >= 0:
                add(model.bodies[parent].name, -moment, -force, X[:3, 3])
    for loop, wrench in zip(model.loops, in_loops, strict=True):
        X = pose[model.bodies[loop.successor].name] @ loop.successor_placement.to_matrix()
        moment, force = np.array(list(wrench), dtype=float).reshape(2, 3)
        add(model.bodies[loop.successor].name, moment, force, X[:3, 3])
        if loop.predecessor >= 0:
            add(model.bodies[loop.predecessor].name, -moment, -force, X[:3, 3])
    for body in model.bodies:
        rate = _momentum_rate(model, body.name, q, v, a)
        scale = 1.0 + np.abs(total[body.name]).max() + np.abs(rate).max()
        np.testing.assert_allclose(total[body.name], rate, atol=2e-6 * scale)


def _momentum_rate(model: td.Model, name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Rate of a body's momentum less its weight, about the world, by differences along the motion."""
    index = [body.name for body in model.bodies].index(name)
    body = model.bodies[index]
    mass = float(body.inertia.mass)  # type: ignore[arg-type]
    h = 1e-4

    def momentum(t: float) -> np.ndarray:
        delta, speed = t * v + 0.5 * t * t * a, v + t * a
        at = np.concatenate(
            [j.type.integrate(q[j.q].tolist(), delta[j.v].tolist()) for j in model.joints]
        ).astype(float)
        X = world_transforms(model, at.tolist())[index]
        motion = body_velocities(model, at.tolist(), speed.tolist())[index]
        R, p = np.array(X.rotation.to_rows(), dtype=float), np.array(list(X.translation), dtype=float)
        angular, linear = np.array(list(motion), dtype=float).reshape(2, 3) @ R.T
        rotational = R @ np.array(body.inertia.rotational.to_rows(), dtype=float) @ R.T
        first = R @ np.array(list(body.inertia.moment), dtype=float)
        p_linear = mass * linear + np.cross(angular, first)
        p_angular = rotational @ angular + np.cross(first, linear)
        return np.array([*(p_angular + np.cross(p, p_linear)), *p_linear])

    # along joints that turn in space the velocity is not the rate of `delta`, but for a second-order term
    rate = (8 * (momentum(h) - momentum(-h)) - (momentum(2 * h) - momentum(-2 * h))) / (12 * h)
    X = world_transforms(model, q.tolist())[index].to_matrix()
    weight = mass * np.array(model.gravity)
    center = X[:3, 3] + X[:3, :3] @ np.array(list(body.inertia.moment), dtype=float) / mass
    return rate - np.array([*np.cross(center, weight), *weight])


CRANK, COUPLER, ANGLE = 0.8, 1.5, 0.4
CRANK_MASS, COUPLER_MASS, CENTER = 2.0, 5.0, 0.6


@pytest.fixture(scope="module")
def parallelogram() -> td.Simulation:
    """Two equal cranks that stand upright at zero and turn towards x, and a coupler that stays level."""
    spec = td.ModelSpec("parallelogram")
    crank = {"center": (0, 0, CRANK / 2), "inertia": (0.1, 0.1, 0.1)}
    spec.add_body("left", CRANK_MASS, **crank)
    spec.add_body("right", CRANK_MASS, **crank)
    spec.add_body("coupler", COUPLER_MASS, center=(CENTER, 0, 0), inertia=(0.2, 0.2, 0.2))
    axis = {"axis": (0, 1, 0)}
    spec.add_joint("base_left", "revolute", None, "left", **axis)
    spec.add_joint("base_right", "revolute", None, "right", position=(COUPLER, 0, 0), **axis)
    spec.add_joint("pin_left", "revolute", "left", "coupler", position=(0, 0, CRANK), **axis)
    spec.add_joint(
        "pin_right", "revolute", "right", "coupler",
        position=(0, 0, CRANK), child_position=(COUPLER, 0, 0), **axis,
    )  # fmt: skip
    spec.add_keyframe("initial", {"base_left": ANGLE, "base_right": ANGLE, "pin_left": -ANGLE})
    return td.Simulation(spec.compile())


def test_a_four_bar_that_is_held(parallelogram):
    """The moment on the left crank holds all weights; the right one is loaded by its own and the pin."""
    sim = parallelogram
    lever = CRANK * sin(ANGLE)
    weight, own = COUPLER_MASS * GRAVITY, CRANK_MASS * GRAVITY
    # positive angles lean towards x, where the weights pull further
    sim.joint("base_left").torque = -(weight * lever + 2 * own * lever / 2)
    up = weight * CENTER / COUPLER
    # moments about the right base: the pin presses down with `up`, the crank's weight helps it
    along = (up + own / 2) * sin(ANGLE) / cos(ANGLE)
    reaction = sim.loop("pin_right").reaction
    np.testing.assert_allclose(reaction.force, [along, 0.0, up], atol=1e-9)
    np.testing.assert_allclose(reaction.torque, 0.0, atol=1e-9)
    # the coupler is level: its axes are those of the world
    np.testing.assert_allclose(reaction.local_force, reaction.force, atol=1e-9)
    np.testing.assert_allclose(sim.joint("pin_left").reaction.force, [-along, 0.0, weight - up], atol=1e-9)
    base = sim.joint("base_right").reaction
    np.testing.assert_allclose(base.force, [along, 0.0, up + own], atol=1e-9)
    c, s = cos(ANGLE), sin(ANGLE)
    np.testing.assert_allclose(
        base.local_force, [c * along - s * (up + own), 0.0, s * along + c * (up + own)], atol=1e-9
    )
    left = sim.joint("base_left").reaction
    np.testing.assert_allclose(left.torque, [0.0, sim.joint("base_left").torque, 0.0], atol=1e-9)
    np.testing.assert_allclose(left.force, [-along, 0.0, weight - up + own], atol=1e-9)
    assert sim.loop("pin_right").gap < 1e-14
    sim.joint("base_left").torque = 0.0


def test_a_gap_is_the_distance_of_an_open_loop(parallelogram):
    sim = parallelogram
    before = sim.save()
    sim.joint("base_right").position = ANGLE + 1e-3
    assert sim.loop("pin_right").gap == pytest.approx(1e-3 * CRANK * cos(ANGLE), rel=1e-3)
    sim.restore(before)


def test_a_gear_carries_what_its_joint_needs():
    """Two rotors with a ratio of 3, one of them driven: force = I2 a2, and the source gets three times it."""
    spec = td.ModelSpec("gear", gravity=(0, 0, 0))
    for name, inertia in (("fast", 0.5), ("slow", 2.0)):
        spec.add_body(name, 1.0, inertia=(inertia,) * 3)
        spec.add_joint(name, "revolute", None, name)
    spec.add_coupling("gear", "fast", "slow", (0.0, 3.0))
    sim = td.Simulation(spec.compile())
    sim.joint("slow").torque = 13.0
    acceleration = 13.0 / (2.0 + 9 * 0.5)
    assert sim.coupling("gear").force == pytest.approx(0.5 * 3 * acceleration, rel=1e-12)
    assert sim.coupling("gear").gap == 0.0


def test_friction_stops_and_motions_are_part_of_it():
    """A pendulum held level by its friction, by a stop or by a motion carries its weight and the moment."""
    for how in ("friction", "stop", "motion"):
        spec = td.ModelSpec(how)
        spec.add_body("bob", 2.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        options = {"friction": {"friction": 20.0}, "stop": {"upper": 0.0}}.get(how, {})
        spec.add_joint("hinge", "revolute", None, "bob", axis=(0, 1, 0), **options)
        motions = {"hinge": lambda t: 0.0 * t} if how == "motion" else {}
        sim = td.Simulation(spec.compile(), motions=motions)
        sim.step(5)
        reaction = sim.joint("hinge").reaction
        np.testing.assert_allclose(reaction.force, [0, 0, 2.0 * GRAVITY], atol=1e-9, err_msg=how)
        np.testing.assert_allclose(reaction.torque, [0, -GRAVITY, 0], atol=1e-9, err_msg=how)


def test_reactions_are_recorded(parallelogram, tmp_path):
    sim = parallelogram
    with sim.record(tmp_path / "run.parquet", signals=["loop.*", "joint.base_left.reaction_*"], rate=100):
        sim.step(10)
    table = td.read_recording(tmp_path / "run.parquet")
    reaction = sim.loop("pin_right").reaction
    np.testing.assert_array_equal(table["loop.pin_right.reaction_force"][-1], reaction.force)
    np.testing.assert_array_equal(table["loop.pin_right.reaction_torque"][-1], reaction.torque)
    assert table["loop.pin_right.gap"].max() < 1e-12
    np.testing.assert_array_equal(
        table["joint.base_left.reaction_force"][-1], sim.joint("base_left").reaction.force
    )


def test_cylinders_of_the_roadheader_hold_its_boom():
    """Force of the lift cylinders' pins times their levers = moment of all weights about the boom's hinge."""
    model = td.scene("roadheader")
    sim = td.Simulation(model)
    frames = {frame.name: frame for frame in model.frames}
    hinge = next(i for i, body in enumerate(model.bodies) if body.joint.name == "lift")
    X = compiled.frame_pose(model, sim.q, model.bodies[hinge].name)
    place, axis = X[:3, 3], X[:3, :3] @ list(model.bodies[hinge].joint.type.axis)

    def carried(body: int) -> bool:
        while body not in (-1, hinge):
            body = model.bodies[body].parent
        return body == hinge

    weights = 0.0
    for link in model.links:
        if carried(link.body):
            pose = compiled.frame_pose(model, sim.q, link.name)
            center = pose[:3, :3] @ list(link.center) + pose[:3, 3]
            weights += axis @ np.cross(center - place, link.mass * np.array(model.gravity))
    pushed = 0.0
    for name in ("lift_left_pin", "lift_right_pin"):
        loop = next(loop for loop in model.loops if loop.name == name)
        rod = compiled.frame_pose(model, sim.q, loop.successor_link) @ (
            np.linalg.inv(frames[loop.successor_link].placement.to_matrix())
            @ loop.successor_placement.to_matrix()
        )
        pushed += axis @ np.cross(rod[:3, 3] - place, -sim.loop(name).reaction.force)
        # a cylinder's own weight apart, the pin carries the oil's force
        along = np.linalg.norm(sim.loop(name).reaction.force)
        assert along == pytest.approx(abs(sim.actuator(name.removesuffix("_pin")).force), rel=0.05)
    assert abs(weights) > 1e5
    # nothing holds the cutting head, whose centre is a little off its axis
    assert pushed == pytest.approx(-weights, rel=1e-5)


def test_wrong_names(parallelogram):
    for use, message in (
        (parallelogram.loop, "'parallelogram' has no loop joint named 'pin'; it has 'pin_right'"),
        (parallelogram.coupling, "'parallelogram' has no coupling named 'pin'; it has none"),
    ):
        with pytest.raises(td.InputError, match=message):
            use("pin")
    with pytest.raises(td.InputError, match=r"closes a loop .* use sim.loop\('pin_right'\)"):
        parallelogram.joint("pin_right")


@pytest.mark.parametrize("how", ["spring", "friction", "rope"])
def test_forces_of_loop_joints_are_carried_through_the_machine(how):
    """A bar on a hinge is held level by what a loop joint at its end does; the hinge carries the rest."""
    spec = td.ModelSpec(how)
    spec.add_body("bar", 2.0, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    spec.add_joint("hinge", "revolute", None, "bar", axis=(0, 1, 0))
    half = GRAVITY
    if how == "rope":
        # straight up from the end of the bar
        spec.add_joint(
            "holder", "rope", None, "bar", position=(1, 0, 2), child_position=(1, 0, 0), length=2.0
        )
        force, torque = [0, 0, half], [0, 0, 0]
    else:
        # a hinge at the same place: it only adds a moment, of a spring (bent by the weight) or by friction
        options = (
            {"friction": 20.0} if how == "friction" else {"stiffness": 100.0, "reference": -half / 100.0}
        )
        spec.add_joint("holder", "revolute", None, "bar", axis=(0, 1, 0), **options)
        force, torque = [0, 0, 0], [0, -half, 0]
    sim = td.Simulation(spec.compile())
    sim.step(20)
    assert abs(sim.joint("hinge").position) < 1e-3
    holder, hinge = sim.loop("holder").reaction, sim.joint("hinge").reaction
    if how == "rope":
        np.testing.assert_allclose(holder.force, force, atol=0.02 * half)
    np.testing.assert_allclose(holder.torque, torque, atol=0.02 * half)
    # together they carry the weight, and its moment about the hinge
    np.testing.assert_allclose(hinge.force + holder.force, [0, 0, 2.0 * GRAVITY], atol=0.02 * half)
    np.testing.assert_allclose(hinge.torque[1], 0.0, atol=1e-9)


@pytest.mark.parametrize("shapes", [False, True])
def test_forces_of_motors_belong_to_the_step_that_was_taken(shapes):
    """A rigid motor starts a flywheel: its force in the step is what the step's change of velocity took."""
    spec = td.ModelSpec("flywheel", gravity=(0, 0, 0))
    spec.add_body("wheel", 2.0, inertia=(0.5, 0.5, 0.5))
    spec.add_joint("axle", "revolute", None, "wheel", axis=(0, 0, 1), effort=1e6)
    spec.add_actuator("motor", "rigid_position", "axle")
    if shapes:
        spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -1))
        spec.add_shape("rim", "wheel", "sphere", (0.1,), role="collision")
    for read in ("reaction", "force"):
        sim = td.Simulation(spec.compile(), 1e-2)
        for command in (0.1, 0.15, 0.15, 0.4):
            sim.actuator("motor").command = command
            before = sim.joint("axle").velocity
            sim.step()
            expected = 0.5 * (sim.joint("axle").velocity - before) / 1e-2
            # what is commanded for the next step changes nothing about the last one
            sim.actuator("motor").command = -3.0
            found = sim.actuator("motor").force if read == "force" else sim.joint("axle").reaction.torque[2]
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    state = sim.save()
    sim.restore(state)
    # a state that was set has no step before it: the force is that of the next one
    assert abs(sim.actuator("motor").force - expected) > 1.0


def test_a_blow_on_a_stop_is_in_the_step_in_which_it_happened():
    spec = td.ModelSpec("slider", gravity=(0, 0, 0))
    spec.add_body("block", 3.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "block", axis=(1, 0, 0), upper=0.105)
    for integrator in ("symplectic_euler", "rk4"):
        sim = td.Simulation(spec.compile(), 1e-2, integrator, v=[1.0])
        blows = []
        for _ in range(20):
            before = sim.v[0]
            sim.step()
            blows.append(sim.joint("rail").reaction.force[0])
            assert blows[-1] == pytest.approx(3.0 * (sim.v[0] - before) / 1e-2, rel=1e-9, abs=1e-9)
        assert min(blows) < -50.0
        assert blows[-1] == pytest.approx(0.0, abs=1e-9)


def test_accelerations_of_joints_and_bodies():
    """Those of a body are the rates of its velocity; at rest on a stop there are none."""
    sim = td.Simulation(td.scene("four-bar-chain"), 1e-5, "rk4")
    sim.run(0.05)
    name = sim.model.frames[-1].name
    before, joint = sim.body(name).velocity, sim.v.copy()
    found = sim.body(name).acceleration
    rates = np.concatenate([np.atleast_1d(sim.joint(j.name).acceleration) for j in sim.model.joints])
    sim.step(2)
    np.testing.assert_allclose((sim.body(name).velocity - before) / 2e-5, found, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose((sim.v - joint) / 2e-5, rates, rtol=1e-3, atol=1e-3)
    spec = td.ModelSpec("stone")
    spec.add_body("stone", 1.0, center=(0.1, 0, 0), inertia=(1, 1, 1))
    spec.add_joint("air", "free", None, "stone")
    fall = td.Simulation(spec.compile())
    fall.joint("air").velocity = (0, 0, 2.0, 0, 0, 0)
    # the centre falls, and the origin goes around it
    np.testing.assert_allclose(fall.body("stone").acceleration, (0, 0, 0, 0.4, 0, -GRAVITY), atol=1e-12)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_motions_where_shapes_touch_need_the_change_of_momentum(integrator):
    """A table shakes with a box on it and a rod below: its joint carries all of it."""
    spec = td.ModelSpec("shaker")
    spec.add_body("table", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("lift", "prismatic", None, "table", axis=(0, 0, 1))
    spec.add_shape("top", "table", "box", (0.4, 0.4, 0.1), role="collision")
    spec.add_body("rod", 0.3, center=(0, 0, -0.1), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("pin", "revolute", "table", "rod", axis=(0, 1, 0), position=(0.3, 0, 0))
    spec.add_body("box", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("flight", "free", None, "box", position=(0, 0, 0.1))
    spec.add_shape("skin", "box", "box", (0.1, 0.1, 0.1), role="collision")
    sim = td.Simulation(spec.compile(), 1e-3, integrator, motions={"lift": lambda t: 0.1 * td.sin(6.0 * t)})
    sim.joint("pin").position = 0.5
    for _ in range(5):
        sim.run(0.1)
        before = td.momentum(sim.model, sim.q, sim.v)[5]
        sim.step()
        needed = (td.momentum(sim.model, sim.q, sim.v)[5] - before) / sim.dt + 2.3 * GRAVITY
        assert len(sim.contacts()) == 4
        exact = 1e-4 if integrator == "symplectic_euler" else 0.05
        assert sim.joint("lift").reaction.force[2] == pytest.approx(needed, abs=exact)
        assert sim.joint("lift").acceleration == pytest.approx(-3.6 * np.sin(6.0 * sim.time), abs=0.02)
