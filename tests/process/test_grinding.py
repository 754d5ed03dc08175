"""Grinding: closed forms of force and pressure, removed volume, large steps, derivatives, the whole arm."""

from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest
from scipy.linalg import expm

import treadle as td
from treadle.planning.tool_motion import servo_commands
from treadle.planning.tool_plan import planned_motion
from treadle.process.grinding import ArmCompliance, GrindingSetup, arm_compliance, calibrated_preston, grind
from treadle.process.pad import Pad
from treadle.process.pad_contact import press, propagator
from treadle.process.path_plan import PathPlan
from treadle.process.roughness import Roughness
from treadle.process.surface import Surface
from treadle.process.tool_path import path_on
from treadle.process.types import processes_of
from treadle.process.workpiece import workpiece
from treadle.scenes.grinding import JOINT_STIFFNESS, TOP, grinding

UP = np.array([0.0, 0.0, 1.0])
PAD = Pad.foundation(2e8, 0.012, 0.06)
ARM = ArmCompliance(12.0, 2400.0, 5e5)
SETUP = GrindingSetup(PAD, ARM, preston=1e-10, speed=5.0)


def plane(spacing: float, half: float = 0.02) -> Surface:
    return Surface.of_function(lambda x, y: 0.0 * x, (-half, half), (-half, half), spacing)


def bumpy(spacing: float = 1e-3) -> tuple[Surface, np.ndarray]:
    surface = Surface.of_function(
        lambda x, y: np.sqrt(0.0625 - x**2) - 0.25 + 0.0 * y, (-0.05, 0.05), (-0.02, 0.02), spacing
    )
    x, _ = np.meshgrid(surface.x, surface.y)
    return surface, 2e-4 * np.exp(-((x / 0.008) ** 2))


def pressed(surface: Surface, pad: Pad, depth: float, axis: np.ndarray = UP) -> tuple[float, ...]:
    grid = np.array([surface.x[0], surface.y[0], *surface.spacing])
    numbers = pad.coefficient, pad.exponent, pad.share, pad.radius, pad.dome
    return press(surface.heights.copy(), grid, -depth * axis, axis, numbers, 0.0)


@pytest.mark.parametrize("depth", [2e-4, 5e-4])
def test_force_and_pressure_on_a_plane_are_those_of_hertz(depth):
    young, poisson, dome = 1.5e6, 0.45, 0.06
    force, _, area, peak = pressed(plane(2e-4), Pad.hertz(young, 0.02, dome, poisson), depth)
    modulus = young / (1.0 - poisson**2)
    assert force == pytest.approx(4.0 / 3.0 * modulus * sqrt(dome) * depth**1.5, rel=2e-3)
    assert peak == pytest.approx(2.0 * modulus / pi * sqrt(depth / dome), rel=2e-3)
    assert area == pytest.approx(pi * dome * depth, rel=1e-2)


@pytest.mark.parametrize("depth", [1e-4, 4e-4])
def test_the_foundation_has_its_closed_form(depth):
    force, slope, _, peak = pressed(plane(2e-4), PAD, depth)
    assert force == pytest.approx(pi * 2e8 * 0.06 * depth**2, rel=2e-3)
    assert slope == pytest.approx(2.0 * force / depth, rel=1e-2)
    assert peak == pytest.approx(2e8 * depth, rel=1e-9)
    assert PAD.approach(force) == pytest.approx(depth, rel=2e-3)
    assert PAD.stiffness(force) == pytest.approx(2.0 * force / PAD.approach(force))


def test_a_tilted_plane_is_pressed_like_a_level_one():
    axis = np.array([-0.3, 0.2, 1.0]) / np.linalg.norm([-0.3, 0.2, 1.0])
    tilted = Surface.of_function(lambda x, y: 0.3 * x - 0.2 * y, (-0.03, 0.03), (-0.03, 0.03), 2e-4)
    level, leaning = pressed(plane(2e-4), PAD, 3e-4), pressed(tilted, PAD, 3e-4, axis)
    assert leaning[0] == pytest.approx(level[0], rel=2e-3)


@pytest.mark.parametrize("damping", [0.0, 300.0, 5000.0])
def test_the_propagator_is_the_exact_one(damping):
    m, k, h = 3.0, 2e5, 7e-3
    P = propagator(m, damping, k, h)
    # state (z, z', g, dg/dt)
    A = np.zeros((4, 4))
    A[0, 1], A[1], A[2, 3] = 1.0, [-k / m, -damping / m, 1.0 / m, 0.0], 1.0
    E = expm(A * h)
    assert np.allclose(P[:4].reshape(2, 2), E[:2, :2], rtol=1e-9, atol=1e-9)
    assert np.allclose(P[4:6], E[:2, 2] - E[:2, 3] / h, rtol=1e-7, atol=1e-14)
    assert np.allclose(P[6:8], E[:2, 3] / h, rtol=1e-7, atol=1e-14)


@pytest.mark.parametrize("dt", [1e-3, 3e-3, 1e-2])
def test_the_removed_volume_is_the_integral_of_force_times_speed(dt):
    surface, seam = bumpy()
    path = path_on(surface, [(-0.03, 0.0), (0.03, 0.0)], 2e-3)
    found = grind(SETUP, surface, path, np.full(len(path), -3e-4), feed=0.05, dt=dt, seam=seam)
    assert found.volume == pytest.approx(found.expected_volume(SETUP), rel=1e-6)
    assert found.volume == pytest.approx(
        float((surface.heights + seam - found.heights).sum() * 1e-6), rel=1e-9
    )
    k = calibrated_preston(found.volume, found.force, found.time, SETUP.speed)
    assert k == pytest.approx(SETUP.preston, rel=1e-6)


def test_large_steps_give_the_forces_of_small_ones():
    surface, seam = bumpy()
    path = path_on(surface, [(-0.03, 0.0), (0.03, 0.0)], 2e-3)
    runs = [
        grind(SETUP, surface, path, np.full(len(path), -3e-4), feed=0.05, dt=dt, seam=seam)
        for dt in (2e-4, 1e-2)
    ]
    fine = np.interp(runs[1].path, runs[0].path, runs[0].force)
    assert np.abs(runs[1].force - fine).max() < 0.01 * fine.max()
    assert fine.max() > 1.3 * fine.min()


@pytest.mark.parametrize("force", [5.0, 80.0, 200.0])
@pytest.mark.parametrize("pad", [Pad.foundation(6e10, 0.012, 0.06), Pad.hertz(3e6, 0.012, 0.06)])
def test_large_steps_at_other_forces(force, pad):
    """A contact whose stiffness is far above that of the arm, and changes with the force."""
    surface = bumpy(5e-4)[0]
    x, _ = np.meshgrid(surface.x, surface.y)
    arm = ArmCompliance(16.0, 1100.0, 8e4)
    setup = replace(SETUP, pad=pad, arm=arm, preston=4e-12)
    path = path_on(surface, [(-0.02, 0.0), (0.02, 0.0)], 2e-3)
    offsets = np.full(len(path), -pad.approach(force) - force / arm.stiffness)
    seam = 0.2 * force / arm.stiffness * np.exp(-((x / 0.008) ** 2))
    fine, large = (grind(setup, surface, path, offsets, feed=0.03, dt=dt, seam=seam) for dt in (1e-4, 1e-2))
    assert np.ptp(fine.force) > 0.02 * force
    expected = np.interp(large.path, fine.path, fine.force)
    assert np.abs(large.force - expected).max() < 0.01 * fine.force.max()


@pytest.mark.parametrize("pad", [PAD, Pad.hertz(1.5e6, 0.012, 0.06)])
@pytest.mark.parametrize("force", [1.0, 5.0, 50.0])
def test_forces_and_removal_do_not_depend_on_the_grid(pad, force):
    """Cells up to the radius of the contact: the depth of a cell is the mean depth over it on a fine grid."""
    radius = np.sqrt(2.0 * pad.dome * pad.share * pad.approach(force))
    offset = -pad.approach(force) - force / ARM.stiffness
    setup, runs = replace(SETUP, pad=pad), {}
    for cells in (10, 20, 60, 180):
        surface = Surface(*[np.linspace(-s, s, n) for s, n in ((0.04, 2 * cells + 1), (0.02, cells + 1))],
                          heights=np.zeros((cells + 1, 2 * cells + 1)))  # fmt: skip
        path = path_on(surface, [(-0.02, 0.0), (0.02, 0.0)], 1e-3)
        runs[cells] = grind(setup, surface, path, np.full(len(path), offset), feed=0.02, dt=5e-3)
    fine = runs[180]
    for cells in [cells for cells in (10, 20, 60) if 0.04 / cells < radius]:
        found, coarse = runs[cells], 180 // cells
        assert np.abs(found.force / fine.force - 1.0).max() < 0.01
        # a cell has its own half and halves of the fine ones beside it
        kernel = np.ones(coarse + 1 - coarse % 2) / coarse
        if coarse % 2 == 0:
            kernel[[0, -1]] *= 0.5
        mean = np.apply_along_axis(np.convolve, 0, -fine.heights, kernel, "same")
        mean = np.apply_along_axis(np.convolve, 1, mean, kernel, "same")[::coarse, ::coarse]
        middle = slice(cells - cells // 4, cells + cells // 4)
        error = np.abs(-found.heights - mean)[:, middle].max()
        assert error < 0.02 * mean.max()


def test_derivatives_are_those_of_the_simulated_force():
    surface, seam = bumpy()
    # nothing is removed: the derivatives leave out what the pass itself wears away
    setup = replace(SETUP, preston=0.0)
    path = path_on(surface, [(-0.03, 0.0), (0.03, 0.0)], 4e-3)
    offsets = np.full(len(path), -3e-4)
    options = {"feed": 0.2, "dt": 5e-3, "seam": seam}
    exact = grind(setup, surface, path, offsets, derivatives=True, **options).by_offset
    for k in (0, 5, len(path) - 1):
        bump = 1e-7 * (np.arange(len(path)) == k)
        up, down = (grind(setup, surface, path, offsets + s * bump, **options).force for s in (1, -1))
        assert np.abs((up - down) / 2e-7 - exact[:, k]).max() < 2e-3 * np.abs(exact).max()


def test_tangential_force_by_friction_and_by_energy():
    assert SETUP.tangential_share == 0.3
    setup = replace(SETUP, specific_energy=5e9)
    assert setup.tangential_share == pytest.approx(5e9 * 1e-10)


def test_roughness_meets_what_it_was_calibrated_on():
    model = Roughness.calibrated(fresh=1.6396, ground=0.9166, specific_work=2e5, floor=0.4)
    assert model.after(4e4, 5.0, 1.0) == pytest.approx(0.9166)
    assert model.after(4e4, 5.0, 1.0, passes=2) < model.after(8e4, 5.0, 1.0 / 2.0) == pytest.approx(0.9166)
    assert model.after(4e4, 5.0, 1.0, passes=50) == pytest.approx(0.4, abs=1e-6)
    with pytest.raises(td.InputError, match="floor < ground < fresh"):
        Roughness.calibrated(1.0, 1.2, 1.0, 0.1)


def test_the_whole_arm_presses_like_its_compliance():
    """The process on the arm under position control at 1 kHz, against the arm reduced to a spring."""
    model = grinding(preston=SETUP.preston, speed=SETUP.speed).compile()
    # one that nothing has worn yet
    tool = processes_of(model)["grinding"]
    plan = PathPlan(((TOP[0] - 0.015, 0.0), (TOP[0] + 0.015, 0.0)), offset=-3.6e-4, feed=0.03)
    motion = planned_motion(model, tool, plan)
    path = plan.on(tool.face.surface)
    arm = arm_compliance(model, motion(0.5 * motion.end)[0], "pad_tip", UP, JOINT_STIFFNESS)
    offsets, seam = np.full(len(path), plan.offset), tool.face.fresh - tool.face.surface.heights
    setup = replace(tool.setup, arm=arm)
    expected = grind(setup, tool.face.surface, path, offsets, feed=plan.feed, dt=1e-3, seam=seam)

    sim = td.Simulation(model, dt=1e-3, q=motion(0.0)[0])
    tool, rows = sim.processes["grinding"], []
    while sim.time < motion.end:
        for name, command in servo_commands(model, *motion(sim.time)).items():
            sim.actuator(name).command = command
        tip = td.frame_pose(model, sim.q, "pad_tip")[0, 3]
        sim.step()
        rows.append((tip - path.points[0, 0], tool.normal_force))
    x, force = np.array(rows).T
    simulated = np.interp(path.points[:, 0] - path.points[0, 0], x, force)
    wanted = np.interp(path.lengths, expected.path, expected.force)
    error = np.abs(simulated - wanted)[3:-3] / wanted[3:-3]
    assert error.mean() < 0.01 and error.max() < 0.03
    # what is gone is k F v dt
    assert tool.volume == pytest.approx(SETUP.preston * SETUP.speed * tool.impulse, rel=1e-12)
    assert tool.face.removed == pytest.approx(tool.volume, rel=1e-9)


def test_the_tool_remembers_what_it_removed():
    model = grinding().compile()
    q = planned_motion(model, tool_of(model), tool_of(model).plan)(1.0)[0]
    sim = td.Simulation(model, q=q)
    for name, command in servo_commands(model, q, np.zeros(6)).items():
        sim.actuator(name).command = command
    sim.step(5)
    before = sim.save()
    sim.step(5)
    tool = sim.processes["grinding"]
    volume, heights = tool.volume, tool.face.heights.copy()
    assert volume > 0.0
    sim.restore(before)
    assert tool.volume < volume and (tool.face.heights >= heights).all()
    sim.step(5)
    assert tool.volume == volume and np.array_equal(tool.face.heights, heights)


def tool_of(model):
    return processes_of(model)["grinding"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pad": {"law": "glue"}}, "one of foundation, hertz"),
        ({"path": {"points": [[0.0, 0.0]]}}, "at least 2 points"),
        ({"path": {"points": [[0.5, 0.0], [0.52, 0.0]], "speed": 3}}, "has no 'speed'"),
        ({"workpiece": {"position": [0, 0, 0], "size": [0.1, 0.0]}}, "must be positive"),
        ({"workpiece": {"position": [0, 0, 0], "size": [0.1, 0.1], "radii": [0.02, 0.0]}}, "more than half"),
    ],
)
def test_settings_that_are_refused(change, message):
    model = grinding().compile()
    given = dict(model.settings["processes"]["grinding"]) | change
    with pytest.raises(td.InputError, match=message):
        processes_of(replace(model, settings={"processes": {"grinding": given}}))


def test_workpieces_from_heights_and_curved_both_ways():
    flat = workpiece((0.1, 0.2, 0.3), (0.04, 0.02), heights=np.zeros((5, 9)))
    assert flat.heights.shape == (5, 9) and (flat.heights == 0.3).all()
    assert flat.points()[0, 0].tolist() == pytest.approx([0.08, 0.19, 0.3])
    domed = workpiece((0.0, 0.0, 0.0), (0.04, 0.04), 1e-3, radii=(0.1, 0.2))
    corner = 0.1 - np.sqrt(0.1**2 - 0.02**2) + 0.2 - np.sqrt(0.2**2 - 0.02**2)
    assert -domed.heights[0, 0] == pytest.approx(corner)


def test_a_pad_does_not_pull():
    with pytest.raises(td.InputError, match="must not be negative"):
        Pad.foundation(modulus=2e8, radius=0.012, dome=0.06).approach(-5.0)
