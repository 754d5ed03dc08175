"""Xacro files: expanded by the package xacro, then read as URDF.

Needs the package `xacro` (treadle[xacro]). Files that are included must lie in the folder of the
description or in its package, unless others are allowed. A xacro file is a program, though: its expressions
are evaluated by Python, and what keeps them harmless here is a check of their text.
"""

from __future__ import annotations

import ast
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from treadle.errors import ModelError
from treadle.formats import urdf
from treadle.formats.folder import Folder
from treadle.formats.packages import Packages
from treadle.formats.xml import parse_xml
from treadle.model import ModelSpec
from treadle.model.finding import Finding

__all__ = ["expand", "read"]

_LARGEST_FILE = 50_000_000
_MOST_CALLS = 100_000
#: Attributes that lead from a value to the interpreter, besides those that start with an underscore.
_FORBIDDEN = (
    "format", "format_map", "mro", "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code",
    "tb_frame", "f_back", "f_builtins", "f_code", "f_globals", "f_locals",
)  # fmt: skip
#: Functions of xacro's name space `python` that do the same.
_FORBIDDEN_FUNCTIONS = ("type", "vars")
#: The package keeps its state in global variables.
_LOCK = threading.Lock()


def read(content: bytes, name: str, floating_base: bool = False, folder: Folder | None = None) -> ModelSpec:
    """The machine in a xacro file's content, as `urdf.read` reads what it expands to."""
    folder = Folder(Path()) if folder is None else folder
    expanded, report = expand(content, folder)
    try:
        spec = urdf.read(expanded, name.removesuffix(".urdf"), floating_base)
    except ModelError as error:
        # the line is one of the expanded text, which nobody has seen
        error.line = None
        raise
    for items in (spec.bodies, spec.joints, spec.shapes, spec.actuators, spec.couplings):
        for item in items:
            item.line = None
    spec.report = [*report, *spec.report]
    return spec


def expand(content: bytes, folder: Folder) -> tuple[bytes, list[Finding]]:
    """The text of the URDF that a xacro file stands for, and what the package xacro has to say about it."""
    xacro = _library()
    parse_xml(content)
    said = io.StringIO()
    with _LOCK, redirect_stderr(said), redirect_stdout(said), _guarded(xacro, Packages(folder)):
        try:
            xacro.init_stacks(str(folder.path.resolve() / "robot.xacro"))
            document = xacro.parse(content.decode())
            xacro.process_doc(document)
            text = document.toxml(encoding="utf-8")
        # an expression can raise anything
        except Exception as error:
            raise _refused(error) from None
    lines = dict.fromkeys(line.strip() for line in said.getvalue().splitlines() if line.strip())
    return text, [Finding(f"xacro says: {line}") for line in lines]


def _library() -> Any:
    try:
        import xacro
    except ImportError:
        hint = "install it: pip install treadle[xacro], or expand the file first: xacro robot.urdf.xacro"
        raise ModelError("xacro files are expanded by xacro, which is not installed", hint=hint) from None
    return xacro


def _refused(error: Exception) -> ModelError:
    """Our own error that the package has wrapped into others, or what it has to say itself."""
    cause: Any = error
    while cause is not None:
        if isinstance(cause, ModelError):
            return cause
        if isinstance(cause, RecursionError):
            return ModelError("its macros call each other without end", hint="give them an end")
        cause = getattr(cause, "exc", None)
    reason = " ".join(str(error).split()) or type(error).__name__
    hint = "correct it, or expand it with xacro itself and load the result"
    if "Undefined substitution argument" in reason:
        hint = 'give the argument a default: <xacro:arg name="..." default="..."/>'
    return ModelError(f"xacro cannot expand it: {reason}", hint=hint)


@contextmanager
def _guarded(xacro: Any, packages: Packages) -> Iterator[None]:
    """The package with our own functions where it opens files, finds packages and evaluates expressions."""
    from xacro import substitution_args

    call, calls = xacro.handle_macro_call, 0

    def checked(evaluate: Any) -> Any:
        def checked_eval(expression: str, *arguments: Any) -> Any:
            _check_expression(expression)
            return evaluate(expression, *arguments)

        return checked_eval

    def counted_call(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > _MOST_CALLS:
            raise ModelError(f"calls more than {_MOST_CALLS} macros", hint="no robot needs that")
        return call(*arguments)

    def find(name: str) -> str:
        path = packages.find(name)
        if path is None or not path.is_dir():
            hint = "put its folder next to the description, or search more with allow_outside=True"
            raise ModelError(f"the package {name!r} is not found", hint=hint)
        return str(path)

    changes = [
        (vars(xacro), "open", lambda path: _open(Path(path), packages)),
        (vars(xacro), "safe_eval", checked(xacro.safe_eval)),
        (vars(xacro), "handle_macro_call", counted_call),
        (vars(substitution_args), "_eval", checked(substitution_args._eval)),
        (vars(substitution_args), "_eval_find", find),
        (substitution_args._eval_dict, "find", find),
    ]
    before = [(scope, name, scope.get(name)) for scope, name, _ in changes]
    for scope, name, value in changes:
        scope[name] = value
    try:
        yield
    finally:
        for scope, name, value in before:
            scope[name] = value
        # without this the name would hide the builtin
        del vars(xacro)["open"]


def _open(path: Path, packages: Packages) -> io.StringIO:
    """A file that is included, if it may be."""
    target = path.resolve()
    if not packages.allows(target):
        hint = "put it next to the description, or load that with allow_outside=True"
        raise ModelError(f"includes {str(path)!r}, which is outside the folder of the description", hint=hint)
    if target.is_file() and target.stat().st_size > _LARGEST_FILE:
        raise ModelError(f"includes {path.name!r}, which is too large", hint="reduce it")
    content = target.read_bytes()
    if target.suffix.lower() not in (".yaml", ".yml"):
        try:
            parse_xml(content)
        except ModelError as error:
            error.element = f"file {path.name!r}"
            raise
    return io.StringIO(content.decode())


def _check_expression(expression: str) -> None:
    """ModelError if an expression could reach beyond numbers, text and xacro's own functions."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError):
        # xacro itself says what is wrong with it
        return
    for node in ast.walk(tree):
        name = str(getattr(node, "attr", None) or getattr(node, "id", None) or "")
        forbidden = name.startswith("_")
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            forbidden |= name in _FORBIDDEN or (owner == "python" and name in _FORBIDDEN_FUNCTIONS)
        if forbidden:
            hint = "write it in plain arithmetic"
            raise ModelError(f"the expression {expression!r} uses {name!r}, which it may not", hint=hint)
