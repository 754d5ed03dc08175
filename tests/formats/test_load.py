import json
from pathlib import Path

import pytest

from treadle import store
from treadle.errors import ModelError
from treadle.formats import load, load_spec, urdf
from treadle.formats.load import FORMATS, Format

ROBOT = """<robot name="two">
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def robot(tmp_path) -> Path:
    path = tmp_path / "two.urdf"
    path.write_text(ROBOT)
    return path


@pytest.fixture
def reads(monkeypatch) -> list[str]:
    """The names of the files that were really read, not taken from the store."""
    names: list[str] = []

    def read(content, name, floating_base):
        names.append(name)
        return urdf.read(content, name, floating_base)

    monkeypatch.setitem(FORMATS, ".urdf", Format(read, "yourdfpy"))
    return names


def test_load(robot):
    assert load(robot).nv == 0
    model = load(str(robot), floating_base=True, gravity=(0, 0, -1.62))
    assert (model.nv, model.mass, model.gravity) == (6, 2.0, (0.0, 0.0, -1.62))


def test_load_spec_can_be_edited(robot):
    spec = load_spec(robot, floating_base=True)
    spec.bodies[0].mass = 3.0
    assert spec.compile().mass == 3.0
    assert load(robot, floating_base=True).mass == 2.0


def test_second_load_comes_from_the_store(robot, reads):
    first = load(robot, floating_base=True)
    second = load(robot, floating_base=True)
    assert reads == ["two"]
    assert first.digest == second.digest
    assert first.report == second.report
    assert second.joints[0].name == "floating_base"


def test_store_is_keyed_by_content_and_options(robot, reads):
    load(robot)
    load(robot, floating_base=True)
    robot.write_text(ROBOT.replace('value="2"', 'value="5"'))
    assert load(robot, floating_base=True).mass == 5.0
    assert len(reads) == 3


def test_damaged_entries_are_read_again(robot, reads):
    load(robot)
    for path in store.folder().rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-20])
    assert load(robot).nv == 0
    assert len(reads) == 2


def test_entries_are_plain_json(robot, monkeypatch):
    written = []
    monkeypatch.setattr(store, "write", lambda kind, digest, payload: written.append(payload))
    load(robot)
    assert json.loads(written[0])["name"] == "two"


def test_errors_name_the_file_even_when_stored(robot):
    robot.write_text(ROBOT.replace('value="2"', 'value="-2"'))
    for _ in range(2):
        with pytest.raises(ModelError, match="negative mass") as caught:
            load(robot)
        assert (caught.value.file, caught.value.line) == (str(robot), 2)


def test_bad_gravity(robot):
    for gravity in ((0, 0), -9.81):
        with pytest.raises(ModelError, match="gravity needs 3 numbers"):
            load(robot, gravity=gravity)


def test_missing_file(tmp_path):
    with pytest.raises(ModelError, match="no such file") as caught:
        load(tmp_path / "absent.urdf")
    assert caught.value.file.endswith("absent.urdf")
    assert caught.value.hint


def test_folder(tmp_path):
    (tmp_path / "robot.urdf").mkdir()
    for path in (tmp_path, tmp_path / "robot.urdf"):
        with pytest.raises(ModelError, match="is a folder"):
            load(path)


@pytest.mark.parametrize(("name", "hint"), [("robot.stl", ".urdf"), ("robot", ".urdf")])
def test_unknown_kind(tmp_path, name, hint):
    path = tmp_path / name
    path.write_text(ROBOT)
    with pytest.raises(ModelError, match="unknown kind of file") as caught:
        load(path)
    assert hint in caught.value.hint


def test_suffix_in_capitals(robot):
    assert load(robot.rename(robot.with_suffix(".URDF"))).name == "two"


def test_a_reader_may_ask_for_the_folder(robot, monkeypatch):
    seen = []

    def read(content, name, floating_base, folder):
        seen.append((folder.path, folder.allow_outside))
        return urdf.read(content, name, floating_base)

    monkeypatch.setitem(FORMATS, ".urdf", Format(read, "yourdfpy", takes_folder=True))
    for allowed in (False, False, True):
        load(robot, allow_outside=allowed)
    # the second one came from the store
    assert seen == [(robot.parent, False), (robot.parent, True)]


def test_a_reader_without_a_package_is_not_stored(robot, monkeypatch):
    seen = []

    def read(content, name, floating_base):
        seen.append(name)
        return urdf.read(content, name, floating_base)

    monkeypatch.setitem(FORMATS, ".urdf", Format(read))
    load(robot)
    load(robot)
    assert seen == ["two", "two"]


def test_too_large(robot):
    with robot.open("r+b") as file:
        file.truncate(60_000_000)
    with pytest.raises(ModelError, match="60 MB"):
        load(robot)


UNPHYSICAL = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_a_description_from_a_file_compiles_to_what_load_gives(tmp_path):
    """Also where an inertia is one that no body can have, which is reported and not refused."""
    path = tmp_path / "robot.urdf"
    path.write_text(UNPHYSICAL)
    loaded, compiled = load(path), load_spec(path).compile()
    assert compiled.digest == loaded.digest
    assert [str(line) for line in compiled.report] == [str(line) for line in loaded.report]
    assert any("inertia" in str(line) for line in loaded.report)
    with pytest.raises(ModelError):
        load_spec(path).compile(strict=True)
