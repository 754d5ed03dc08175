import pytest

from tests.formats.test_toml import ARM, HEAD, POSED, with_mesh
from treadle import ModelError, load

JOINT = '\n[[joint]]\nname = "k"\ntype = "hinge"\npredecessor = "{}"\nsuccessor = "{}"\n'

ACTUATOR = ARM + '[[actuator]]\nname = "m"\ntype = "motor"\njoint = "turn"\n'

#: content, part of the message, line (None: any), part of the hint
MALFORMED = {
    "empty": ("", "does not state its format", None, "treadle-1"),
    "other toml": ("[project]\nname = 'x'\n", "does not state its format", None, "treadle-1"),
    "newer format": (ARM.replace("treadle-1", "treadle-9"), "'treadle-9' is not known", 1, "newer"),
    "format of wrong type": (ARM.replace('"treadle-1"', "1"), "format 1 is not known", 1, ""),
    "missing units": (ARM.replace('units = "SI"\n', ""), "does not state its units", None, "SI"),
    "wrong units": (ARM.replace('"SI"', '"mm"'), "units 'mm' are not known", 2, "in m, kg"),
    "truncated": (ARM[: ARM.index('"hinge"') + 3], "not sound TOML", 12, "correct it"),
    "truncated in an array": (HEAD + "gravity = [0, 0,", "not sound TOML", 4, ""),
    "key twice": (ARM + 'name = "again"\n', "not sound TOML", 15, ""),
    "binary": (b"\x00\x01\x02\xff\xfe", "is not text", 1, "UTF-8"),
    "binary after text": (ARM.encode() + b"\xff", "is not text", 15, "UTF-8"),
    "zeros": (b"\0" * 1000, "not sound TOML", 1, ""),
    "xml": ("<robot name='x'/>", "not sound TOML", 1, ""),
    "deep arrays": (HEAD + "[settings]\nx = " + "[" * 100_000, "too deep", None, ""),
    "nested arrays": (HEAD + "[settings]\nx = " + "[" * 60 + "]" * 60, "nested too deep", 4, ""),
    "deep inline tables": (HEAD + "x = " + "{a=" * 50_000, "too deep", None, ""),
    "endless dotted key": (HEAD + "a" + ".a" * 1_000_000 + " = 1", "nested too deep", None, ""),
    "endless header": (HEAD + '["a"' + '."a"' * 1_000_000 + "]", "nested too deep", None, ""),
    "nested numbers": (ARM.replace("2.0", "[[2.0]]"), "mass needs one number", 7, "kg"),
    "huge integer": (ARM.replace("2.0", "9" * 400), "too large", 7, "kg"),
    "endless integer": (ARM.replace("2.0", "9" * 10_000), "not sound TOML", None, ""),
    "nan": (ARM.replace("2.0", "nan"), "mass needs finite numbers, not nan", 7, ""),
    "inf": (ARM.replace("[0.1, 0.1, 0.1]", "[0.1, inf, 0.1]"), "inertia needs finite", 8, ""),
    "negative mass": (ARM.replace("2.0", "-2.0"), "negative mass", 5, ""),
    "text for a number": (ARM.replace("2.0", '"2.0"'), "mass needs one number", 7, ""),
    "true for a number": (ARM.replace("2.0", "true"), "mass needs one number", 7, ""),
    "date for a number": (ARM.replace("2.0", "1979-05-27"), "mass needs one number", 7, ""),
    "number for text": (ARM.replace('"arm"\nmass', "7\nmass"), "name needs text", 6, ""),
    "two numbers for three": (ARM + "offset = [1, 2]\n", "offset needs 3 numbers", 15, "predecessor"),
    "five moments": (ARM.replace("[0.1, 0.1, 0.1]", "[1, 1, 1, 0, 0]"), "3 numbers, 6 numbers", 8, ""),
    "unknown key": (ARM + "dampng = 1\n", "unknown key 'dampng'", 15, "'damping'"),
    "key of another format": (ARM + 'parent = "world"\n', "unknown key 'parent'", 15, "'predecessor' here"),
    "unknown key in limits": (ARM + "limits = {lwer = 1}\n", "unknown key 'lwer'", 15, "'lower'"),
    "unknown table": (ARM + '[[bodies]]\nname = "x"\n', "unknown key 'bodies'", 15, "'body' here"),
    "unknown quoted key": (ARM + '"a b" = 1\n', "unknown key 'a b'", 15, ""),
    "key without its table": (HEAD + "mass = 1\n", "unknown key 'mass'", 4, ""),
    "one bracket": (HEAD + '[body]\nname = "x"\n', "'body' is not a list of tables", 4, "two brackets"),
    "numbers for tables": (HEAD + "body = [1, 2]\n", "'body' is not a list of tables", 4, "[[body]]"),
    "one bracket inside": (
        ARM.replace("\n[[joint]]", '\n[body.shape]\ntype = "plane"\n\n[[joint]]'),
        "'shape' is not a list of tables", 10, "[[body.shape]]",
    ),
    "settings twice": (HEAD + "[[settings]]\ndt = 1\n", "settings needs a table", 4, ""),
    "date in the settings": (HEAD + "[settings]\nday = 1979-05-27\n", "hold the value", 4, "text, numbers"),
    "nan in the settings": (HEAD + "[settings]\ndt = nan\n", "not finite", 4, ""),
    "body without a name": (ARM.replace('name = "arm"\n', ""), "has no key 'name'", 5, "name of the body"),
    "joint without a type": (ARM.replace('type = "hinge"\n', ""), "has no key 'type'", 10, "kind of joint"),
    "joint without predecessor": (ARM.replace('predecessor = "world"\n', ""), "no key 'predecessor'", 10, ""),
    "unknown joint type": (ARM.replace("hinge", "knee"), "unknown type 'knee'", 12, "hinge"),
    "unknown body type": (ARM.replace("mass = 2.0", 'type = "cone"'), "unknown type 'cone'", 7, "sphere"),
    "size without type": (ARM.replace("mass = 2.0", "size = [1]"), "has a size but no type", 5, ""),
    "unknown body": (ARM.replace('"world"', '"amr"'), "'amr' is not a body", 10, "'arm'"),
    "world as successor": (
        ARM.replace('successor = "arm"', 'successor = "world"'), "cannot be a successor", 14, "exchange"
    ),
    "body twice": (ARM + '[[body]]\nname = "arm"\n', "already that of another body", 15, "rename"),
    "joint twice": (ARM + JOINT.format("world", "arm").replace('"k"', '"turn"'), "another joint", 16, ""),
    "loose body": (ARM + '[[body]]\nname = "loose"\n', "no joint connects it", 15, "free joint"),
    "cyclic parents": (
        ARM.replace('"world"', '"other"') + '[[body]]\nname = "other"\n' + JOINT.format("arm", "other"),
        "circle", 5, "world",
    ),
    "against the direction": (
        ARM + '[[body]]\nname = "other"\n' + JOINT.format("other", "arm"),
        'leads from "other"', 18, "exchange",
    ),
    "itself": (ARM + JOINT.format("arm", "arm"), "with itself", 16, ""),
    "bad matrix": (ARM + "matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]\n", "needs a rotation matrix", 10, ""),
    "flat matrix": (ARM + "matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1]\n", "three rows", 15, ""),
    "zero quaternion": (ARM + "quaternion = [0, 0, 0, 0]\n", "not zero", 10, ""),
    "short quaternion": (ARM + "quaternion = [1, 0, 0]\n", "needs 4 numbers", 15, ""),
    "two rotations": (ARM + "rpy = [0, 0, 1]\nquaternion = [1, 0, 0, 0]\n", "states both", 16, "keep one"),
    "zero axis": (ARM + "axis = [0, 0, 0]\n", "axis is zero", 10, ""),
    "limits exchanged": (ARM + "limits = {lower = 2, upper = 1}\n", "above its upper", 10, ""),
    "wrong infinity": (ARM + "limits = {lower = inf}\n", "above its upper", 10, ""),
    "one pose of two": (
        POSED.replace("position = [1, 2, 3]\nrpy = [0.1, 0.2, 0.3]\n", ""), "states a pose", 26, "both"
    ),
    "pose and successor": (POSED + "successor_offset = [0, 0, 1]\n", "both say where", 42, "remove one"),
    "bad pose": (POSED.replace("[0.5, 0.5, -0.5, 0.5]", "[0, 0, 0, 0]"), "not zero", 13, ""),
    "mesh without file": (with_mesh("").replace('file = ""', ""), "needs a file", 10, ""),
    "path with a null": (with_mesh("a\0b.stl"), "is not a path", 10, ""),
    "mesh on the network": (with_mesh("http://example.org/a.stl"), "is not a path", 10, "folder"),
    "endless path": (with_mesh("x/" * 100_000), "cannot be found", 10, ""),
    "geometry outside": (ARM.replace('"SI"', '"SI"\ngeometry = "../x.3dt"'), "outside the folder", 3, ""),
    "shape without body": (ARM + '[[shape]]\ntype = "plane"\n', "no key 'body'", 15, "world"),
    "body in body.shape": (
        with_mesh("a.stl").replace('type = "mesh"', 'type = "mesh"\nbody = "arm"'),
        "unknown key 'body'", 12, "",
    ),
    "unknown material": (
        with_mesh("a.stl").replace('"mesh"', '"mesh"\nmaterial = "wod"'), "'wod' is not stated", 10, ""
    ),
    "unknown joint of an actuator": (
        ACTUATOR.replace('joint = "turn"', 'joint = "trn"'), "'trn' is not a joint", 15, "'turn'"
    ),
    "unknown actuator": (
        ACTUATOR.replace("motor", "magnet"), "unknown type 'magnet'", 17, "motor"
    ),
    "freedom with a point": (
        ACTUATOR + "freedom = 0.0\n", "whole number", 19, ""
    ),
    "keyframe with text": (
        ARM + '[[keyframe]]\nname = "k"\n[keyframe.positions]\nturn = "left"\n',
        "positions of joint 'turn'", 17, "",
    ),
    "keyframe of an unknown joint": (
        ARM + '[[keyframe]]\nname = "k"\npositions = {trn = 1}\n', "'trn' is not a joint", 15, "'turn'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files(tmp_path, case):
    content, message, line, hint = MALFORMED[case]
    path = tmp_path / "robot.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError) as caught:
        load(path)
    assert message in caught.value.message
    assert caught.value.file == str(path)
    assert hint in (caught.value.hint or "")
    if line is not None:
        assert caught.value.line == line
    assert len(str(caught.value)) < 600
