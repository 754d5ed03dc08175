"""Build hook of the wheel: compile the kernels of contact for the processor's baseline and put them into it.

An editable installation has none of it: `make` compiles its kernels ahead, or the first step does.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: glibc 2.27, what the wheels of llvmlite ask for.
LINUX = "manylinux_2_27"


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
            # pip's build environment is on this path alone
            "PYTHONPATH": os.pathsep.join([str(Path(self.root) / "src"), *filter(None, sys.path)]),
            "TREADLE_CACHE": str(Path(self._made.name) / "cache"),
            "TREADLE_QUIET": "1",
        }
        command = [sys.executable, "-m", "treadle.native.build_kernels", str(target)]
        subprocess.run(command, env=environment, check=True)
        build_data["force_include"][str(target)] = "treadle/native/compiled"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        if version != "editable":
            self._made.cleanup()


def platform_tag() -> str:
    """The systems that the wheel serves.

    Kernels are object files for one processor, which call a few functions that every C library has (see
    `treadle.native.runtime`): on Linux the wheel goes wherever one of llvmlite does.
    """
    name = sysconfig.get_platform().replace("universal2", platform.machine())
    if name.startswith("linux") and platform.libc_ver()[0] == "glibc":
        name = name.replace("linux", LINUX, 1)
    return name.replace("-", "_").replace(".", "_")
