"""Build the wheel, and show that its kernels are loaded, and that stale ones are compiled again.

python tools/check_wheel.py [FILE.whl]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Bytes that a wheel may have.
LARGEST = 10_000_000

#: A first contact step with kernels from the package: what was compiled would be in the cache.
STEP = """
import os, sys
import treadle as td
spec = td.ModelSpec("ball")
spec.add_shape("ground", None, "plane", role="collision")
spec.add_body("ball", mass=1.0, type="sphere", size=(0.1,))
spec.add_joint("free", "free", None, "ball", position=(0.0, 0.0, 0.1))
spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision")
td.Simulation(spec.compile(), 2e-3).step()
assert td.__file__.startswith(os.environ["PYTHONPATH"]), td.__file__
assert "numba" not in sys.modules, "Numba was imported"
assert not os.path.exists(os.path.join(os.environ["TREADLE_CACHE"], "entries")), "kernels were compiled"
"""

#: One kernel whose package has changed: it is compiled, works, and is kept.
STALE = """
import os, sys
import numpy as np
from treadle.collision.sphere_pairs import sphere_sphere
assert sphere_sphere.address != 0
assert "numba" in sys.modules, "a stale kernel was used"
assert len(os.listdir(os.path.join(os.environ["TREADLE_CACHE"], "entries"))) == 1
"""


def main() -> None:
    """Raise an error where something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = Path(sys.argv[1]) if len(sys.argv) > 1 else _built(place)
        size = wheel.stat().st_size
        assert size < LARGEST, f"{wheel.name} has {size} bytes"
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            f"{place}/site",
        ]
        subprocess.run([*command, str(wheel)], check=True)
        _run(place, "cache", STEP)
        with open(place / "site/treadle/collision/vectors.py", "a") as source:
            source.write("# changed\n")
        _run(place, "other", STALE)
        print(
            f"{wheel.name}: {size / 1e6:.1f} MB, kernels loaded without compiling; stale ones compiled again"
        )


def _built(place: Path) -> Path:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", place, ROOT], check=True)
    return next(place.glob("*.whl"))


def _run(place: Path, cache: str, script: str) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(place / "site"),
        "TREADLE_CACHE": str(place / cache),
        "TREADLE_CACHE_KEY": str(place / "key"),
    }
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


if __name__ == "__main__":
    main()
