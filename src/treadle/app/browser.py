"""A browser without a window, to look at pages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from treadle.app.closing import Closing
from treadle.errors import InputError

__all__ = ["FLAGS", "Browser", "find_chromium"]

#: Names under which Chromium and its kin are found.
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")

_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

#: Right pictures without a graphics card.
FLAGS = (
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
)


def find_chromium() -> str:
    """The path of Chromium or Chrome; InputError, with what to do, where there is none."""
    named = os.environ.get("TREADLE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None and sys.platform == "darwin" and os.path.exists(_MAC):
        found = _MAC
    if found is None or not os.path.exists(found):
        raise InputError(
            "pictures need Chromium or Chrome; install one (apt install chromium) or name it with "
            "TREADLE_CHROMIUM=/path/to/chromium"
        )
    return found


class Browser(Closing):
    """Chromium on one page, until it is closed."""

    def __init__(self, url: str, width: int, height: int) -> None:
        path = find_chromium()
        self._folder = tempfile.TemporaryDirectory(prefix="treadle-browser-", ignore_cleanup_errors=True)
        flags = [*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self._folder.name}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # it refuses to run as root otherwise
            flags.append("--no-sandbox")
        self._process = subprocess.Popen(
            [path, "--headless=new", *flags, url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        super().__init__()

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def _close(self) -> None:
        """End it and remove what it wrote."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
