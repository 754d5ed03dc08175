"""Nothing that could run code is ever read from disk but machine code that was checked."""

import ast
from pathlib import Path

import pytest

import treadle

PACKAGE = Path(treadle.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
FORBIDDEN = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "copyreg"}


def imported(tree: ast.AST) -> set[str]:
    """Top-level names of everything that is imported, at any depth of the code."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names |= {part.value for part in node.args if isinstance(part, ast.Constant)}
    return names


def test_the_guard_sees_imports():
    tree = ast.parse("def f():\n    from pickle import loads\nimport os.path\n__import__('marshal')")
    assert imported(tree) == {"pickle", "os", "marshal"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_unpickled(path):
    tree = ast.parse(path.read_text())
    assert imported(tree) & FORBIDDEN == set()
    keywords = {
        keyword.arg for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords
    }
    assert "allow_pickle" not in keywords


def test_the_list_of_files_is_not_empty():
    assert len(FILES) > 50
    assert PACKAGE / "store.py" in FILES
