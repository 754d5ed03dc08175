"""One world: steps, states, names, forces, and what goes wrong."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from tests.native.direct import identical
from treadle.integrators import INTEGRATORS


@pytest.fixture(scope="module")
def robot() -> td.Model:
    """A ball joint, a free body and sliders in one machine, with springs and dampers."""
    spec = td.ModelSpec("robot")
    solid = {"center": (0.05, 0.02, -0.1), "inertia": (0.03, 0.02, 0.025)}
    spec.add_body("plinth", 1.0)
    for name in ("cart", "mast", "head", "drone"):
        spec.add_body(name, 1.0, **solid)
    spec.add_joint("bolt", "fixed", None, "plinth")
    spec.add_joint("rail", "prismatic", "plinth", "cart", axis=(1, 0, 0), stiffness=20.0, damping=0.5)
    spec.add_joint("hinge", "revolute", "cart", "mast", axis=(0, 1, 0), position=(0, 0, 0.2))
    spec.add_joint("neck", "ball", "mast", "head", position=(0, 0, -0.3), damping=0.1)
    spec.add_joint("air", "free", None, "drone")
    spec.add_body("lamp", 0.2, center=(0, 0, 0.01))
    spec.add_joint("glue", "fixed", "head", "lamp", position=(0.1, 0.2, 0), rotation=(1, 2, 3, 4))
    spec.add_frame("eye", "head", position=(0.1, 0.0, 0.05), rotation=(4, 3, 2, 1))
    return spec.compile()


def moving(model: td.Model, **options) -> td.Simulation:
    sim = td.Simulation(model, **options)
    sim.q, sim.v, sim.tau = random_state(model, np.random.default_rng(4))
    return sim


# steps and time


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("loaded", [False, True])
def test_many_steps_are_single_steps(robot, integrator, loaded):
    one, many = (moving(robot, integrator=integrator) for _ in range(2))
    if loaded:
        for sim in (one, many):
            sim.apply_force("eye", (1.0, 2.0, 3.0), point=(0.1, 0, 0))
    many.step(57)
    for _ in range(57):
        one.step()
    assert one.save() == many.save()
    assert identical(one.q, many.q)


def test_no_steps(robot):
    sim = moving(robot)
    before = sim.save()
    sim.step(0)
    sim.run(0.0)
    assert sim.save() == before


def test_run_rounds_to_whole_steps(robot):
    sim = moving(robot, dt=0.01)
    for seconds, steps in ((0.05, 5), (0.304, 30), (0.306, 31), (0.004, 0)):
        before = sim.save().steps
        sim.run(seconds)
        assert sim.save().steps - before == steps


@pytest.mark.parametrize("seconds", [-1.0, np.nan, np.inf])
def test_run_needs_a_time(robot, seconds):
    with pytest.raises(td.InputError, match="run: seconds must be a number that is not negative"):
        td.Simulation(robot).run(seconds)


def test_time_does_not_drift(robot):
    sim = td.Simulation(td.scene("pendulum"), dt=0.1)
    for _ in range(1000):
        sim.step(3)
    # 0.1 added up 3000 times is off by 1e-11
    assert sim.time == 3000 * 0.1
    sim.dt = 0.05
    assert sim.time == 3000 * 0.1
    sim.step(10)
    assert sim.time == 300.0 + 10 * 0.05


@pytest.mark.parametrize("count", [-1, 1.5, "2", None, True])
def test_wrong_numbers_of_steps(robot, count):
    with pytest.raises(td.InputError, match="steps must be a whole number of at least 0"):
        td.Simulation(robot).step(count)


@pytest.mark.parametrize("dt", [0.0, -0.1, np.nan, np.inf, "x"])
def test_wrong_time_steps(robot, dt):
    with pytest.raises(td.InputError, match="dt must be a positive number of seconds"):
        td.Simulation(robot, dt=dt)
    sim = moving(robot)
    with pytest.raises(td.InputError, match="dt must be a positive number of seconds"):
        sim.dt = dt
    assert sim.dt == 1e-3


def test_wrong_models_and_integrators(robot):
    with pytest.raises(td.InputError, match=r"a Simulation needs a Model, .* not ModelSpec"):
        td.Simulation(td.ModelSpec())
    with pytest.raises(
        td.InputError, match="there is no integrator named 'rk5'; did you mean 'rk6' or 'rk4'"
    ):
        td.Simulation(robot, integrator="rk5")


def test_a_machine_that_cannot_move():
    spec = td.ModelSpec()
    spec.add_body("stone", 1.0)
    spec.add_joint("bolt", "fixed", None, "stone")
    sim = td.Simulation(spec.compile())
    sim.step(10)
    assert sim.time == 0.01
    assert sim.q.shape == (0,)


# states


def test_restore_continues_bit_for_bit(robot):
    sim = moving(robot)
    sim.apply_force("lamp", (0.0, 1.0, 0.0))
    sim.step(20)
    state = sim.save()
    sim.step(30)
    expected = sim.save()
    # whatever happens in between
    sim.dt = 0.5e-3
    sim.tau = np.ones(robot.nv)
    sim.clear_forces()
    sim.step(7)
    sim.restore(state)
    assert sim.save() == state
    sim.step(30)
    assert sim.save() == expected
    assert sim.time == pytest.approx(0.05)


def test_restore_in_another_simulation(robot):
    first, second = moving(robot), td.Simulation(robot, dt=7e-3)
    first.step(20)
    second.restore(first.save())
    for sim in (first, second):
        sim.step(20)
    assert first.save() == second.save()


def test_a_saved_state_is_a_copy(robot):
    sim = moving(robot)
    state = sim.save()
    kept = state.q.copy()
    sim.step(10)
    assert identical(state.q, kept)
    sim.restore(state)
    sim.q[:] = 0.0
    assert identical(state.q, kept)


def test_reset_goes_to_the_state_before_the_first_step(robot):
    sim = moving(robot)
    start = sim.save()
    sim.step(10)
    sim.step(10)
    sim.reset()
    assert sim.save() == start
    assert sim.time == 0.0


def test_states_of_other_machines(robot):
    with pytest.raises(td.InputError, match="the state does not belong to 'robot'"):
        td.Simulation(robot).restore(td.Simulation(td.scene("pendulum")).save())


# positions, velocities and forces


def test_start_position(robot):
    assert td.Simulation(robot).q.tolist() == robot.neutral()
    q = random_state(robot, np.random.default_rng(0))[0]
    np.testing.assert_allclose(td.Simulation(robot, q=q).q, q, rtol=1e-15)


def test_vectors_are_live(robot):
    sim = td.Simulation(robot)
    q, v, tau = sim.q, sim.v, sim.tau
    v[0], tau[0] = 1.0, 2.0
    assert (sim.v[0], sim.tau[0]) == (1.0, 2.0)
    sim.step()
    assert q[0] != 0.0


def test_quaternions_are_brought_to_unit_length(robot):
    sim = td.Simulation(robot)
    q = np.array(robot.neutral())
    q[2:6] = [2.0, 0.0, 2.0, 0.0]
    sim.q = q
    np.testing.assert_allclose(sim.q[2:6], [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
    # the given array is left alone
    assert q[2] == 2.0
    with pytest.raises(td.InputError, match=r"q of joint 'neck': a quaternion .* must not be zero"):
        sim.q = np.zeros(robot.nq)
    np.testing.assert_allclose(sim.q[2:6], [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])


@pytest.mark.parametrize("name", ["q", "v", "tau"])
def test_wrong_vectors(robot, name):
    sim = moving(robot)
    size = robot.nq if name == "q" else robot.nv
    before = sim.save()
    for value, message in (
        (np.zeros(size + 1), rf"{name} of 'robot' must have shape \({size},\), not \({size + 1},\)"),
        (np.zeros((1, size)), rf"{name} of 'robot' must have shape"),
        (["x"] * size, f"{name} of 'robot' must be {size} numbers"),
        ([0.0] * (size - 1) + [np.nan], f"{name} of 'robot' must be finite, but entry {size - 1} is nan"),
    ):
        with pytest.raises(td.InputError, match=message):
            setattr(sim, name, value)
    assert sim.save() == before


def acceleration(sim: td.Simulation) -> np.ndarray:
    """dv/dt at the present state, from a very small step of an integrator without implicit terms."""
    state = sim.save()
    sim.dt = 1e-7
    before = sim.v.copy()
    sim.step()
    change = (sim.v - before) / 1e-7
    sim.restore(state)
    return change


def passive(sim: td.Simulation) -> np.ndarray:
    damping = np.concatenate([joint.damping for joint in sim.model.joints])
    stiffness = np.concatenate([joint.stiffness for joint in sim.model.joints])
    spring = np.zeros(sim.model.nv)
    spring[0] = stiffness[0] * sim.q[0]
    return -damping * sim.v - spring


def test_a_step_is_forward_dynamics(robot):
    sim = moving(robot, integrator="rk4")
    expected = td.forward_dynamics(robot, sim.q, sim.v, sim.tau + passive(sim))
    np.testing.assert_allclose(acceleration(sim), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["head", "lamp", "eye", "drone"])
@pytest.mark.parametrize("axes", ["world", "body"])
def test_forces_on_bodies_are_transposed_jacobians(robot, name, axes):
    """Also on links that are glued to a body, and on frames."""
    sim = moving(robot, integrator="rk4")
    force, torque, point = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 3))
    sim.apply_force(name, force, torque, point, axes=axes)
    R = sim.body(name).pose[:3, :3]
    F, T = (R @ force, R @ torque) if axes == "body" else (force, torque)
    wrench = np.concatenate([T + np.cross(R @ point, F), F])
    tau = sim.tau + passive(sim) + td.frame_jacobian(robot, sim.q, name).T @ wrench
    expected = td.forward_dynamics(robot, sim.q, sim.v, tau)
    np.testing.assert_allclose(acceleration(sim), expected, rtol=1e-5, atol=1e-5)


def test_forces_add_up_and_are_cleared(robot):
    together, apart = moving(robot), moving(robot)
    together.apply_force("head", (1.0, 0.0, 0.0))
    together.apply_force("head", (0.0, 2.0, 0.0))
    together.apply_force("drone", (0.0, 0.0, 5.0))
    apart.apply_force("drone", (0.0, 0.0, 5.0))
    apart.apply_force("head", (1.0, 2.0, 0.0))
    for sim in (together, apart):
        sim.step(20)
    np.testing.assert_allclose(together.q, apart.q, rtol=1e-12, atol=1e-14)
    free = moving(robot)
    together.reset()
    together.clear_forces()
    for sim in (together, free):
        sim.step(20)
    assert identical(together.q, free.q)


def test_a_force_keeps_its_direction_or_turns_with_the_body():
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("rocket", 1.0, inertia=(1, 1, 1))
    spec.add_joint("air", "free", None, "rocket")
    for axes, expected in (("world", [0.0, 1.0, 0.0]), ("body", [-1.0, 0.0, 0.0])):
        sim = td.Simulation(spec.compile())
        # standing turned by a quarter about z
        sim.joint("air").position = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5), 0.0, 0.0, 0.0]
        sim.apply_force("rocket", (0.0, 1.0, 0.0), axes=axes)
        sim.step(100)
        np.testing.assert_allclose(sim.v[3:], np.array(expected) * sim.time, atol=1e-12)


def test_wrong_forces(robot):
    sim = moving(robot)
    for arguments, message in (
        (("hed", (0, 0, 1)), "no link or frame named 'hed'; did you mean 'head'"),
        (("plinth", (0, 0, 1)), "'plinth' is fixed to the world"),
        (("head", (0, 0)), "the force on 'head' must be three finite numbers"),
        (("head", (0, 0, np.nan)), "the force on 'head' must be three finite numbers"),
        (("head", (0, 0, 1), (0, 0, 0), (0, 0, 0), "wolrd"), "axes must be 'world' or 'body'"),
    ):
        with pytest.raises(td.InputError, match=message):
            sim.apply_force(*arguments)
    assert not sim.save().loads.any()


def test_one_world_takes_one_force(robot):
    with pytest.raises(td.InputError, match="one world takes one force on 'head' at a time, not 2"):
        moving(robot).apply_force("head", np.ones((2, 3)))


# what goes wrong


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_joint_force_that_is_no_number(robot, bad):
    sim = moving(robot)
    sim.step(5)
    sim.tau[3] = bad
    before = sim.save()
    with pytest.raises(td.InputError, match=rf"step: tau\[3\] \(joint 'neck'\) is {bad}"):
        sim.step(10)
    assert identical(sim.q, before.q)
    assert identical(sim.v, before.v)
    assert sim.time == before.time
    sim.tau[3] = 0.0
    sim.step()


def test_a_position_that_is_no_number(robot):
    sim = moving(robot)
    sim.q[1] = np.nan
    with pytest.raises(td.InputError, match=r"step: q\[1\] \(joint 'hinge'\) is nan"):
        sim.step()


def test_divergence_is_found_and_explained(robot):
    # after a step or two the square of the speed is no number any more
    sim = moving(robot, dt=0.01)
    sim.step(5)
    sim.tau[1] = 1e160
    with pytest.raises(td.SimulationDiverged) as caught:
        sim.step(50)
    error = caught.value
    assert "the simulation of 'robot' diverged at t = " in str(error)
    assert "try a step smaller than dt = 0.01 s" in str(error)
    assert error.element.startswith("joint '")
    assert error.time == pytest.approx(sim.time + sim.dt)
    # the world stands where all was still finite, and the state can be used
    state = error.last_good_state
    assert state == sim.save()
    assert np.isfinite(state.q).all()
    assert np.isfinite(state.v).all()
    assert 0.05 <= state.time < 0.55
    fresh = td.Simulation(robot)
    fresh.restore(state)
    fresh.v, fresh.tau = np.zeros(robot.nv), np.zeros(robot.nv)
    fresh.step(10)
    assert np.isfinite(fresh.q).all()


def test_divergence_is_found_at_the_same_step_one_by_one(robot):
    times = []
    for chunk in (1, 7, 50):
        sim = moving(robot, dt=0.01)
        sim.tau[1] = 1e160
        with pytest.raises(td.SimulationDiverged) as caught:
            for _ in range(50):
                sim.step(chunk)
        times.append((caught.value.time, caught.value.element))
        state = sim.save()
    assert len(set(times)) == 1
    assert state.time == pytest.approx(times[0][0] - 0.01)


# physics


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_free_body_keeps_its_linear_momentum(integrator):
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("stone", 2.0, inertia=(0.1, 0.2, 0.25))
    spec.add_joint("air", "free", None, "stone")
    model = spec.compile()
    sim = td.Simulation(model, integrator=integrator)
    sim.v = [1.0, 5.0, -2.0, 0.3, -0.4, 0.5]
    before = td.momentum(model, sim.q, sim.v)
    sim.step(1000)
    # every solve of an implicit equation rounds once more
    rounding = 1e-13 if integrator != "variational4" else 5e-13
    np.testing.assert_allclose(td.momentum(model, sim.q, sim.v)[3:], before[3:], rtol=rounding)
    np.testing.assert_allclose(sim.q[4:], sim.time * np.array([0.3, -0.4, 0.5]), rtol=1e-11)


def test_a_floating_machine_keeps_its_momentum():
    model = random_spec(np.random.default_rng(8), 4, ("revolute", "ball"), root="free", armature=()).compile()
    sim = td.Simulation(model, dt=1e-3, integrator="rk4")
    sim.q, sim.v, _ = random_state(model, np.random.default_rng(8))
    gravity, duration = np.array(model.gravity), 0.2
    before = td.momentum(model, sim.q, sim.v)[3:]
    sim.run(duration)
    expected = before + model.mass * gravity * duration
    np.testing.assert_allclose(td.momentum(model, sim.q, sim.v)[3:], expected, rtol=1e-7, atol=1e-7)


def test_quaternions_keep_their_length(robot):
    sim = moving(robot)
    sim.tau[:] = 0.0
    sim.step(5000)
    for part in (slice(2, 6), slice(6, 10)):
        assert np.linalg.norm(sim.q[part]) == pytest.approx(1.0, abs=1e-14)
