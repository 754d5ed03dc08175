"""Bodies in a fluid: buoyancy, drag and added mass against closed forms."""

import math

import numpy as np
import pytest
import trimesh

import treadle as td
from tests.machines import random_rotation
from treadle.forces.immersion import box_immersed, ellipsoid_immersed
from treadle.model.describe import describe
from treadle.model.flow import mesh_volume
from treadle.model.hydrodynamics import ellipsoid_added_mass
from treadle.spatial import Vec3

G, RHO = 9.81, 1000.0


def ball(density: float, radius: float = 0.05, fluid: td.Fluid | None = None, **options) -> td.Model:
    spec = td.ModelSpec("ball")
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    spec.add_body("ball", mass, inertia=(0.4 * mass * radius**2,) * 3)
    armature = 1e-9 if density == 0.0 else 0.0
    spec.add_joint("free", "free", None, "ball", armature=(armature,) * 3 + (0.0,) * 3)
    (fluid or td.Fluid(RHO)).surround(spec)
    spec.add_hull("hull", "ball", size=(radius,) * 3, **options)
    return spec.compile()


def acceleration(sim: td.Simulation) -> np.ndarray:
    """dv/dt by one short step."""
    h = 1e-7
    before = sim.v.copy()
    sim.dt = h
    sim.step()
    return (sim.v - before) / h


@pytest.mark.parametrize(("density", "expected"), [(7850.0, -8.0477), (500.0, 4.905), (0.0, 2.0 * G)])
def test_release_from_rest(density, expected):
    """(rho_s - rho_f) g / (rho_s + rho_f / 2) down; a massless ball rises with 2 g."""
    exact = -(density - RHO) * G / (density + 0.5 * RHO)
    assert exact == pytest.approx(expected, abs=5e-5)
    a = acceleration(td.Simulation(ball(density)))[5]
    assert a == pytest.approx(exact, abs=1e-9)


def test_terminal_velocity_of_a_steel_ball():
    sim = td.Simulation(ball(7850.0, drag_coefficient=0.44), dt=1e-3, integrator="rk4")
    sim.run(20.0)
    exact = math.sqrt(8.0 * 0.05 * G * 6.85 / (3.0 * 0.44))
    assert exact == pytest.approx(4.5126, abs=5e-5)
    assert -sim.v[5] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("dt", [1e-2, 1e-4])
def test_stokes_ball_sinks_at_any_step(dt):
    """Glass of 0.1 mm: its time constant is 0.7 ms."""
    fluid = td.Fluid(RHO, viscosity=1e-3)
    sim = td.Simulation(ball(2500.0, 50e-6, fluid), dt=dt)
    sim.run(0.5)
    exact = 2.0 / 9.0 * 1500.0 * G * (50e-6) ** 2 / 1e-3
    assert exact == pytest.approx(8.175e-3, abs=5e-7)
    assert -sim.v[5] == pytest.approx(exact, rel=1e-6)


def test_a_submerged_pendulum_swings_as_the_formula_says():
    length, density, radius = 0.5, 7850.0, 0.05
    spec = td.ModelSpec("pendulum")
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    spec.add_body("bob", mass, center=(0, 0, -length))
    spec.add_joint("pin", "revolute", None, "bob", axis=(0, 1, 0))
    td.Fluid(RHO).surround(spec)
    spec.add_hull("hull", "bob", (0, 0, -length), size=(radius,) * 3)
    model = spec.compile()
    a = td.derivatives(model, [0.0], [0.0], [0.0]).acceleration
    assert a == pytest.approx(0.0, abs=1e-12)
    sim = td.Simulation(model, q=[1e-4])
    omega2 = -acceleration(sim)[0] / math.sin(1e-4)
    assert omega2 == pytest.approx(G / length * (density - RHO) / (density + 0.5 * RHO), rel=1e-8)


@pytest.mark.parametrize(
    ("ratio", "k1", "k2", "k3"),
    [
        (1.0, 0.5, 0.5, 0.0),
        (1.5, 0.3037, 0.6221, 0.0951),
        (2.0, 0.2100, 0.7042, 0.2394),
        (3.0, 0.1220, 0.8039, 0.4657),
        (5.0, 0.0591, 0.8943, 0.6999),
        (10.0, 0.0207, 0.9602, 0.8835),
    ],
)
def test_lamb(ratio, k1, k2, k3):
    A = ellipsoid_added_mass((ratio, 1.0, 1.0), RHO)
    mass = RHO * 4.0 / 3.0 * math.pi * ratio
    found = A[3, 3] / mass, A[4, 4] / mass, A[1, 1] / (mass * (ratio**2 + 1.0) / 5.0)
    np.testing.assert_allclose(found, (k1, k2, k3), atol=6e-5)
    assert A[5, 5] == pytest.approx(A[4, 4])
    assert A[0, 0] == 0.0


def test_munk_moment():
    """A spheroid at incidence in a fluid at rest: the moment (m_y - m_x) u v turns it across its way."""
    spec = td.ModelSpec("spheroid", gravity=(0, 0, 0))
    spec.add_body("hull", 50.0, inertia=(1.0, 4.0, 4.0))
    spec.add_joint("free", "free", None, "hull")
    td.Fluid(RHO).surround(spec)
    size = (0.6, 0.2, 0.2)
    spec.add_hull("shape", "hull", size=size)
    model = spec.compile()
    A = ellipsoid_added_mass(size, RHO)
    u, w = 1.5, 0.4
    sim = td.Simulation(model, v=[0, 0, 0, u, w, 0])
    # the moment about z is -(A_yy - A_xx) u v on the fluid's side: it increases the incidence
    assert acceleration(sim)[2] * (4.0 + A[2, 2]) == pytest.approx(-(A[4, 4] - A[3, 3]) * u * w, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_current_is_the_motion_of_the_world(seed):
    """A body in a uniform current accelerates as one that moves the other way in a fluid at rest."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("body", gravity=(0, 0, 0))
    spec.add_body("hull", 50.0, center=rng.uniform(-0.1, 0.1, 3), inertia=(1.0, 4.0, 4.5))
    spec.add_joint("free", "free", None, "hull")
    root = rng.uniform(-1, 1, (6, 6))
    options = {
        "added_mass": root @ root.T * 10.0,
        "linear_drag": np.diag([1, 2, 3, 4, 5, 6.0]),
        "volume": 0.05,
    }
    options |= {"shape": "volume", "quadratic_drag": (1, 1, 1, 9, 8, 7)}
    spec.add_hull("shape", "hull", rng.uniform(-0.2, 0.2, 3), **options)
    q = [*td.Simulation(spec.compile()).model.joints[0].type.sample(rng)]
    v = rng.uniform(-1, 1, 6)
    current = rng.uniform(-1, 1, 3)
    td.Fluid(RHO).surround(spec)
    still = acceleration(td.Simulation(spec.compile(), q=q, v=v - np.array([0, 0, 0, *current])))
    td.Fluid(RHO, current=tuple(current)).surround(spec)
    moving = acceleration(td.Simulation(spec.compile(), q=q, v=v))
    np.testing.assert_allclose(moving, still, atol=1e-5 * (1.0 + np.abs(still).max()))


def sampled(inside, low, high, up, depth, count=60):
    """Volume, first moment and integral of the depth by a fine grid."""
    axes = [np.linspace(a, b, count, endpoint=False) + (b - a) / count / 2 for a, b in zip(low, high)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    d = depth - points @ up
    chosen = inside(points) & (d > 0.0)
    cell = np.prod([(b - a) / count for a, b in zip(low, high)])
    return cell * chosen.sum(), cell * points[chosen].sum(axis=0), cell * d[chosen].sum()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shape", ["ellipsoid", "box"])
def test_what_is_immersed(shape, seed):
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.3, 1.0, 3)
    up = random_rotation(rng)[0] if seed else np.array([0.0, 0.0, 1.0])
    half = size if shape == "ellipsoid" else 0.5 * size
    depth = rng.uniform(-1.0, 1.0) * np.linalg.norm(half * up)
    exact = (ellipsoid_immersed if shape == "ellipsoid" else box_immersed)(size.tolist(), Vec3(*up), depth)
    inside = (
        (lambda x: ((x / half) ** 2).sum(axis=1) < 1.0) if shape == "ellipsoid" else (lambda x: x[:, 0] < 9)
    )
    volume, moment, integral = sampled(inside, -half, half, up, depth)
    whole = 8.0 * half.prod()
    assert exact.volume == pytest.approx(volume, abs=5e-3 * whole)
    np.testing.assert_allclose(list(exact.moment), moment, atol=5e-3 * whole)
    assert exact.depth == pytest.approx(integral, abs=5e-3 * whole)


def test_a_spar_heaves():
    """Draft 1 m, without added mass: sqrt(g / d) = 3.1321 rad/s."""
    spec = td.ModelSpec("spar")
    spec.add_body("spar", RHO * 0.01 * 1.0, inertia=(1, 1, 1))
    spec.add_joint("heave", "prismatic", None, "spar", axis=(0, 0, 1))
    td.Fluid(RHO, surface=0.0).surround(spec)
    spec.add_hull("hull", "spar", shape="box", size=(0.1, 0.1, 2.0))
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator="rk4", q=[0.01])
    sim.run(1.0)
    omega = math.sqrt(G / 1.0)
    assert omega == pytest.approx(3.1321, abs=5e-5)
    assert sim.q[0] == pytest.approx(0.01 * math.cos(omega), abs=1e-9)
    assert abs(sim.quality()["energy drift"]) < 1e-9


def test_a_box_rolls():
    """Beam 1 m, height 0.5 m, density 500: GM = 0.20833 m, 4.4294 rad/s without added inertia."""
    beam, height, length = 1.0, 0.5, 2.0
    mass = 500.0 * beam * height * length
    spec = td.ModelSpec("barge")
    spec.add_body("barge", mass, type="box", size=(length, beam, height))
    spec.add_joint("free", "free", None, "barge")
    td.Fluid(RHO, surface=0.0).surround(spec)
    spec.add_hull("hull", "barge", shape="box", size=(length, beam, height))
    angle = 1e-4
    model = spec.compile()
    sim = td.Simulation(model, q=[math.cos(angle / 2), math.sin(angle / 2), 0, 0, 0, 0, 0])
    omega = math.sqrt(-acceleration(sim)[0] / angle)
    assert math.sqrt(mass * G * 0.2083333 / (mass / 12.0 * (beam**2 + height**2))) == pytest.approx(
        4.4294, abs=5e-5
    )
    assert omega == pytest.approx(4.4294, abs=1e-4)


def test_the_energy_balance_of_a_floating_body_closes():
    rng = np.random.default_rng(3)
    spec = td.ModelSpec("buoy")
    spec.add_body("buoy", 20.0, center=(0, 0, -0.1), inertia=(1.0, 1.2, 0.8))
    spec.add_joint("free", "free", None, "buoy")
    td.Fluid(RHO, surface=0.0).surround(spec)
    spec.add_hull(
        "hull",
        "buoy",
        shape="box",
        size=(0.4, 0.4, 0.5),
        drag_coefficient=1.0,
        added_mass=(0.1, 0.1, 0, 5, 5, 9),
    )
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3, integrator="rk4", v=rng.uniform(-0.5, 0.5, 6))
    sim.run(3.0)
    quality = sim.quality()
    assert quality["work"] < -1e-3
    assert abs(quality["energy drift"]) < 1e-6 * abs(quality["work"])


def test_momentum_of_body_and_fluid_is_kept():
    """Kirchhoff: a body in an ideal fluid at rest keeps the momentum of both."""
    spec = td.ModelSpec("spheroid", gravity=(0, 0, 0))
    spec.add_body("hull", 50.0, center=(0.05, 0, 0.02), inertia=(1.0, 4.0, 4.5))
    spec.add_joint("free", "free", None, "hull")
    td.Fluid(RHO).surround(spec)
    spec.add_hull("shape", "hull", (0.02, 0.03, 0), size=(0.6, 0.2, 0.3))
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3, integrator="dopri853", v=[0.3, 0.5, -0.2, 1.0, 0.4, 0.1])
    before = td.momentum(model, sim.q, sim.v)
    energy = td.kinetic_energy(model, sim.q, sim.v)
    sim.run(10.0)
    np.testing.assert_allclose(td.momentum(model, sim.q, sim.v), before, atol=1e-9 * np.abs(before).max())
    assert td.kinetic_energy(model, sim.q, sim.v) == pytest.approx(energy, rel=1e-10)


def bluerov2(joint: str, axis=(1, 0, 0)) -> td.ModelSpec:
    """BlueROV2 Heavy on a joint, its centre of buoyancy 1 cm above that of mass."""
    spec = td.ModelSpec("bluerov2")
    spec.add_body("vehicle", 13.5, inertia=(0.26, 0.23, 0.37))
    spec.add_joint("joint", joint, None, "vehicle", axis=axis)
    td.Fluid(RHO).surround(spec)
    spec.add_hull(
        "hull", "vehicle", (0, 0, 0.01), shape="volume", volume=0.0134,
        added_mass=(0.186, 0.135, 0.222, 6.36, 7.12, 18.69), linear_drag=(0, 0.8, 0, 13.7, 0, 33),
        quadratic_drag=(1.19, 0.47, 1.5, 141, 217, 190),
    )  # fmt: skip
    return spec


def test_bluerov2_reaches_its_speed():
    spec = bluerov2("prismatic")
    spec.add_element("thrust", "load", ("vehicle",), force=(40.0, 0, 0))
    sim = td.Simulation(spec.compile(), dt=1e-2)
    sim.run(30.0)
    exact = (-13.7 + math.sqrt(13.7**2 + 4.0 * 141.0 * 40.0)) / (2.0 * 141.0)
    assert exact == pytest.approx(0.486, abs=5e-4)
    assert sim.v[0] == pytest.approx(exact, abs=1e-9)


def roll_rate(spec: td.ModelSpec) -> float:
    """Angular frequency of small turns about the joint."""
    return math.sqrt(-acceleration(td.Simulation(spec.compile(), q=[1e-5]))[0] / 1e-5)


def test_bluerov2_rolls():
    assert roll_rate(bluerov2("revolute")) == pytest.approx(1.72, abs=5e-3)


@pytest.mark.parametrize(("axis", "expected"), [((1, 0, 0), 6.207), ((0, 1, 0), 0.903)])
def test_remus_rolls_and_pitches(axis, expected):
    a, b, density = 0.8, 0.095, 1026.0
    mass = density * 4.0 / 3.0 * math.pi * a * b**2
    assert mass == pytest.approx(31.03, abs=5e-3)
    spec = td.ModelSpec("remus")
    across = mass * (a**2 + b**2) / 5.0
    along = 0.4 * mass * b**2
    spec.add_body("hull", mass, center=(0, 0, -0.02), inertia=(along, across, across))
    spec.add_joint("joint", "revolute", None, "hull", axis=axis)
    td.Fluid(density).surround(spec)
    A = ellipsoid_added_mass((a, b, b), density)
    # the rudders and the fluid that they move about the long axis
    A[0, 0] = 0.3 * along
    spec.add_hull("shape", "hull", size=(a, b, b), added_mass=A)
    assert roll_rate(spec) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_of_five_against_maximal_coordinates(seed):
    """Ball-jointed spheroids: accelerations from the bodies' own equations and the joints' constraints."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("chain", gravity=rng.uniform(-9, 9, 3))
    pins = [np.zeros(3), *rng.uniform(-0.5, 0.5, (4, 3))]
    td.Fluid(RHO).surround(spec)
    for k in range(5):
        spec.add_body(f"b{k}", 5.0, center=rng.uniform(-0.1, 0.1, 3), inertia=(0.1, 0.2, 0.25))
        spec.add_joint(f"j{k}", "ball", f"b{k - 1}" if k else None, f"b{k}", position=pins[k])
        spec.add_hull(f"h{k}", f"b{k}", rng.uniform(-0.2, 0.2, 3), size=rng.uniform(0.1, 0.3, 3))
    model = spec.compile()
    q = np.concatenate([joint.type.sample(rng) for joint in model.joints])
    v = rng.uniform(-2, 2, model.nv)
    expected = maximal_acceleration(model, q, v, pins)
    np.testing.assert_allclose(td.forward_dynamics(model, q, v, np.zeros(15)), expected, rtol=1e-9, atol=1e-9)


def maximal_acceleration(model, q, v, pins) -> np.ndarray:
    """Joint accelerations of a chain on ball joints, without buoyancy and drag."""

    def skew(a):
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    n = len(model.bodies)
    poses = [td.frame_pose(model, q, body.name) for body in model.bodies]
    R = [X[:3, :3] for X in poses]
    omega, linear = [], []
    for k in range(n):
        turned = R[k].T @ R[k - 1] if k else R[k].T
        before = (turned @ omega[k - 1]) if k else np.zeros(3)
        carried = turned @ (linear[k - 1] + np.cross(omega[k - 1], pins[k])) if k else np.zeros(3)
        omega.append(before + v[3 * k : 3 * k + 3])
        linear.append(carried)
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    J, gamma = np.zeros((3 * n, 6 * n)), np.zeros(3 * n)
    for k, body in enumerate(model.bodies):
        I, part = body.inertia, slice(6 * k, 6 * k + 6)
        h = np.array(list(I.moment))
        rigid = np.block([[np.array(I.rotational.to_rows()), skew(h)], [skew(h).T, I.mass * np.eye(3)]])
        M[part, part] = rigid + np.array(I.added.to_matrix())
        w, u = omega[k], linear[k]
        p = M[part, part] @ np.concatenate([w, u])
        g = R[k].T @ np.array(model.gravity)
        f[part] = np.concatenate([np.cross(h, g), I.mass * g])
        f[part] -= np.concatenate([np.cross(w, p[:3]) + np.cross(u, p[3:]), np.cross(w, p[3:])])
        # acceleration of the origin in the world, less that of the pin in the body before
        rows = slice(3 * k, 3 * k + 3)
        J[rows, 6 * k + 3 : 6 * k + 6] = R[k]
        gamma[rows] = R[k] @ np.cross(w, u)
        if k:
            w0, u0, pin = omega[k - 1], linear[k - 1], pins[k]
            J[rows, 6 * k - 3 : 6 * k] = -R[k - 1]
            J[rows, 6 * k - 6 : 6 * k - 3] = R[k - 1] @ skew(pin)
            gamma[rows] -= R[k - 1] @ np.cross(w0, u0 + np.cross(w0, pin))
    system = np.block([[M, -J.T], [J, np.zeros((3 * n, 3 * n))]])
    a = np.linalg.solve(system, np.concatenate([f, -gamma]))[: 6 * n].reshape(n, 6)
    result = []
    for k in range(n):
        turned = R[k].T @ R[k - 1] if k else np.zeros((3, 3))
        before = (turned @ a[k - 1, :3], turned @ omega[k - 1]) if k else (np.zeros(3), np.zeros(3))
        result.append(a[k, :3] - before[0] + np.cross(v[3 * k : 3 * k + 3], before[1]))
    return np.concatenate(result)


def test_mistakes_are_named():
    with pytest.raises(td.InputError, match="must not be negative"):
        td.Fluid(-1.0)
    spec = td.ModelSpec("m", settings={"fluid": {"densty": 3.0}})
    spec.add_body("b", 1.0, inertia=(1, 1, 1))
    spec.add_joint("j", "free", None, "b")
    spec.add_hull("h", "b", size=(1, 1, 1))
    with pytest.raises(td.InputError, match="needs a table of density"):
        spec.compile()


def mesh_of(shape: str, size, subdivisions: int = 1) -> dict:
    """A box or an ellipsoid as a mesh."""
    if shape == "box":
        mesh = trimesh.creation.box(extents=size)
        return {"shape": "mesh", "points": mesh.vertices.tolist(), "triangles": mesh.faces.tolist()}
    mesh = trimesh.creation.icosphere(subdivisions=subdivisions)
    return {"shape": "mesh", "points": (mesh.vertices * size).tolist(), "triangles": mesh.faces.tolist()}


def floating(**hull) -> td.Simulation:
    spec = td.ModelSpec("floating")
    spec.add_body("body", 300.0, center=(0.02, 0.01, -0.05), inertia=(30, 90, 100))
    spec.add_joint("free", "free", None, "body", position=(0, 0, 0.03))
    td.Fluid(1000.0, surface=0.0).surround(spec)
    spec.add_hull("hull", "body", drag_coefficient=0.8, added_mass=(0,) * 6, **hull)
    return td.Simulation(spec.compile(), 1e-3, "rk4", v=[0.3, 0.5, 0.1, 0.2, 0.4, -0.3])


def test_a_mesh_of_a_box_floats_as_the_box():
    size = (2.0, 1.0, 0.5)
    box, mesh = floating(shape="box", size=size), floating(**mesh_of("box", size))
    for sim in (box, mesh):
        sim.run(1.0)
    np.testing.assert_allclose(mesh.q, box.q, atol=1e-10)
    np.testing.assert_allclose(mesh.v, box.v, atol=1e-9)


def test_a_mesh_floats_where_its_immersed_volume_says():
    """A ball of triangles, half as heavy as the water: it rests with half of it immersed."""
    hull = mesh_of("ellipsoid", (0.4, 0.4, 0.4))
    volume = mesh_volume(hull["points"], hull["triangles"])
    spec = td.ModelSpec("ball")
    spec.add_body("ball", 500.0 * volume, inertia=(1, 1, 1))
    spec.add_joint("heave", "prismatic", None, "ball", position=(0, 0, 0.2))
    td.Fluid(1000.0, surface=0.0).surround(spec)
    spec.add_hull("hull", "ball", linear_drag=(0, 0, 0, 0, 0, 400), **hull)
    sim = td.Simulation(spec.compile(), dt=1e-2)
    sim.run(40.0)
    assert sim.body("ball").position[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda mesh: mesh["triangles"].pop(), "not closed"),
        (lambda mesh: mesh.update(triangles=[row[::-1] for row in mesh["triangles"]]), "inside out"),
        (lambda mesh: mesh["points"].pop(), "numbers"),
    ],
)
def test_meshes_that_are_no_hulls_are_refused(change, match):
    mesh = mesh_of("box", (1, 1, 1))
    change(mesh)
    with pytest.raises(td.ModelError, match=match):
        floating(**mesh)


def test_a_machine_that_was_described_is_in_its_fluid_still():
    """What follows from the fluid is not written down with the hull: another fluid changes it."""
    spec = describe(ball(7850.0))
    assert not {"density", "added_mass", "current", "volume", "gravity"} & set(spec.elements[0].parameters)
    td.Fluid(500.0).surround(spec)
    parameters = spec.compile().elements[0].parameters
    assert parameters["density"] == 500.0
    assert parameters["added_mass"][3][3] == pytest.approx(250.0 * parameters["volume"])
