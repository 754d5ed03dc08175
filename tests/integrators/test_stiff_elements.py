"""Stiff springs and dampers as force elements, in machines with branches and loops."""

import math

import numpy as np
import pytest

import treadle as td


def governor() -> td.Model:
    """The stiff flyball governor (IFToMM library, A05): spring-dampers stand for its coupler rods."""
    spec = td.ModelSpec("governor", gravity=(0, -9.81, 0))
    spec.add_body("shaft", 0.3, center=(0, -0.5, 0), type="box", size=(0.01, 1.0, 0.01))
    spec.add_joint("spin", "revolute", None, "shaft", axis=(0, 1, 0))
    spec.add_body("slider", 3.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("slide", "prismatic", "shaft", "slider", axis=(0, 1, 0), position=(0, -1, 0))
    for k, side in ((1, 1.0), (2, -1.0)):
        spec.add_body(f"rod{k}", 0.3, center=(0.5 * side, 0, 0), type="box", size=(1.0, 0.01, 0.01))
        spec.add_joint(f"hinge{k}", "revolute", "shaft", f"rod{k}", axis=(0, 0, -side))
        spec.add_body(f"ball{k}", 5.0)
        spec.add_joint(f"fix{k}", "fixed", f"rod{k}", f"ball{k}", position=(side, 0, 0))
        ends = (0, 0, 0), (0.5 * side, 0, 0)
        spec.add_spring(f"s{k}", "slider", f"rod{k}", *ends, stiffness=8e5, damping=4e4, length=0.5)
    positions = {"hinge1": math.pi / 6, "hinge2": math.pi / 6, "slide": 0.5}
    spec.add_keyframe("initial", positions, velocities={"spin": 2.0 * math.pi})
    return spec.compile()


def heights(sim: td.Simulation, seconds: float = 1.0) -> np.ndarray:
    found = []
    for _ in range(round(10 * seconds)):
        sim.run(0.1)
        found.append(sim.joint("slide").position)
    return np.array(found)


def test_the_governor():
    model = governor()
    exact = heights(td.Simulation(model, 1e-3, "dopri853"), 10.0)
    errors = {}
    for integrator, dt in (
        ("symplectic_euler", 1e-3),
        ("symplectic_euler", 5e-4),
        ("implicit_midpoint", 1e-3),
        ("implicit_midpoint", 5e-4),
        ("variational4", 1e-3),
    ):
        errors[integrator, dt] = np.abs(heights(td.Simulation(model, dt, integrator), 10.0) - exact)
    assert errors["symplectic_euler", 1e-3].max() < 1e-3
    assert errors["symplectic_euler", 5e-4].max() < 0.6 * errors["symplectic_euler", 1e-3].max()
    midpoint = errors["implicit_midpoint", 1e-3]
    assert rms(midpoint) < 1e-5
    assert midpoint[:10].max() < 2e-6
    # at its largest it is the rule's own phase error, in this program and in one written by hand
    assert midpoint.max() == pytest.approx(midpoint_error(exact), rel=1e-4)
    assert midpoint.max() == pytest.approx(phase_error(exact, 1e-3, 10.0), rel=0.05)
    assert errors["implicit_midpoint", 5e-4].max() < 1e-5
    assert errors["variational4", 1e-3].max() < 2e-6


def rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x**2)))


def phase_error(exact: np.ndarray, dt: float, time: float) -> float:
    """Of an oscillation by the midpoint rule, in any coordinates and with any start, at its steepest.

    The rule turns a swing of the frequency w by 2 atan(w h / 2) a step instead of w h: after t seconds the
    phase is w^3 h^2 t / 12 behind, and the amplitude a times this is the error of the position.
    """
    around = exact - 0.5 * (exact.max() + exact.min())
    up = np.flatnonzero((around[:-1] < 0.0) & (around[1:] >= 0.0))
    crossings = 0.1 * (up - around[up] / (around[up + 1] - around[up]))
    w = 2.0 * math.pi / np.diff(crossings).mean()
    return 0.5 * (exact.max() - exact.min()) * w**3 * dt**2 * time / 12.0


def midpoint_error(exact: np.ndarray) -> float:
    """Of the implicit midpoint rule on the governor by hand: its spin, the angle of its rods, its slider."""
    k, c, g, arm = 8e5, 4e4, 9.81, 5.0 + 0.3 / 4.0 + 0.3 * 1.0001 / 12.0
    rest, long = 5e-6 + 0.005, 0.3 * 2e-4 / 12.0

    def rate(y: np.ndarray) -> np.ndarray:
        angle, height, spin, angle_rate, height_rate = y
        sine, cosine = math.sin(angle), math.cos(angle)
        about = rest + 2.0 * (arm * cosine**2 + long * sine**2)
        slope = 4.0 * (long - arm) * sine * cosine
        x, z = 0.5 * cosine, height - 1.0 + 0.5 * sine
        l = math.hypot(x, z)
        by_angle, by_height = 0.5 * (z * cosine - x * sine) / l, z / l
        pull = k * (l - 0.5) + c * (by_angle * angle_rate + by_height * height_rate)
        on_angle = 2.0 * g * 5.15 * cosine - 2.0 * pull * by_angle + 0.5 * slope * spin**2
        on_height = -3.0 * g - 2.0 * pull * by_height
        accelerations = -slope * angle_rate * spin / about, on_angle / (2.0 * arm), on_height / 3.0
        return np.array([angle_rate, height_rate, *accelerations])

    h, y, found = 1e-3, np.array([math.pi / 6.0, 0.5, 2.0 * math.pi, 0.0, 0.0]), []
    for n in range(1, 10_001):
        middle = y.copy()
        if n % 50 == 1:
            # the slope of the rule, which hardly changes
            columns = [(rate(y + e) - rate(y - e)) / 2e-6 for e in 1e-6 * np.eye(5)]
            inverse = np.linalg.inv(np.eye(5) - 0.5 * h * np.array(columns).T)
        for _ in range(30):
            change = inverse @ (y + 0.5 * h * rate(middle) - middle)
            middle = middle + change
            if np.abs(change).max() < 1e-15:
                break
        y = 2.0 * middle - y
        if n % 100 == 0:
            found.append(y[1])
    return float(np.abs(np.array(found) - exact).max())


def test_the_governor_is_stable_at_10_ms():
    sim = td.Simulation(governor(), dt=1e-2)
    lengths = []
    for _ in range(100):
        sim.run(0.1)
        ends = sim.body("slider").position, sim.body("rod1").position
        middle = ends[1] + 0.5 * (sim.body("ball1").position - ends[1])
        lengths.append(np.linalg.norm(middle - ends[0]))
    assert np.abs(np.array(lengths) - 0.5).max() < 2e-2
    assert 0.2 < sim.joint("slide").position < 0.9


@pytest.mark.parametrize("damping", [0.0, 1e4])
def test_a_four_bar_hung_on_the_stiffest_springs(damping):
    """1e8 N/m at 10 ms: the frame stays where it hangs, and the bars swing on."""
    spec = td.ModelSpec("hung")
    spec.add_body("base", 5.0, inertia=(1, 1, 1))
    spec.add_joint("free", "free", None, "base")
    for name, x in (("left", -0.5), ("right", 0.5)):
        spec.add_body(name, 1.0, center=(0, 0, -0.25), inertia=(0.05, 0.05, 0.01))
        spec.add_joint(name, "revolute", "base", name, axis=(0, 1, 0), position=(x, 0, 0))
    spec.add_body("coupler", 2.0, center=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2))
    spec.add_joint("pin", "revolute", "left", "coupler", axis=(0, 1, 0), position=(0, 0, -0.5))
    pin = {"position": (0, 0, -0.5), "child_position": (1, 0, 0)}
    spec.add_joint("close", "revolute", "right", "coupler", axis=(0, 1, 0), **pin)
    for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
        ends = (2 * x, 2 * y, 2), (0.5 * x, 0.5 * y, 0)
        spec.add_spring(f"s{k}", None, "base", *ends, stiffness=1e8, damping=damping)
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-2)
    for name, rate in (("left", 1.0), ("right", 1.0), ("pin", -1.0)):
        sim.joint(name).velocity = rate
    # four springs leave the frame two small motions free, in which it sways with the bars
    for _ in range(50):
        sim.run(0.2)
        for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
            anchor = sim.body("base").pose @ np.array([0.5 * x, 0.5 * y, 0.0, 1.0])
            length = np.linalg.norm(anchor[:3] - np.array([2.0 * x, 2.0 * y, 2.0]))
            assert length == pytest.approx(model.elements[k].parameters["length"], abs=1e-5)
    assert abs(sim.joint("left").position) < 0.5


def test_a_damper_that_nothing_resolves():
    """A damper of 1e9 N s/m between two sliders makes them one."""
    spec = td.ModelSpec("pair", gravity=(0, 0, 0))
    for k in range(2):
        spec.add_body(f"b{k}", 1.0 + k, inertia=(1, 1, 1))
        spec.add_joint(f"j{k}", "prismatic", None, f"b{k}", axis=(1, 0, 0), position=(k, 0, 0))
    spec.add_spring("damper", "b0", "b1", damping=1e9)
    sim = td.Simulation(spec.compile(), dt=1e-2, v=[3.0, 0.0])
    sim.step(2)
    np.testing.assert_allclose(sim.v, [1.0, 1.0], atol=1e-6)


@pytest.mark.parametrize("stiffness", [200.0, 2e3])
def test_a_spring_pulls_what_is_in_contact(stiffness):
    """Two boxes on the ground, tied together: the tie holds them while one is pushed."""
    spec = td.ModelSpec("boxes")
    spec.add_material("ice", friction=0.0)
    spec.add_shape("ground", None, "plane", role="collision", material="ice")
    for k in range(2):
        spec.add_body(f"b{k}", 1.0, inertia=(0.01, 0.01, 0.01))
        spec.add_joint(f"j{k}", "free", None, f"b{k}", position=(k, 0, 0.1))
        spec.add_shape(f"box{k}", f"b{k}", "box", (0.2, 0.2, 0.2), role="collision", material="ice")
    spec.add_spring("tie", "b0", "b1", stiffness=stiffness, damping=math.sqrt(stiffness), length=1.0)
    sim = td.Simulation(spec.compile(), dt=5e-3)
    assert sim.contact
    sim.apply_force("b1", force=(2.0, 0, 0))
    sim.run(2.0)
    gap = sim.body("b1").position[0] - sim.body("b0").position[0]
    assert gap == pytest.approx(1.0 + 1.0 / stiffness, abs=1e-5)
    np.testing.assert_allclose(sim.v[[3, 9]], 2.0, atol=2e-2)
    assert sim.body("b0").position[2] == pytest.approx(0.1, abs=1e-5)


def test_a_stiff_spring_to_the_world_holds_what_is_in_contact():
    """A box stands on the ground and is pulled aside against 1e8 N/m, at 10 ms."""
    spec = td.ModelSpec("box")
    spec.add_material("ice", friction=0.0)
    spec.add_shape("ground", None, "plane", role="collision", material="ice")
    spec.add_body("box", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("free", "free", None, "box", position=(1, 0, 0.1))
    spec.add_shape("box", "box", "box", (0.2, 0.2, 0.2), role="collision", material="ice")
    spec.add_spring("tie", None, "box", (0, 0, 0.1), stiffness=1e8, damping=1e4, length=1.0)
    sim = td.Simulation(spec.compile(), dt=1e-2)
    assert sim.contact
    sim.apply_force("box", force=(2.0, 0, 0))
    sim.run(1.0)
    np.testing.assert_allclose(sim.body("box").position, (1.0 + 2e-8, 0.0, 0.1), atol=1e-6)
