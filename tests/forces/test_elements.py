"""Every type of force element: what must hold for all of them, and closed forms of each."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from tests.machines import random_rotation, random_spec, random_state
from tests.numeric import central
from treadle.forces.element import ForceElement, pair_wrenches, relative_motion
from treadle.forces.elements import ELEMENTS
from treadle.forces.elements.torsion import TorsionSpring
from treadle.forces.frame_law import potential_wrenches
from treadle.forces.frames import FrameMotion
from treadle.forces.line import line_forces
from treadle.integrators import System
from treadle.model.elements import ELEMENT_TYPES, ElementSpec
from treadle.model.validate_elements import element_parameters
from treadle.spatial import Force, Mat3, Vec3


def parameters_of(kind: str, rng: np.random.Generator) -> dict:
    """Random parameters of an element."""

    def six() -> list:
        root = rng.uniform(-1.0, 1.0, (6, 6))
        return (root @ root.T).tolist()

    values = {
        "spring": lambda: {"stiffness": 5.0, "damping": 0.7, "length": 0.4, "pretension": rng.uniform(-1, 1)},
        "torsion_spring": lambda: {
            "axis": rng.uniform(-1, 1, 3), "stiffness": 3.0, "damping": 0.4, "angle": rng.uniform(-1, 1),
            "preload": rng.uniform(-1, 1),
        },
        "bushing": lambda: {"stiffness": six(), "damping": six()},
        "load": lambda: {"force": rng.uniform(-1, 1, 3), "torque": rng.uniform(-1, 1, 3), "axes": "body"},
        "gravity": lambda: {
            "mass": 2.0, "uniform": rng.uniform(-1, 1, 3), "center": (3, 0, 0), "parameter": 5.0,
        },
        "charge_pair": lambda: {
            "strength": rng.uniform(-2, 2), "exponent": rng.choice([1.0, 2.0, 4.0]), "radius": 0.1,
        },
        "hull": lambda: {
            "shape": str(rng.choice(["ellipsoid", "box"])), "size": rng.uniform(0.3, 1.0, 3), "volume": 0.3,
            "density": 3.0, "viscosity": 0.1, "surface": 0.1, "gravity": (0.0, 0.0, -2.0),
            "current": (0.0, 0.0, 0.0), "added_mass": six(), "linear_drag": six(), "drag_coefficient": 0.5,
            "quadratic_drag": rng.uniform(0, 1, 6),
        },
        "propeller": lambda: {
            "axis": rng.uniform(-1, 1, 3), "diameter": 0.3, "thrust": (0.4, -0.3), "torque": (0.05, -0.04),
            "wake": 0.1, "density": 3.0, "current": rng.uniform(-1, 1, 3),
        },
        "mujoco_fluid": lambda: {
            "model": str(rng.choice(["ellipsoid", "box"])), "size": rng.uniform(0.1, 0.5, 3), "density": 3.0,
            "viscosity": 0.1, "current": rng.uniform(-1, 1, 3), "added_mass": rng.uniform(0, 1, 6),
        },
        "foil": lambda: {"area": 0.4, "drag": (0.02, 1.0), "density": 3.0, "current": rng.uniform(-1, 1, 3)},
        "wind": lambda: {"velocity": rng.uniform(-3, 3, 3), "drag_area": 0.8},
    }  # fmt: skip
    return element_parameters(ElementSpec("x", kind, (None,), (), values[kind]()))


def random_frame(rng: np.random.Generator) -> FrameMotion:
    rows = random_rotation(rng).tolist()
    position, spin, velocity = (Vec3(*rng.uniform(-1, 1, 3).tolist()) for _ in range(3))
    return FrameMotion(Mat3.of(rows), position, spin, velocity)


def moved(frame: FrameMotion, turn: np.ndarray, shift: np.ndarray) -> FrameMotion:
    """The frame turned by a rotation vector and shifted."""
    angle = float(np.linalg.norm(turn))
    K = np.array(Mat3.skew(Vec3(*(turn / angle))).to_rows())
    R = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    rows = R @ np.array(frame.rotation.to_rows(), dtype=float)
    return FrameMotion(Mat3.of(rows.tolist()), frame.position + Vec3(*shift.tolist()), Vec3(), Vec3())


def bound(kind: str, seed: int) -> tuple[ForceElement, list[FrameMotion], np.random.Generator]:
    rng = np.random.default_rng(seed)
    law = ELEMENTS[kind](**parameters_of(kind, rng))
    return law, [random_frame(rng) for _ in range(ELEMENT_TYPES[kind].frames)], rng


def test_every_type_has_a_law():
    assert list(ELEMENTS) == list(ELEMENT_TYPES)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ELEMENTS)
def test_the_conservative_part_is_the_gradient_of_the_energy(kind, seed):
    law, frames, rng = bound(kind, seed)
    wrenches = law.conservative(*frames) or [Force.zero()] * len(frames)
    for k in range(len(frames)):
        turn, shift = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)

        def energy(s: float, k=k, turn=turn, shift=shift) -> float:
            there = list(frames)
            there[k] = moved(frames[k], s * turn, s * shift)
            return law.energy(*there)

        power = Vec3(*turn).dot(wrenches[k].angular) + Vec3(*shift).dot(wrenches[k].linear)
        assert power == pytest.approx(-float(central(energy, 1e-4)), abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ELEMENTS)
def test_the_gradient_on_the_graph_is_the_same(kind, seed):
    law, frames, _ = bound(kind, seed)
    expected = law.conservative(*frames) or [Force.zero()] * len(frames)
    for one, other in zip(potential_wrenches(law.energy, frames), expected, strict=True):
        np.testing.assert_allclose(list(one), list(other), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [kind for kind, law in ELEMENTS.items() if law.relative])
def test_action_is_reaction_and_dampers_take_energy(kind, seed):
    law, frames, _ = bound(kind, seed)
    for wrenches in (law.conservative(*frames), law.other(*frames, time=0.0)):
        total = Force.zero()
        for frame, wrench in zip(frames, wrenches):
            total = total + Force(wrench.angular + frame.position.cross(wrench.linear), wrench.linear)
        np.testing.assert_allclose(list(total), np.zeros(6), atol=1e-12)
    power = sum(
        frame.angular_velocity.dot(wrench.angular) + frame.velocity.dot(wrench.linear)
        for frame, wrench in zip(frames, law.other(*frames, time=0.0))
    )
    assert power <= 1e-12


def axial_slopes(law: ForceElement, frame: FrameMotion) -> tuple[float, float]:
    """Torque per turning rate without advance, thrust per speed of advance, about the axis of a propeller."""
    axis, step = frame.rotation.apply(Vec3(*law.axis)), 1e-4
    found = []
    for part in ("angular_velocity", "velocity"):
        values = []
        for h in (step, -step):
            still = replace(frame, velocity=Vec3(*law.current)) if part == "angular_velocity" else frame
            changed = replace(still, **{part: getattr(still, part) + axis * h})
            (wrench,) = law.other(changed, time=0.0)
            values.append(axis.dot(wrench.angular if part == "angular_velocity" else wrench.linear))
        found.append((values[0] - values[1]) / (2.0 * step))
    return found[0], found[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ELEMENTS)
def test_the_implicit_part_is_that_of_the_damper_and_not_negative(kind, seed):
    law, frames, _ = bound(kind, seed)
    linear = law.linear(*frames)
    if linear is None:
        return
    both = (linear.stiffness or np.zeros((6, 6)), linear.damping)
    K, D = (np.array(matrix, dtype=float) for matrix in both)
    for matrix in (K, D):
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
        assert np.linalg.eigvalsh(matrix).min() > -1e-12
    if kind == "propeller":
        # it drives as well as it damps: D are the slopes by the turning rate and by the speed of advance
        slopes = axial_slopes(law, frames[0])
        axis = np.array(list(frames[0].rotation.apply(Vec3(*law.axis))))
        np.testing.assert_allclose(axis @ D[:3, :3] @ axis, -slopes[0], rtol=1e-6)
        np.testing.assert_allclose(axis @ D[3:, 3:] @ axis, max(-slopes[1], 0.0), rtol=1e-6, atol=1e-9)
        return
    rate = np.array(list(relative_motion(frames)))
    expected = pair_wrenches(frames, Force.of((-D @ rate).tolist()))
    for one, other in zip(law.other(*frames, time=0.0), expected, strict=True):
        np.testing.assert_allclose(list(one), list(other), atol=1e-12)


def free_body(gravity=(0, 0, 0), **options) -> td.ModelSpec:
    spec = td.ModelSpec("body", gravity=gravity)
    spec.add_body("body", 2.0, inertia=(0.3, 0.4, 0.5), **options)
    spec.add_joint("free", "free", None, "body")
    return spec


def test_a_torsion_spring_swings_about_its_axis():
    spec = free_body()
    spec.add_element("spring", "torsion_spring", (None, "body"), axis=(0, 0, 2), stiffness=8.0, angle=0.3)
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator="rk4")
    sim.run(1.0)
    angle = 0.3 * (1.0 - np.cos(np.sqrt(8.0 / 0.5)))
    assert 2.0 * np.arctan2(sim.q[3], sim.q[0]) == pytest.approx(angle, abs=1e-9)


def test_a_torsion_spring_lets_its_axis_turn_over():
    """The angle has no meaning where the axis is reversed: there is no moment there, and no energy."""
    given = parameters_of("torsion_spring", np.random.default_rng(0)) | {"axis": (0.0, 0.0, 1.0)}
    law = TorsionSpring(**given)
    first = FrameMotion(Mat3.identity(), Vec3(), Vec3(), Vec3())
    largest = []
    for tilt in (0.0, 0.49 * np.pi, 0.7 * np.pi, 0.99 * np.pi, (1.0 - 1e-6) * np.pi, np.pi):
        s, c = np.sin(tilt), np.cos(tilt)
        over = Mat3.of([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        second = FrameMotion(over, Vec3(), Vec3(1.0, 2.0, 3.0), Vec3())
        wrenches = [*law.conservative(first, second), *law.other(first, second, time=0.0)]
        largest.append(max(abs(x) for wrench in wrenches for x in wrench))
    assert np.isfinite(largest).all()
    assert max(largest) < 4.0 * largest[0]
    assert law.energy(first, second) == pytest.approx(0.0, abs=1e-12)


def test_a_bushing_holds_the_weight():
    spec = free_body(gravity=(0, 0, -9.81))
    stiffness, damping = (50, 50, 50, 1e3, 1e3, 2e3), (5, 5, 5, 100, 100, 100)
    spec.add_element("bearing", "bushing", (None, "body"), stiffness=stiffness, damping=damping)
    sim = td.Simulation(spec.compile(), dt=1e-2)
    sim.run(10.0)
    np.testing.assert_allclose(sim.q[4:], (0, 0, -2.0 * 9.81 / 2e3), atol=1e-9)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_a_load_that_varies_in_time(integrator):
    """m x'' = F (1 + a sin(w t)) from rest."""
    spec = free_body()
    spec.add_element("push", "load", ("body",), force=(4.0, 0, 0), amplitude=0.5, frequency=3.0)
    dt = 1e-4
    sim = td.Simulation(spec.compile(), dt=dt, integrator=integrator)
    sim.run(2.0)
    speed = 2.0 * (2.0 + 0.5 / 3.0 * (1.0 - np.cos(6.0)))
    assert sim.v[3] == pytest.approx(speed, abs=1e-10 if integrator == "rk4" else 4.0 * dt)
    assert abs(sim.quality()["energy drift"]) < (1e-8 if integrator == "rk4" else 1e-2)


def test_a_satellite_keeps_its_orbit():
    spec = free_body()
    spec.add_element("planet", "gravity", ("body",), parameter=4.0)
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-2, integrator="dopri853", q=[1, 0, 0, 0, 1, 0, 0], v=[0, 0, 0, 0, 2, 0])
    sim.run(10.0 * np.pi)
    np.testing.assert_allclose(sim.q[4:6], (np.cos(62.83), np.sin(62.83)), atol=0.02)
    assert np.linalg.norm(sim.q[4:]) == pytest.approx(1.0, abs=1e-9)
    assert abs(sim.quality()["energy drift"]) < 1e-9


def test_a_falling_ball_reaches_its_terminal_speed():
    spec = free_body(gravity=(0, 0, -9.81))
    spec.add_element("air", "wind", ("body",), drag_area=0.2, velocity=(3.0, 0, 0))
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator="rk4")
    sim.run(60.0)
    np.testing.assert_allclose(
        sim.v[3:], (3.0, 0.0, -np.sqrt(2 * 2.0 * 9.81 / (1.225 * 0.2))), rtol=1e-6, atol=1e-6
    )


def spring_energy(hook, body):
    r = body.position - hook.position
    return 20.0 * (td.sqrt(r.dot(r)) - 0.5) ** 2


@td.force_element(None, "body", energy=spring_energy)
def spring(hook, body, t):
    return {"body": (body.velocity * -0.3, body.angular_velocity * -0.1)}


def test_a_law_over_frames_is_the_element_that_it_describes():
    by_law = free_body(gravity=(0, 0, -9.81)).compile()
    element = free_body(gravity=(0, 0, -9.81))
    element.add_spring("spring", None, "body", stiffness=40.0, length=0.5)
    runs = []
    drags = {"laws": [drag]}
    for model, options in ((by_law, {"laws": [spring]}), (element.compile(), drags)):
        sim = td.Simulation(
            model, dt=1e-3, integrator="rk4", q=[1, 0, 0, 0, 0.4, 0.1, 0.2], v=[1, 2, 3, 0, 0, 1], **options
        )
        sim.run(1.0)
        assert abs(sim.quality()["energy drift"]) < 1e-8
        runs.append(sim.q.copy())
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-12)


@td.force_element("body")
def drag(body, t):
    return {"body": (body.velocity * -0.3, body.angular_velocity * -0.1)}


def test_what_a_law_over_frames_may_not_return():
    model = free_body().compile()
    for wrong, message in (
        (lambda body, t: [1.0], "must return forces by frame name"),
        (lambda body, t: {"hand": (1.0, 0.0, 0.0)}, "which it does not name"),
        (lambda body, t: {"body": 1.0}, "must give three numbers"),
    ):
        with pytest.raises(td.InputError, match=message):
            td.Simulation(model, laws=[td.force_element("body")(wrong)]).step()
    with pytest.raises(td.InputError, match="needs the names"):
        td.force_element(None)(lambda world, t: {})


@pytest.mark.parametrize("seed", range(4))
def test_elements_along_a_line_are_the_same_as_joint_forces_and_as_loads(seed):
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, 6, ("revolute", "prismatic", "universal", "ball"))
    names = [None, *[body.name for body in spec.bodies]]
    for k in range(8):
        first, second = rng.choice(len(names), 2, replace=False)
        ends = rng.uniform(-1.0, 1.0, (2, 3)).tolist()
        options = {"stiffness": 30.0, "damping": 2.0, "length": 0.4, "acts": ("both", "tension")[k % 2]}
        spec.add_spring(f"s{k}", names[first], names[second], *ends, **options)
        spec.add_element(
            f"c{k}", "charge_pair", (names[first], names[second]), ends, strength=0.3, radius=0.1
        )
    model = spec.compile()
    q, v, tau = random_state(model, rng)
    assert line_forces(model, q, v)
    found = [System(model, tau, as_loads=loads).acceleration(q, v, 0.0) for loads in (False, True)]
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)
