"""Entry point of the `treadle` command, which says what to install where its packages are missing."""

from __future__ import annotations

import sys

from treadle.errors import MissingPackage
from treadle.extras import require

__all__ = ["main"]


def main() -> None:
    """Run the command."""
    try:
        for package in ("typer", "rich"):
            require(package, "the treadle command")
    except MissingPackage as error:
        sys.exit(f"treadle: {error}")
    from treadle.cli import main as run

    run()


if __name__ == "__main__":
    main()
