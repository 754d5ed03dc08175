"""Elements with formulas: laws of springs, loads over time, wind by place; and random users' laws."""

import math

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from treadle.forces.elements.spring import Spring
from treadle.forces.frames import FrameMotion
from treadle.forces.law import law_force
from treadle.forces.stiff_law import law_slopes
from treadle.spatial import Mat3, Vec3


def ball(**joint) -> td.ModelSpec:
    spec = td.ModelSpec("ball", gravity=(0, 0, 0))
    spec.add_body("ball", 2.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("slide", "prismatic", None, "ball", axis=(1, 0, 0), **joint)
    return spec


def hardening(x, v):
    return 300.0 * x**3 + 4.0 * td.tanh(v / 0.5)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint"])
def test_a_spring_with_a_law_is_the_force_law(integrator):
    spec = ball()
    spec.add_spring("tie", None, "ball", (-1, 0, 0), stiffness=50.0, length=1.0, law=hardening)
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator=integrator, v=[1.5])

    def law(q, v, t):
        return {"slide": -50.0 * q["slide"] - hardening(q["slide"], v["slide"])}

    other = td.Simulation(ball().compile(), dt=1e-3, integrator=integrator, laws=[law], v=[1.5])
    for one in (sim, other):
        one.run(1.0)
    # the default method takes the law of a spring that may be stiff at the end of its step
    close = 2e-2 if integrator == "symplectic_euler" else 1e-9
    np.testing.assert_allclose(sim.q, other.q, atol=close)
    if integrator == "rk4":
        assert sim.quality()["energy drift"] < 1e-6


def test_a_law_as_stiff_as_steel_at_10_ms():
    """A gap of 1 cm on either side between stops of 1e8 N/m, with their own damping."""
    spec = ball()
    spec.add_spring(
        "stops", None, "ball", (-1, 0, 0), length=1.0,
        law="1e8*(max(x-0.01,0)-max(-0.01-x,0)) + where(abs(x)<0.01,0,1e4*v)",
    )  # fmt: skip
    sim = td.Simulation(spec.compile(), dt=1e-2, v=[0.7])
    for _ in range(200):
        sim.step()
        assert abs(sim.q[0]) < 0.01 + 0.7 * 1e-2
        assert abs(sim.v[0]) < 0.71


def at(x: float, v: float) -> list[FrameMotion]:
    still = FrameMotion(Mat3.identity(), Vec3(), Vec3(), Vec3())
    return [still, FrameMotion(Mat3.identity(), Vec3(1.0 + x, 0.0, 0.0), Vec3(), Vec3(v, 0.0, 0.0))]


@pytest.mark.parametrize("seed", range(6))
def test_the_slopes_of_a_spring_with_a_law(seed):
    rng = np.random.default_rng(seed)
    spring = Spring(
        stiffness=3.0, damping=0.2, length=1.0, pretension=0.0, acts="both", table=(),
        law="9*x + 40*x**3 + 2*v + 5*v*abs(v) + 0.3*x*v",
    )  # fmt: skip
    x, v, e = *rng.uniform(0.1, 0.5, 2), 1e-6

    def tension(x: float, v: float) -> float:
        return float(spring.tension(1.0 + x, v, True))

    linear = spring.linear(*at(x, v))
    slopes = [
        (tension(x + e, v) - tension(x - e, v)) / (2 * e),
        (tension(x, v + e) - tension(x, v - e)) / (2 * e),
    ]
    assert linear.stiffness[3][3] == pytest.approx(slopes[0], rel=1e-6)
    assert linear.damping[3][3] == pytest.approx(slopes[1], rel=1e-6)
    pull = spring.other(*at(x, v), time=0.0)[1].linear + spring.conservative(*at(x, v))[1].linear
    assert pull.x == pytest.approx(-tension(x, v), rel=1e-12)


def test_loads_and_wind_over_time():
    spec = ball()
    spec.add_element("push", "load", ("ball",), force=("3*sin(2*t)", 0, "t"), torque=lambda t: (t, 0, 0))
    spec.add_element("air", "wind", ("ball",), velocity=("4+x", 0, 0), drag_area=0.1, density=1.2)
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3, integrator="rk4")

    x = v = 0.0

    def rate(t: float, x: float, v: float) -> tuple[float, float]:
        u = 4.0 + x - v
        return v, (3.0 * math.sin(2.0 * t) + 0.06 * abs(u) * u) / 2.0

    for n in range(1000):
        t, h = n * 1e-3, 1e-3
        k1 = rate(t, x, v)
        k2 = rate(t + h / 2, x + h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = rate(t + h / 2, x + h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = rate(t + h, x + h * k3[0], v + h * k3[1])
        x, v = (a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip((x, v), k1, k2, k3, k4))
    sim.run(1.0)
    assert sim.q[0] == pytest.approx(x, abs=1e-12)
    assert sim.v[0] == pytest.approx(v, abs=1e-12)


def test_formulas_survive_the_file(tmp_path):
    spec = ball()
    spec.add_spring("tie", None, "ball", (-1, 0, 0), law=hardening)
    spec.add_element("push", "load", ("ball",), force=("3*sin(2*t)", 0, 0))
    spec.add_element("air", "wind", ("ball",), velocity=("4+x", 0, 0), drag_area=0.1)
    model = spec.compile()
    td.save(model, tmp_path / "ball.toml")
    again = td.load(tmp_path / "ball.toml")
    assert [dict(x.parameters) for x in again.elements] == [dict(x.parameters) for x in model.elements]


@pytest.mark.parametrize(
    ("type", "given", "match"),
    [
        ("spring", {"law": "x + t"}, "'t', which is no part"),
        ("spring", {"law": "x + "}, "is no formula"),
        ("spring", {"law": "x", "acts": "tension"}, "acts both ways"),
        ("load", {"force": ("x", 0, 0)}, "'x', which is no part"),
        ("load", {"torque": ("t", 0)}, "three numbers or formulas"),
        ("wind", {"velocity": ("import os", 0, 0)}, "is no formula"),
    ],
)
def test_mistakes_are_named(type, given, match):
    spec = ball()
    frames = (None, "ball") if type == "spring" else ("ball",)
    spec.add_element("wrong", type, frames, **given)
    with pytest.raises(td.ModelError, match=match):
        spec.compile()


def random_law(rng: np.random.Generator, names: list[str | None]):
    """Forces and torques on two frames by arithmetic over what a law may see, and an energy."""
    a, b, c, d = rng.uniform(0.3, 2.0, 4).tolist()
    choice = int(rng.integers(4))

    def stored(first, second):
        r = second.position - first.position
        turned = first.rotation.apply_transposed(r)
        return (
            a * td.log(1.0 + r.dot(r)),
            b * turned.x * turned.y + td.cos(turned.z),
            c * td.sqrt(0.1 + r.dot(r)) + second.rotation.apply(Vec3(0.0, 0.0, 1.0)).z * d,
            td.exp(-a * r.dot(r)) + td.atan2(r.y, 2.0 + r.x * r.x),
        )[choice]

    @td.force_element(*names, energy=stored, stiff=True)
    def law(first, second, t):
        r, u = second.position - first.position, second.velocity - first.velocity
        w = second.angular_velocity - first.angular_velocity
        pull = u * (b + td.tanh(r.dot(r))) + u.cross(w) * c + r * td.where(u.x > 0.0, a, d)
        turn = w * a + first.rotation.apply(w) * (0.1 * td.sin(t))
        forces = {names[1]: (-pull, -turn)}
        return forces if names[0] is None else forces | {names[0]: (pull, turn)}

    return law


@pytest.mark.parametrize("seed", range(12))
def test_derivatives_of_random_laws(seed):
    """K and D of a law over frames against central differences."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, int(rng.integers(2, 5)), ("revolute", "prismatic", "ball", "free", "universal"))
    model = spec.compile()
    bodies = [None, *[body.name for body in spec.bodies]]
    first, second = sorted(rng.choice(len(bodies), 2, replace=False))
    law = random_law(rng, [bodies[first], bodies[second]])
    q, v, _ = (list(x) for x in random_state(model, rng))

    def force(q: list, v: list) -> np.ndarray:
        return np.array(law_force(model, law, q, v, 0.4), dtype=float)

    def moved(k: int, by: float) -> list:
        step = np.zeros(model.nv)
        step[k] = by
        return [x for j in model.joints for x in j.type.integrate(q[j.q], step[j.v].tolist())]

    K, D = (np.array(x, dtype=float) for x in law_slopes(model, law, q, v, 0.4))
    e = 1e-6
    for k in range(model.nv):
        by_q = (force(moved(k, e), v) - force(moved(k, -e), v)) / (2 * e)
        ahead, back = list(v), list(v)
        ahead[k], back[k] = v[k] + e, v[k] - e
        by_v = (force(q, ahead) - force(q, back)) / (2 * e)
        scale = 1.0 + np.abs(K).max() + np.abs(D).max()
        np.testing.assert_allclose(-K[:, k], by_q, atol=1e-6 * scale)
        np.testing.assert_allclose(-D[:, k], by_v, atol=1e-6 * scale)
