"""Every public name has an example, and every example runs."""

import re
from pathlib import Path

import numpy as np
import pytest

import treadle as td
from treadle.contact.laws.law import LAWS
from treadle.wheels import WHEEL_MODELS

FILE = Path(__file__).parents[2] / "docs" / "reference" / "examples.py"
SECTION = re.compile(r"^# --- ([\w, ]+?)(?: \((\w+)\))?$", re.MULTILINE)


def sections():
    """Names, the package that is needed, and the code."""
    text = FILE.read_text()
    found = list(SECTION.finditer(text))
    for start, end in zip(found, [*found[1:], None], strict=True):
        yield start[1].split(", "), start[2], text[start.end() : end.start() if end else None]


def test_every_public_name_has_an_example():
    named = [name for names, _, _ in sections() for name in names]
    assert sorted(named) == sorted(set(td.__all__) - {"__version__"})


@pytest.fixture
def own_registries(monkeypatch):
    """What an example registers is there for that example alone."""
    for registry in (LAWS, WHEEL_MODELS):
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))


@pytest.mark.usefixtures("own_registries")
@pytest.mark.parametrize(
    ("names", "package", "code"), list(sections()), ids=lambda x: x[0] if isinstance(x, list) else ""
)
def test_examples_run(names, package, code, tmp_path, monkeypatch):
    if package is not None:
        pytest.importorskip(package, reason=f"{package} is not installed", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(FILE), "exec"), {"td": td, "np": np, "__name__": "example"})
    assert all(re.search(rf"\b{name}\b", code) for name in names if not name[0].isupper()), names
