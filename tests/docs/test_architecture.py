"""The map of the architecture page: every idea's file exists and defines its name."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([^|]+) \| `([^`]+\.py)` \| `([^`]+)` \|$", re.MULTILINE)
IDEAS = ROW.findall((ROOT / "docs/architecture.md").read_text())


def test_the_map_is_large_enough():
    assert len(IDEAS) >= 60


@pytest.mark.parametrize(("idea", "file", "name"), IDEAS)
def test_the_file_defines_the_idea(idea, file, name):
    tree = ast.parse((ROOT / "src/treadle" / file).read_text())
    defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))} | {
        target.id
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    assert name in defined, f"{idea}: {file} has no {name}"
