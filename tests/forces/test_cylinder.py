"""Hydraulic cylinders: statics, stiffness of the oil, speed by flow, and the limits of pressure."""

import numpy as np
import pytest

import treadle as td

AREAS, STROKE, SUPPLY, RELIEF, BULK = (0.02, 0.01), 1.0, 20e6, 25e6, 1.4e9


def press(mass: float = 1000.0, leakage: float = 0.0, **options) -> td.Model:
    """A mass that stands on a vertical cylinder, its piston half way."""
    spec = td.ModelSpec("press")
    spec.add_body("table", mass, inertia=(1, 1, 1))
    spec.add_joint("stroke", "prismatic", None, "table", axis=(0, 0, 1), lower=0.0, upper=STROKE)
    spec.add_actuator(
        "ram", "cylinder", "stroke", lower=-1.0, upper=1.0, areas=AREAS, pressure=SUPPLY, relief=RELIEF,
        bulk_modulus=BULK, flow=AREAS[0] * 0.2, leakage=leakage, dead_volume=1e-3, **options,
    )  # fmt: skip
    spec.add_keyframe("initial", positions={"stroke": 0.5})
    return spec.compile()


@pytest.mark.parametrize("mass", [10.0, 1000.0, 30000.0])
def test_a_closed_valve_holds_the_load(mass):
    sim = td.Simulation(press(mass), dt=2e-3)
    ram = sim.actuator("ram")
    assert ram.force == pytest.approx(mass * 9.81, rel=1e-9)
    sim.run(10.0)
    assert sim.q[0] == pytest.approx(0.5, abs=1e-9)


def test_an_added_load_compresses_the_oil():
    """k = beta (A1^2/V1 + A2^2/V2), with the volumes at half stroke."""
    sim = td.Simulation(press(), dt=1e-3)
    load = 5000.0
    sim.apply_force("table", (0.0, 0.0, -load))
    sim.run(5.0)
    volumes = 1e-3 + AREAS[0] * 0.5, 1e-3 + AREAS[1] * 0.5
    stiffness = BULK * (AREAS[0] ** 2 / volumes[0] + AREAS[1] ** 2 / volumes[1])
    sunk = 0.5 - np.mean([sim.q[0] for _ in range(400) if sim.step() is None])
    assert sunk == pytest.approx(load / stiffness, rel=0.02)


def test_flow_sets_the_speed():
    """Q1 = u Qn sqrt((ps - p1)/ps) = A1 v and Q2 = u Qn sqrt(p2/ps) = A2 v, with p1 A1 - p2 A2 = m g."""
    model = press(mass=2000.0)
    sim = td.Simulation(model, dt=1e-3)
    sim.actuator("ram").command = 0.5
    sim.run(1.0)
    cap, rod = sim.actuator("ram").pressures
    speed = 0.5 * 0.2 * np.sqrt((SUPPLY - cap) / SUPPLY)
    assert sim.v[0] == pytest.approx(speed, rel=1e-3)
    assert 0.5 * AREAS[0] * 0.2 * np.sqrt(rod / SUPPLY) == pytest.approx(AREAS[1] * sim.v[0], rel=1e-3)
    sim.actuator("ram").command = -0.5
    sim.run(0.5)
    assert sim.v[0] < -0.05


def test_the_relief_valve_limits_the_force():
    """A load beyond the relief pressure sinks, and does not raise the pressure further."""
    sim = td.Simulation(press(mass=100.0), dt=1e-3)
    sim.apply_force("table", (0.0, 0.0, -2.0 * RELIEF * AREAS[0]))
    sim.run(0.2)
    assert sim.actuator("ram").pressures[0] <= RELIEF
    assert sim.q[0] < 0.4


def test_oil_leaks_past_the_piston():
    """Until the pressures are equal: p (A1 - A2) = m g."""
    mass = 5000.0
    sim = td.Simulation(press(mass, leakage=1e-10), dt=2e-3)
    sim.run(60.0)
    cap, rod = sim.actuator("ram").pressures
    assert cap == pytest.approx(rod, rel=1e-3)
    assert cap == pytest.approx(mass * 9.81 / (AREAS[0] - AREAS[1]), rel=1e-2)


def test_the_roadheader_stands_and_works():
    """60 tonnes on nine cylinders at 2 ms: it stands, rises and slews with every loop closed to 1e-9 m."""
    sim = td.Simulation(td.scene("roadheader"), dt=2e-3)
    names = ("slew", "lift", "extend", "shovel")
    before = {name: sim.joint(name).position for name in names}
    sim.run(1.0)
    for name in names:
        assert sim.joint(name).position == pytest.approx(before[name], abs=2e-3)
    for name, command in (("lift_left", 1.0), ("lift_right", 1.0), ("slew_left", -0.5), ("slew_right", 0.5)):
        sim.actuator(name).command = command
    sim.actuator("extend").command = 0.5
    sim.actuator("cutter").command = 3.0
    sim.run(3.0)
    assert sim.joint("lift").position > before["lift"] + 0.1
    assert abs(sim.joint("slew").position - before["slew"]) > 0.05
    assert sim.joint("extend").position > before["extend"] + 0.05
    assert sim.joint("cutter").velocity == pytest.approx(3.0, rel=0.01)
    assert sim.quality()["loop residual"] < 1e-9
