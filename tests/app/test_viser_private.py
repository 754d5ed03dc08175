"""Members of viser that are not public are used in one file of each language."""

import ast
import re
from pathlib import Path

import treadle.app

HOME = Path(treadle.app.__file__).parent


def private_uses(source: str) -> set[str]:
    """Private modules of viser that are imported, and private members of anything but `self`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "viser":
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            found |= {part for part in parts if part.startswith("_")}
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not own:
                found.add(node.attr)
    return found


def test_one_file_of_python():
    #: of other libraries and of the language
    known = {"_replace", "_exit"}
    uses = {path.name: private_uses(path.read_text()) - known for path in HOME.rglob("*.py")}
    assert uses.pop("viser_private.py") >= {"_messages", "_impl", "_websock_server"}
    assert {name: found for name, found in uses.items() if found} == {}


def test_one_file_of_scripts():
    uses = {path.name: set(re.findall(r"__viser\w+", path.read_text())) for path in HOME.rglob("*.js")}
    assert uses.pop("viser_private.js") == {"__viserMutable"}
    assert {name: found for name, found in uses.items() if found} == {}


def test_uses_are_found():
    assert private_uses("from viser import _messages") == {"_messages"}
    assert private_uses("import x\nx.y._impl.value = self._own") == {"_impl"}
