"""What a recording leaves behind when something ends it: all that was flushed, and one clear error."""

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treadle as td
from treadle.sim.recording import outlet

FORMATS = ["mcap", "parquet"]


@pytest.fixture(scope="module")
def model() -> td.Model:
    return td.scene("pendulum")


def moving(model: td.Model) -> td.Simulation:
    sim = td.Simulation(model)
    sim.joint("shoulder").position = 1.2
    return sim


def check_run(table, model) -> None:
    """That a table holds the run of `moving` from its beginning, sample for sample."""
    other = moving(model)
    for time, q in table.states():
        assert time == other.time
        np.testing.assert_array_equal(q, other.q)
        other.step(10)


RUN_FOREVER = """
import sys, treadle as td
sim = td.Simulation(td.scene("pendulum"))
sim.joint("shoulder").position = 1.2
recording = sim.record(sys.argv[1], rate=100)
while True:
    sim.run(0.25)
    print(sim.time, flush=True)
"""


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("lines", [3, 40, 101])
def test_killed(model, tmp_path, suffix, lines):
    path = tmp_path / f"run.{suffix}"
    with subprocess.Popen(
        [sys.executable, "-c", RUN_FOREVER, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(lines):
            reached = float(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    table = td.read_recording(path)
    assert not table.complete
    # all but the last second that was begun
    assert table.time[-1] >= np.floor(reached + 1e-9) - 1e-9
    check_run(table, model)
    # and the place is free again
    moving(model).record(path).close()
    assert td.read_recording(path).complete


@pytest.mark.parametrize("suffix", FORMATS)
def test_cut_anywhere(model, tmp_path, suffix):
    """Whatever part of the file reached the disk, the whole blocks in it can be read."""
    whole = tmp_path / f"run.{suffix}"
    sim = moving(model)
    sim.record(whole, rate=10)
    sim.run(4.0)
    growing = whole if suffix == "mcap" else whole.with_name(whole.name + ".partial")
    content = growing.read_bytes()
    cut = tmp_path / f"cut{'.mcap' if suffix == 'mcap' else '.parquet.partial'}"
    counts = []
    for size in [*range(0, len(content), 97), len(content)]:
        cut.write_bytes(content[:size])
        try:
            table = td.read_recording(cut)
        except td.RecordingError as error:
            # not even the header
            assert "cut off" in str(error)
            counts.append(-1)
            continue
        assert not table.complete
        np.testing.assert_allclose(table.time, np.arange(len(table)) * 0.1, atol=1e-12)
        counts.append(len(table))
    assert counts == sorted(counts)
    assert set(counts) == {-1, 0, 1, 11, 21, 31, 41}


FILL = """
import resource, sys, treadle as td
sim = td.Simulation(td.scene("pendulum"))
sim.joint("shoulder").position = 1.2
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
with sim.record(sys.argv[1], rate=100) as recording:
    for _ in range(2):
        try:
            sim.run(100)
        except td.RecordingError as error:
            print("RecordingError", error)
    print(recording.closed, sim.time)
"""


@pytest.mark.parametrize("suffix", FORMATS)
def test_file_too_large(model, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(path), "300000"], capture_output=True, text=True, check=True
    )
    # one error, at a sample; then the simulation goes on without
    error, end = done.stdout.splitlines()
    assert "the recording stops here (File too large)" in error
    assert "what was flushed before can be read" in error
    closed, time = end.split()
    assert closed == "True"
    table = td.read_recording(path)
    assert not table.complete
    assert 5 < table.time[-1] < 100
    # the error came with the second that did not fit
    assert table.time[-1] < float(time) - 100.0 <= table.time[-1] + 1.0 + 1e-9
    check_run(table, model)
    assert max(file.stat().st_size for file in tmp_path.iterdir()) <= 300_000


@pytest.mark.parametrize("suffix", FORMATS)
def test_disk_full(model, tmp_path, suffix, monkeypatch):
    """The disk takes a part of a block and then no more: the part is removed again."""
    path = tmp_path / f"run.{suffix}"
    sim = moving(model)
    room, write = [60_000], os.write

    def limited(handle: int, data: bytes) -> int:
        if room[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(handle, data[: room[0]])
        room[0] -= written
        return written

    with sim.record(path, rate=100):
        monkeypatch.setattr(outlet.os, "write", limited)
        with pytest.raises(td.RecordingError, match=r"No space left on device.*make room"):
            sim.run(1000)
        reached, state = sim.time, sim.save()
        monkeypatch.undo()
        sim.run(0.5)
    table = td.read_recording(path)
    assert not table.complete
    assert table.time[-1] == pytest.approx(reached - 1.0)
    check_run(table, model)
    # the state is that of an unrecorded run
    other = moving(model)
    other.run(reached)
    assert other.save() == state


def test_no_room_for_the_finished_file(model, tmp_path):
    """The Parquet file does not fit; what it would be made from stays."""
    path = tmp_path / "run.parquet"
    sim = moving(model)
    recording = sim.record(path, rate=1000)
    sim.run(5)
    recording.flush()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(td.RecordingError, match=r"could not be finished.*everything is in .*partial"):
            recording.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    recording.close()
    table = td.read_recording(path)
    assert len(table) == 5001
    assert [file.name for file in tmp_path.iterdir()] == ["run.parquet.partial"]


@pytest.fixture
def read_only(tmp_path):
    """A folder that this process may not write into, even as root."""
    folder = tmp_path / "archive"
    folder.mkdir(mode=0o555)
    if os.geteuid() != 0:
        yield folder
        return
    for parent in (tmp_path, *tmp_path.parents[:3]):
        if parent.stat().st_uid == 0 and parent.stat().st_mode & 0o077 == 0:
            parent.chmod(0o711)
    os.seteuid(65534)
    yield folder
    os.seteuid(0)


@pytest.mark.parametrize("suffix", FORMATS)
def test_read_only_folder(model, read_only, suffix):
    sim = moving(model)
    with pytest.raises(td.RecordingError, match=r"cannot record here \(Permission denied\); choose a folder"):
        sim.record(read_only / f"run.{suffix}")
    sim.run(0.1)
    assert sim.observers == []


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_place_to_record(model, tmp_path, suffix):
    with pytest.raises(td.RecordingError, match=r"there is no folder .*absent to record into; make it first"):
        moving(model).record(tmp_path / "absent" / f"run.{suffix}")
    (tmp_path / f"run.{suffix}").mkdir()
    with pytest.raises(td.RecordingError, match="is a folder; name a file inside it"):
        moving(model).record(tmp_path / f"run.{suffix}")
    assert [path.name for path in tmp_path.iterdir()] == [f"run.{suffix}"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_two_recorders_on_one_file(model, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    sim = moving(model)
    with sim.record(path, rate=100):
        sim.run(1.5)
        with pytest.raises(td.RecordingError, match="is being recorded already: close that recording first"):
            moving(model).record(path)
        with pytest.raises(td.RecordingError, match="is being recorded already"):
            sim.record(path)
        script = f"import treadle as td; td.Simulation(td.scene('pendulum')).record({str(path)!r})"
        other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert "is being recorded already" in other.stderr.splitlines()[-1]
        sim.run(1.5)
    table = td.read_recording(path)
    assert len(table) == 301
    check_run(table, model)
    with moving(model).record(path):
        pass
    assert len(td.read_recording(path)) == 1


# files that are no recordings


def test_absent(tmp_path):
    for name in ("run.mcap", "run.parquet", "run.parquet.partial"):
        with pytest.raises(td.RecordingError, match="there is no such file; check the path"):
            td.read_recording(tmp_path / name)
    with pytest.raises(td.InputError, match=r"a recording's name ends in .mcap or .parquet"):
        td.read_recording(tmp_path / "run.csv")


@pytest.mark.parametrize("name", ["run.mcap", "run.parquet", "run.parquet.partial"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"some text that is long enough to have a header" * 9])
def test_other_content(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(td.RecordingError, match=r"is not|is no recording"):
        td.read_recording(tmp_path / name)


def test_recordings_of_other_programs(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq
    from mcap.writer import Writer

    pq.write_table(pa.table({"x": [1.0]}), tmp_path / "other.parquet")
    with (tmp_path / "other.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start()
        writer.finish()
    for path in sorted(Path(tmp_path).iterdir()):
        with pytest.raises(td.RecordingError, match="is not a recording that Treadle made"):
            td.read_recording(path)
