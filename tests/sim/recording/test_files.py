"""What is in the files: for Treadle's own reader, and for everybody else's."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from mcap.reader import make_reader

import treadle as td
from tests.machines import random_spec, random_state
from tests.native.direct import identical
from treadle.sim.recording.header import Header
from treadle.spatial import Quaternion

FORMATS = ["mcap", "parquet"]


@pytest.fixture(scope="module")
def model() -> td.Model:
    spec = random_spec(
        np.random.default_rng(5), 6, kinds=("revolute", "ball", "prismatic", "fixed"), root="free"
    )
    spec.add_frame('odd [name].with "all" / ü', "b3", position=(1, 2, 3))
    return spec.compile()


@pytest.fixture(scope="module")
def sim(model) -> td.Simulation:
    sim = td.Simulation(model, dt=2e-3, integrator="rk4")
    sim.q, sim.v, sim.tau = random_state(model, np.random.default_rng(6))
    return sim


@pytest.fixture(scope="module")
def folder(sim, tmp_path_factory):
    """The same run in both formats, all signals and one more."""
    folder = tmp_path_factory.mktemp("recordings")
    start = sim.save()
    wanted = ["*", {"own [mm]": lambda s: [s.time * 1e3, np.inf]}]
    with sim.record(folder / "run.mcap", wanted, 50), sim.record(folder / "run.parquet", wanted, 50):
        sim.run(2.5)
    (folder / "end.txt").write_text(repr(sim.q.tolist()))
    sim.restore(start)
    return folder


@pytest.fixture(params=FORMATS)
def table(request, folder):
    return td.read_recording(folder / f"run.{request.param}")


def test_both_formats_hold_the_same_numbers(folder):
    one, other = (td.read_recording(folder / f"run.{suffix}") for suffix in FORMATS)
    assert one.names == other.names
    assert one.columns == other.columns
    assert len(one) == len(other) == 126
    for name in ("time", *one.names):
        if name != "own":
            assert identical(one[name], other[name]), name
        assert one.unit(name) == other.unit(name)
    # JSON has no infinity
    assert np.isnan(one["own.1"]).all()
    assert np.isinf(other["own.1"]).all()


def test_shapes_units_and_components(table, model):
    joint = next(j for j in model.joints if j.type.kind == "revolute")
    assert table[f"joint.{joint.name}.position"].shape == (126,)
    assert table.unit(f"joint.{joint.name}.torque") == "N m"
    assert table.unit(f"joint.{joint.name}.acceleration") == "rad/s^2"
    assert table.components(f"joint.{joint.name}.position") == ()
    free = model.joints[0]
    assert table[f"joint.{free.name}.position"].shape == (126, 7)
    assert table.components(f"joint.{free.name}.position") == ("w", "x", "y", "z", "px", "py", "pz")
    assert table.unit(f"joint.{free.name}.position") == ("1", "1", "1", "1", "m", "m", "m")
    assert table.unit(f"joint.{free.name}.position.px") == "m"
    np.testing.assert_array_equal(
        table[f"joint.{free.name}.position.px"], table[f"joint.{free.name}.position"][:, 4]
    )
    assert table.unit("own") == "mm"
    assert (table.unit("time"), table["time"] is table.time) == ("s", True)
    assert "energy.total" in table
    assert "energy.lost" not in table
    assert set(table) == set(table.names)


def test_unknown_name(table):
    with pytest.raises(td.InputError, match=r"has no signal 'energy.totel'; did you mean 'energy.total'"):
        table["energy.totel"]
    with pytest.raises(td.InputError, match=r"has no signal 'energy.totel'"):
        table.unit("energy.totel")


def test_where_it_comes_from(table, model):
    assert (table.model, table.version, table.integrator) == (model.name, td.__version__, "rk4")
    assert (table.dt, table.rate, table.complete) == (2e-3, 50.0, True)
    assert table.options == {}
    assert repr(table).startswith("<Recording of 'random machine': 126 samples over 0 to 2.5 s of ")


def test_the_run_can_be_repeated(table, sim, model, folder):
    assert table.start == sim.save()
    again = td.Simulation(model, dt=1.0, integrator=table.integrator)
    again.restore(table.start)
    for time, q in table.replay(model):
        assert time == again.time
        assert identical(q, again.q)
        again.step(10)
    assert (folder / "end.txt").read_text() == repr(q.tolist())


def test_states_without_a_model(table, model):
    for (time, q), (other_time, other_q) in zip(table.states(), table.replay(model), strict=True):
        assert time == other_time
        assert identical(q, other_q)


def test_replay_finds_joints_by_name(tmp_path):
    def build(*order: str) -> td.Model:
        spec = td.ModelSpec("two")
        for name in order:
            spec.add_body(f"{name} body", 1.0, inertia=(1, 1, 1))
            spec.add_joint(name, "revolute", None, f"{name} body")
        return spec.compile()

    sim = td.Simulation(build("a", "b"))
    sim.q = (1.0, 2.0)
    for signals in (None, ["joint.a.position"]):
        sim.record(tmp_path / "run.mcap", signals).close()
        table = td.read_recording(tmp_path / "run.mcap")
        if signals is None:
            assert [q.tolist() for _, q in table.replay(build("b", "a"))] == [[2.0, 1.0]]
            assert [q.tolist() for _, q in table.replay(build("b"))] == [[2.0]]
            with pytest.raises(
                td.InputError, match=r"does not hold 'joint.c.position', which a replay needs"
            ):
                list(table.replay(build("a", "c")))
        else:
            with pytest.raises(td.InputError, match=r"record 'joint.\*.position'"):
                list(table.states())


def test_replay_of_another_joint_type(table):
    spec = td.ModelSpec("other")
    spec.add_body("body", 1.0, inertia=(1, 1, 1))
    spec.add_joint(table.names[0].split(".")[1], "revolute", None, "body")
    with pytest.raises(td.InputError, match="was recorded with 7 positions, but has 1 in this model"):
        list(table.replay(spec.compile()))


def test_pandas(table):
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "time"
    np.testing.assert_array_equal(frame["energy.total"], table["energy.total"])


def test_without_pandas(table, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(td.InputError, match="to_pandas needs pandas: pip install pandas"):
        table.to_pandas()


def test_options_of_the_integrator(tmp_path):
    sim = td.Simulation(td.scene("pendulum"), dt=0.01, integrator="dopri5", tolerance=1e-9)
    sim.joint("shoulder").position = 1.0
    with sim.record(tmp_path / "run.mcap"):
        sim.run(1)
    table = td.read_recording(tmp_path / "run.mcap")
    assert table.options["tolerance"] == 1e-9
    again = td.Simulation(td.scene("pendulum"), integrator=table.integrator, **table.options)
    again.restore(table.start)
    again.run(1)
    assert identical(again.q, list(table.states())[-1][1])


def test_recordings_of_other_versions(folder, monkeypatch):
    """What this version does not know is passed over; what it needs and does not find is said."""
    table = td.read_recording(folder / "run.parquet")
    texts = table._header.to_json()
    assert Header.from_json({**texts, "weather": "1"}, "x") == table._header
    with pytest.raises(td.RecordingError, match="x is not a recording that this version of Treadle can read"):
        Header.from_json({name: text for name, text in texts.items() if name != "joints"}, "x")
    table._header.start["weather"] = 1
    with pytest.raises(td.RecordingError, match="its first state is one of Treadle"):
        table.start  # noqa: B018


# MCAP by the library's own reader


@pytest.fixture(scope="module")
def messages(folder):
    """Schema and messages of every topic."""
    found: dict = {}
    with (folder / "run.mcap").open("rb") as file:
        for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
            topic = found.setdefault(channel.topic, (schema, []))
            topic[1].append((message.log_time, json.loads(message.data)))
    return found


def test_mcap_is_indexed(folder):
    with (folder / "run.mcap").open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == 126 * len(summary.channels)
        # the first sample, then a chunk per second
        assert len(summary.chunk_indexes) == 4
        assert (summary.statistics.message_start_time, summary.statistics.message_end_time) == (
            0,
            2_500_000_000,
        )
        (metadata,) = list(reader.iter_metadata())
        assert json.loads(metadata.metadata["dt"]) == 2e-3
        # a part of it is found by the index
        later = list(reader.iter_messages(topics=["/energy"], starting_at=2_000_000_000))
        assert len(later) == 26


def test_mcap_names_are_paths(messages, folder):
    table = td.read_recording(folder / "run.mcap")
    assert set(messages) == {
        "/clock",
        "/joint",
        "/body",
        "/energy",
        "/momentum",
        "/center_of_mass",
        "/user",
        "/tf",
    }
    energies = [message["total"] for _, message in messages["/energy"][1]]
    np.testing.assert_array_equal(energies, table["energy.total"])
    name = next(name for name in table.names if name.startswith("joint.") and name.endswith(".torque"))
    joint = name.split(".")[1]
    torques = [list(message[joint]["torque"].values()) for _, message in messages["/joint"][1]]
    np.testing.assert_array_equal(torques, table[name])
    assert [message["own"]["1"] for _, message in messages["/user"][1]] == [None] * 126
    schema = json.loads(messages["/energy"][0].data)
    assert schema["properties"]["total"] == {"type": "number", "description": "J"}


def test_mcap_times(messages):
    for log_time, message in messages["/clock"][1]:
        assert log_time == round(message["time"] * 1e9)


def test_mcap_poses_are_transforms(messages, sim, model):
    """As foxglove.FrameTransforms, each with its own time, from the world to every link and frame."""
    schema, found = messages["/tf"]
    assert schema.name == "foxglove.FrameTransforms"
    log_time, message = found[0]
    assert [t["child_frame_id"] for t in message["transforms"]] == [frame.name for frame in model.frames]
    for transform in message["transforms"]:
        assert set(transform) == set(
            json.loads(schema.data)["properties"]["transforms"]["items"]["properties"]
        )
        assert transform["parent_frame_id"] == "world"
        pose = sim.body(transform["child_frame_id"]).pose
        np.testing.assert_allclose(list(transform["translation"].values()), pose[:3, 3], atol=1e-12)
        rotation = [transform["rotation"][axis] for axis in "wxyz"]
        matrix = np.array(Quaternion(*rotation).matrix().to_rows())
        np.testing.assert_allclose(matrix, pose[:3, :3], atol=1e-12)
    log_time, message = found[-1]
    for transform in message["transforms"]:
        stamp = transform["timestamp"]
        assert stamp["sec"] * 10**9 + stamp["nsec"] == log_time
        assert all(isinstance(x, int) for x in stamp.values())


def test_a_link_called_world(tmp_path):
    spec = td.ModelSpec("odd")
    spec.add_body("world", 1.0, inertia=(1, 1, 1))
    spec.add_joint("joint", "revolute", None, "world")
    td.Simulation(spec.compile()).record(tmp_path / "run.mcap").close()
    with (tmp_path / "run.mcap").open("rb") as file:
        (message,) = [m for _, channel, m in make_reader(file).iter_messages() if channel.topic == "/tf"]
    (transform,) = json.loads(message.data)["transforms"]
    assert (transform["child_frame_id"], transform["parent_frame_id"]) == ("world", "treadle world")
    assert td.read_recording(tmp_path / "run.mcap")["body.world.pose"].shape == (1, 7)


# Parquet by pyarrow


def test_parquet_columns(folder):
    file = pq.ParquetFile(folder / "run.parquet")
    table = td.read_recording(folder / "run.parquet")
    schema = file.schema_arrow
    assert schema.names == ["time", *table.columns]
    assert schema.field("energy.total").metadata[b"unit"] == b"J"
    np.testing.assert_array_equal(
        file.read(["energy.total"])["energy.total"].to_numpy(), table["energy.total"]
    )
    assert sorted(path.name for path in folder.iterdir()) == ["end.txt", "run.mcap", "run.parquet"]


def test_long_parquet_recordings_are_in_groups(tmp_path, monkeypatch):
    from treadle.sim.recording import parquet_writer

    monkeypatch.setattr(parquet_writer, "_GROUP", 250)
    sim = td.Simulation(td.scene("pendulum"))
    with sim.record(tmp_path / "run.parquet", ["energy.total"], rate=100):
        sim.run(10)
    file = pq.ParquetFile(tmp_path / "run.parquet")
    assert file.num_row_groups > 1
    assert file.metadata.num_rows == 1001
    np.testing.assert_allclose(td.read_recording(tmp_path / "run.parquet").time, np.arange(1001) * 0.01)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_new_recording_replaces_the_old_one(tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    sim = td.Simulation(td.scene("pendulum"))
    with sim.record(path):
        sim.run(3)
    with sim.record(path, ["energy.total"]):
        sim.run(0.1)
    table = td.read_recording(path)
    assert (len(table), table.names) == (11, ["energy.total"])


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_a_cut_recording_can_be_mended(tmp_path, suffix, target):
    path = tmp_path / f"run.{suffix}"
    sim = td.Simulation(td.scene("pendulum"))
    sim.joint("elbow").position = 1.0
    recording = sim.record(path, rate=1000)
    sim.run(2.5)
    # as a killed process leaves it
    recording._writer.abandon()
    recording._detach()
    cut = td.read_recording(path)
    assert (len(cut), cut.complete) == (2001, False)
    cut.save(tmp_path / f"run.{target}")
    mended = td.read_recording(tmp_path / f"run.{target}")
    assert mended.complete
    assert mended.start == cut.start
    for name in ("time", *cut.names):
        assert identical(mended[name], cut[name])
    with pytest.raises(td.InputError, match="a recording's name ends in"):
        cut.save(tmp_path / "run.csv")


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_signals_but_time(tmp_path, suffix):
    sim = td.Simulation(td.scene("pendulum"))
    with sim.record(tmp_path / f"run.{suffix}", []):
        sim.run(0.1)
    table = td.read_recording(tmp_path / f"run.{suffix}")
    assert (len(table), table.names) == (11, [])
