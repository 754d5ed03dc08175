"""Names of machines and joints reach C and FMUs as what they are: names, whatever characters they have."""

import shutil
import subprocess
import zipfile
from xml.etree import ElementTree

import pytest

import treadle as td
from tests.exports.test_export import STRICT, CMachine
from treadle.exports.machine import c_comment, c_name

ODD = [
    "a.b", "a_b", "A b", "*/ x", "/* y", 'quo"te', "back\\slash", "line\nbreak", "机器人", "int", "3", "-",
    "<&>'", "??/", "\x7f", "a\u2028b", "\x01", "a[1].b",
]  # fmt: skip


def chain(names, title="machine"):
    """Links on hinges with these names, each with a motor of its name."""
    spec, parent = td.ModelSpec(title), None
    for name in names:
        spec.add_body(f"link {name}", 1.0, center=(0.0, 0.0, -0.2), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(name, "revolute", parent, f"link {name}", axis=(0, 1, 0), position=(0.1, 0, 0))
        spec.add_actuator(name, "motor", name)
        parent = f"link {name}"
    return spec.compile()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this computer")
def test_odd_names_compile(tmp_path):
    model = chain(ODD, "*/ #error /* odd")
    files = td.export(model, tmp_path, "source", functions=["frame_poses"])
    library = tmp_path / "library.so"
    subprocess.run(["cc", *STRICT, str(files[1]), "-o", str(library), "-lm"], check=True)
    assert CMachine(library, files[0]).step(3) == 0


def test_indices_differ(tmp_path):
    header = td.export(chain(["a", "a_2", "A"]), tmp_path, functions=())[0].read_text()
    defined = [
        line.split()[1] for line in header.splitlines() if line.startswith("#define") and "_Q_" in line
    ]
    assert len(set(defined)) == 3


def test_a_comment_cannot_be_left():
    assert c_comment("x */ int y; /*\n z") == "x * / int y; / * z"
    assert len(c_name("x" * 300)) <= 63


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this computer")
@pytest.mark.parametrize("kind", ["fmu", "fmu2"])
def test_variables_of_an_fmu_are_quoted(kind, tmp_path):
    (path,) = td.export(chain(ODD, "<odd> \x01"), tmp_path, kind)
    with zipfile.ZipFile(path) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    names = [
        element.get("name")
        for element in root.iter()
        if element.get("name") and element.get("valueReference")
    ]
    assert len(names) == len(set(names))
    expected = {"a.b.position", "'A b'.velocity", "'quo\\\"te'.command", "'back\\\\slash'.torque",
                "'U+673AU+5668U+4EBA'.position", "'3'.position", "int.position", "a[1].b.position",
                "'lineU+000Abreak'.position"}  # fmt: skip
    assert expected <= set(names)
    fmpy = pytest.importorskip("fmpy.validation", reason="FMPy is not installed")
    assert fmpy.validate_fmu(str(path)) == []
