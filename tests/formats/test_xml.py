import pytest

from treadle.errors import ModelError
from treadle.formats.xml import parse_xml


def test_sound_xml_without_its_comments():
    root = parse_xml(b"<?xml version='1.0'?><!-- a --><robot name='r'><!-- b --><link name='l'/></robot>")
    assert [element.tag for element in root.iter()] == ["robot", "link"]


def test_undeclared_name_spaces_are_common_in_robot_files():
    root = parse_xml(b"<robot name='r'>\n<sensor:camera name='c'/><link name='l'/></robot>")
    assert root.find("link").get("name") == "l"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"<robot>\n<link>\n</robot>", 3),
        (b"<robot>\n<link name='a'", 2),
        (b"<robot>\n<link name=a/>\n</robot>", 2),
        (b"<robot/>\n<robot/>", 2),
        (b"robot", 1),
    ],
)
def test_line_of_malformed_xml(content, line):
    with pytest.raises(ModelError, match="not well-formed XML") as caught:
        parse_xml(content)
    assert caught.value.line == line


@pytest.mark.parametrize("content", [b"", b"   \n", b"\xff\xfe\x00\x01", b"\x00" * 100])
def test_what_is_no_xml_at_all(content):
    with pytest.raises(ModelError, match="XML"):
        parse_xml(content)


BOMB = b"""<!DOCTYPE robot [
<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
<!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
]><robot name="r"><link name="&e;"/>&e;</robot>"""


def test_entities_are_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    outside = f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{secret}">]><robot name="r">&x;</robot>'
    inside = '<!DOCTYPE robot [<!ENTITY x "y">]><robot name="&x;"/>'
    for content in (BOMB, outside.encode(), inside.encode()):
        with pytest.raises(ModelError) as caught:
            parse_xml(content)
        assert "entit" in str(caught.value).lower()
        assert "secret" not in str(caught.value)


def test_endless_nesting_is_refused():
    with pytest.raises(ModelError):
        parse_xml(b"<a>" * 100_000)
