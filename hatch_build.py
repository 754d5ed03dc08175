"""Build hook of the wheel: compile the kernels of contact for the processor's baseline and put them into it.

An editable installation has none of it: `make` compiles its kernels ahead, or the first step does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface):
    """Adds `treadle/native/compiled` to a wheel, which is then one for this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are collected."""
        if version == "editable":
            return
        self._made = tempfile.TemporaryDirectory()
        target = Path(self._made.name) / "compiled"
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(self.root) / "src"),
            "TREADLE_CACHE": str(Path(self._made.name) / "cache"),
            "TREADLE_QUIET": "1",
        }
        command = [sys.executable, "-m", "treadle.native.build_kernels", str(target)]
        subprocess.run(command, env=environment, check=True)
        build_data["force_include"][str(target)] = "treadle/native/compiled"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        if version != "editable":
            self._made.cleanup()
