"""When sensors sample, what they hold, and what is saved of them."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td


def pendulum(**options):
    spec = td.ModelSpec("pendulum")
    spec.add_body("arm", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("hinge", "revolute", None, "arm", axis=(0, 1, 0))
    spec.add_sensor("imu", "imu", "arm", position=(0, 0, -1), **options)
    return spec.compile()


def started(model, dt=1e-3, **options):
    sim = td.Simulation(model, dt=dt, integrator="rk4", **options)
    sim.q, sim.v = [1.0], [2.0]
    return sim


@pytest.mark.parametrize("rate", [1000.0, 300.0, 123.4, 2500.0])
def test_sample_lies_at_its_own_instant(rate):
    """A sample inside a step is that of the motion at its instant, not at the end of a step."""
    dt, count = 1e-3, 40
    sim = started(pendulum(rate=rate), dt)
    exact = started(pendulum(), dt)
    sim.step(count)
    index = int(np.floor(count * dt * rate + 1e-9))
    assert sim.sensor("imu").time == pytest.approx(index / rate, abs=1e-15)
    whole = int(index / rate / dt + 1e-9)
    exact.step(whole)
    if index / rate - whole * dt > 1e-12:
        exact.dt = index / rate - whole * dt
        exact.step()
    assert np.abs(sim.sensor("imu").value - exact.sensor("imu").value).max() < 1e-12


def test_holds_between_samples():
    sim = started(pendulum(rate=100.0))
    seen = []
    for _ in range(40):
        sim.step()
        seen.append(sim.sensor("imu").value)
    changes = [k for k in range(1, 40) if not np.array_equal(seen[k], seen[k - 1])]
    assert changes == [9, 19, 29, 39]


def test_delay_shows_earlier_samples():
    late, now = started(pendulum(rate=200.0, delay=0.012)), started(pendulum(rate=200.0))
    kept = {}
    for k in range(60):
        kept[round(now.sensor("imu").time * 200)] = now.sensor("imu").value
        through = max(0, int(np.floor((k * 1e-3 - 0.012) * 200 + 1e-9)))
        assert np.array_equal(late.sensor("imu").value, kept[through])
        late.step()
        now.step()


def test_steps_in_one_go_or_one_by_one():
    noise = {"accelerometer": {"density": 0.01, "walk": 0.1}, "gyroscope": {"stddev": 0.2}}
    model = pendulum(rate=130.0, noise=noise)
    one, many = started(model), started(model)
    many.step(77)
    for _ in range(77):
        one.step()
    assert np.array_equal(one.sensor("imu").value, many.sensor("imu").value)
    assert one.save() == many.save()


def test_restore_continues_bit_for_bit(tmp_path):
    noise = {"density": 0.01, "walk": 0.1, "dynamic_bias_stddev": 0.2, "dynamic_bias_correlation_time": 0.5}
    model = pendulum(rate=130.0, delay=0.02, noise=noise)
    sim = started(model)
    sim.step(50)
    state = sim.save()
    state.write(tmp_path / "state.npz")
    sim.step(31)
    expected, end = sim.sensor("imu").value, sim.save()
    other = started(model)
    other.restore(td.State.read(tmp_path / "state.npz"))
    other.step(31)
    assert np.array_equal(other.sensor("imu").value, expected)
    assert other.save() == end
    sim.restore(state)
    sim.step(31)
    assert sim.save() == end


def test_samples_leave_the_motion_alone():
    """A machine with sensors that sample inside steps moves by the same bits as one without."""
    with_sensor, without = started(pendulum(rate=777.0)), started(pendulum())
    with_sensor.step(50)
    without.step(50)
    assert np.array_equal(with_sensor.q, without.q)
    assert np.array_equal(with_sensor.v, without.v)


def test_before_the_first_step_the_reading_follows_the_state():
    sim = td.Simulation(pendulum(rate=10.0))
    first = sim.sensor("imu").value
    sim.v = [3.0]
    assert first[1] == 0.0
    assert sim.sensor("imu").value[1] == 3.0
    sim.v = [4.0]
    sim.step()
    assert sim.sensor("imu").value[1] == 4.0
    sim.reset()
    assert sim.sensor("imu").value[1] == 4.0


def test_recording(tmp_path):
    sim = started(pendulum(rate=50.0))
    with sim.record(tmp_path / "run.parquet", ["sensor.*", "joint.*.velocity"], rate=1000.0):
        sim.step(100)
    recording = td.read_recording(tmp_path / "run.parquet")
    shown = np.asarray(recording["sensor.imu.value"])
    v = np.asarray(recording["joint.hinge.velocity"]).ravel()
    held = np.repeat(v[::20], 20)[: len(v)]
    assert np.array_equal(shown[:, 1], held)


def test_controllers_read_sensors():
    def damper(q, v, t):
        return {"hinge": -5.0 * sim.sensor("imu").value[1]}

    sim = td.Simulation(pendulum(rate=100.0), dt=1e-3)
    sim = td.Simulation(pendulum(rate=100.0), dt=1e-3, controllers=[damper])
    sim.v = [1.0]
    sim.step(2000)
    assert abs(sim.v[0]) < 0.05


def test_edit_keeps_the_samples():
    sim = started(pendulum(rate=100.0, noise={"walk": 1.0}))
    sim.step(35)
    before, state = sim.sensor("imu").value, sim.save().sensors
    with sim.edit() as spec:
        spec.body("arm").mass = 2.0
    assert np.array_equal(sim.sensor("imu").value, before)
    assert np.array_equal(sim.save().sensors, state)
    sim.step(20)
    assert not np.array_equal(sim.sensor("imu").value, before)


@pytest.mark.parametrize(("rate", "delay"), [(100.0, 0.02), (333.3, 0.0121), (None, 0.0)])
def test_edit_adds_a_sensor_beside_others(rate, delay):
    """Those that were there go on with their samples on the way, their walk and their random numbers."""
    options = {"rate": rate, "delay": delay, "noise": {"stddev": 0.1, "walk": 0.3}}
    sim, other = started(pendulum(**options)), started(pendulum(**options))
    for run in (sim, other):
        run.step(55)
    with sim.edit() as spec:
        spec.add_sensor("angle", "encoder", "hinge", rate=rate, delay=delay, noise={"stddev": 0.1})
        spec.add_sensor("clock", "clock", None, rate=50.0)
    assert sim.sensor("angle").time == sim.sensor("clock").value == sim.time
    for count in (0, 1, 33):
        for run in (sim, other):
            run.step(count)
        assert np.array_equal(sim.sensor("imu").value, other.sensor("imu").value)
        assert sim.sensor("imu").time == other.sensor("imu").time
    assert sim.sensor("angle").time == sim.sensor("imu").time
    assert sim.sensor("clock").value == 0.08


def test_delay_beyond_the_run_shows_the_first_sample():
    sim = started(pendulum(rate=700.0, delay=9.0))
    first = sim.sensor("imu").value
    sim.step(100)
    assert np.array_equal(sim.sensor("imu").value, first)
    assert sim.sensor("imu").time == 0.0


@pytest.mark.parametrize("ending", ["parquet", "mcap"])
def test_recording_of_what_has_no_number(tmp_path, ending):
    """A beam without an echo is infinite, a place without a fix is none; what is computed stands between."""
    spec = td.ModelSpec("cellar")
    spec.add_body("cart", 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_shape("wall", None, "box", (0.2, 8.0, 3.0), position=(6.0, 0.0, 0.0))
    spec.add_shape("roof", None, "box", (90.0, 90.0, 0.2), position=(0.0, 0.0, 3.0))
    spec.add_sensor("scan", "lidar", "cart", rate=50.0, columns=4)
    spec.add_sensor("gps", "gps", "cart", rate=10.0)
    sim = td.Simulation(spec.compile(), dt=1e-2, v=[1.0])
    file = tmp_path / f"run.{ending}"
    with sim.record(file, ["sensor.scan.*", "joint.rail.position", "sensor.gps.*"], rate=50):
        sim.step(10)
    rows = td.read_recording(file)
    time, scan, gps = rows["time"], rows["sensor.scan.value"], rows["sensor.gps.value"]
    assert np.ravel(rows["joint.rail.position"]) == pytest.approx(time, abs=1e-12)
    assert scan[:, 2] == pytest.approx(5.9 - time, abs=1e-9)
    assert not np.isfinite(scan[:, 0]).any()
    assert (gps[:, 0] == 0.0).all() and np.isnan(gps[:, 5]).all()


def test_a_state_of_an_earlier_time_samples_from_there():
    sim = started(pendulum(rate=130.0))
    sim.step(100)
    state = sim.save()
    for start in (100.0, 0.0):
        sim.restore(replace(state, start=start, steps=0))
        sim.step(40)
        assert sim.sensor("imu").time == pytest.approx(np.floor(sim.time * 130.0) / 130.0)
