"""Functions take records instead of a dozen arguments, and modules keep out of each other's private names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import treadle

SOURCE = Path(treadle.__file__).parent

#: Parameters of a function at most.
MOST = 12

#: Public functions whose arguments are given by name: a user's editor and `--help` list them.
BY_NAME = {
    "batch/batch.py:__init__",
    "cli/export.py:export",
    "cli/render.py:render",
    "cli/run.py:run",
    "cli/view.py:view",
    "sim/simulation.py:__init__",
    "sim/step/options.py:of",
    "wheels/pacejka.py:pacejka",
}

#: Of named tuples, which Python documents.
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace"}

#: Modules that know what a library, the page's and Numba, keeps to itself.
OTHERS_PRIVATE = {"app/viser_private.py", "native/kernel_cache.py"}


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text())


def parameters(function: ast.FunctionDef) -> int:
    given = function.args
    names = [x.arg for x in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def defined(tree: ast.Module) -> set[str]:
    """Names that a module defines: functions, classes, variables and attributes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return names


def of_itself(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def reached(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Private names of other objects than a method's own that a module reads, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("treadle"):
            yield from ((node.lineno, alias.name) for alias in node.names if private(alias.name))
        elif isinstance(node, ast.Attribute) and private(node.attr) and not of_itself(node.value):
            yield node.lineno, node.attr


def test_functions_take_few_arguments():
    many = {
        f"{name}:{node.name}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and parameters(node) > MOST
    }
    assert many - BY_NAME == set()
    # a name that is no longer needed goes
    assert many >= BY_NAME


def test_no_module_reaches_into_another():
    own = {name: defined(tree) for name, tree in trees()}
    known = set().union(*own.values())
    found = [
        f"{name}:{line} {word}"
        for name, tree in trees()
        if name not in OTHERS_PRIVATE
        for line, word in reached(tree)
        if word in known and word not in own[name]
    ]
    assert found == []


def test_the_guard_sees_what_it_is_to_see():
    tree = ast.parse("from treadle.sim import _hidden\nother._inner = 1\nprint(sim._state, self._own)\n")
    assert set(reached(tree)) == {(1, "_hidden"), (2, "_inner"), (3, "_state")}
    many = ast.parse("def f(self, a, b, *, c): ...").body[0]
    assert isinstance(many, ast.FunctionDef)
    assert parameters(many) == 3
