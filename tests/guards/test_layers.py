"""Imports go downward only."""

import os
import subprocess
import sys
from pathlib import Path

import treadle

ROOT = Path(__file__).parents[2]


def test_import_layers():
    script = (
        "from importlinter.cli import lint_imports\n"
        "raise SystemExit(lint_imports(config_filename='pyproject.toml', no_cache=True))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(treadle.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 kept, 0 broken" in result.stdout
