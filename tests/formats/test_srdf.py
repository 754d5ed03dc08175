"""SRDF: pairs that do not collide."""

import pytest

import treadle as td

TEXT = """<?xml version="1.0"?>
<robot name="arm">
  <group name="all"><chain base_link="base" tip_link="hand"/></group>
  <disable_collisions link1="base" link2="hand" reason="Never"/>
  <disable_collisions link1="base" link2="elbow" reason="Adjacent"/>
</robot>
"""


def test_disabled_pairs_are_read(tmp_path):
    path = tmp_path / "arm.srdf"
    path.write_text(TEXT)
    assert td.read_disabled_collisions(path) == [("base", "hand"), ("base", "elbow")]


@pytest.mark.parametrize("text, message", [
    ("<robot", "not .*XML"), ("<world/>", "not an SRDF file"),
    ('<robot><disable_collisions link1="a"/></robot>', "link is missing"),
])  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, text, message):
    path = tmp_path / "arm.srdf"
    path.write_text(text)
    with pytest.raises(td.ModelError, match=message) as caught:
        td.read_disabled_collisions(path)
    assert caught.value.file == str(path)
    with pytest.raises(td.ModelError, match="cannot be read"):
        td.read_disabled_collisions(tmp_path / "missing.srdf")
