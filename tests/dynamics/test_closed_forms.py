"""Machines whose equations of motion are known in closed form."""

import numpy as np
import pytest

import treadle as td
from tests.oracles import double_pendulum, oscillator, pendulum, rigid_body
from treadle.model import rpy

GRAVITY = 9.81


def one_joint(kind: str, body: dict, **joint) -> td.Model:
    """A body on one joint with the world."""
    spec = td.ModelSpec("one joint")
    spec.add_body("body", **body)
    spec.add_joint("joint", kind, None, "body", **joint)
    return spec.compile()


ROD = {"mass": 1.3, "center": (0.0, 0.0, -0.4), "inertia": (0.05, 0.06, 0.01)}


@pytest.mark.parametrize("angle", [-2.0, -0.3, 0.0, 1.0, 3.0])
def test_pendulum(angle):
    model = one_joint("revolute", ROD, axis=(0, 1, 0))
    expected = pendulum.acceleration(angle, 1.3, 0.4, 0.06)
    assert td.forward_dynamics(model, [angle], [3.0], [0.0]) == pytest.approx(
        [expected], rel=1e-14, abs=1e-14
    )
    assert td.mass_matrix(model, [angle]) == pytest.approx(np.array([[0.06 + 1.3 * 0.4**2]]))
    assert td.potential_energy(model, [angle]) == pytest.approx(-1.3 * GRAVITY * 0.4 * np.cos(angle))


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_period_of_a_pendulum(amplitude):
    sim = td.Simulation(one_joint("revolute", ROD, axis=(0, 1, 0)), dt=1e-3, integrator="rk4", q=[amplitude])
    # a quarter of the period after the start it passes through the lowest point
    while sim.q[0] > 0.0:
        before = sim.q[0]
        sim.step()
    crossing = sim.time - sim.dt * sim.q[0] / (sim.q[0] - before)
    assert 4.0 * crossing == pytest.approx(pendulum.period(amplitude, 1.3, 0.4, 0.06), rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_double_pendulum(seed):
    rng = np.random.default_rng(seed)
    model = td.scene("pendulum", length=1.2, mass=0.7)
    q, v, tau = rng.uniform(-3, 3, 2), rng.uniform(-3, 3, 2), rng.uniform(-3, 3, 2)
    inertia = 0.7 * (3 * 0.02**2 + 1.2**2) / 12
    M = double_pendulum.inertia_matrix(q[1], 0.7, 1.2, 0.6, inertia)
    C = double_pendulum.bias(q, v, 0.7, 1.2, 0.6)
    np.testing.assert_allclose(td.mass_matrix(model, q), M, rtol=1e-13)
    np.testing.assert_allclose(td.inverse_dynamics(model, q, v, np.zeros(2)), C, rtol=1e-12)
    np.testing.assert_allclose(td.forward_dynamics(model, q, v, tau), np.linalg.solve(M, tau - C), rtol=1e-12)


def test_free_body_obeys_euler():
    """With its centre of mass at the origin: turning and flying do not meet."""
    rng = np.random.default_rng(3)
    inertia = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.05], [-0.01, 0.05, 0.5]])
    model = one_joint("free", {"mass": 2.0, "inertia": inertia})
    q = model.joints[0].type.sample(rng)
    omega, velocity, torque, force = rng.uniform(-2, 2, (4, 3))
    a = td.forward_dynamics(model, q, [*omega, *velocity], [*torque, *force])
    np.testing.assert_allclose(a[:3], rigid_body.euler(inertia, omega, torque), rtol=1e-13)
    np.testing.assert_allclose(a[3:], force / 2.0 + [0.0, 0.0, -GRAVITY], rtol=1e-13)


def test_center_of_mass_of_a_free_body_falls():
    """With its centre of mass anywhere: c'' = g, whatever the origin does."""
    rng = np.random.default_rng(4)
    center, inertia = np.array([0.3, -0.2, 0.5]), np.diag([0.3, 0.4, 0.5])
    model = one_joint("free", {"mass": 2.0, "center": center, "inertia": inertia})
    q = model.joints[0].type.sample(rng)
    omega, velocity = rng.uniform(-2, 2, (2, 3))
    a = td.forward_dynamics(model, q, [*omega, *velocity], np.zeros(6))
    R = td.frame_pose(model, q, "body")[:3, :3]
    # p'' = c'' - R (w' x c + w x (w x c))
    turning = R @ (np.cross(a[:3], center) + np.cross(omega, np.cross(omega, center)))
    np.testing.assert_allclose(a[3:] + turning, [0.0, 0.0, -GRAVITY], atol=1e-12)
    np.testing.assert_allclose(a[:3], rigid_body.euler(inertia, omega, np.zeros(3)), rtol=1e-12)


def test_torque_free_symmetric_body():
    """The axis of the angular velocity walks around the body's own axis."""
    model = one_joint("free", {"mass": 1.0, "inertia": (0.2, 0.2, 0.35)})
    omega = np.array([1.0, -0.5, 3.0])
    sim = td.Simulation(model, dt=1e-3, integrator="rk4", v=[*omega, 0.0, 0.0, 0.0])
    sim.step(2000)
    np.testing.assert_allclose(sim.v[:3], rigid_body.symmetric_spin(0.2, 0.35, omega, sim.time), atol=1e-9)


def test_top_with_a_horizontal_axis_precesses():
    """Spinning about its own axis and held at one end, it turns about the vertical and does not fall."""
    distance, along, spin = 0.3, 0.02, 40.0
    model = one_joint("ball", {"mass": 1.5, "center": (0, 0, distance), "inertia": (0.05, 0.05, along)})
    # the body's z axis along the world's x axis: the vertical is minus its own x axis
    q = [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]
    rate = rigid_body.precession_rate(1.5 * GRAVITY, distance, along, spin)
    vertical, axis = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    omega = spin * axis + rate * vertical
    # the spin carries the vertical around in body axes; the axis itself keeps its angle to it
    expected = -np.cross(spin * axis, rate * vertical)
    actual = td.forward_dynamics(model, q, omega, np.zeros(3))
    np.testing.assert_allclose(actual, expected, atol=1e-12)


@pytest.mark.parametrize("slope", [0.0, 0.3, np.pi / 2])
def test_block_on_a_slope(slope):
    # the joint's x axis points down the slope
    model = one_joint("prismatic", {"mass": 2.0}, axis=(1, 0, 0), rotation=rpy(0.0, slope, 0.0))
    expected = GRAVITY * np.sin(slope) + 3.0 / 2.0
    assert td.forward_dynamics(model, [0.4], [1.0], [3.0]) == pytest.approx([expected], rel=1e-14)
    assert td.kinetic_energy(model, [0.4], [1.5]) == pytest.approx(0.5 * 2.0 * 1.5**2)


def test_puck_on_an_inclined_plane():
    """Its centre of mass slides down the plane; without friction it keeps turning as it does."""
    body = {"mass": 0.8, "center": (0.1, 0.0, 0.0), "inertia": (0.01, 0.01, 0.02)}
    model = one_joint("planar", body, rotation=rpy(0.0, 0.4, 0.0))
    angle, rate = 0.7, 5.0
    a = td.forward_dynamics(model, [angle, 1.0, 2.0], [rate, 0.3, -0.2], np.zeros(3))
    toward = np.array([np.cos(angle), np.sin(angle)])
    assert a[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(a[1:] - 0.1 * rate**2 * toward, [GRAVITY * np.sin(0.4), 0.0], atol=1e-12)


@pytest.mark.parametrize("damping", [0.0, 1.5])
def test_mass_on_a_spring(damping):
    body = {"mass": 0.5}
    joint = {"axis": (1, 0, 0), "stiffness": 200.0, "damping": damping, "reference": 0.1}
    model = one_joint("prismatic", body, **joint)
    sim = td.Simulation(model, dt=1e-3, integrator="rk4", q=[0.4])
    for _ in range(10):
        sim.step(50)
        expected = 0.1 + oscillator.position(sim.time, 0.3, 0.5, 200.0, damping)
        assert sim.q[0] == pytest.approx(expected, abs=1e-7)


def test_armature_adds_to_the_diagonal():
    rotors = {"shoulder": 0.3, "elbow": 0.05}
    plain = td.scene("pendulum")
    spec = td.ModelSpec("geared")
    for body in ("upper", "lower"):
        link = next(link for link in plain.links if link.name == body)
        inertia = np.array(link.rotational.to_rows())
        spec.add_body(body, link.mass, center=list(link.center), inertia=inertia)
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 1, 0), armature=rotors["shoulder"])
    spec.add_joint(
        "elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0, 0, -1), armature=rotors["elbow"]
    )
    geared = spec.compile()
    q, v, tau = [0.4, -1.1], [1.0, 2.0], [0.3, 0.2]
    M = td.mass_matrix(plain, q) + np.diag(list(rotors.values()))
    C = td.inverse_dynamics(plain, q, v, [0.0, 0.0])
    np.testing.assert_allclose(td.mass_matrix(geared, q), M, rtol=1e-14)
    np.testing.assert_allclose(
        td.forward_dynamics(geared, q, v, tau), np.linalg.solve(M, tau - C), rtol=1e-12
    )
    energy = td.kinetic_energy(plain, q, v) + 0.5 * (0.3 * 1.0**2 + 0.05 * 2.0**2)
    assert td.kinetic_energy(geared, q, v) == pytest.approx(energy)


def test_screw():
    """A nut on an upright screw: gravity turns it, the axial mass counts with the pitch squared."""
    pitch, mass, inertia = 0.02, 0.4, 3e-4
    model = one_joint("helical", {"mass": mass, "inertia": (2e-4, 2e-4, inertia)}, pitch=pitch)
    expected = (0.01 - mass * GRAVITY * pitch) / (inertia + mass * pitch**2)
    assert td.forward_dynamics(model, [2.0], [7.0], [0.01]) == pytest.approx([expected], rel=1e-13)
    assert td.potential_energy(model, [2.0]) == pytest.approx(mass * GRAVITY * pitch * 2.0)


def test_universal_joint_is_two_hinges():
    body = {"mass": 1.0, "center": (0.1, 0.2, -0.3), "inertia": (0.1, 0.2, 0.15)}
    axes = {"axis": (1, 0, 0), "second_axis": (0.2, 1, 0)}
    universal = one_joint("universal", body, **axes)
    spec = td.ModelSpec("two hinges")
    # a cross without inertia between the two
    spec.add_body("cross")
    spec.add_body("body", **body)
    spec.add_joint("first", "revolute", None, "cross", axis=axes["axis"])
    spec.add_joint("second", "revolute", "cross", "body", axis=axes["second_axis"])
    hinges = spec.compile()
    q, v, tau = [0.7, -1.2], [2.0, 3.0], [0.1, -0.4]
    np.testing.assert_allclose(td.mass_matrix(universal, q), td.mass_matrix(hinges, q), rtol=1e-13)
    actual = td.forward_dynamics(universal, q, v, tau)
    np.testing.assert_allclose(actual, td.forward_dynamics(hinges, q, v, tau), rtol=1e-12)
