"""Nothing that only POSIX has is used without looking whether it is there."""

import ast
from pathlib import Path

import pytest

import treadle

PACKAGE = Path(treadle.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"}
NAMES = {
    "geteuid", "getuid", "fork", "setsid", "killpg", "getpgid", "fchmod", "mkfifo", "getloadavg", "sysconf",
    "sched_getaffinity", "O_NOFOLLOW", "O_CLOEXEC", "SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1", "setitimer",
    "alarm",
}  # fmt: skip


def unguarded(source: str) -> list[str]:
    """Imports and names of POSIX outside of try, and of files that do not ask for the name."""
    tree = ast.parse(source)
    tried = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Try) for inner in ast.walk(node)}
    asked = {
        node.args[1].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("hasattr", "getattr")
        and len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    }  # fmt: skip
    found = []
    for node in ast.walk(tree):
        if id(node) in tried:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in (*MODULES, "os", "signal"):
            found += [alias.name for alias in node.names if node.module in MODULES or alias.name in NAMES]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("os", "signal"):
            found += [node.attr] if node.attr in NAMES and node.attr not in asked else []
    return found


def test_the_guard_sees_them():
    assert unguarded("import fcntl\nimport os\nos.fork()\nfrom os import sysconf") == [
        "fcntl",
        "sysconf",
        "fork",
    ]
    assert unguarded("try:\n    import fcntl\nexcept ImportError:\n    pass\n") == []
    assert unguarded("import os\nif hasattr(os, 'fork'):\n    os.fork()") == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_what_every_system_has(path):
    assert unguarded(path.read_text(encoding="utf-8")) == []
