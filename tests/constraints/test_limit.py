"""Stops: rebound, springs and dampers, against closed forms and at large steps."""

import numpy as np
import pytest

import treadle as td


def faller(**limits) -> td.Model:
    """A mass of 2 kg that falls along z on the stop at 0."""
    spec = td.ModelSpec("faller")
    spec.add_body("mass", 2.0, inertia=(1, 1, 1))
    spec.add_joint("guide", "prismatic", None, "mass", lower=0.0, **limits)
    return spec.compile()


def test_restitution_gives_back_its_share_of_the_speed():
    sim = td.Simulation(faller(limit_restitution=0.5), dt=1e-4, q=[1.0])
    sim.run(0.46)
    # from 1 m it arrives after sqrt(2 / g) = 0.4515 s with sqrt(2 g) and leaves with half of that
    left = 0.46 - np.sqrt(2.0 / 9.81)
    assert sim.v[0] == pytest.approx(0.5 * np.sqrt(2.0 * 9.81) - 9.81 * left, abs=5e-3)
    highest = 0.0
    for _ in range(50):
        sim.run(0.01)
        highest = max(highest, sim.q[0])
    assert highest == pytest.approx(0.25, abs=2e-3)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_bouncing_mass_comes_to_rest(dt):
    sim = td.Simulation(faller(limit_restitution=0.6), dt=dt, q=[0.2])
    sim.run(6.0)
    assert abs(sim.v[0]) < 1e-12
    assert sim.q[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 0.1])
def test_a_soft_stop_carries_its_load_at_any_step(dt):
    """At rest the spring is compressed by m g / k; no stiffness is too high for the step."""
    for stiffness in (1e3, 1e9):
        sim = td.Simulation(faller(limit_stiffness=stiffness, limit_damping=100.0), dt=dt, q=[0.05])
        lowest = 0.0
        for _ in range(round(20.0 / dt)):
            sim.step()
            lowest = min(lowest, sim.q[0])
        assert sim.q[0] == pytest.approx(-2.0 * 9.81 / stiffness, rel=1e-6)
        assert lowest > -0.06


def test_a_soft_stop_pushes_as_a_spring():
    """Without damping a mass that arrives with v0 turns after half a period, v0 / w deep."""
    spec = td.ModelSpec("buffer", gravity=(0, 0, 0))
    spec.add_body("cart", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", upper=0.0, limit_stiffness=800.0)
    sim = td.Simulation(spec.compile(), dt=1e-5, q=[-0.1], v=[1.0])
    deepest = 0.0
    for _ in range(40):
        sim.run(0.01)
        deepest = max(deepest, sim.q[0])
    assert deepest == pytest.approx(1.0 / 20.0, rel=2e-3)
    assert sim.v[0] == pytest.approx(-1.0, rel=2e-3)


def test_a_soft_stop_never_pulls():
    """A damper that is much stronger than its spring lets go as soon as the mass leaves."""
    sim = td.Simulation(faller(limit_stiffness=100.0, limit_damping=1e4), dt=1e-3, q=[-0.1], v=[2.0])
    sim.step()
    assert sim.v[0] == pytest.approx(2.0 - 9.81e-3, abs=1e-9)


def test_the_work_of_stops_is_accounted():
    sim = td.Simulation(faller(limit_stiffness=1e4, limit_damping=50.0), dt=1e-4, q=[0.1])
    sim.run(1.0)
    # 2 J are damped away
    assert abs(sim.quality()["energy drift"]) < 0.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit_restitution": 1.5}, "limit_restitution is above 1"),
        ({"limit_restitution": -0.1}, "limit_restitution is negative"),
        ({"limit_stiffness": -1.0}, "limit_stiffness is negative"),
        ({"limit_restitution": 0.5, "limit_stiffness": 1.0}, "has no restitution"),
    ],
)
def test_stops_that_make_no_sense_are_refused(options, message):
    with pytest.raises(td.ModelError, match=message):
        faller(**options)


def test_files_keep_what_they_can_say(tmp_path):
    """robot.toml says how limits are; URDF and MJCF have no words for it, and tell."""
    model = faller(upper=2.0, limit_stiffness=500.0, limit_damping=3.0)
    assert not td.save(model, tmp_path / "faller.toml")
    assert (
        "limits = { lower = 0.0, upper = 2.0, stiffness = 500.0, damping = 3.0 }"
        in (tmp_path / "faller.toml").read_text()
    )
    assert td.load(tmp_path / "faller.toml").digest == model.digest
    for name in ("faller.urdf", "faller.xml"):
        report = td.save(model, tmp_path / name)
        assert any("limits" in line and "yield or throw back" in line and "guide" in line for line in report)


def test_files_without_rigid_motors_tell(tmp_path):
    spec = td.ModelSpec("faller")
    spec.add_body("mass", 2.0, inertia=(1, 1, 1))
    spec.add_joint("guide", "prismatic", None, "mass")
    spec.add_actuator("hold", "rigid_position", "guide")
    report = td.save(spec.compile(), tmp_path / "faller.xml")
    assert any("rigid motors" in line and "hold" in line for line in report)
    # what was written is a machine that MuJoCo reads
    assert td.load(tmp_path / "faller.xml").nv == 1
