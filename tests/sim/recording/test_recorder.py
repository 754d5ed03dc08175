"""When samples are taken, and that taking them changes nothing."""

import subprocess
import sys

import numpy as np
import pytest

import treadle as td
from tests.native.direct import identical
from treadle.sim.recording import recorder

FORMATS = ["mcap", "parquet"]


@pytest.fixture(scope="module")
def model() -> td.Model:
    return td.scene("pendulum")


def moving(model: td.Model, **options) -> td.Simulation:
    sim = td.Simulation(model, **options)
    sim.joint("shoulder").position = 1.2
    return sim


def times(path) -> np.ndarray:
    return td.read_recording(path).time


@pytest.mark.parametrize("suffix", FORMATS)
def test_recording_changes_no_bit(model, tmp_path, suffix):
    plain, recorded = moving(model), moving(model)
    plain.run(2.345)
    with recorded.record(tmp_path / f"run.{suffix}", rate=30):
        recorded.step(1000)
        recorded.run(1.345)
    assert recorded.save() == plain.save()
    assert identical(recorded.q, plain.q)
    assert identical(recorded.v, plain.v)


def test_samples_are_the_states_on_the_way(model, tmp_path):
    sim, other = moving(model), moving(model)
    with sim.record(tmp_path / "run.mcap", rate=100):
        sim.run(0.5)
    for time, q in td.read_recording(tmp_path / "run.mcap").states():
        assert identical(q, other.q)
        assert time == other.time
        other.step(10)


@pytest.mark.parametrize(
    ("rate", "stride"), [(1000, 1), (100, 10), (60, 17), (333, 3), (0.5, 2000), (None, 10)]
)
def test_samples_fall_on_whole_steps(model, tmp_path, rate, stride):
    sim = moving(model)
    with sim.record(tmp_path / "run.parquet", ["energy.total"], rate) as recording:
        # in pieces that have nothing to do with the rate
        for count in (1, 6, 13, 480, 1500, 2001):
            sim.step(count)
    assert recording.rate == pytest.approx(1000 / stride)
    expected = np.arange(0, 4002, stride) * 1e-3
    np.testing.assert_array_equal(times(tmp_path / "run.parquet"), expected)
    assert recording.count == len(expected)


def test_two_rates_at_once(model, tmp_path):
    sim = moving(model)
    with sim.record(tmp_path / "a.mcap", rate=50), sim.record(tmp_path / "b.parquet", rate=125):
        sim.run(1)
    assert len(times(tmp_path / "a.mcap")) == 51
    assert len(times(tmp_path / "b.parquet")) == 126


def test_a_new_step_keeps_the_rate(model, tmp_path):
    sim = moving(model)
    with sim.record(tmp_path / "run.parquet", rate=100):
        sim.run(0.1)
        sim.dt = 5e-4
        sim.run(0.1)
    np.testing.assert_allclose(times(tmp_path / "run.parquet"), np.arange(21) * 0.01, atol=1e-12)


def test_quality_is_not_recorded(model, tmp_path):
    sim = moving(model)
    with sim.record(tmp_path / "run.parquet", rate=1000) as recording:
        sim.run(0.2)
        sim.quality()
    assert recording.count == 201


def test_nothing_is_recorded_after_close(model, tmp_path):
    sim = moving(model)
    recording = sim.record(tmp_path / "run.mcap")
    sim.run(0.1)
    recording.close()
    sim.run(0.1)
    recording.close()
    assert recording.closed
    assert len(times(tmp_path / "run.mcap")) == 11


def test_a_diverging_run_is_recorded(tmp_path):
    sim = td.Simulation(td.scene("pendulum"), dt=1e-3)
    sim.v = (1.0, 1.0)
    with pytest.raises(td.SimulationDiverged), sim.record(tmp_path / "run.parquet", rate=1000):
        sim.step(5)
        sim.tau = (1e308, -1e308)
        sim.step(5)
    table = td.read_recording(tmp_path / "run.parquet")
    assert table.complete
    assert len(table) >= 6


def test_samples_are_not_kept_in_memory(model, tmp_path, monkeypatch):
    """Every block goes to the file and its room is used again."""
    monkeypatch.setattr(recorder, "_MOST_NUMBERS", 64)
    monkeypatch.setattr(recorder, "_FLUSH", 1e9)
    sim = moving(model)
    sizes = []
    with sim.record(tmp_path / "run.parquet", ["energy.*"], rate=1000) as recording:
        writer = recording._writer
        block, add = recording._block, writer.add
        monkeypatch.setattr(writer, "add", lambda rows: (sizes.append(len(rows)), add(rows)))
        sim.run(1)
        assert recording._block is block
        assert block.size <= 64
        assert len(recording._writer._outlet._pending) == 0
    assert max(sizes) == len(block)
    assert sum(sizes) == 1000
    assert len(times(tmp_path / "run.parquet")) == 1001


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_simulated_second_is_flushed(model, tmp_path, suffix):
    sim = moving(model)
    path = tmp_path / f"run.{suffix}"
    with sim.record(path, rate=100):
        for second in range(1, 4):
            sim.run(1)
            # while it is being recorded
            table = td.read_recording(path)
            assert table.time[-1] == pytest.approx(second, abs=1e-9)
            assert not table.complete
    assert td.read_recording(path).complete


def test_every_second_on_the_wall_is_flushed(model, tmp_path, clock):
    sim = moving(model)
    with sim.record(tmp_path / "run.mcap", rate=100):
        sim.run(0.1)
        assert len(times(tmp_path / "run.mcap")) == 1
        clock[0] += 1.0
        sim.run(0.1)
        # the first sample behind that second takes all before it along
        assert len(times(tmp_path / "run.mcap")) == 12


def test_a_script_that_does_not_close(tmp_path):
    script = (
        "import treadle as td\n"
        "sim = td.Simulation(td.scene('pendulum'))\n"
        f"sim.record({str(tmp_path / 'run.parquet')!r}, ['energy.*'])\n"
        f"sim.record({str(tmp_path / 'run.mcap')!r}, ['energy.*'])\n"
        "sim.run(0.5)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    for suffix in FORMATS:
        table = td.read_recording(tmp_path / f"run.{suffix}")
        assert table.complete
        assert len(table) == 51
    assert not (tmp_path / "run.parquet.partial").exists()


# functions of the user's


def test_own_signals(model, tmp_path):
    sim = moving(model)
    own = {
        "height [m]": lambda s: s.body("lower").position[2],
        "both": lambda s: s.q,
        "none": lambda s: np.nan,
    }
    for suffix in FORMATS:
        with sim.record(tmp_path / f"run.{suffix}", ["joint.*.position", own], rate=100):
            sim.run(0.2)
        table = td.read_recording(tmp_path / f"run.{suffix}")
        assert table.unit("height") == "m"
        assert table["height"].shape == (21,)
        np.testing.assert_array_equal(table["both"][:, 0], table["joint.shoulder.position"])
        np.testing.assert_array_equal(table["both.1"], table["joint.elbow.position"])
        assert np.isnan(table["none"]).all()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda s: 1 / (s.time < 0.05), "signal 'mine' failed: ZeroDivisionError: division by zero"),
        (lambda s: [0] * (1 + (s.time > 0.05)), "signal 'mine' gave 2 numbers, but 1 at first"),
        (lambda s: "much" if s.time > 0.05 else 0, "signal 'mine' failed: ValueError"),
    ],
)
def test_a_failing_function_ends_the_recording(model, tmp_path, function, message):
    sim = moving(model)
    with sim.record(tmp_path / "run.parquet", ["energy.total", {"mine": function}], rate=100):
        with pytest.raises(td.InputError, match=message):
            sim.run(1)
        stopped = sim.time
        # once is enough
        sim.run(1)
    assert stopped == pytest.approx(0.06, abs=0.011)
    table = td.read_recording(tmp_path / "run.parquet")
    assert table.complete
    assert table.time[-1] == pytest.approx(stopped - 0.01)


def test_a_function_that_fails_at_once_leaves_no_file(model, tmp_path):
    with pytest.raises(td.InputError, match="failed: KeyError"):
        moving(model).record(tmp_path / "run.mcap", [{"mine": lambda s: {}["x"]}])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["time", "energy.total", "both.1", "body.upper.pose.x"])
def test_names_of_numbers_are_unique(model, tmp_path, name):
    wanted = ["energy.total", "body.*", {"both": lambda s: s.q, name: lambda s: s.q[0]}]
    with pytest.raises(td.InputError, match="give yours another name"):
        moving(model).record(tmp_path / "run.mcap", wanted)
    assert list(tmp_path.iterdir()) == []


# arguments


@pytest.mark.parametrize("rate", [0, -1, np.nan, np.inf, "often"])
def test_rate_must_be_positive(model, tmp_path, rate):
    with pytest.raises(td.InputError, match="rate must be a positive number of samples per second"):
        moving(model).record(tmp_path / "run.mcap", rate=rate)


def test_rate_must_not_exceed_the_steps(model, tmp_path):
    with pytest.raises(td.InputError, match=r"with dt = 0.001 s it can be 1000 at most"):
        moving(model).record(tmp_path / "run.mcap", rate=2000)
    # a step longer than the usual rate is no mistake
    with moving(model, dt=0.02).record(tmp_path / "run.mcap") as recording:
        assert recording.rate == pytest.approx(50)


def test_suffix_must_be_known(model, tmp_path):
    with pytest.raises(td.InputError, match=r"run.csv: a recording's name ends in .mcap or .parquet"):
        moving(model).record(tmp_path / "run.csv")
