"""The public interface, signature by signature: a change of the list is a change for users."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTED = Path(__file__).parent / "public_interface.txt"


def test_the_public_interface():
    """See docs/reference/stability.md; `python tools/public_interface.py` prints the list anew."""
    spec = importlib.util.spec_from_file_location("public_interface", ROOT / "tools" / "public_interface.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found, listed = set(module.lines()), set(LISTED.read_text().splitlines())
    assert sorted(listed - found) == [], "gone or changed: deprecate first"
    assert sorted(found - listed) == [], "new or changed: add it to the list and to the changelog"
