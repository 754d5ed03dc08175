"""Blows inside a step, against closed forms: wherever they begin and end in it, with friction or without."""

import math

import pytest

import treadle as td

MASS, RADIUS, HEIGHT = 0.2, 0.04, 0.1


def ball(stiffness, restitution, friction):
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, 0.0))
    spec.add_material("rubber", stiffness=stiffness, restitution=restitution, friction=friction)
    spec.add_material("stone", friction=friction)
    spec.add_shape("floor", None, "plane", role="collision", material="stone")
    spec.add_body("ball", mass=MASS, type="sphere", size=(RADIUS,))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, HEIGHT))
    spec.add_shape("skin", "ball", "sphere", (RADIUS,), role="collision", material="rubber")
    return spec.compile()


@pytest.fixture(scope="module", params=[None, 2e5])
def smooth(request):
    return request.param, ball(request.param, 0.8, 0.0)


@pytest.mark.parametrize("speed", [1.0, 1.5, 1.6, 2.0, 3.0, 5.0])
def test_a_ball_that_flies_straight_meets_the_floor(smooth, speed):
    """Its distance falls linearly: the moment of the meeting is found at the first guess, on either side."""
    stiffness, model = smooth
    sim = td.Simulation(model, dt=0.1, v=[0.0, 0.0, 0.0, 0.0, 0.0, -speed])
    sim.step()
    assert sim.v[5] == pytest.approx(0.8 * speed, rel=1e-9)
    damped = -math.log(0.8) / math.pi
    lasts = 0.0 if stiffness is None else math.pi * math.sqrt(MASS / stiffness * (1.0 + damped**2))
    after = 0.1 - (HEIGHT - RADIUS) / speed - lasts
    assert sim.body("ball").position[2] == pytest.approx(RADIUS + 0.8 * speed * after, rel=1e-9)


@pytest.mark.parametrize(("dt", "slip"), [(0.1, 3.4), (0.05, 3.4), (0.1, 4.0), (0.07, 4.0), (0.03, 5.0)])
def test_friction_of_a_blow_on_a_spring_is_its_share_of_the_push(dt, slip):
    """The blow ends inside the step, where its impulse is that of the whole blow; all of it slides."""
    sim = td.Simulation(ball(2e5, 0.8, 0.3), dt=dt, v=[0.0, 0.0, 0.0, slip, 0.0, -1.5])
    sim.run(0.21)
    push = MASS * 1.8 * 1.5
    assert sim.v[5] == pytest.approx(0.8 * 1.5, rel=1e-9)
    assert sim.v[3] == pytest.approx(slip - 0.3 * push / MASS, rel=1e-9)


def test_the_whole_of_a_touch_is_told_exactly():
    """Kelvin and Voigt's contact: duration, depth, force and impulse in closed form, in one step."""
    stiffness, restitution, speed = 3e4, 0.37, 1.3
    model = ball(stiffness, restitution, 0.0)
    sim = td.Simulation(model, dt=0.2, v=[0.0, 0.0, 0.0, 0.0, 0.0, -speed])
    sim.step()
    (touch,) = sim.contact_histories(samples=9)
    r = -math.log(restitution)
    r *= math.sqrt(stiffness / MASS / (math.pi**2 + r**2))
    w = math.sqrt(stiffness / MASS - r * r)
    assert touch.time[-1] - touch.time[0] == pytest.approx(math.pi / w, rel=1e-9)
    turn = math.atan2(w, r) / w
    assert touch.deepest == pytest.approx(speed / w * math.exp(-r * turn) * math.sin(w * turn), rel=1e-12)
    peak = math.atan2(w * (w * w - 3.0 * r * r), r * (3.0 * w * w - r * r)) / w
    swing = 2.0 * r * w * math.cos(w * peak) + (w * w - r * r) * math.sin(w * peak)
    assert touch.hardest == pytest.approx(MASS * speed / w * math.exp(-r * peak) * swing, rel=1e-12)
    assert touch.impulse == pytest.approx(MASS * speed * (1.0 + restitution), rel=1e-12)


@pytest.mark.parametrize("height", [RADIUS, HEIGHT])
def test_the_course_of_a_law_goes_to_the_end_of_the_touch(height):
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, -3.71))
    spec.add_material("steel", law="hertz", stiffness=3e7, friction=0.0)
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_body("ball", mass=MASS, type="sphere", size=(RADIUS,))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, height))
    spec.add_shape("skin", "ball", "sphere", (RADIUS,), role="collision", material="steel")
    sim = td.Simulation(spec.compile(), dt=0.1, v=[0.0, 0.0, 0.0, 0.0, 0.0, -2.2])
    sim.step()
    (touch,) = sim.contact_histories()
    assert len(touch.time) == 65
    assert touch.depth[-1] == pytest.approx(0.0, abs=1e-9 * touch.deepest)
    assert touch.rate[-1] == pytest.approx(-touch.rate[0], rel=1e-6)
    assert touch.impulse == pytest.approx(0.1 * sim.contact_on("ball").force[2], rel=1e-12)


@pytest.mark.parametrize(
    ("mass", "stiffness", "restitution"), [(1e-3, 1e9, 0.5), (1e-3, 3e8, 0.2), (1e-3, 1e9, 0.8)]
)
def test_a_light_ball_on_a_hard_spring_comes_to_rest(mass, stiffness, restitution):
    """At rest it is pressed in by ten picometres, and it gains no energy on the way there."""
    spec = td.ModelSpec("grain")
    spec.add_material("quartz", stiffness=stiffness, restitution=restitution, friction=0.0)
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_body("grain", mass=mass, type="sphere", size=(0.1,))
    spec.add_joint("flight", "free", None, "grain", position=(0.0, 0.0, 0.12))
    spec.add_shape("skin", "grain", "sphere", (0.1,), role="collision", material="quartz")
    sim = td.Simulation(spec.compile(), dt=0.01)
    for _ in range(100):
        sim.step()
        assert sim.body("grain").position[2] <= 0.12
    (point,) = sim.contacts()
    # positions are known to 1e-17 m
    assert point.penetration == pytest.approx(mass * 9.81 / stiffness, rel=1e-5)
