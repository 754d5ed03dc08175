"""Every example runs, in a folder that is not its own, and passes the checks at its end."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_examples_are_numbered_and_listed():
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert EXAMPLES
    for number, path in enumerate(EXAMPLES, start=1):
        assert path.name.startswith(f"{number:02d}_")
        assert f"]({path.name})" in listed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    command = [sys.executable, "-W", "error", str(path)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_a_page_with_checks(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert "assert" in text
    assert text.count("\n") <= 80
