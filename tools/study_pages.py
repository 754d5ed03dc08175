"""Run studies and bring their pages in docs/studies up to date: the plot, and what the command printed.

python tools/study_pages.py                        all of them, on a computer that does nothing else
python tools/study_pages.py roadheader-accuracy    one of them
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from treadle.studies import STUDIES

PAGES = Path(__file__).parents[1] / "docs" / "studies"

#: The block of a page that shows what the command printed, after the line that shows the command.
PRINTED = re.compile(r"(```\ntreadle study [a-z0-9-]+\n```\n\n```\n).*?(\n```\n)", re.DOTALL)


def update(name: str) -> None:
    """Run a study and rewrite the printed block of its page."""
    command = [Path(sys.executable).with_name("treadle"), "study", name, "--out", str(PAGES)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    # where the plot went is not part of the result
    lines = [line.rstrip() for line in printed.splitlines() if not line.startswith("The plot is in")]
    text = "\n".join(lines).strip("\n")
    page = PAGES / f"{name}.md"
    page.write_text(PRINTED.sub(lambda match: match[1] + text + match[2], page.read_text(encoding="utf-8")))


if __name__ == "__main__":
    for study in sys.argv[1:] or STUDIES:
        update(study)
