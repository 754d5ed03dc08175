"""The kernels on disk are those of the sources."""

import ast
from pathlib import Path

import pytest

import treadle
from treadle.native.kernels import _CALLS, kernels_digest

ROOT = Path(treadle.__file__).parent


@pytest.mark.parametrize("package", _CALLS)
def test_kernels_call_only_packages_that_are_hashed_with_them(package):
    known = [f"treadle.{name.replace('/', '.')}" for name in (package, *_CALLS[package])]
    others = [f"treadle.{name.replace('/', '.')}" for name in _CALLS]
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                called = any(f"{node.module}.".startswith(f"{name}.") for name in others)
                assert not called or any(f"{node.module}.".startswith(f"{name}.") for name in known), path


def test_hashes_differ():
    assert len({kernels_digest(package) for package in _CALLS}) == len(_CALLS)
