"""Tables of Denavit and Hartenberg: products of the published matrices, and there and back."""

import math
from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from treadle.formats.dh import DHRow, dh_arm, dh_table
from treadle.formats.toml import read

CONVENTIONS = ("standard", "modified")


def rotation(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    pose = np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    pose[i, i] = pose[j, j] = c
    pose[i, j], pose[j, i] = -s, s
    return pose


def translation(axis, length):
    pose = np.eye(4)
    pose[axis, 3] = length
    return pose


def product(rows, convention, q):
    """Forward kinematics as the textbooks write it."""
    pose = np.eye(4)
    for row, x in zip(rows, q, strict=True):
        theta = row.theta + (x if row.type == "revolute" else 0.0)
        d = row.d + (x if row.type == "prismatic" else 0.0)
        about, across = rotation(2, theta) @ translation(2, d), translation(0, row.a) @ rotation(0, row.alpha)
        pose = pose @ (about @ across if convention == "standard" else across @ about)
    return pose


def random_rows(rng, count):
    """Rows of any kind: right angles, parallel, intersecting and coincident axes among them."""
    rows = []
    for _ in range(count):
        a = float(rng.choice([0.0, rng.normal()]))
        alpha = float(rng.choice([0.0, math.pi / 2, -math.pi / 2, math.pi, rng.uniform(-3, 3)]))
        d, theta = (float(rng.choice([0.0, x])) for x in (rng.normal(), rng.uniform(-3, 3)))
        kind = str(rng.choice(["revolute", "revolute", "prismatic"]))
        body = {"mass": 1.0, "center": (0.1, 0.0, 0.0), "inertia": (0.1, 0.1, 0.1)}
        rows.append(DHRow(a, alpha, d, theta, kind, body=body))
    return rows


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(12))
def test_arms_are_where_the_table_says(seed, convention):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, int(rng.integers(1, 7)))
    model = dh_arm(rows, convention).compile()
    for _ in range(3):
        q = rng.normal(size=len(rows))
        np.testing.assert_allclose(td.frame_pose(model, q, "tool"), product(rows, convention, q), atol=1e-12)


@pytest.mark.parametrize("there", CONVENTIONS)
@pytest.mark.parametrize("back", CONVENTIONS)
@pytest.mark.parametrize("seed", range(12))
def test_the_table_of_an_arm_has_its_kinematics(seed, there, back):
    rng = np.random.default_rng(100 + seed)
    base, tool = rotation(0, 0.3) @ translation(2, 0.5), translation(0, 0.2) @ rotation(1, 1.0)
    model = dh_arm(random_rows(rng, int(rng.integers(1, 7))), there, base=base, tool=tool).compile()
    table = dh_table(model, "tool", back)
    assert table.convention == back
    for _ in range(3):
        q = rng.normal(size=model.nv)
        np.testing.assert_allclose(table.pose(q), td.frame_pose(model, q, "tool"), atol=1e-9)


def test_a_published_table():
    """The Puma 560 of Corke and Armstrong-Helouvry (1994), standard: where the wrist is at zero."""
    half = math.pi / 2
    table = [
        (0, half, 0, 0),
        (0.4318, 0, 0, 0),
        (0.0203, -half, 0.15005, 0),
        (0, half, 0.4318, 0),
        (0, -half, 0, 0),
    ]
    model = dh_arm([*table, (0, 0, 0, 0)], name="puma").compile(strict=False)
    np.testing.assert_allclose(
        td.frame_pose(model, [0.0] * 6, "tool")[:3, 3], [0.4521, -0.15005, 0.4318], atol=1e-12
    )


def test_rows_in_their_forms_and_names():
    rows = [
        (0.1, 0.2, 0.3, 0.4),
        {"d": 0.5, "type": "prismatic", "name": "lift"},
        DHRow(a=1.0, joint={"lower": -1.0}),
    ]
    spec = dh_arm(rows)
    assert [joint.name for joint in spec.joints] == ["joint1", "lift", "joint3"]
    assert spec.joints[2].lower == -1.0
    assert spec.joints[1].type == "prismatic"
    text = str(dh_table(spec.compile(strict=False)))
    assert text.splitlines()[0].startswith("standard")
    assert "lift" in text


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([], {}, "at least one row"),
        ([(0, 0, 0, 0)], {"convention": "craig"}, "standard"),
        ([("x", 0, 0, 0)], {}, "must be a number"),
        ([(0, 0, 0, 0, "ball")], {}, "revolute or prismatic"),
        ([{"b": 1.0}], {}, "or a DHRow"),
        ([3.0], {}, "or a DHRow"),
        ([(0, 0, 0, 0)], {"base": np.eye(3)}, "4 x 4"),
    ],
)
def test_wrong_tables(rows, options, message):
    with pytest.raises(td.InputError, match=message):
        dh_arm(rows, **options)


def test_chains_that_have_no_table():
    with pytest.raises(td.InputError, match="revolute and prismatic"):
        dh_table(td.scene("bouncing-ball"))
    with pytest.raises(td.InputError, match="needs a Model"):
        dh_table("puma")


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_there_and_back_through_a_file(seed, convention):
    """The arm of a table of an arm, read from its robot.toml, moves as the arm does."""
    rng = np.random.default_rng(200 + seed)
    base = rotation(0, 0.3) @ translation(2, 0.5)
    rows = random_rows(rng, int(rng.integers(1, 7)))
    rows[0] = replace(rows[0], joint={"lower": -2.0, "upper": 2.0, "damping": 0.3, "friction": 0.1})
    model = dh_arm(rows, "standard", base=base).compile()
    written = dh_table(model, "tool", convention).toml("again")
    assert ("dh_modified = " in written) == (convention == "modified")
    again = read(written.encode(), "again").compile()
    q, v, tau = rng.normal(size=(3, model.nv))
    np.testing.assert_allclose(td.frame_pose(again, q, "tool"), td.frame_pose(model, q, "tool"), atol=1e-9)
    expected = td.forward_dynamics(model, q, v, tau)
    np.testing.assert_allclose(td.forward_dynamics(again, q, v, tau), expected, rtol=1e-8, atol=1e-8)
    assert again.joints[0].damping == model.joints[0].damping
    assert again.joints[0].lower == model.joints[0].lower


def test_rows_in_a_file():
    content = FILE.format(more="dh = [0.5, 1.2, 0.3, -0.4]")
    spec = read(content.encode(), "arm")
    body = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    expected = dh_arm([DHRow(0.5, 1.2, 0.3, -0.4, body=body)]).compile()
    np.testing.assert_allclose(
        td.frame_pose(spec.compile(), [0.7], "link"), td.frame_pose(expected, [0.7], "tool"), atol=1e-12
    )


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("dh = [0.5, 1.2, 0.3]", "4 numbers"),
        ("dh = [0.5, 1.2, 0.3, 0.0]\naxis = [0, 0, 1]", "axis"),
        ("dh = [0.5, 1.2, 0.3, 0.0]\ndh_modified = [0, 0, 0, 0]", "dh_modified"),
        ('dh = "a"', "numbers"),
    ],
)
def test_rows_that_say_too_much(more, told):
    with pytest.raises(td.ModelError, match=told):
        read(FILE.format(more=more).encode(), "arm")


FILE = """format = "treadle-1"
units = "SI"

[[body]]
name = "link"
mass = 1.0
inertia = [0.1, 0.1, 0.1]

[[joint]]
name = "turn"
type = "hinge"
predecessor = "world"
successor = "link"
{more}
"""
