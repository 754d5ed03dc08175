"""`treadle run --report` and --keep."""

import json

from typer.testing import CliRunner

from treadle.cli import app


def run(*arguments: str):
    return CliRunner().invoke(
        app, ["run", "pendulum", "--set", "shoulder=1.2", "--seconds", "0.5", *arguments]
    )


def test_report(tmp_path):
    path = tmp_path / "run.html"
    result = run("--report", str(path))
    assert result.exit_code == 0, result.output
    assert f"wrote {path}" in " ".join(result.output.split())
    page = path.read_text(encoding="utf-8")
    assert "<h1>pendulum</h1>" in page
    assert page.count("<svg") >= 5


def test_report_beside_other_outputs(tmp_path):
    files = {name: str(tmp_path / f"run.{name}") for name in ("html", "csv", "parquet")}
    result = run("--report", files["html"], "--csv", files["csv"], "--record", files["parquet"], "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["files"] == [files["csv"], files["parquet"], files["html"]]


def test_the_name_ends_in_html(tmp_path):
    result = run("--report", str(tmp_path / "run.pdf"))
    assert result.exit_code == 2
    assert "the name of a report ends in .html" in result.stderr


def test_a_folder_that_is_not_there_is_told_before_the_run(tmp_path):
    result = run("--report", str(tmp_path / "missing" / "run.html"))
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


def test_keep():
    result = run("--keep", "1e-4", "--json")
    rows = {row["name"]: row["value"] for row in json.loads(result.stdout)["rows"]}
    assert 1e-6 < rows["largest step"] < 1e-3
    assert rows["largest error"] > 0.1


def test_keep_must_be_positive():
    result = run("--keep", "-1")
    assert result.exit_code == 2
    assert "positive number of metres" in result.stderr
