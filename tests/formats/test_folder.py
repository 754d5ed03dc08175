import pytest

from treadle.errors import ModelError
from treadle.formats.folder import Folder


def test_files_are_found_below_the_folder(tmp_path):
    folder = Folder(tmp_path)
    assert folder.locate("a/b.stl") == tmp_path.resolve() / "a" / "b.stl"
    assert folder.locate("a/../b.stl") == tmp_path.resolve() / "b.stl"
    assert folder.locate("~/b.stl") == tmp_path.resolve() / "~" / "b.stl"


@pytest.mark.parametrize("name", ["..", "../a", "a/../../b", "/etc/passwd", "/", "back", "back/a"])
def test_other_files_are_refused(tmp_path, name):
    home = tmp_path / "home"
    home.mkdir()
    (home / "back").symlink_to(tmp_path)
    with pytest.raises(ModelError, match=r"outside the folder|absolute path") as caught:
        Folder(home).locate(name, line=3, element="shape")
    assert (caught.value.line, caught.value.element) == (3, "shape")
    assert Folder(home, allow_outside=True).locate(name)


@pytest.mark.parametrize(
    "name", ["a\0b", "file:///etc/passwd", "package://robot/a.stl", "x" * 10_000, "loop"]
)
def test_names_that_are_no_paths(tmp_path, name):
    (tmp_path / "loop").symlink_to("loop")
    try:
        found = Folder(tmp_path).locate(name)
    except ModelError as error:
        assert error.hint
    else:
        # too long for the system, or a link to itself: there is no such file
        assert not found.is_file()


def test_a_folder_behind_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Folder(tmp_path / "link").locate("a.stl") == tmp_path.resolve() / "real" / "a.stl"
