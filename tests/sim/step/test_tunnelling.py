"""Nothing passes through anything, however fast it is and however long the step."""

import numpy as np
import pytest

import treadle as td

STEPS = [0.016, 0.128]


def scene(name, gravity=0.0):
    spec = td.ModelSpec(name, gravity=(0.0, 0.0, -gravity))
    spec.add_material("steel", friction=0.3, restitution=0.0)
    spec.add_material("spring", friction=0.0, restitution=1.0)
    return spec


def bullet_and_plate(material, fixed):
    """A sphere of 10 mm at 500 m/s that flies along x towards a plate of 1 mm, 3 m away."""
    spec = scene(f"bullet {material} {fixed}")
    if not fixed:
        spec.add_body("plate", 1.0, inertia=td.box_inertia(1.0, 0.001, 1.0, 1.0))
        spec.add_joint("plate", "free", None, "plate", position=(3.0, 0.0, 0.0))
    place = (3.0, 0.0, 0.0) if fixed else (0.0, 0.0, 0.0)
    plate = None if fixed else "plate"
    spec.add_shape(
        "plate", plate, "box", (0.001, 1.0, 1.0), position=place, role="collision", material=material
    )
    spec.add_shape("far", None, "plane", position=(0.0, 0.0, -100.0), role="collision", material=material)
    spec.add_body("bullet", 0.004, inertia=(4e-8, 4e-8, 4e-8))
    spec.add_joint("bullet", "free", None, "bullet")
    spec.add_shape("bullet", "bullet", "sphere", (0.005,), role="collision", material=material)
    return spec.compile()


@pytest.fixture(scope="module")
def plates():
    return {
        (material, fixed): bullet_and_plate(material, fixed)
        for material, fixed in (("steel", True), ("spring", True), ("steel", False))
    }


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("material", ["steel", "spring"])
def test_bullet_does_not_pass_a_thin_plate(plates, material, dt):
    sim = td.Simulation(plates[material, True], dt)
    sim.joint("bullet").velocity = [0.0, 0.0, 0.0, 500.0, 0.0, 0.0]
    for _ in range(4):
        sim.step()
        assert sim.body("bullet").pose[0, 3] < 3.0
    x, speed = sim.body("bullet").pose[0, 3], sim.joint("bullet").velocity[3]
    if material == "spring":
        assert speed == pytest.approx(-500.0, rel=1e-9)
    else:
        assert abs(speed) < 1e-6
        assert x == pytest.approx(3.0 - 0.0005 - 0.005, abs=1e-6)


@pytest.mark.parametrize("dt", STEPS)
def test_bullet_and_plate_share_their_momentum(plates, dt):
    sim = td.Simulation(plates["steel", False], dt)
    sim.joint("bullet").velocity = [0.0, 0.0, 0.0, 500.0, 0.0, 0.0]
    sim.step(4)
    together = 0.004 * 500.0 / 1.004
    assert sim.joint("bullet").velocity[3] == pytest.approx(together, rel=1e-6)
    assert sim.joint("plate").velocity[3] == pytest.approx(together, rel=1e-6)


@pytest.fixture(scope="module")
def rod():
    """A rod of 1 m and 10 mm that turns about its middle, and a thin post in the way of its ends."""
    spec = scene("rod")
    spec.add_body("rod", 1.0, inertia=td.box_inertia(1.0, 1.0, 0.01, 0.01))
    spec.add_joint("pivot", "revolute", None, "rod", axis=(0.0, 0.0, 1.0))
    spec.add_shape("rod", "rod", "box", (1.0, 0.01, 0.01), role="collision", material="steel")
    spec.add_shape(
        "post", None, "cylinder", (0.002, 1.0), position=(0.0, 0.4, 0.0), role="collision", material="steel"
    )
    return spec.compile()


@pytest.mark.parametrize("dt", STEPS)
def test_spinning_rod_stops_at_a_thin_post(rod, dt):
    sim = td.Simulation(rod, dt)
    sim.joint("pivot").velocity = 100.0
    for _ in range(4):
        sim.step()
        assert 0.0 < sim.joint("pivot").position < 0.5 * np.pi
    assert abs(sim.joint("pivot").velocity) < 1e-6
    # its side lies on the post
    clearance = 0.4 * np.cos(sim.joint("pivot").position) - 0.005
    assert clearance == pytest.approx(0.002, abs=1e-5)


@pytest.mark.parametrize("dt", STEPS)
def test_rod_that_misses_the_post_keeps_turning(rod, dt):
    sim = td.Simulation(rod, dt)
    # it swings back and forth before it: the post is never met
    sim.joint("pivot").position, sim.joint("pivot").velocity = -0.5, 0.1
    sim.run(8 * 0.128)
    assert sim.joint("pivot").velocity == pytest.approx(0.1, rel=1e-12)


@pytest.fixture(scope="module")
def wheel():
    """A cylinder of 0.3 m that falls along x onto ground that rises by a step."""
    spec = scene("wheel", gravity=9.81)
    spec.add_body("wheel", 20.0, inertia=(0.5, 0.9, 0.5))
    spec.add_joint("wheel", "free", None, "wheel", position=(-6.0, 0.0, 0.31))
    across = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
    spec.add_shape(
        "tyre", "wheel", "cylinder", (0.3, 0.2), rotation=across, role="collision", material="steel"
    )
    return spec.compile()


@pytest.mark.parametrize("dt", STEPS)
def test_fast_wheel_stays_on_a_height_field(wheel, dt):
    heights = np.zeros((41, 9))
    heights[21:, :] = 0.5
    ground = td.Grid(heights, spacing=(0.5, 0.5), origin=(-10.0, -2.0))
    sim = td.Simulation(wheel, dt, terrain=ground)
    sim.joint("wheel").velocity = [0.0, 60.0, 0.0, 40.0, 0.0, 0.0]
    deepest = np.inf
    for _ in range(round(0.256 / dt)):
        sim.step()
        x, _, z = sim.body("wheel").pose[:3, 3]
        ground_below = 0.0 if x < 0.0 else 0.5
        if not -0.4 < x < 0.9:
            deepest = min(deepest, z - 0.3 - ground_below)
    assert deepest > -0.01


def ball_on_ground():
    spec = scene("ball")
    spec.add_body("ball", 1.0, inertia=(1e-3, 1e-3, 1e-3))
    spec.add_joint("ball", "free", None, "ball")
    spec.add_shape("ball", "ball", "sphere", (0.05,), role="collision", material="steel")
    return spec.compile()


@pytest.fixture(scope="module")
def ball():
    return ball_on_ground()


def rolling_ground(height):
    """Hills along x, with a slope of height over 0.1 m at most."""
    x = 0.1 * np.arange(-60, 61)
    return td.Grid(np.tile(height * np.sin(5.0 * x), (41, 1)).T, spacing=(0.1, 0.1), origin=(-6.0, -2.0))


@pytest.mark.parametrize("time_stepping", [False, True])
@pytest.mark.parametrize("dt", STEPS)
def test_a_ball_does_not_fall_through_gentle_ground(ball, dt, time_stepping):
    """Nor does it come through its depth of 1 m, at 8 to 64 m a step."""
    sim = td.Simulation(ball, dt, terrain=rolling_ground(0.01), time_stepping=time_stepping)
    sim.joint("ball").position = [1.0, 0.0, 0.0, 0.0, 0.02, 0.03, 3.0]
    sim.joint("ball").velocity = [0.0, 0.0, 0.0, 0.0, 0.0, -500.0]
    # time stepping pushes out what overlaps, step by step
    sim.step(20)
    assert sim.body("ball").pose[2, 3] > 0.03
    assert abs(sim.joint("ball").velocity[5]) < 1.0


@pytest.mark.parametrize("time_stepping", [False, True])
def test_a_ball_does_not_pass_a_steep_ridge(ball, time_stepping):
    """A ridge of one cell, 1 m high, which it would pass within a step."""
    heights = np.zeros((121, 41))
    heights[60] = 1.0
    sim = td.Simulation(
        ball,
        0.016,
        terrain=td.Grid(heights, spacing=(0.1, 0.1), origin=(-6.0, -2.0)),
        time_stepping=time_stepping,
    )
    sim.joint("ball").position = [1.0, 0.0, 0.0, 0.0, -3.0, 0.03, 0.3]
    sim.joint("ball").velocity = [0.0, 0.0, 0.0, 100.0, 0.0, 0.0]
    for _ in range(8):
        sim.step()
        x, _, z = sim.body("ball").pose[:3, 3]
        assert x < 0.0 or z > 0.9


def test_fast_balls_over_gentle_ground_take_whole_steps(ball):
    """What a ridge could be missed by is small: no more substeps than on a plane, which has none."""
    sim = td.Simulation(ball, 0.005, terrain=rolling_ground(0.01), time_stepping=True)
    sim.joint("ball").position = [1.0, 0.0, 0.0, 0.0, -3.0, 0.03, 0.07]
    sim.joint("ball").velocity = [0.0, 0.0, 0.0, 10.0, 0.0, -3.0]
    sim.step(40)
    assert sim.contact_step.scratch.effort[0] == 40
