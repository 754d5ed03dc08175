"""`treadle export`: files of every kind are listed; machines with contact need --no-contact."""

import json

import pytest
from typer.testing import CliRunner

from treadle.cli import app


def export(*arguments, code: int = 0):
    result = CliRunner().invoke(app, ["export", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def test_the_files_are_listed(tmp_path):
    result = export("pendulum", tmp_path / "out", "--kind", "source", "--dt", "2e-3")
    assert "pendulum.h" in result.stdout and "pendulum.c" in result.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"pendulum.h", "pendulum.c"}


def test_json(tmp_path):
    found = json.loads(export("pendulum", tmp_path, "--json").stdout)
    assert [row["file"] for row in found["rows"]] == [
        str(tmp_path / "pendulum.h"),
        str(tmp_path / "libpendulum.a"),
    ]
    assert all(row["bytes"] > 0 for row in found["rows"])


def test_contact_is_refused_unless_it_is_left_out(tmp_path):
    result = export("slope", tmp_path / "out", "--kind", "source", code=2)
    assert result.stderr == (
        "treadle: 'slope' has contact, which cannot be exported: leave it out with --no-contact\n"
    )
    assert not (tmp_path / "out").exists()
    export("slope", tmp_path / "out", "--kind", "source", "--no-contact")
    assert (tmp_path / "out" / "slope.c").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--kind", "dll"], "kind must be one of"),
        (["--target", "pdp11"], "pdp11"),
        (["--kind", "source", "--cpu", "cortex-a72"], "takes no target and no cpu"),
    ],
)
def test_wrong_options_end_in_one_sentence(arguments, words, tmp_path):
    result = export("pendulum", tmp_path / "out", *arguments, code=2)
    assert words in result.stderr and result.stderr.count("\n") == 1
