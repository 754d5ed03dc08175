"""Wrong calls and damaged files end in one of Treadle's own errors, in one sentence."""

import itertools

import pytest

import treadle as td
from tests.mutants import mutants, outcome, seeds
from tests.wrong_calls import wrong_calls

CALLS = dict(wrong_calls())


def test_there_are_many_wrong_calls():
    assert len(CALLS) > 500


@pytest.mark.filterwarnings("error")
def test_wrong_calls_end_in_one_sentence():
    problems = []
    for name, call in CALLS.items():
        try:
            call()
        except td.TreadleError as error:
            if "\n" in str(error) or len(str(error)) > 400:
                problems.append(f"{name}: not one sentence: {error}")
        except Exception as error:
            problems.append(f"{name}: {type(error).__name__}: {error}")
        else:
            problems.append(f"{name}: accepted")
    assert problems == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return seeds(tmp_path_factory.mktemp("seeds"))


FORMATS = (
    "robot.toml", "robot.urdf", "robot.xml", "robot.xacro", "robot.srdf", "robot.3dt", "mesh.stl", "mesh.obj",
    "mesh.dae", "mesh.glb", "workpiece.step", "terrain.asc", "terrain.csv", "terrain.png", "terrain.tif",
    "almanac.alm", "run.mcap", "run.parquet", "run.parquet.partial",
)  # fmt: skip


def test_every_format_has_mutants(whole):
    assert tuple(whole) == FORMATS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_end_in_one_sentence(name, whole, tmp_path):
    content, read = whole[name]
    assert outcome(read, tmp_path / name, content) is None
    # every STEP file takes a process of its own
    damaged = mutants(content, 5 if name == "workpiece.step" else 40, seed=7)
    assert [problem for each in damaged if (problem := outcome(read, tmp_path / name, each))] == []


def test_most_mutants_are_noticed(whole, tmp_path):
    """The generator does damage: of a recording, most mutants cannot be read as if nothing had happened."""
    content, _ = whole["run.parquet"]
    refused = 0
    for each in itertools.islice(mutants(content, 60, seed=3), 60):
        (tmp_path / "run.parquet").write_bytes(each)
        try:
            td.read_recording(tmp_path / "run.parquet")
        except td.RecordingError:
            refused += 1
    assert refused > 30
