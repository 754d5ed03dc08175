"""The tutorials run from their first cell to their last."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import treadle as td

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    code = ["".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "code"]
    (tmp_path / "notebook.py").write_text("\n\n".join(code), encoding="utf-8")
    source = str(Path(td.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "notebook.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_sound(path):
    """Valid by the format's schema, without outputs, and its links lead somewhere."""
    import re

    import nbformat

    nbformat.validate(nbformat.read(path, as_version=4))
    for cell in cells(path):
        assert not cell.get("outputs")
        for link in (
            re.findall(r"\]\(([^)#:]+)", "".join(cell["source"])) if cell["cell_type"] == "markdown" else ()
        ):
            assert (FOLDER / link).exists(), link


def test_there_are_five():
    assert len(NOTEBOOKS) == 5
